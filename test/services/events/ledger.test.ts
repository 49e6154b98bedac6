import fc from 'fast-check';
import { parseUnits } from 'viem';
import { expect, test } from 'vitest';
import { EVENT_TYPES, type StoredEvent } from '../../../src/domain/events/event.ts';
import { tellEnded } from '../../../src/services/events/find-gig-events.ts';
import { auditReport } from '../../../src/services/gigs/show/report-gig.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { randomRuns } from '../../support/extent.ts';
import { type Happening, life, live } from '../ends/lives.ts';
import type { Ends } from '../ends/world.ts';

const FUNDED: readonly Happening[] = [
  { kind: 'fund', gig: 0, isExact: true },
  { kind: 'fund', gig: 1, isExact: true },
  { kind: 'start', gig: 0 },
];

async function releaseAll(store: Store): Promise<void> {
  const request = { holder: 'test', now: 1, until: 10, limit: 7 };
  while ((await store.transaction((tx) => tx.releaseEvents(request)))?.isMore === true);
}

function amountOf({ facts }: StoredEvent, name: 'amount' | 'sum'): bigint {
  return parseUnits(String(facts[name]), 18);
}

/** What a program that reads events alone knows of a gig's money. */
function sumsOf(events: readonly StoredEvent[]) {
  const sums = { awarded: 0n, payout: 0n, fee: 0n, refund: 0n, return: 0n, mark: 0n };
  for (const event of events) {
    const kind = String(event.facts['kind']) as 'payout' | 'fee' | 'refund' | 'return' | 'mark';
    if (event.type === 'tips.awarded') sums.awarded += amountOf(event, 'sum');
    if (event.type === 'tip.voided') sums.awarded -= amountOf(event, 'amount');
    if (event.type === 'payment.confirmed') sums[kind] += amountOf(event, 'amount');
    if (event.type === 'payment.taken_back') sums[kind] -= amountOf(event, 'amount');
  }
  return sums;
}

async function compare({ store, clock, bank }: Ends): Promise<void> {
  await tellEnded({ store, clock, log: bank.deps.log });
  await releaseAll(store);
  const all = await store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 10_000 });
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
  for (const gigId of [1, 2]) {
    const events = await store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId, limit: 10_000 });
    const { gig, statement } = await auditReport({ store, refundDelayMs: 0 }, { gigId });
    const { awarded, payout, fee, refund } = sumsOf(events);
    const told = { awarded, paid: payout, feePaid: fee, refund };
    const { awarded: owed, paid, feePaid, refund: back } = statement;
    expect(told).toEqual({ awarded: owed, paid, feePaid, refund: back });
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === 'gig.started')).toHaveLength(gig.status === 'live' ? 1 : 0);
    expect(types.filter((type) => type === 'gig.settled')).toHaveLength(gig.settledAt === null ? 0 : 1);
    expect(types.filter((type) => type === 'gig.cancelled')).toHaveLength(gig.cancelledAt === null ? 0 : 1);
    if (gig.status === 'live') {
      expect(types.filter((type) => type === 'gig.funded')).toHaveLength(1);
      expect(types.filter((type) => type === 'gig.ended')).toHaveLength(1);
      expect(types.indexOf('gig.funded')).toBeLessThan(types.indexOf('gig.started'));
      expect(types.indexOf('gig.ended')).toBeLessThan(types.indexOf('gig.settled'));
    }
  }
}

test('security: whatever happens to gigs and their chain, the sums of their events are those of their statements', {
  timeout: 1_800_000,
}, async () => {
  // Where a ledger is put back, what it had told is lost with it.
  const lasting = life.map((all) => all.filter(({ kind }) => kind !== 'copy' && kind !== 'restore'));
  await fc.assert(
    fc.asyncProperty(lasting, async (happenings) => {
      await live([...FUNDED, ...happenings], compare);
    }),
    { numRuns: randomRuns(12), seed: 42 },
  );
});
