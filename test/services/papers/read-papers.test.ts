import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { stateGig } from '../../../src/domain/gigs/gig-report.ts';
import { isIncoming, type Movement, type Purpose } from '../../../src/domain/papers/movement.ts';
import {
  type Papers,
  readAllPapers,
  readEarnerPapers,
  readGigPapers,
} from '../../../src/services/papers/read-papers.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openTestStore } from '../../support/database.ts';
import { confirmPayment, seedMark, seedPayments } from '../../support/payments.ts';
import { SEEDED_AT, sampleClaim, seedConfirmed, seedFee, seedGig, seedHash, seedTips } from '../../support/store.ts';

let store: Store;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ store, close } = await openTestStore());
});
afterEach(() => close());

const UNIT = 10n ** 18n;
/** More than two pages of payments. */
const EARNERS = 203;
const deps = () => ({ store, clock: () => SEEDED_AT });
const account = (number: number) => ({ platform: 'farcaster', platformUserId: String(1_000 + number) });

async function readWhole(papers: Papers): Promise<Movement[]> {
  const found: Movement[] = [];
  for await (const part of papers) found.push(...part);
  return found;
}

function sumOf(movements: readonly Movement[], ...purposes: Purpose[]): bigint {
  const own = movements.filter(({ purpose }) => purposes.includes(purpose));
  return own.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Claims everything of an account, and has it paid. */
async function pay(of: ReturnType<typeof account>, post: string): Promise<void> {
  const { payments } = await seedPayments(store, sampleClaim(of, post));
  for (const { id } of payments) await confirmPayment(store, id, { number: id, now: SEEDED_AT + id });
}

/** A gig that has paid its fee and 203 accounts different odd amounts, owes one, and has refunded 3 base units. */
async function seedBusyGig(): Promise<Gig> {
  const gig = await seedGig(store, { live: true, startTime: SEEDED_AT - 9 * 86_400_000 });
  const fee = await seedFee(store, gig);
  await confirmPayment(store, fee.id, { number: 9_000 });
  for (let each = 0; each < EARNERS; each += 1) {
    await seedTips(store, gig, [{ ...account(each), amount: UNIT / 7n + BigInt(each) }]);
    await pay(account(each), `post-${each}`);
  }
  await seedTips(store, gig, [{ ...account(EARNERS), amount: UNIT }]);
  await seedPayments(store, sampleClaim(account(EARNERS), 'open'));
  await store.transaction((tx) => tx.settleGig(gig.id, SEEDED_AT));
  await store.transaction((tx) => tx.markRefunded(gig.id, SEEDED_AT));
  const refund = await seedFee(store, gig, { kind: 'refund', amount: 3n });
  await seedConfirmed(store, refund.id, { hash: seedHash(refund.id) });
  await seedMark(store, gig);
  return gig;
}

describe('papers of a gig', () => {
  test('behavior: add up to its statement, to the unit', async () => {
    const gig = await seedBusyGig();
    const movements = await readWhole(readGigPapers(deps(), gig));
    const sums = await store.gigSums(gig.id);
    if (sums === null) throw new Error('the gig is gone');
    const { reward, fee, paid, refund, feePaid, pending, left, addsUp } = stateGig(sums);
    expect([paid, pending, addsUp]).toEqual([29n * UNIT - 29n + 20_503n, UNIT, true]);
    expect(sumOf(movements, 'funding')).toBe(reward + fee);
    expect(sumOf(movements, 'payout')).toBe(paid);
    expect(sumOf(movements, 'fee')).toBe(feePaid);
    expect(sumOf(movements, 'refund')).toBe(refund);
    const came = movements.filter(isIncoming).reduce((sum, { amount }) => sum + amount, 0n);
    expect(came - (paid + feePaid + refund)).toBe(pending + left);
    expect(movements).toHaveLength(1 + 1 + EARNERS + 1);
    expect(new Set(movements.map(({ hash }) => hash)).size).toBe(movements.length);
  });

  test('behavior: of a gig that never started have what returned, and that it came in before', async () => {
    const gig = await seedGig(store);
    const back = await seedFee(store, gig, { kind: 'return', place: 0, amount: 7n });
    expect(await readWhole(readGigPapers(deps(), gig))).toEqual([]);
    await seedConfirmed(store, back.id, { hash: seedHash(back.id), now: SEEDED_AT + back.id });
    const shared = { gigId: gig.id, token: gig.token, amount: 7n, at: SEEDED_AT + back.id };
    expect(await readWhole(readGigPapers(deps(), gig))).toEqual([
      { ...shared, purpose: 'funding', hash: null },
      { ...shared, purpose: 'return', hash: seedHash(back.id) },
    ]);
  });

  test('behavior: name the transaction that its owner paid with', async () => {
    const gig = await seedGig(store);
    await store.transaction((tx) => tx.tellFunding(gig.id, `0x${'7'.repeat(64)}`));
    const live: Gig = { ...gig, status: 'live', wentLiveAt: SEEDED_AT + 5 };
    expect(await readWhole(readGigPapers(deps(), live))).toEqual([
      {
        purpose: 'funding',
        gigId: gig.id,
        token: gig.token,
        amount: 105n * UNIT,
        at: SEEDED_AT + 5,
        hash: `0x${'7'.repeat(64)}`,
      },
    ]);
  });
});

test('behavior: papers of all gigs are those of each, newest gig first', async () => {
  const gigs = [await seedGig(store, { live: true }), await seedGig(store, { live: true }), await seedGig(store)];
  await seedTips(store, gigs[0] as Gig, [{ ...account(1), amount: 5n }]);
  await pay(account(1), 'post');
  const all = await readWhole(readAllPapers(deps()));
  expect(all.map(({ gigId, purpose }) => [gigId, purpose])).toEqual([
    [gigs[1]?.id, 'funding'],
    [gigs[0]?.id, 'payout'],
    [gigs[0]?.id, 'funding'],
  ]);
});

test('behavior: papers of an earner have all that was paid to that account alone', async () => {
  const gig = await seedGig(store, { live: true });
  for (let each = 0; each < 101; each += 1) {
    await seedTips(store, gig, [{ ...account(1), amount: BigInt(each + 1) }]);
    await pay(account(1), `post-${each}`);
  }
  await seedTips(store, gig, [{ ...account(2), amount: 1_000n }]);
  await pay(account(2), 'other');
  const own = await readWhole(readEarnerPapers({ store }, account(1)));
  expect([own.length, sumOf(own, 'reward')]).toEqual([101, 5_151n]);
  expect(own.every(isIncoming)).toBe(true);
});
