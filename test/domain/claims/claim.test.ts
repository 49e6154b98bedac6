import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/bot/commands/index.ts';
import { parseClaim } from '../../../src/domain/claims/claim.ts';

const CHECKSUMMED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const LOWER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const OTHER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const CLAIM = `claim my rewards ${LOWER}`;

describe('the words of a claim', () => {
  test.each([
    ...['claim my rewards', 'Claim My Rewards', '@gigclaim claim my rewards, please!', 'gm\n\nclaim my rewards\n'],
    ...['I wonder if claim my rewards works', 'submitted 15 times, claim my rewards'],
    'I submit 15 of them: claim my rewards',
  ])('behavior: %j asks for the rewards', (text) => {
    expect(parseClaim(text)).toEqual({ address: null });
  });

  test.each([
    ...['', 'claim rewards', 'claim my reward s', 'claim  my rewards', 'reclaim my rewards', 'claim my rewardss'],
    ...['claim my rewards claim my rewards', 'claim my rewards, CLAIM MY REWARDS'],
    ...['claim my reward\u017f', 'claim my rewar\u0501s', 'cla\u200bim my rewards', 'claim my rewards\u202e'],
    'nonclaim my rewards and claim my rewards',
    ...['@gigclaim submit 15 my poem ends with: claim my rewards', 'submit gig #15, claim my rewards @gigclaim'],
    ...['@alice @gigclaim\nSubmit 15: claim my rewards', 'submit @gigclaim 15 claim my rewards'],
    ...['\u0455ubmit 15 claim my rewards', 'sub\u200bmit 15 claim my rewards'],
  ])('error: %j does not, or not exactly once', (text) => {
    expect(parseClaim(text)).toBe('not_a_claim');
  });
});

test('security: an address behind a submission is not paid', () => {
  expect(parseClaim(`@gigclaim submit 15 claim my rewards ${LOWER}`)).toBe('not_a_claim');
});

describe('the address of a claim', () => {
  test.each([CHECKSUMMED, LOWER, `0x${LOWER.slice(2).toUpperCase()}`, LOWER.toUpperCase()])(
    'behavior: %s is one address',
    (address) => {
      for (const text of [
        `claim my rewards ${address}`,
        `Claim My REWARDS ${address}`,
        `  claim\tmy\u00a0rewards\r\n\r\n${address}\n`,
        `ｃｌａｉｍ　my rewards ${address}`,
        `claim my rewards ${address}.`,
        `claim my rewards ${address}!`,
        `claim my rewards ${address} ！`,
        `@gigbot claim my rewards ${address}`,
        `claim my rewards ${address} @gigbot`,
        `claim my rewards ${address} @gigbot!`,
        `@alice @bob.eth @some_body\n@gig-bot claim my rewards ${address}\n@gigbot @carol`,
        `＠gigbot claim my rewards ${address}`,
      ]) {
        expect([text, parseClaim(text)]).toEqual([text, { address: LOWER }]);
      }
    },
  );

  test.each([
    ...[CHECKSUMMED.replace('C51812dc', 'c51812dc'), `0x${CHECKSUMMED.slice(2).replace('dc79C8', 'DC79C8')}`],
    ...[LOWER.slice(0, -1), `${LOWER}0`, `${LOWER}beef`, '0x123', `0x${'0'.repeat(64)}`, `0x${LOWER.slice(2, -1)}g`],
    ...[LOWER.replace('0x', '0\uff58'), `0x${LOWER.toUpperCase()}`],
  ])('error: %j is none, and nobody else is paid instead', (address) => {
    expect(parseClaim(`claim my rewards ${address}`)).toBe('invalid_address');
    expect(parseClaim(`@gigbot claim my rewards ${address}!`)).toBe('invalid_address');
  });

  test.each([
    `claim my rewards ${LOWER} ${OTHER}`,
    `claim my rewards ${LOWER} ${LOWER}`,
    `claim my rewards ${LOWER} 0x12.`,
    `@gigbot claim my rewards 0x12 ${LOWER} 0x34 @gigbot`,
  ])('error: %j names several', (text) => {
    expect(parseClaim(text)).toBe('several_addresses');
  });

  test('behavior: what only contains the two characters is no address', () => {
    expect(parseClaim('made 100x, claim my rewards')).toEqual({ address: null });
    expect(parseClaim('#0 x claim my rewards box0x')).toEqual({ address: null });
  });

  test('behavior: a handle that begins like an address is a handle', () => {
    expect(parseClaim('@0xalice claim my rewards @0xb0b')).toEqual({ address: null });
    expect(parseClaim(`@0xalice claim my rewards ${LOWER}`)).toEqual({ address: LOWER });
  });

  test('behavior: a long post is read in a moment', () => {
    expect([parseClaim(CLAIM.padEnd(500)), parseClaim(CLAIM.padEnd(501))]).toEqual([{ address: LOWER }, 'not_a_claim']);
    expect(parseClaim(`claim my rewards ${'a'.repeat(200_000)}`)).toBe('not_a_claim');
    expect(parseClaim(`claim my rewards ${'0x'.repeat(100_000)}`)).toBe('not_a_claim');
    expect(parseClaim(`${'@a '.repeat(100_000)}claim my rewards ${LOWER}`)).toBe('not_a_claim');
    expect(parseClaim(`claim my rewards ${LOWER}${' @a'.repeat(100_000)}?`)).toBe('not_a_claim');
    expect(parseClaim(`claim my rewards ${'g0x'.repeat(3_300)}`)).toBe('invalid_address');
    expect(parseClaim(`claim my rewards ${'g0x '.repeat(2_400)}`)).toEqual({ address: null });
    expect(parseClaim(`claim my rewards ${'g0x'.repeat(100_000)}`)).toBe('not_a_claim');
  });
});

