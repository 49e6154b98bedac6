import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { voidTips } from '../../../../src/services/gigs/tips/void-tip.ts';
import { freshAddress } from '../../../support/anvil.ts';
import { SEEDED_AT } from '../../../support/store.ts';
import { auditsPerCase } from '../../audits/auditing.ts';
import { ALICE, BOB } from '../../cashier.ts';

const { cashier, audits, token } = auditsPerCase();

const takeBack = (...tipIds: number[]) => voidTips(cashier, { tipIds, reason: 'a mistake', actor: COMMAND_LINE });
const claim = (account = ALICE) => cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));

test('security: a tip that is void is never paid, and the books of its gig add up', async () => {
  const tips = [
    { account: ALICE, amount: 250_000n },
    { account: ALICE, amount: 7n },
    { account: BOB, amount: 1n },
  ];
  const gig = await audits.gig({ asset: token, tips });
  await takeBack(2, 3);
  await claim();
  await expect(claim(BOB)).rejects.toMatchObject({ refusal: { code: 'no_tips' } });
  await cashier.settle();
  expect(await cashier.payments('payout')).toMatchObject([{ state: 'confirmed', amount: 250_000n }]);
  expect((await audits.only()).audit).toMatchObject({ problems: [], notes: [] });
  expect((await cashier.store.gig(gig.id))?.awardedAmount).toBe(250_000n);
});

test('security: of a claim and a void at once one takes the tip', async () => {
  for (let round = 0; round < 10; round += 1) {
    const gig = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 5n }] });
    const [before] = (await cashier.store.pendingTips([ALICE])).tips.filter(({ gigId }) => gigId === gig.id);
    const id = before?.id ?? 0;
    const [claimed, voided] = await Promise.allSettled([claim(), takeBack(id)]);
    expect([claimed.status, voided.status].sort()).toEqual(['fulfilled', 'rejected']);
    const tip = await cashier.store.tip(id);
    expect(tip?.voidedAt === null).toBe(tip?.claimNonce !== null);
  }
});

test('behavior: a tip whose payment failed can be taken back, and trying the payment again pays the others only', async () => {
  const tips = [
    { account: ALICE, amount: 5n },
    { account: ALICE, amount: 7n },
  ];
  const gig = await audits.gig({ asset: token, tips });
  const { claim: made, payments } = await claim();
  const failed = payments[0]?.id ?? 0;
  await cashier.store.transaction(async (tx) => {
    await tx.failPayment(failed, { reason: 'the token refused it', now: SEEDED_AT });
  });
  await takeBack(1);
  const retaken = await cashier.store.transaction((tx) =>
    tx.retakePaymentTips(failed, { claim: made, now: SEEDED_AT, lockTimeout: SEEDED_AT + 1 }),
  );
  expect(retaken.map(({ id }) => id)).toEqual([2]);
  expect((await cashier.store.gig(gig.id))?.awardedAmount).toBe(7n);
});
