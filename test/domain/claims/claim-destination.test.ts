import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseClaim } from '../../../src/domain/claims/claim.ts';
import { namesChain } from '../../../src/domain/claims/claim-destination.ts';

const ADDRESS = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';

describe('a claim without an address', () => {
  test.each([
    ...['claim my rewards', 'Claim my rewards!', 'gm, claim my rewards please', 'claim my rewards now, thanks a lot!'],
    ...["I'd like to claim my rewards", 'I’d like to claim my rewards \u{1f64f}', 'I want to claim my rewards...'],
    'gm \u{1f44b}\u{1f3fd} claim my rewards \u{1f680}\u{1f680}',
    '\u{1f469}\u200d\u{1f4bb} claim my rewards \u2764\ufe0f',
    ...['gm...claim my rewards', 'gm.claim my rewards', 'claim my rewards.', 'claim my rewards. Thanks'],
    ...['at 12:30 claim my rewards', 'claim my rewards of 12.5 DEGEN', 'claim my rewards, all 1,000.75 of them'],
    ...['re:claim my rewards', 'PS: claim my rewards', 'claim my rewards: all of them', 'Tokyo! claim my rewards'],
    ...['notable news: claim my rewards', 'claim my rewards together'],
    `claim my rewards ${'a'.repeat(13)}\u241e${'a'.repeat(13)}`,
    'one\nline\nfor\neach\nword\nand\nclaim my rewards\nin\nthe\nmiddle\nof\nthem',
    'おはようございますいつもほんとうにありがとうございます claim my rewards',
  ])('behavior: %j pays the author’s own address', (text) => {
    expect(parseClaim(text)).toEqual({ address: null });
  });

  test.each([
    ['a dotted name', ['alice.eth', 'alice-savings.eth', 'bob.base.eth', 'Alice.ETH', '(alice.eth)']],
    ['a dotted name of another kind', ['alice.x', 'a_b.crypto', 'alice.888']],
    ['a dotted name of signs', ['\u{1f984}.eth', '@ alice.eth', 'alice .eth', 'alice..b.eth', 'naïve.eth', '名前.eth']],
    ['a dotted name with another dot', ['alice\u3002eth', 'alice\uff0eeth', 'alice\u2024eth']],
    ['a dotted name in disguise', ['alice\u200b.\u200beth', 'alice.\u0435th', 'alice.\u{1d41e}th']],
    ['a site', ['example.com', 'https://example.com/alice', 'www.example.com']],
    ['25 letters or digits in a row', ['a'.repeat(25), '7'.repeat(25)]],
    ['another address', ['4Nd1mYvHLr3mS9vtT7Zc2xPq8uJk5Wb6Rf', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq']],
    ['as many in disguise', ['\uff41'.repeat(25), '\u0430'.repeat(25), '\u{1d7d7}'.repeat(25)]],
    ['as many with a hidden sign', [`${'a'.repeat(12)}\u200b${'a'.repeat(13)}`]],
    ['the prefix of a chain', ['base:alice', 'eip155:1', 'eip155:8453:alice', 'solana:alice', 'arb1:alice']],
    ['the prefix of a chain with spaces', ['eth: alice', 'Base : alice', 'b\u200base:alice']],
    [
      'the word `to`',
      ['to alice', 'TO my vault', 'and send them to bob', 'please, to my other wallet', 'into my vault'],
    ],
    ['`to` in disguise', ['t\u200bo bob', 't\u043e bob', 'to\u200bbob', 'onto bob', '\u241e to bob']],
    ['an arrow', ['-> alice', '=> bob', '\u2192 carol']],
  ])('security: %s after the words is a destination that is not understood, and nobody is paid', (_, named) => {
    for (const destination of named) {
      const text = `claim my rewards ${destination}`;
      expect([text, parseClaim(text)]).toEqual([text, 'invalid_address']);
    }
  });

  test.each([
    ...['alice.eth: claim my rewards', 'alice.eth claim my rewards', 'me\nalice.eth\nclaim my rewards'],
    ...['base:claim my rewards', 'eip155:1 claim my rewards', 'on base: claim my rewards'],
    ...[`${'a'.repeat(25)} claim my rewards`, 'claim my rewards.eth'],
  ])('security: so is %j, where it stands elsewhere', (text) => {
    expect(parseClaim(text)).toBe('invalid_address');
  });

  test('security: a chain before an address is refused as one that is not understood', () => {
    const chains = ['base:', 'eip155:1:', 'eip155:8453:', 'BASE:'].map((prefix) => `${prefix}${ADDRESS}`);
    for (const named of [...chains, `eip155:8453:${ADDRESS}!`, 'base:0x12'])
      expect([named, parseClaim(`claim my rewards ${named}`)]).toEqual([named, 'invalid_address']);
    expect(namesChain('base\u200b:0x12')).toBe(true);
    expect(parseClaim(`base:${ADDRESS} claim my rewards`)).toBe('invalid_address');
    expect(parseClaim(`pay base:${ADDRESS}`)).toBe('not_a_claim');
  });

  test.each([
    ...["don't claim my rewards", 'don’t claim my rewards', 'DONT claim my rewards', 'do not claim my rewards'],
    ...['I can’t claim my rewards', 'I cannot claim my rewards', 'I cant claim my rewards', "won't claim my rewards"],
    '\u241e never claim my rewards',
    "shouldn't claim my rewards",
    ...['never claim my rewards', 'please do not ever claim my rewards', 'never post "claim my rewards", it is a scam'],
    ...['d\u200bon’t claim my rewards', 'n\u043et: claim my rewards', 'never claim my rewards to alice.eth'],
  ])('security: %j denies it, and is no claim', (text) => {
    expect(parseClaim(text)).toBe('not_a_claim');
  });

  test('behavior: handles and links that the platform marks name no destination', () => {
    expect(parseClaim('claim my rewards @alice.eth')).toBe('invalid_address');
    expect(parseClaim('claim my rewards @alice.eth', 'claim my rewards  ')).toEqual({ address: null });
    expect(parseClaim('https://example.com claim my rewards', '  claim my rewards')).toEqual({ address: null });
    expect(parseClaim('@gigclaimclaim my rewards', ' claim my rewards')).toEqual({ address: null });
    // An address counts wherever it stands.
    expect(parseClaim(`claim my rewards https://explorer.example/${ADDRESS}`, 'claim my rewards  ')).toBe(
      'not_a_claim',
    );
  });
});

test('security: with a name, a long run or a chain anywhere beside the words, nobody is paid', () => {
  const word = fc.constantFrom('gm', 'please', '\u{1f680}', 'thanks!', 'my', '12.5', 'now,', '\n', '…', '(', 'well');
  const words = fc.array(word, { maxLength: 4 }).map((all) => all.join(' '));
  const label = fc.stringMatching(/^[a-z0-9\u{1f600}-\u{1f64f}][a-z0-9-]{0,8}$/u);
  const destination = fc.oneof(
    fc.tuple(label, fc.constantFrom('eth', 'xyz', 'sol', 'base.eth', 'x')).map(([name, top]) => `${name}.${top}`),
    fc.stringMatching(/^[A-Za-z0-9]{25,50}$/),
    fc
      .tuple(fc.constantFrom('base', 'eip155', 'solana', 'optimism'), label)
      .map(([chain, name]) => `${chain}:a${name}`),
  );
  const hidden = fc.constantFrom('', '', '\u200b', '\u2060', '\ufe0f', '\u00ad');
  fc.assert(
    fc.property(
      words,
      words,
      destination,
      hidden,
      fc.nat(),
      fc.boolean(),
      (before, after, named, sign, place, isFirst) => {
        const at = place % (named.length + 1);
        const whole = named.slice(0, at) + sign + named.slice(at);
        const text = isFirst
          ? `${whole} ${before} claim my rewards ${after}`
          : `${before} claim my rewards ${after} ${whole}`;
        expect([text, typeof parseClaim(text)]).toEqual([text, 'string']);
      },
    ),
    { numRuns: 3_000 },
  );
});
