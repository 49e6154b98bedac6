import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimsReply } from '../../src/bot/commands/claims.ts';
import { startedReply } from '../../src/bot/commands/start.ts';
import { statusReply } from '../../src/bot/commands/status.ts';
import { finishReply } from '../../src/bot/replies.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';
import { refusalReply } from '../../src/domain/errors.ts';
import { safeSymbol } from '../../src/domain/mentions/reply-text.ts';
import { randomRuns } from '../support/extent.ts';
import { FARCASTER, postable } from './measures.ts';
import { DAY, funding, gig, group, NOW, token } from './samples.ts';

const NASTY = [
  ...['@everyone', '$ETH', '$ETH $BTC', 'https://evil.example', 'foo.com', 'www.foo.com/x', 'evil.eth', '#tag'],
  ...['＠all', '＄ETH', 'a@b.co', '\u202egnirts', '\u2066x', '円'.repeat(200), '\u{1f4b0}'.repeat(50), 'W'.repeat(200)],
  ...[
    '1.com',
    'x。jp',
    '\u3164',
    '\ud800',
    '\u0000',
    '\n\n',
    'com',
    'ﷺ'.repeat(20),
    '\u0301'.repeat(50),
    '.com',
    '//x.io',
  ],
];

const symbol = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc.tuple(fc.constantFrom(...NASTY), fc.constantFrom(...NASTY)).map((two) => two.join('')),
);

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.bigInt({ min: 0n, max: 10n ** 24n }),
  fc.constantFrom(0n, 1n, 10n ** 18n, 2n ** 256n - 1n),
);

const anyToken = fc
  .record({ symbol, decimals: fc.integer({ min: 0, max: 255 }), id: fc.integer({ min: 1, max: 1_000_000 }) })
  .map(token);

const gigId = fc.integer({ min: 1, max: 999_999_999_999_999 });

test('security: no symbol carries out of itself anything but letters, digits, and harmless signs', () => {
  fc.assert(
    fc.property(symbol, (text) => {
      const shown = safeSymbol(token({ symbol: text }));
      expect(shown).toMatch(/^([\p{L}\p{N}_+-]{1,16}|0x4ed4…efed)$/u);
      expect(shown).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
    }),
    { numRuns: randomRuns(2_000) },
  );
});

test('security: whatever the tokens are called and hold, the list of them can be posted', () => {
  const groups = fc.array(
    fc.record({ token: anyToken, total: amount, tips: fc.integer({ min: 1, max: 3 }) }).map((of) => group(of)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(groups, (of) => {
      postable((measure) => claimsReply(of, measure));
    }),
    { numRuns: randomRuns(300) },
  );
});

test('security: whatever the tokens are called and hold, a link is whole or not there', () => {
  const page = 'https://gigclaim.example/claim/farcaster/1001';
  const groups = fc.array(
    fc.record({ token: anyToken, total: amount, tips: fc.integer({ min: 1, max: 3 }) }).map((of) => group(of)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(groups, (of) => {
      const mention = { platform: 'farcaster', postId: '0xc1' } as const;
      const text = finishReply(claimsReply(of, FARCASTER, page), mention, FARCASTER);
      expect(FARCASTER.measure(text)).toBeLessThanOrEqual(320);
      expect(text.split('://')).toHaveLength(text.endsWith(` more: ${page}`) ? 2 : 1);
    }),
    { numRuns: randomRuns(300) },
  );
});

test('security: whatever the token, a gig that is not funded can be answered', () => {
  const terms = fc.record({ token: anyToken, expected: amount, actual: amount, chain: fc.constantFrom(...CHAINS) });
  fc.assert(
    fc.property(gigId, terms, (id, of) => {
      postable((measure) => refusalReply({ code: 'gig_not_funded', gigId: id, funding: funding(of) }, measure));
    }),
    { numRuns: randomRuns(300) },
  );
});

test('security: whatever the token, the state of a gig can be posted', () => {
  const terms = fc.record({
    id: gigId,
    token: anyToken,
    rewardAmount: amount,
    status: fc.constantFrom('created' as const, 'live' as const),
    startTime: fc.integer({ min: NOW - 400 * DAY, max: NOW + 400 * DAY }),
  });
  fc.assert(
    fc.property(terms, fc.option(amount), fc.boolean(), (of, actual, frozen) => {
      const about = gig({ ...of, endTime: of.startTime + DAY });
      const seen = actual === null ? null : funding({ token: of.token, actual });
      postable((measure) => statusReply(about, { now: NOW, funding: seen, frozen, earning: null }, measure));
      postable(() => startedReply(about, NOW));
    }),
    { numRuns: randomRuns(300) },
  );
});
