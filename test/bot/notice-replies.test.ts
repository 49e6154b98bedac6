import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notifiedReply, unnotifiedReply } from '../../src/bot/commands/notify.ts';
import { noticeText } from '../../src/bot/notice-replies.ts';
import { GIG_EVENTS } from '../../src/domain/gigs/notice.ts';
import { postable } from './measures.ts';
import { gig, payment, token } from './samples.ts';

const UNIT = 10n ** 18n;
const refund = payment({
  kind: 'refund',
  claimId: null,
  amount: 17n * UNIT + UNIT / 2n,
  state: 'confirmed',
  hash: `0x00000000ab${'0'.repeat(54)}`,
});
const sample = gig({ status: 'live', awardedAmount: 82n * UNIT + UNIT / 2n });

describe('what owners are told', () => {
  test.each([
    ['funded', 'Gig 42 is funded: its wallet holds exactly 105 DEGEN. Mention me with "start gig 42" to start it.'],
    [
      'not_started',
      'Gig 42 did not start: its wallet did not hold exactly 105 DEGEN within 30 days. When it does, mention me with "start gig 42".',
    ],
    ['live', 'Gig 42 is live until '],
    ['mostly_awarded', 'Gig 42 has awarded 82 % of its reward: 82.5 of 100 DEGEN.'],
    ['ended', 'Awarded: 82.5 of 100 DEGEN.'],
    ['cancelled', 'Gig 42 is cancelled and will not start.'],
    ['settled', 'Gig 42 is settled: no more tips are awarded. Awarded: 82.5 of 100 DEGEN.'],
    ['refunded', 'Gig 42 is refunded: 17.5 DEGEN (tx 0x00000000ab…).'],
  ] as const)('behavior: of %s', (event, text) => {
    for (const posted of postable(() => noticeText({ event, gig: sample, refund }))) expect(posted).toContain(text);
  });

  test('security: can be posted for any token', () => {
    const symbols = fc.string({ unit: 'binary', maxLength: 64 });
    fc.assert(
      fc.property(symbols, fc.constantFrom(...GIG_EVENTS), fc.bigInt(1n, 2n ** 256n), (symbol, event, rewardAmount) => {
        const odd = gig({
          id: 999_999_999_999_999,
          token: token({ symbol }),
          rewardAmount,
          awardedAmount: rewardAmount,
        });
        postable(() => noticeText({ event, gig: odd, refund }));
      }),
    );
  });

  test('behavior: the answers to those who turn it on or off fit with the longest number of a gig', () => {
    for (const answer of [notifiedReply, unnotifiedReply]) {
      const posted = postable(() => answer(999_999_999_999_999));
      for (const text of posted) expect(text).not.toContain('…');
    }
  });
});
