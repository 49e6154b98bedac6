import { describe, expect, test } from 'vitest';
import { AdapterError, type AdapterReason } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { SettleContext } from '../../../src/services/ends/context.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { type GigSeed, SEEDED_AT, seedGig, seedToken } from '../../support/store.ts';
import { keepSteps } from '../fakes.ts';
import { noteSkip } from '../skips.ts';

const DAY = 86_400_000;

const counted = countTransactions();
const { store, database } = storePerCase({ wrap: counted.wrap });
const times = perCase(() => ({ now: SEEDED_AT + 3 * DAY }));
const steps = perCase(() => keepSteps(() => times.now));

const run = (change: Partial<SettleContext> = {}) =>
  settleDueGigs({ store, clock: () => times.now, log: steps.log, heldSteps: steps.heldSteps, ...change });
const live = (seed: GigSeed = {}) => seedGig(store, { live: true, ...seed });
const settledAt = async (gigs: readonly Gig[]) =>
  await Promise.all(gigs.map(async ({ id }) => (await store.gig(id))?.settledAt));
/** Nothing of a gig with rules is watched any more. */
const endWatches = () => database.sql('update watches set over_at = ?', SEEDED_AT);
const held = () => steps.heldSteps.list().map(({ step, gigId, why }) => [step, gigId, why]);

describe('gigs are settled', () => {
  test('behavior: whose time for awards is over, by the job, where nothing is open', async () => {
    const [due, later, open] = [await live(), await live({ awardDays: 3 }), await seedGigWithRules(store)];
    await seedActs(store, open, [sampleAct(11)]);
    await endWatches();
    await run();
    expect(await settledAt([due, later, open])).toEqual([times.now, null, null]);
    const [entry] = await store.auditEvents({ gigId: due.id, limit: 1 });
    expect(entry).toMatchObject({ action: 'gig.close', actor: 'job', actorName: 'settle', at: times.now });
    expect(steps.lines).toMatchObject([{ gigId: due.id, msg: 'gig settled' }]);
    times.now += DAY;
    await run();
    expect(await settledAt([later])).toEqual([times.now]);
  });

  test('security: in a ledger that may have lost tips by the rules alone, never where people decide', async () => {
    const rules = await seedGigWithRules(store);
    const bounty = await seedGigWithRules(store, {
      gigType: 'custom_bounty',
      rules: { rule: { type: 'verifier', maxAmount: 1n } },
    });
    const people = await live();
    await endWatches();
    await noteSkip(store, { first: people.id + 1, last: people.id + 1, reason: 'ahead' });
    await run();
    expect(await settledAt([rules, bounty, people])).toEqual([times.now, null, null]);
    expect(held()).toEqual([bounty, people].map(({ id }) => ['settle', id, 'restored']));
  });

  test.each<[AdapterReason, number]>([
    ['unreachable', 1],
    ['bad_response', 2],
  ])('error: not while their chain says %s, for which it is asked %i times', async (reason, often) => {
    const { id: tokenId } = await seedToken(store, { chainId: 10 });
    const gigs = [await live(), await live(), await live({ tokenId })];
    const asked: number[] = [];
    const learnPaid = async ({ token: { chainId } }: Gig) => {
      asked.push(chainId);
      if (chainId === 10) return false;
      throw new AdapterError({ retry: 'safe', reason, message: 'it is odd' });
    };
    const before = counted.count();
    await run({ learnPaid });
    expect(counted.count() - before).toBe(1);
    expect(asked).toEqual([...Array(often).fill(8453), 10]);
    expect((await settledAt(gigs)).map((at) => at === null)).toEqual([true, true, false]);
    expect(held()).toEqual(gigs.slice(0, 2).map(({ id }) => ['settle', id, 'unknown']));
    await run();
    expect(held()).toEqual([]);
  });

  test('behavior: page after page, without a transaction where none can be', async () => {
    const pages = [Array.from({ length: 50 }, (_, each) => each + 1_000), [1_050]];
    const queries: object[] = [];
    const gigsToSettle = async (query: object) => {
      queries.push(query);
      return pages.shift() ?? [];
    };
    const before = counted.count();
    await run({ store: { ...store, gigsToSettle } });
    expect(queries).toEqual([0, 1_049].map((after) => ({ now: times.now, after, limit: 50 })));
    expect(counted.count()).toBe(before);
  });
});

test('behavior: what waited for other gigs than those that are due, or to refuse in one that is settled, is forgotten', async () => {
  const [open, over] = [await live({ awardDays: 9 }), await live()];
  const wait = { why: 'restored', detail: null } as const;
  for (const gigId of [open.id, over.id, 99]) {
    for (const step of ['settle', 'refuse', 'cancel'] as const) steps.heldSteps.note(step, gigId, wait);
  }
  await run();
  const cancels = [open.id, over.id, 99].map((gigId) => ['cancel', gigId, 'restored']);
  expect(held().toSorted()).toEqual([...cancels, ['refuse', open.id, 'restored']].toSorted());
});
