import { expect, test } from 'vitest';
import type { TokenAmount } from '../../../src/domain/gigs/gig-end.ts';
import type { Token } from '../../../src/domain/gigs/token.ts';
import { BODY_LIMIT, TITLE_LIMIT } from '../../../src/domain/notifications/notification.ts';
import * as words from '../../../src/domain/notifications/words.ts';
import { seedAddress } from '../../support/store.ts';

function tokenOf(symbol: string, decimals: number): Token {
  const address = seedAddress(1);
  const record = { id: 1, createdAt: 1, chainId: 8453, coingeckoId: null, imageUrl: '', isNative: false };
  return { ...record, address, decimals, name: symbol, symbol };
}

const DEGEN = tokenOf('DEGEN', 18);
const GIG = { id: 7, title: 'Launch week' };
const FIVE = { amount: 5n * 10n ** 18n, token: DEGEN };
const AT = Date.UTC(2026, 11, 5, 7, 47);

/** Every text, with these parts. */
function allOf(gig: words.ToldGig, sum: TokenAmount, why: string) {
  const reward = { ...sum, amount: sum.amount * 10n };
  return [
    words.tipsText(gig, { earned: sum, count: 1, isRaffle: false }),
    words.tipsText(gig, { earned: sum, count: 3, isRaffle: true }),
    words.paidText([sum], seedAddress(9)),
    words.paidText(Array(9).fill(sum), seedAddress(9)),
    words.notPaidText([sum], why),
    words.refusedText(gig, why),
    words.notDrawnText(gig),
    words.fundedText(gig, sum),
    words.notStartedText(gig, sum),
    words.liveText(gig, { begins: null, ends: AT }),
    words.liveText(gig, { begins: AT, ends: AT }),
    words.endedText(gig, { awarded: sum.amount, reward, awardUntil: null }),
    words.endedText(gig, { awarded: sum.amount, reward, awardUntil: AT }),
    words.submissionsText(gig, 1),
    words.submissionsText(gig, 3),
  ];
}

test('behavior: the words of every notification', () => {
  expect(allOf(GIG, FIVE, 'the token rejects the transfer').map(({ title, body }) => `${title} | ${body}`)).toEqual([
    'You earned 5 DEGEN | 5 DEGEN from gig 7: Launch week. Open to claim.',
    'You won 5 DEGEN | 5 DEGEN from gig 7: Launch week. Open to claim.',
    'Paid: 5 DEGEN | 0x0000…0009 received 5 DEGEN.',
    `Your tips are paid | 0x0000…0009 received ${Array(9).fill('5 DEGEN').join(', ')}.`,
    'Your claim was not paid | 5 DEGEN: the token rejects the transfer. You can claim again.',
    'Gig 7: not eligible | The token rejects the transfer.',
    'Gig 7: you weren’t drawn | The draw of gig 7: Launch week chose other accounts. Open to check it.',
    'Gig 7 is funded | Its wallet holds exactly 5 DEGEN. You can start it now.',
    'Gig 7 needs you | Its wallet holds 5 DEGEN, but it could not start. See why.',
    'Gig 7 is live | Gig 7: Launch week. It ends on 5 Dec 2026, 07:47 UTC.',
    'Gig 7 is started | Gig 7: Launch week. It begins on 5 Dec 2026, 07:47 UTC.',
    'Gig 7 ended | Gig 7: Launch week. 5 of 50 DEGEN awarded.',
    'Gig 7 ended and needs you | 5 of 50 DEGEN awarded. You can award tips until 5 Dec 2026, 07:47 UTC.',
    'Gig 7 needs you | 1 submission waits for your decision in gig 7: Launch week.',
    'Gig 7 needs you | 3 submissions wait for your decision in gig 7: Launch week.',
  ]);
});

test('security: the longest names, symbols, amounts and reasons keep the limits, and no character is cut in two', () => {
  const gig = { id: 999_999_999_999_999, title: '🐝'.repeat(60) };
  const sum = { amount: 10n ** 77n - 1n, token: tokenOf('𝔇'.repeat(40), 0) };
  for (const { title, body } of allOf(gig, sum, '🐝'.repeat(300))) {
    expect(title.length).toBeLessThanOrEqual(TITLE_LIMIT);
    expect(body.length).toBeLessThanOrEqual(BODY_LIMIT);
    expect([title.isWellFormed(), body.isWellFormed(), title.length > 0]).toEqual([true, true, true]);
  }
});

test('security: a token’s symbol cannot put a link, a mention or a line of its own into a notification', () => {
  const token = tokenOf('FREE\nhttps://evil.example @you', 18);
  const { title, body } = words.tipsText(GIG, { earned: { ...FIVE, token }, count: 1, isRaffle: false });
  expect(`${title} ${body}`).not.toMatch(/https:|@|\n/);
});

test('security: a title cannot hide, reverse or add lines of a notification', () => {
  const gig = { id: 7, title: 'A\u202eB\u200f\u2066C\u0000D\u2028E\u001b[31mF\r\nG' };
  for (const { title, body } of allOf(gig, FIVE, gig.title)) {
    expect(`${title} ${body}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
});
