import { expect, test } from 'vitest';
import type { EventType } from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { decideByHand } from './deciding.ts';
import { DAY, E18, END, HOUR, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

/** The events of a gig of one type, and what they say. */
async function told({ id }: Gig, type: EventType) {
  const request = { holder: 'test', now: 1, until: 10, limit: 100 };
  while ((await world.store.transaction((tx) => tx.releaseEvents(request)))?.isMore === true);
  return await world.store.eventsAfter({ after: 0, client: null, types: [type], gigId: id, limit: 1_000 });
}

/** Who was refused by the events, and by the record of decisions, each as often as it was. */
async function compareRefusals(gig: Gig): Promise<string[]> {
  const events = await told(gig, 'accounts.refused');
  const all = events.flatMap(({ facts: { refusals = [] } }) => refusals);
  expect(events.map(({ facts }) => facts.count)).toEqual(events.map(({ facts }) => facts.refusals?.length));
  const kept = await world.sql(
    "select platform_user_id as id, reason from evaluations where gig_id = ? and state = 'refused'",
    gig.id,
  );
  const byRecord = kept.map(({ id, reason }) => `farcaster:${id} ${reason}`).sort();
  expect(all.map(({ account, reason }) => `${account} ${reason}`).sort()).toEqual(byRecord);
  return all.map(({ reason }) => reason).sort();
}

test('behavior: programs are told once of each account that is refused: by a gate, and because nothing is left', async () => {
  const gig = await world.gig({ each: 60n * E18, holdMs: HOUR });
  world.person('poor', { score: 0.1 });
  world.likes('poor', 'ann', 'bob', 'cid');
  await world.engine.until(END + DAY);
  expect(await compareRefusals(gig)).toEqual(['reward_used_up', 'reward_used_up', 'score_too_low']);
});

test('behavior: and of those whose shares are too small', async () => {
  const rule = { type: 'split', roundMs: DAY, maxAmount: E18 } as const;
  const gig = await world.gig({ rule, rewardAmount: 1n, feeAmount: 0n, holdMs: 0 });
  world.likes('ann', 'bob');
  await world.engine.until(END + DAY);
  expect(await compareRefusals(gig)).toEqual(['share_too_small', 'share_too_small']);
});

test('behavior: and of submissions that wait for a decision, which may refuse some', async () => {
  const gig = await world.bounty();
  world.person('poor', { score: 0.1 });
  for (const who of ['ann', 'bob', 'cid', 'poor']) world.submit(who, gig);
  await world.engine.until(START + HOUR);
  const waiting = await told(gig, 'submissions.waiting');
  expect(waiting.reduce((sum, { facts }) => sum + (facts.count ?? 0), 0)).toBe(3);
  const [first] = await world.store.candidates(gig.id, { dueBy: END, limit: 9 });
  await decideByHand(world, gig, { id: first?.observationId ?? 0, refuse: 'not original' });
  await world.engine.until(END + 20 * DAY);
  expect(await compareRefusals(gig)).toEqual(['not_decided', 'not_decided', 'score_too_low', 'verifier_refused']);
});

test('behavior: a gig that pays by itself says nothing of accounts that wait', async () => {
  const gig = await world.gig({ holdMs: HOUR });
  world.likes('ann');
  await world.engine.until(END + DAY);
  expect(await told(gig, 'submissions.waiting')).toEqual([]);
  expect(await told(gig, 'accounts.refused')).toEqual([]);
});
