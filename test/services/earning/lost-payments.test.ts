import { describe, expect, test } from 'vitest';
import { planShares } from '../../../src/domain/earning/payouts/shares.ts';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { advanceNextWatch } from '../../../src/services/earning/advance-watch.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { isOnPostgres } from '../../support/database.ts';
import { seedAddress } from '../../support/store.ts';
import { keepSteps } from '../fakes.ts';
import { noteSkip } from '../skips.ts';
import { LOOK_MS } from './engine.ts';
import { DAY, E18, END, HOUR, learnPayment, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

const SPLIT: Rule = { type: 'split', roundMs: 12 * HOUR, maxAmount: 100n * E18 };
const learn = (gig: Gig, recipient: Address, amount: bigint) =>
  learnPayment(world.store, gig, { recipient, amount, now: world.clock.now });

describe('payments for tips that the ledger has lost', () => {
  test('security: an address that was paid earns no more, and what was paid leaves less', async () => {
    const paid = seedAddress(9_001);
    world.person('one', { addresses: [seedAddress(9_002), paid] });
    const gig = await world.gig({ rewardAmount: 25n * E18 });
    await learn(gig, paid, 10n * E18);
    await learn(gig, paid, 1n);
    expect(await world.store.lostRecipients(gig.id)).toEqual([paid]);
    world.likes('one', 'two', 'three');
    await world.engine.until(START + 13 * HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'same_address', two: 'awarded', three: 'reward_used_up' });
    expect(await world.sums(gig)).toEqual([20n * E18 + 1n, 0n]);
  });

  test('security: an account that was accepted before is refused once its address turns out to be paid', async () => {
    const paid = seedAddress(9_001);
    world.person('one', { addresses: [paid] });
    const gig = await world.gig({ rule: SPLIT, rewardAmount: 100n, holdMs: 0 });
    world.likes('one', 'two');
    await world.untilDivided(gig);
    expect(await world.sums(gig)).toEqual([0n, 50n]);
    await learn(gig, paid, 20n);
    expect((await world.store.eligibleButPaid(gig.id)).map(({ state }) => state)).toEqual(['eligible']);
    await world.engine.until(START + 13 * HOUR);
    expect(await world.outcome(gig)).toEqual({ one: 'share_too_small', two: 'awarded' });
    expect(await world.sums(gig)).toEqual([45n, 0n]);
    await world.engine.until(END + DAY);
    expect(await world.isOver(gig)).toBe(true);
  });

  test.each([
    { spent: 70n, outcome: { one: 'awarded', two: 'share_too_small' }, after: 95n },
    { spent: 130n, outcome: { one: 'share_too_small', two: 'share_too_small' }, after: 130n },
  ])(
    'error: shares that do not fit any more are cut, the last ones first ($spent)',
    async ({ spent, outcome, after }) => {
      const gig = await world.gig({ rule: SPLIT, rewardAmount: 100n, holdMs: 0 });
      world.likes('one', 'two');
      await world.untilDivided(gig);
      await learn(gig, seedAddress(9_009), spent);
      await world.engine.until(END + DAY);
      expect(await world.outcome(gig)).toEqual(outcome);
      expect(await world.sums(gig)).toEqual([after, 0n]);
      expect(await world.isOver(gig)).toBe(true);
    },
  );

  test('behavior: members of a round get their shares by rank while they fit', () => {
    const members = [5n, 3n, 2n].map((weight) => ({ weight }));
    const round = { pool: 100n, total: 10n };
    const plan = planShares(members, { round, left: 60n, maxAmount: 100n, isPaid: () => false });
    expect(plan.awards.map(({ amount }) => amount)).toEqual([50n]);
    expect(plan.refused).toEqual(members.slice(1));
    expect(plan.released).toBe(100n);
  });
});

