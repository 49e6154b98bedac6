import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { WatchContext } from '../../../src/services/earning/context.ts';
import { previewRefusals } from '../../../src/services/ends/preview-refusals.ts';
import { settleByHand } from '../../../src/services/ends/settle-by-hand.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { decideAs, sampleAccount, sampleAct, seedActs } from '../../support/earning.ts';
import { outcomeOf } from '../../support/outcomes.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedAddress, seedGig } from '../../support/store.ts';
import { Crash, crashing } from '../earning/crash.ts';
import { CROWD_POST, createCrowd } from '../earning/crowd.ts';
import { createEngine, type SetClock } from '../earning/engine.ts';
import { DAY, E18, type EarnedGig, END, HOUR, MINUTE, openGig, START } from '../earning/gigs.ts';

/** Its window and the last hold of a gig are over. */
const OVER = END + 13 * HOUR;

const { store } = storePerCase();
const clock = perCase((): SetClock => ({ now: START }));
const deps = perCase(() => openDeps(store));

/** A process in which the platform is off. */
function openDeps(its: Store): WatchContext {
  const engine = createEngine({ store: its, clock, reader: createCrowd(clock).reader });
  return { ...engine.deps, platforms: new Map() };
}

const run = ({ id: gigId }: Pick<Gig, 'id'>, using = deps) =>
  settleByHand(using, { gigId, isUnasked: true, actor: COMMAND_LINE });

/** A gig of a day in which these accounts have acted in this order; those of `accepted` are accepted. */
async function seed(accounts: readonly number[], accepted: readonly number[], terms: Partial<EarnedGig> = {}) {
  const gig = await openGig(store, { target: CROWD_POST, ...terms });
  const kind = gig.gigType === 'custom_bounty' ? 'submission' : 'like';
  const acts = accounts.map((id) => sampleAct(id, { kind, objectId: kind === 'like' ? '' : `0x${id}` }));
  await seedActs(store, gig, acts, { dueAt: START + 12 * HOUR });
  const round = terms.rule?.type === 'split' ? { round: 1, weight: 1n } : null;
  await store.transaction(async (tx) => {
    for (const id of accepted) {
      await decideAs(tx, gig, sampleAccount(id), { part: round, addresses: [seedAddress(id)] });
    }
  });
  return gig;
}

const outcome = (gig: Gig) => outcomeOf(store, gig);

const FIXED = { rewardAmount: 25n * E18 };

