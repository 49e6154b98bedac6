import { describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { NewPayment, Payment } from '../../../src/domain/payments/payment.ts';
import { replaces, retryPayment, unpaidFees } from '../../../src/services/payments/retry-payment.ts';
import { firstOf } from '../../support/first-of.ts';
import { storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedAddress, seedFee, seedGig, seedHash, seedToken } from '../../support/store.ts';

const NOW = SEEDED_AT + 5_000;
const DAY = 24 * 3_600_000;
const [OLD, TREASURY, OTHER] = [seedAddress(0xfee), seedAddress(0xfe2), seedAddress(0xe1)];

const { store } = storePerCase();

/** Plans payments of a settled gig, of which all but those with `stands` fail. */
async function plan(...all: (Partial<NewPayment> & { stands?: boolean })[]): Promise<Payment[]> {
  const gig = await seedGig(store, { live: true, startTime: SEEDED_AT - 9 * DAY });
  await store.transaction(async (tx) => {
    await tx.settleGig(gig.id, SEEDED_AT);
    await tx.markRefunded(gig.id, SEEDED_AT);
  });
  const made: Payment[] = [];
  for (const { stands = false, ...payment } of all) {
    const planned = await seedFee(store, gig, payment);
    if (!stands) await store.transaction((tx) => tx.failPayment(planned.id, { reason: 'refused', now: SEEDED_AT }));
    made.push(planned);
  }
  return made;
}

function retry(paymentId: number, { treasury = null, to }: { treasury?: typeof OLD | null; to?: typeof OLD } = {}) {
  return retryPayment({ store, clock: () => NOW, treasury }, { paymentId, actor: COMMAND_LINE, to });
}

const REFUND = { kind: 'refund', amount: 7n } as const;
const RETURN = { kind: 'return', amount: 7n, place: 1 } as const;

describe('a failed payment', () => {
  test.each([
    { what: 'a fee, to the treasury of now', payments: [{}], treasury: TREASURY, recipient: TREASURY },
    { what: 'a fee, without a treasury to where it went', payments: [{}], recipient: OLD },
    { what: 'a fee that failed twice', payments: [{}, {}], recipient: OLD },
    { what: 'a fee beside a refund that stands', payments: [{}, { ...REFUND, stands: true }], recipient: OLD },
    { what: 'a refund', payments: [REFUND], recipient: OLD },
    { what: 'a refund, to another address', payments: [REFUND], to: OTHER, recipient: OTHER },
    { what: 'a return, beside a refund that stands', payments: [RETURN, { ...REFUND, stands: true }], recipient: OLD },
    { what: 'a return, to another address', payments: [RETURN, RETURN], to: OTHER, recipient: OTHER },
  ])('behavior: is planned again: $what', async ({ payments, treasury, to, recipient }) => {
    const [failed] = await plan(...payments);
    if (failed === undefined) throw new Error('nothing was planned');
    const planned = await retry(failed.id, { ...(treasury && { treasury }), ...(to && { to }) });
    const { kind, amount, place } = failed;
    const times = { dueAt: NOW, createdAt: NOW, updatedAt: NOW };
    const id = payments.length + 1;
    expect(planned).toEqual({ ...failed, ...times, id, recipient });
    expect([planned?.place, place]).toEqual([place, kind === 'return' ? 1 : null]);
    const [{ detail, ...event }] = [firstOf(await store.auditEvents({ limit: 9 }))];
    const subject = { subject: 'payment', subjectId: String(failed.id), gigId: failed.gigId };
    expect(event).toMatchObject({ ...subject, at: NOW, action: 'payment.retry', actor: 'operator' });
    const said = { kind, amount: String(amount), planned_id: id };
    expect(JSON.parse(detail)).toEqual(to === undefined ? said : { ...said, recipient });
  });

  test.each([
    { what: 'a fee that stands', payments: [{}, { stands: true }] },
    { what: 'a refund that stands', payments: [REFUND, { ...REFUND, stands: true }] },
    { what: 'a return in its place', payments: [RETURN, { ...RETURN, stands: true }] },
    { what: 'a later return of its token', payments: [RETURN, { ...RETURN, place: 2, stands: true }] },
  ])('security: is not planned again beside $what', async ({ payments }) => {
    const failed = firstOf(await plan(...payments));
    expect(await retry(failed.id)).toBeNull();
    expect([await store.auditEvents({ limit: 9 }), (await store.payments({ limit: 9 })).length]).toEqual([[], 2]);
  });

  test('error: that is unknown, or has not failed, or has no claim is refused', async () => {
    const fee = firstOf(await plan({ stands: true }));
    const { chainId, gigId, recipient, token } = fee;
    const stray = { kind: 'payout', chainId, gigId, claimId: null, tokenId: token.id, recipient, amount: 1n } as const;
    const where = { hash: seedHash(1), blockNumber: 9n, gasUsed: 0n, tipIds: [], now: NOW };
    await store.transaction(async (tx) => {
      const { id } = await tx.adoptPayment({ ...stray, numbers: [7n] }, where);
      await tx.unconfirmPayment(id, { reason: 'gone', now: NOW });
    });
    await expect(retry(9)).rejects.toThrow('There is no payment 9; see payment list.');
    await expect(retry(1)).rejects.toThrow('Payment 1 is planned; only one that failed can be retried.');
    await expect(retry(2)).rejects.toMatchObject({
      refusal: { code: 'invalid_request', message: 'Payment 2 belongs to no claim; its tips can be claimed.' },
    });
  });
});

test('behavior: a payment replaces a failed one that is the same return, unless it has failed as well', async () => {
  const [failed, too, stands, fee] = await plan(RETURN, RETURN, { ...RETURN, stands: true }, { stands: true });
  if (!failed || !too || !stands || !fee) throw new Error('nothing was planned');
  const others = [stands, { ...too, state: 'failed' } as const, fee];
  expect(others.map((other) => replaces(other, failed))).toEqual([true, false, false]);
});

test('behavior: fees that failed are listed once for each gig, newest first, until one stands', async () => {
  const usdc = await seedToken(store, { address: seedAddress(5) });
  const [first] = await plan({ amount: 1n }, { amount: 2n });
  await plan({ amount: 3n }, { stands: true });
  await plan({ amount: 4n }, { ...REFUND, stands: true }, { ...RETURN, tokenId: usdc.id });
  await plan({ stands: true });
  const listed = (await unpaidFees({ store })).map(({ amount }) => amount);
  expect(listed).toEqual([4n, 2n]);
  const paid = { id: (await retry(first?.id ?? 0))?.id ?? 0, hash: seedHash(1), blockNumber: 9n, gasUsed: 0n };
  await store.transaction((tx) => tx.confirmPayments([{ ...paid, recipient: OLD, numbers: [2n ** 255n] }], NOW));
  expect((await unpaidFees({ store })).map(({ amount }) => amount)).toEqual([4n]);
});