describe('a post that only talks about a claim', () => {
  test.each([
    ...[`never post "${CLAIM}", it is a scam!`, `lol a bot told me to ${CLAIM}`, `it says:\n\n${CLAIM}`],
    ...[`> ${CLAIM}`, `>${CLAIM}`, `＞ ${CLAIM}`, `- ${CLAIM}`, `*${CLAIM}*`, `(${CLAIM})`],
    ...[`"${CLAIM}"`, `“${CLAIM}”`, `'${CLAIM}'`, `«${CLAIM}»`, `\`${CLAIM}\``, `\`\`\`\n${CLAIM}\n\`\`\``],
    ...[`RT @scam: ${CLAIM}`, `@scam: ${CLAIM}`, `@scam "${CLAIM}"`, `.@gigbot ${CLAIM}`],
    ...[`${CLAIM}?`, `${CLAIM}!!`, `${CLAIM}...`, `${CLAIM}…`, `${CLAIM}, please`, `please ${CLAIM}`],
    ...[`claim my rewards to ${LOWER}`, `claim my rewards: ${LOWER}`, `claim my rewards (${LOWER}).`],
    ...[`${LOWER} claim my rewards`, `claim my rewards\n${LOWER}\n\nis what the bot wants`],
    ...[`never do this\u2028${CLAIM}`, `${CLAIM} claim my rewards`],
    ...[`claim my rewards @scam ${LOWER}`, `claim @scam my rewards ${LOWER}`, `${CLAIM} @scam says`, `${CLAIM}@scam`],
    ...[`${CLAIM} \u{1f602}`, `\u{1f602} ${CLAIM}`, `\u{1f469}\u200d\u{1f4bb} ${CLAIM}`, `${CLAIM}\u2764\ufe0f`],
    ...[`${CLAIM} #scam`, `${CLAIM} https://t.co/abc`, `${CLAIM}.eth`, `claim my rewards alice.eth ${LOWER}`],
    ...[`${CLAIM} alice.eth`, `${CLAIM}, not 0x`, `${OTHER} claim my rewards 0x12`],
    `don't: ${'x '.repeat(240)}${CLAIM}`,
  ])('security: %j pays nobody', (text) => {
    expect(parseClaim(text)).toBe('not_a_claim');
  });

  test.each([
    ...[`${LOWER}_`, `${LOWER}é`, '0x', LOWER.replace('0x', ''), `x${LOWER}`, `${LOWER}/balance`, `@${LOWER}`],
    ...['https://farcaster.xyz/alice/0x9288c1e8', `https://explorer.example/address/${LOWER}`, `to_${LOWER}`],
    `https://example.org/?to=${LOWER}&amount=1`,
  ])('security: with %j, which is no address but a part of something, nobody is paid', (named) => {
    expect(parseClaim(`claim my rewards ${named}`)).toBe('not_a_claim');
  });

  test('security: an address that is glued to the words is not overlooked', () => {
    expect(parseClaim(`claim my rewards${LOWER}`)).toBe('not_a_claim');
  });

  test.each([
    ...[`claim my rewards ${LOWER.slice(0, 20)}\u200b${LOWER.slice(20)}`, `claim my rewards \u200b${LOWER}`],
    ...[`${CLAIM}\u2060`, `claim my rewards\u00ad ${LOWER}`, `\u200f${CLAIM}`, `claim my rewards \u202e${LOWER}`],
    ...[`\u2066claim my rewards\u2069 ${LOWER}`, `claim my rewards \ufeff${LOWER}`, `claim my rewards \u2800${LOWER}`],
    ...[`claim my rewards ${[...LOWER].join('\u200b')}`, `claim my rewards ${LOWER.replaceAll('9', '\u{1d7d7}')}`],
    ...[`claim my rewards ${LOWER.replaceAll('c', '\u0441')}`, `claim my rewards 0\u0445${LOWER.slice(2)}`],
    `claim my rewards 0\u0445${LOWER.slice(2).replaceAll('c', '\u0441').replaceAll('a', '\u0430')}`,
    ...[`\u0441laim my rewards ${LOWER}`, `claim my reward\u017f ${LOWER}`, `@gig\u0441laim ${CLAIM}`],
    ...[`${CLAIM}\u3002`, `${CLAIM}\u0301`, `claim my rewards\u0000 ${LOWER}`],
  ])('security: %j holds what cannot be seen or looks like something else, and pays nobody', (text) => {
    expect(parseClaim(text)).toBe('not_a_claim');
  });

  test('behavior: without an address it asks for the author’s own, which nobody else can choose', () => {
    expect(parseClaim('they say "claim my rewards", and it is no scam')).toEqual({ address: null });
    expect(parseClaim('.@gigbot claim my rewards \u{1f469}\u200d\u{1f4bb}')).toEqual({ address: null });
  });
});