// SQLite has no other server that could take the place of its own.
if (isOnPostgres()) {
  test('security: nothing is awarded on another server by what is known of the one before', async () => {
    const paid = seedAddress(9_001);
    world.person('one', { addresses: [paid] });
    const gig = await world.gig({ holdMs: 0 });
    world.like('one');
    let isPromoted = false;
    const learnPaid = async (asked: Gig) => {
      if (isPromoted && (await world.store.lostRecipients(asked.id)).length === 0) {
        await learn(asked, paid, 10n * E18);
        return true;
      }
      // The standby takes over between the look at the wallet and the award, and lacks a tip that was paid.
      const isAccepted = Object.values(await world.outcome(asked)).includes('eligible');
      if (isAccepted) await world.sql('update server_identity set server = ?', 'system 1, timeline 1, database 1');
      isPromoted ||= isAccepted;
      return false;
    };
    for (; world.clock.now < START + 2 * HOUR; world.clock.now += MINUTE) {
      while (await advanceNextWatch({ ...world.engine.deps, learnPaid }, 'farcaster'));
    }
    expect(isPromoted).toBe(true);
    expect(await world.outcome(gig)).toEqual({ one: 'same_address' });
  });
}

const silent = new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'chain anvil does not answer' });

test('error: nothing is decided until the chain tells what was paid, and acts are read meanwhile', async () => {
  const gig = await world.gig({ holdMs: 0 });
  const asked: number[] = [];
  let answers = false;
  const { deps } = world.engine;
  const learnPaid = async ({ id }: Gig) => {
    asked.push(id);
    if (!answers) throw silent;
    return true;
  };
  const until = async (time: number) => {
    for (; world.clock.now < time; world.clock.now += MINUTE)
      while (await advanceNextWatch({ ...deps, learnPaid }, 'farcaster'));
  };
  world.like('one');
  await until(START + 2 * HOUR);
  expect(await world.outcome(gig)).toEqual({ one: 'held' });
  expect(asked.length).toBeGreaterThan(1);
  const watch = await world.store.watch(gig.id);
  expect(watch?.failures).toBeGreaterThan(1);
  // Acts are looked at as often as ever.
  expect(world.clock.now - (watch?.lookedAt ?? 0)).toBeLessThanOrEqual(LOOK_MS + MINUTE);
  world.like('two');
  await until(START + 3 * HOUR);
  expect(await world.outcome(gig)).toEqual({ one: 'held', two: 'held' });
  answers = true;
  await until(START + 4 * HOUR);
  expect(await world.outcome(gig)).toEqual({ one: 'awarded', two: 'awarded' });
  expect((await world.store.watch(gig.id))?.failures).toBe(0);
});

test('security: nobody is refused at the end of a bounty’s time while an older ledger may have lost what was decided', async () => {
  const { store, clock } = world;
  const gig = await world.bounty({ verifier: 'the council' });
  const { engine } = world;
  world.submit('one', gig);
  await engine.until(START + HOUR);
  await noteSkip(store, { first: gig.id + 1, last: gig.id + 1, reason: 'ahead' });
  const { heldSteps, log } = keepSteps(() => clock.now);
  for (clock.now = END + 8 * DAY; clock.now < END + 9 * DAY; clock.now += HOUR) {
    await advanceNextWatch({ ...engine.deps, heldSteps }, 'farcaster');
  }
  expect(await world.outcome(gig)).toEqual({ one: 'eligible' });
  expect(heldSteps.list()).toMatchObject([{ step: 'refuse', gigId: gig.id, why: 'restored' }]);
  // As an operator settles it, in another process.
  await engine.until(END + 10 * DAY);
  expect(await world.outcome(gig)).toEqual({ one: 'not_decided' });
  const deps = { store, clock: () => clock.now };
  await carryOut(deps, prepareEnd({ gigId: gig.id, ending: 'settle', actor: COMMAND_LINE, holder: 'attempt' }));
  await settleDueGigs({ ...deps, log, heldSteps });
  expect(heldSteps.list()).toEqual([]);
});
