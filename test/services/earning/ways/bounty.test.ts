import { expect, test } from 'vitest';
import { payoutOf } from '../../../../src/domain/earning/rules/index.ts';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { WatchContext, WatchedGig } from '../../../../src/services/earning/context.ts';
import { bountyWay } from '../../../../src/services/earning/ways/bounty.ts';
import { fixedWay } from '../../../../src/services/earning/ways/fixed.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../../support/earning.ts';
import { outcomeOf } from '../../../support/outcomes.ts';
import { perCase, storePerCase } from '../../../support/per-case.ts';
import { seedAddress, seedTips } from '../../../support/store.ts';
import { keepSteps } from '../../fakes.ts';
import { noteSkip } from '../../skips.ts';
import { CROWD_POST, createCrowd } from '../crowd.ts';
import { createEngine, type SetClock } from '../engine.ts';
import { type EarnedGig, learnPayment, openGig, START } from '../gigs.ts';

const { store } = storePerCase();
const clock = perCase((): SetClock => ({ now: START }));
const deps: WatchContext = perCase(() => createEngine({ store, clock, reader: createCrowd(clock).reader }).deps);

const bounty = payoutOf({ type: 'verifier', maxAmount: 40n });
const fixed = payoutOf({ type: 'fixed', amount: 40n });
if (bounty.by !== 'bounty' || fixed.by !== 'fixed') throw new TypeError('each rule has its way');
const [way, each] = [bountyWay(bounty), fixedWay(fixed)];

/** A gig for 100 in which these accounts are accepted by rank, each with the address of its id. */
async function seed(terms: Partial<EarnedGig>, ids: readonly number[]): Promise<Gig> {
  const gig = await openGig(store, { target: CROWD_POST, rewardAmount: 100n, ...terms });
  const kind = gig.gigType === 'custom_bounty' ? 'submission' : 'like';
  await seedActs(
    store,
    gig,
    ids.map((id) => sampleAct(id, { kind, objectId: kind === 'like' ? '' : `0x${id}`, rankedAt: START + id })),
  );
  await store.transaction(async (tx) => {
    for (const id of ids) await decideAs(tx, gig, sampleAccount(id), { addresses: [seedAddress(id)] });
  });
  return gig;
}
const submitted = (...ids: readonly number[]) =>
  seed({ gigType: 'custom_bounty', rule: { type: 'verifier', maxAmount: 40n } }, ids);
const watched = async ({ id }: Gig) => ({ gig: await store.gig(id) }) as WatchedGig;

test('security: a close refuses first who was paid, and nobody for a reward that is there again', async () => {
  const [open, late] = [await submitted(11, 12), await submitted(11, 12)];
  const used = { kind: 'close', reason: 'reward_used_up' } as const;
  expect(await way.take(deps, await watched(open), used)).toBeNull();
  expect(await outcomeOf(store, open)).toEqual({ 11: 'eligible', 12: 'eligible' });
  await seedTips(store, open, [{ platform: 'farcaster', platformUserId: '99', amount: 100n }]);
  const batch = { id: 'batch', gigId: open.id, candidates: [11], tries: 1, nextAt: START };
  await store.transaction((tx) => tx.openBatchOf(batch, START));
  await way.take(deps, await watched(open), used);
  expect(await outcomeOf(store, open)).toEqual({ 11: 'reward_used_up', 12: 'reward_used_up' });
  expect(await store.openBatch(open.id)).toBeNull();
  await learnPayment(store, late, { recipient: seedAddress(12), amount: 1n, now: START });
  await way.take(deps, await watched(late), { kind: 'close', reason: 'not_decided' });
  expect(await outcomeOf(store, late)).toEqual({ 11: 'not_decided', 12: 'same_address' });
});

test('security: what people decided may be lost: only then the end of their time waits, and says so', async () => {
  const gig = await submitted(11);
  const { heldSteps } = keepSteps(() => clock.now);
  const close = { kind: 'close', reason: 'not_decided' } as const;
  const check = async (
    step: { kind: 'ask' } | { kind: 'close'; reason: 'not_decided' | 'reward_used_up' },
    using = { ...deps, heldSteps },
  ) => await way.check?.(using, gig, step);
  heldSteps.note('refuse', gig.id, { why: 'restored', detail: null });
  await check(close);
  expect(heldSteps.list()).toEqual([]);
  await noteSkip(store, { first: gig.id + 1, last: gig.id + 1, reason: 'ahead' });
  await check({ kind: 'ask' });
  await check({ kind: 'close', reason: 'reward_used_up' });
  await way.check?.(deps, gig, close);
  expect(heldSteps.list()).toEqual([]);
  const waits = check(close);
  await expect(waits).rejects.toThrow(AdapterError);
  const message = `gig ${gig.id}: the database may be an older copy, and the gig may owe tips`;
  await expect(waits).rejects.toMatchObject({ retry: 'safe', reason: 'bad_response', message });
  expect(heldSteps.list()).toMatchObject([{ step: 'refuse', gigId: gig.id, why: 'restored' }]);
});

test.each<[string, WatchContext['verifiers'], boolean]>([
  ['without verifiers', undefined, false],
  ['by people', { urlOf: () => null, ask: async () => [] }, false],
  ['by a program', { urlOf: () => 'https://a.example/', ask: async () => [] }, true],
])('behavior: a bounty that is decided on %s asks a program: %s', async (_, verifiers, isAsked) => {
  const gig = await submitted(11);
  const progress = await way.progress({ ...deps, verifiers }, await watched(gig), {
    first: undefined,
    isAnyHeld: false,
  });
  const facts = { now: START, isBusy: false };
  expect(progress.afterReading?.(facts as never) ?? null).toEqual(isAsked ? { kind: 'ask' } : null);
  expect(progress.isDone).toBe(false);
});

test('security: the same for each goes by rank as far as the reward goes, and to nobody who was paid', async () => {
  const gig = await seed({ each: 40n }, [14, 13, 12, 11]);
  await learnPayment(store, gig, { recipient: seedAddress(12), amount: 1n, now: START });
  expect(await each.take(deps, await watched(gig), { kind: 'award' })).toBeNull();
  expect(await outcomeOf(store, gig)).toEqual({ 11: 40n, 12: 'same_address', 13: 40n, 14: 'reward_used_up' });
  const progress = (left: bigint, isAnyHeld: boolean) =>
    each.progress(deps, { gig: { ...gig, rewardAmount: left } } as WatchedGig, { first: undefined, isAnyHeld });
  expect((await progress(100n, false)).isDone).toBe(true);
});

test('security: more than a batch is awarded or refused in one step', async () => {
  const ids = Array.from({ length: 65 }, (_, n) => 100 + n);
  const bounties = await submitted(...ids);
  await way.take(deps, await watched(bounties), { kind: 'close', reason: 'not_decided' });
  expect(new Set(Object.values(await outcomeOf(store, bounties)))).toEqual(new Set(['not_decided']));
  const gig = await seed({ each: 40n, rewardAmount: 25n * 40n }, ids);
  await each.take(deps, await watched(gig), { kind: 'award' });
  const outcomes = ids.map((id, n) => [id, n < 25 ? 40n : 'reward_used_up']);
  expect(await outcomeOf(store, gig)).toEqual(Object.fromEntries(outcomes));
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 1_000n });
});