describe('whatever surrounds a claim', () => {
  /** The rule written once more, by words: handles, the three words, one address and perhaps an end mark, handles. */
  function saysClaim(text: string, address: string): boolean {
    const words = text.trim().split(/[\s\u0085]+/);
    const isHandle = (word = '') => /^@[\w.-]+[.!]?$/.test(word.normalize('NFKC'));
    while (isHandle(words[0])) words.shift();
    while (isHandle(words.at(-1))) words.pop();
    const said = words.join(' ').normalize('NFKC').toLowerCase();
    return ['', '.', '!', ' .', ' !'].some((mark) => said === `claim my rewards ${address}${mark}`);
  }

  const address = fc.constantFrom(LOWER, CHECKSUMMED, OTHER);
  const piece = fc.oneof(
    fc.constantFrom(LOWER, OTHER, 'claim my rewards', '@gigbot', '@0xalice', '0x', 'x', '\u200b', '_', '-', '\uff58'),
    fc.constantFrom(' ', '\n', '\u3000', '.', '!', '？', '"', '“', '>', '`', ':', ',', '@', 'RT', 'lol', '\u202e', 'а'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const mostlyNothing = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('@gigbot ', '@gigbot\n@bob ', ' ', ' @gigbot', '\n@bob @gigbot', '!', '.'),
    },
    { weight: 2, arbitrary: fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')) },
  );
  const gap = fc.constantFrom(' ', ' ', ' ', '  ', '\n', '\u00a0', '');

  test('security: an address is paid only when the words say that and nothing else', () => {
    let paid = 0;
    fc.assert(
      fc.property(mostlyNothing, gap, gap, address, mostlyNothing, (before, inner, between, named, after) => {
        const text = `${before}claim${inner}my rewards${between}${named}${after}`;
        const read = parseClaim(text);
        if (typeof read === 'string' || read.address === null) return;
        paid += 1;
        expect([text, saysClaim(text, read.address)]).toEqual([text, true]);
        // What is paid stands in the post to the letter.
        expect(text).toContain(named);
        expect(named.toLowerCase()).toBe(read.address);
      }),
      { numRuns: 5_000 },
    );
    expect(paid).toBeGreaterThan(100);
  });

  test('security: one more character anywhere, and nobody else’s address is paid', () => {
    const odd = fc.oneof(
      fc.constantFrom('"', '>', '`', '?', ',', ':', '\u200b', '\u202e', '\ufe0f', '\u0430', '0', '\u{1f602}', '/', '@'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const plain = `claim my rewards ${LOWER}`;
    fc.assert(
      fc.property(odd, fc.nat({ max: plain.length }), (hidden, at) => {
        const text = plain.slice(0, at) + hidden + plain.slice(at);
        const read = parseClaim(text);
        if (typeof read === 'string' || read.address === null) return;
        expect([text, saysClaim(text, LOWER)]).toEqual([text, true]);
      }),
      { numRuns: 5_000 },
    );
  });

  test('security: what a mention pays and what the URL of its post pays go to the same address', () => {
    fc.assert(
      fc.property(mostlyNothing, address, mostlyNothing, (before, named, after) => {
        const text = `@gigbot ${before}claim my rewards ${named}${after}`;
        const command = parseCommand(text, { username: 'gigbot' });
        const read = parseClaim(text);
        if (command.name !== 'claim' || typeof read === 'string') return;
        expect([text, command.address?.toLowerCase() ?? null]).toEqual([text, read.address]);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('security: a text of more than 10,000 UTF-16 units, a longest cast, is no claim', () => {
  const cast = 'claim my rewards '.padEnd(10_000, '\ufdfa');
  expect(parseClaim(cast)).toEqual({ address: null });
  expect(parseClaim(`${cast}.`)).toBe('not_a_claim');
});