describe('a gig whose platform is off for good', () => {
  test('behavior: what is accepted is awarded by rank, what is held is refused, and the gig is settled', async () => {
    const gig = await seed([11, 12, 13, 14], [12, 13, 14], FIXED);
    clock.now = OVER;
    expect(await previewRefusals(deps, { gigId: gig.id })).toMatchObject({ held: 1, eligible: 3, awarded: 2 });
    expect(await outcome(gig)).toEqual({ 11: 'held', 12: 'eligible', 13: 'eligible', 14: 'eligible' });
    const done = await run(gig);
    expect(done).toMatchObject({ why: null, advance: { end: 'over', failure: null }, gig: { settledAt: OVER } });
    expect(await outcome(gig)).toEqual({ 11: 'not_decided', 12: 10n * E18, 13: 10n * E18, 14: 'reward_used_up' });
    expect(await store.watch(gig.id)).toMatchObject({ overAt: OVER, goneAt: null });
    expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 20n * E18, settledAt: OVER });
    expect(await store.auditEvents({ gigId: gig.id, limit: 9 })).toMatchObject([
      { action: 'gig.close' },
      { action: 'tips.award' },
      { action: 'tips.award' },
      { action: 'gig.refuse_open', actorName: 'command line', detail: '{"held":1,"eligible":3}' },
    ]);
    await expect(run(gig)).rejects.toMatchObject({ refusal: { code: 'gig_not_settleable', why: 'settled' } });
  });

  test('behavior: rounds are divided between accepted accounts, and divided ones handed out', async () => {
    const rule = { type: 'split', roundMs: 12 * HOUR, maxAmount: 100n * E18 } as const;
    const gig = await seed([11, 12, 13], [12, 13], { rule });
    clock.now = OVER;
    expect(await previewRefusals(deps, { gigId: gig.id })).toMatchObject({ held: 1, eligible: 2, awarded: 2 });
    const rounds = ['divide', 'hand_out', 'divide', 'hand_out'];
    expect((await run(gig)).advance?.steps).toEqual(['refuse_held', ...rounds, 'over']);
    expect(await outcome(gig)).toEqual({ 11: 'not_decided', 12: 25n * E18, 13: 25n * E18 });
    expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 50n * E18, reservedAmount: 0n, settledAt: OVER });
  });

  test('behavior: a raffle is drawn among those who were accepted, once its block is there', async () => {
    const gig = await seed([11, 12, 13], [12, 13], { rule: { type: 'raffle', winners: 1 }, rewardAmount: 100n });
    clock.now = OVER;
    expect(await previewRefusals(deps, { gigId: gig.id })).toMatchObject({ held: 1, eligible: 2, awarded: 1 });
    expect(await run(gig)).toMatchObject({ why: 'undecided', advance: { end: 'waits', nextAt: OVER + MINUTE } });
    clock.now = OVER + 5 * MINUTE;
    expect((await run(gig)).why).toBeNull();
    const { 11: held, ...entered } = await outcome(gig);
    expect(held).toBe('not_decided');
    expect(Object.values(entered).map(String).toSorted()).toEqual(['100', 'not_drawn']);
  });

  test('behavior: submissions to a bounty are refused once the time to decide about them is over', async () => {
    const rule = { type: 'verifier', maxAmount: 20n * E18 } as const;
    const gig = await seed([11, 12], [12], { gigType: 'custom_bounty', rule, awardDays: 14 });
    clock.now = END + 14 * DAY - 1;
    const early = { refusal: { message: expect.stringContaining('is not over before 16 Jan 2026, 00:00 UTC') } };
    await expect(run(gig)).rejects.toMatchObject(early);
    clock.now += 1;
    expect(await previewRefusals(deps, { gigId: gig.id })).toMatchObject({ held: 1, eligible: 1, awarded: 0 });
    expect((await run(gig)).why).toBeNull();
    expect(await outcome(gig)).toEqual({ 11: 'not_decided', 12: 'not_decided' });
  });

  test('behavior: a gig that is awarded by request has no accounts that could be refused', async () => {
    const { id: gigId } = await seedGig(store, { live: true, startTime: START, awardDays: 2 });
    clock.now = END + 2 * DAY - 1;
    const message = expect.stringMatching(/^Gig \d+ is not over before .*UTC; until then undecided accounts can still/);
    await expect(previewRefusals(deps, { gigId })).rejects.toMatchObject({ refusal: { message } });
    clock.now += 1;
    expect(await previewRefusals(deps, { gigId })).toMatchObject({
      gig: { id: gigId },
      held: 0,
      eligible: 0,
      awarded: 0,
    });
  });

  test('security: nothing is refused before the gig, its time for awards and its last hold are over', async () => {
    const gig = await seed([11], [], { awardDays: 2 });
    const running = { refusal: { code: 'gig_not_settleable', why: 'running' } };
    await expect(run(gig)).rejects.toMatchObject(running);
    const hold = await seed([11], []);
    for (const [of, from] of [
      [gig, END + 2 * DAY],
      [hold, END + 12 * HOUR],
    ] as const) {
      clock.now = from - 1;
      const early = { refusal: { message: expect.stringContaining('is not over before') } };
      await expect(run(of)).rejects.toMatchObject(early);
      await expect(previewRefusals(deps, { gigId: of.id })).rejects.toMatchObject(early);
      expect(await outcome(of)).toEqual({ 11: 'held' });
      clock.now = from;
      expect((await run(of)).why).toBeNull();
    }
  });

  test('security: it leaves a gig alone on which the service is at work', async () => {
    const gig = await seed([11], []);
    clock.now = OVER;
    const request = { lease: 'service', now: OVER, until: OVER + MINUTE };
    await store.transaction((tx) => tx.leaseWatchOf(gig.id, request));
    expect(await run(gig)).toMatchObject({ why: 'undecided', advance: { end: 'taken', steps: [] } });
    expect(await outcome(gig)).toEqual({ 11: 'held' });
  });

  test('security: what the wallet has paid is known before anything is decided', async () => {
    const gig = await seed([11, 12, 13], [12, 13], FIXED);
    clock.now = OVER;
    const message = 'the chain does not answer';
    const learnPaid = async () => {
      throw new AdapterError({ retry: 'safe', reason: 'timeout', message });
    };
    expect((await run(gig, { ...deps, learnPaid })).advance).toMatchObject({ end: 'failed', failure: { message } });
    expect(await outcome(gig)).toEqual({ 11: 'held', 12: 'eligible', 13: 'eligible' });
    const { id: tokenId, chainId } = gig.token;
    const paid = { kind: 'payout', gigId: gig.id, claimId: null, tokenId, chainId, amount: 10n * E18 } as const;
    const how = { hash: `0x${'1'.repeat(64)}`, blockNumber: 1n, gasUsed: 0n, now: OVER, tipIds: [] } as const;
    const learn = async () => {
      const payment = { ...paid, recipient: seedAddress(12), numbers: [77n] };
      await store.transaction((tx) => tx.adoptPayment(payment, how));
      return true;
    };
    let learned: Promise<boolean> | undefined;
    const learnOnce = async () => {
      learned ??= learn();
      return await learned;
    };
    const again = { ...openDeps(store), learnPaid: learnOnce };
    clock.now += HOUR;
    expect((await run(gig, again)).why).toBeNull();
    expect(await outcome(gig)).toEqual({ 11: 'not_decided', 12: 'same_address', 13: 10n * E18 });
  });

  test('behavior: a process that ends in the middle has done a part of it, and the next one does the rest', async () => {
    const ids = Array.from({ length: 45 }, (_, n) => 101 + n);
    const expected = { ...Object.fromEntries(ids.map((id) => [id, 'not_decided'])), 12: 10n * E18, 13: 10n * E18 };
    let last = 0;
    for (let at = 1; at <= last || last === 0; at += 2) {
      clock.now = START;
      const gig = await seed([...ids, 12, 13], [12, 13], FIXED);
      clock.now = OVER;
      const dying = crashing(store, { at, when: at % 4 === 1 ? 'after' : 'before' });
      try {
        await run(gig, openDeps(dying));
        last = dying.transactions();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        clock.now += 3 * MINUTE;
        expect((await run(gig, openDeps(store))).why).toBeNull();
      }
      expect(await outcome(gig)).toEqual(expected);
    }
    expect(last).toBeGreaterThan(10);
  });
});
