import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { PaymentCandidate } from '../../../../src/domain/payments/payment.ts';
import { readFacts } from '../../../../src/services/payments/sender/chain.ts';
import { delayFollowers } from '../../../../src/services/payments/sender/delays.ts';
import { conclude, type Wait } from '../../../../src/services/payments/sender/refusals.ts';
import { firstOf } from '../../../support/first-of.ts';
import { seedMark } from '../../../support/payments.ts';
import { perCase } from '../../../support/per-case.ts';
import { ALICE } from './bank.ts';
import { DEGEN, eventsOf, openWorld, reload, USDC } from './world.ts';

const world = perCase(openWorld);

/** Planned payments of the chain that are due, oldest first. */
function candidates(limit = 100): Promise<PaymentCandidate[]> {
  const { bank, model, clock } = world;
  return bank.store.paymentCandidates(model.chain.id, { now: clock(), limit });
}

describe('a payment that a simulation refuses', () => {
  const AGAIN = 'it is tried again: not today';
  const LAGS = 'the node that tried it lags behind what the ledger knows of the chain';

  test.each<{
    what: string;
    /** For how long it has been refused; null when it was not. */
    ms?: number | null;
    isBare?: boolean;
    block?: bigint | null;
    refusedMs?: number;
    /** Why it waits and for how long from now on; null when it fails, `same` when it waits as before. */
    waits: { reason: string; waitMs: number } | 'same' | null;
  }>([
    { what: 'for the first time', ms: null, waits: { reason: AGAIN, waitMs: 10_000 } },
    {
      what: 'for the first time, perhaps by the node',
      ms: null,
      isBare: true,
      waits: { reason: AGAIN, waitMs: 30_000 },
    },
    { what: 'for a shorter wait than a look', ms: null, refusedMs: 50, waits: { reason: AGAIN, waitMs: 4_000 } },
    { what: 'for a moment', ms: 9_999, waits: 'same' },
    { what: 'for long', ms: 10_000, waits: null },
    { what: 'for long, perhaps by the node', ms: 10_000, isBare: true, waits: 'same' },
    { what: 'for as long as a node may lag', ms: 30_000, isBare: true, waits: null },
    { what: 'at once, where no time is given', ms: null, refusedMs: 0, waits: null },
    { what: 'for long, by a node that lags', ms: 60_000, block: -1n, waits: { reason: LAGS, waitMs: 4_000 } },
    { what: 'for long, by a node in the settled block', ms: 60_000, block: 0n, waits: null },
  ])('security: $what', async ({ ms = 0, isBare = false, block = null, refusedMs, waits }) => {
    const { bank, model, clock, faults } = world;
    model.mine(9);
    const { id } = await bank.awardAndClaim(await bank.gig({ token: DEGEN }), ALICE, 10n);
    if (ms !== null) {
      const change = { reason: 'it is tried again: before', dueAt: clock(), now: clock() };
      await bank.store.transaction((tx) => tx.notePayment(id, change));
      world.advance(ms);
    }
    const payment = firstOf(await candidates());
    const facts = await readFacts(bank.store, model.view(faults));
    const refusal = { message: 'not today', isBare, blockNumber: block === null ? null : facts.settled.number + block };
    const found = { waits: [], refused: [{ payment, refusal }], failed: [], marked: [] };
    const timing = { ...bank.deps.timing, ...(refusedMs === undefined ? {} : { refusedMs }) };
    await conclude({ ...bank.deps, timing }, facts, found);
    const { state, reason, dueAt, updatedAt } = await reload(bank, payment);
    const now = clock();
    const fields = { paymentId: id, kind: 'payout', gigId: payment.gigId, claimId: payment.claimId, state: 'planned' };
    const { lines, lack } = bank;
    expect(lack).toEqual([]);
    if (waits === 'same') {
      expect({ state, reason, dueAt, updatedAt }).toEqual({
        state: 'planned',
        reason: payment.reason,
        dueAt: payment.dueAt,
        updatedAt: payment.updatedAt,
      });
      expect(lines).toEqual([]);
    } else if (waits === null) {
      expect([state, reason]).toEqual(['failed', 'not today']);
      expect(lines).toMatchObject([{ ...fields, level: 'error', msg: 'payment failed', reason: 'not today' }]);
      expect(await eventsOf(bank)).toMatchObject([{ type: 'payment.failed', at: now, facts: { reason: 'not today' } }]);
    } else {
      expect({ state, reason, dueAt, updatedAt }).toEqual({
        state: 'planned',
        reason: waits.reason,
        dueAt: now + waits.waitMs,
        updatedAt: now,
      });
      expect(lines).toMatchObject([{ ...fields, level: 'warn', msg: 'payment waits', reason: waits.reason }]);
    }
  });

  test('security: a mark never fails: its gig waits for it', async () => {
    const { bank, model, clock, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.payBefore(await bank.award(gig, ALICE, 10n));
    const mark = await seedMark(bank.store, gig, clock());
    const facts = await readFacts(bank.store, model.view(faults));
    const refusal = { message: 'not today', isBare: false, blockNumber: null };
    for (const ms of [0, 60_000]) {
      world.advance(ms);
      const refused = [{ payment: firstOf(await candidates()), refusal }];
      await conclude(bank.deps, facts, { waits: [], refused, failed: [], marked: [] });
      expect(await reload(bank, mark)).toMatchObject({ state: 'planned', reason: AGAIN, updatedAt: clock() });
      world.advance(10_000);
    }
  });

  test('security: payments that fail are told by their gigs, and only those that were still planned', async () => {
    const { bank, model, faults } = world;
    const gigs = await bank.gigs(2, { token: DEGEN });
    const made = [
      await bank.awardAndClaim(firstOf(gigs.slice(1)), ALICE, 2n),
      await bank.awardAndClaim(firstOf(gigs), ALICE, 1n),
      await bank.awardAndClaim(firstOf(gigs), ALICE, 3n),
    ];
    const failed = (await candidates()).map((payment) => ({ payment, reason: 'why' }));
    await bank.store.transaction((tx) => tx.failPayment(made[2]?.id ?? 0, { reason: 'before', now: 0 }));
    const facts = await readFacts(bank.store, model.view(faults));
    await conclude(bank.deps, facts, { waits: [], refused: [], failed, marked: [] });
    expect((await eventsOf(bank)).map(({ gigId, facts: { reason } }) => [gigId, reason])).toEqual([
      [gigs[0]?.id, 'why'],
      [gigs[1]?.id, 'why'],
    ]);
  });
});

describe('payments behind a full page of candidates', () => {
  /** Gigs of a client, with so many payments each. */
  async function plan(
    counts: readonly number[],
    terms: { client?: string; token?: typeof DEGEN } = {},
  ): Promise<Gig[]> {
    const gigs = await world.bank.gigs(counts.length, { token: DEGEN, ...terms });
    for (const [index, gig] of gigs.entries())
      await world.bank.claimByMany(gig, counts[index] ?? 0, () => 1n, 10 * gig.id);
    return gigs;
  }

  /** Those of the page that wait for the same, and which payments behind it then wait with them. */
  async function delay(waiting: number, { holds, size = 6 }: { holds?: Wait['holds'] | undefined; size?: number }) {
    const { bank, clock } = world;
    const page = await candidates(size);
    const reason = 'they all wait';
    const waits = page
      .slice(0, waiting)
      .map((payment) => ({ payment, reason, isCalm: false, waitMs: 60_000, ...(holds && { holds }) }));
    await delayFollowers(bank.deps, { page, waits });
    const all = await bank.store.payments({ limit: 100 });
    const late = all.filter((payment) => payment.reason === reason);
    for (const { dueAt, updatedAt } of late) expect([dueAt, updatedAt]).toEqual([clock() + 59_999, clock()]);
    return late.map(({ gigId }) => gigId).toSorted((a, b) => a - b);
  }

  test.each([
    { what: 'of the same gig', holds: 'gig', waiting: 6, followers: [1, 1] },
    { what: 'of the same gig, when five wait', holds: 'gig', waiting: 5, followers: [1, 1] },
    { what: 'of none, when four wait', holds: 'gig', waiting: 4, followers: [] },
    { what: 'of the same client', holds: 'client', waiting: 6, followers: [1, 1, 2, 2] },
    { what: 'of the same token', holds: 'token', waiting: 6, followers: [1, 1, 2, 2, 3] },
    { what: 'of none, when each waits for itself', holds: undefined, waiting: 6, followers: [] },
  ] as const)('behavior: wait with them: $what', async ({ holds, waiting, followers }) => {
    await plan([8, 2], { client: 'acme' });
    await plan([1], { client: 'other' });
    await plan([1], { token: USDC });
    expect(await delay(waiting, { holds })).toEqual(followers);
    const waits = {
      level: 'warn',
      msg: 'payments wait',
      kind: holds,
      payments: followers.length,
      reason: 'they all wait',
    };
    expect(world.bank.lines).toMatchObject(followers.length === 0 ? [] : [waits]);
  });

  test('behavior: wait with none of a gig without a client, nor where fewer wait for each gig, nor where there are none', async () => {
    const [first] = await plan([3, 3]);
    if (first !== undefined) await world.bank.claimByMany(first, 2, () => 1n, 50);
    for (const holds of ['client', 'gig'] as const) expect(await delay(6, { holds })).toEqual([]);
    expect(await delay(0, { holds: 'gig', size: 0 })).toEqual([]);
    await plan([6]);
    expect(await delay(14, { holds: 'gig', size: 14 })).toEqual([]);
    expect(world.bank.lines).toEqual([]);
  });
});
