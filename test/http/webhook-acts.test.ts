import { beforeEach, describe, expect, test } from 'vitest';
import type { Target } from '../../src/domain/earning/act.ts';
import type { Gig } from '../../src/domain/gigs/gig.ts';
import { END, MINUTE, openGig, START } from '../services/earning/gigs.ts';
import { sampleAccount } from '../support/earning.ts';
import { SEEDED_AT } from '../support/store.ts';
import { bothPlatforms, castEvent, signFarcaster } from './platforms.ts';
import { service, useServed } from './serve.ts';

const CAST = `0x${'c1'.repeat(20)}`;
const REPLY = `0x${'a2'.repeat(20)}`;
const ON_CAST: Target = { kind: 'post', postId: CAST, authorId: '5' };
const ACCOUNT: Target = { kind: 'account', accountId: '5' };

useServed(async () => ({ platforms: await bothPlatforms() }));
beforeEach(() => {
  service.time.now = START + MINUTE;
});

/** Events as the SDK's `build/types/webhooks.d.ts` has them. */
const at = (time: number) => new Date(time).toISOString();
const user = (fid: number) => ({ object: 'user_dehydrated', fid, username: `user${fid}` });
const reaction = (fid: number, { type = 1, time = START + MINUTE, hash = CAST } = {}) => ({
  created_at: Math.floor(time / 1000),
  type: 'reaction.created',
  data: {
    object: 'reaction',
    event_timestamp: at(time),
    timestamp: at(time),
    reaction_type: type,
    user: user(fid),
    cast: { object: 'cast_dehydrated', hash, author: user(5) },
  },
});
const follow = (fid: number, { done = 'created', time = START + MINUTE, followed = 5 } = {}) => ({
  created_at: Math.floor(time / 1000),
  type: `follow.${done}`,
  data: {
    object: done === 'created' ? 'follow' : 'unfollow',
    event_timestamp: at(time),
    timestamp: at(time),
    user: user(fid),
    target_user: user(followed),
  },
});
const cast = (fields: Record<string, unknown>) =>
  JSON.parse(
    castEvent({ hash: REPLY, text: 'words', timestamp: at(START + MINUTE), mentioned_profiles: [], ...fields }),
  );

async function deliver(event: object): Promise<number> {
  const body = JSON.stringify(event);
  const headers = { 'x-neynar-signature': signFarcaster(body) };
  const answer = await fetch(`${service.origin}/webhooks/farcaster`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

async function acts(gig: Gig, fid: number) {
  return await service.store.observations(gig.id, sampleAccount(fid));
}

/** The sweep of a gig has ended, having begun at this time. */
async function sweptAt(gig: Gig, time: number): Promise<void> {
  await service.store.transaction(async (tx) => {
    const watch = await tx.leaseWatch('farcaster', { lease: 'a', now: SEEDED_AT + 1e9, until: SEEDED_AT + 2e9 });
    if (watch?.gigId !== gig.id) throw new Error('another gig is due');
    await tx.storeWatch({ ...watch, sweptAt: time }, { lease: 'a', release: true });
  });
}

describe('an act that a webhook tells of', () => {
  test('behavior: a like is on disk when it is answered, held and ranked as a look would', async () => {
    const gig = await openGig(service.store, { target: ON_CAST });
    expect(await deliver(reaction(11, { time: START + 30_000 }))).toBe(200);
    expect(await acts(gig, 11)).toMatchObject([
      {
        kind: 'like',
        source: 'webhook',
        actedAt: START + 30_000,
        rankedAt: START + 30_000,
        firstSeenAt: START + MINUTE,
      },
    ]);
    expect(await service.store.earning(gig.id, sampleAccount(11))).toMatchObject({ state: 'held' });
  });

  test('behavior: each kind goes to each gig that it concerns, and to no other', async () => {
    const of = (gigType: Gig['gigType'], target: Target) => openGig(service.store, { gigType, target });
    const like = await of('like', ON_CAST);
    const boost = await of('boost', ON_CAST);
    const reply = await of('reply', ON_CAST);
    const named = await of('mention', ACCOUNT);
    const worded = await of('mention', { kind: 'keyword', keyword: '$degen' });
    const kinds = async () => {
      const all = await Promise.all([like, boost, reply, named, worded].map((gig) => acts(gig, 1001)));
      return all.map((found) => found.map(({ kind, objectId }) => (objectId === '' ? kind : `${kind} ${objectId}`)));
    };
    expect(await deliver(reaction(1001, { type: 2 }))).toBe(200);
    expect(await kinds()).toEqual([[], ['recast'], [], [], []]);
    const embeds = [{ url: 'https://a.example.invalid' }, { cast_id: { hash: CAST, fid: 5 }, cast: { hash: CAST } }];
    expect(await deliver(cast({ embeds, text: 'buy $DEGEN now' }))).toBe(200);
    expect(await kinds()).toEqual([[], ['recast', `quote ${REPLY}`], [], [], [`mention ${REPLY}`]]);
    expect(await deliver(cast({ parent_hash: CAST, mentioned_profiles: [user(5)] }))).toBe(200);
    expect(await kinds()).toEqual([
      [],
      ['recast', `quote ${REPLY}`],
      [`reply ${REPLY}`],
      [`mention ${REPLY}`],
      [`mention ${REPLY}`],
    ]);
  });

  test('behavior: delivered twice and at once it is one act, and one that concerns nothing is answered and dropped', async () => {
    const gig = await openGig(service.store, { target: ON_CAST });
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => deliver(reaction(11))),
      deliver(reaction(12, { hash: REPLY })),
      deliver(follow(12)),
      deliver({ type: 'reaction.created', data: { reaction_type: 9 } }),
      deliver({ type: 'trade.created', data: {} }),
    ]);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await acts(gig, 11)).toHaveLength(1);
    expect(await acts(gig, 12)).toEqual([]);
  });

  test('behavior: a cast that mentions the bot and replies to a watched cast is both', async () => {
    const gig = await openGig(service.store, { gigType: 'reply', target: ON_CAST });
    expect(
      await deliver(cast({ parent_hash: CAST, mentioned_profiles: [user(9001)], timestamp: at(service.time.now) })),
    ).toBe(200);
    expect(await acts(gig, 1001)).toHaveLength(1);
    expect(await service.store.mentions({ limit: 10 })).toHaveLength(1);
  });

  test('security: with a wrong signature nothing is stored', async () => {
    const gig = await openGig(service.store, { target: ON_CAST });
    const headers = { 'x-neynar-signature': signFarcaster('{}') };
    const body = JSON.stringify(reaction(11));
    expect((await fetch(`${service.origin}/webhooks/farcaster`, { method: 'POST', headers, body })).status).toBe(401);
    expect(await acts(gig, 11)).toEqual([]);
  });
});

describe('a webhook that comes at the wrong time', () => {
  test('security: one that comes again after the act was undone does not make it seen standing', async () => {
    const gig = await openGig(service.store, { target: ON_CAST });
    await deliver(reaction(11));
    const [first] = await acts(gig, 11);
    service.time.now += 60 * MINUTE;
    await sweptAt(gig, service.time.now - MINUTE);
    expect(await deliver(reaction(11))).toBe(200);
    expect(await acts(gig, 11)).toEqual([first]);
  });

  test('security: a backdated act that no sweep found has the rank of that sweep, and is not taken for one that it saw', async () => {
    const gig = await openGig(service.store, { target: ON_CAST, holdMs: 0 });
    const swept = service.time.now;
    await sweptAt(gig, swept);
    await deliver(reaction(11, { time: START + 1_000 }));
    const [act] = await acts(gig, 11);
    expect(act).toMatchObject({ rankedAt: swept, firstSeenAt: swept + 1, lastSeenAt: swept });
    // Due only after another sweep, which has to see it.
    expect((await service.store.earning(gig.id, sampleAccount(11)))?.dueAt).toBe(swept + 1);
  });

  test('behavior: before the start, long after the end, and once the target is gone nothing is stored', async () => {
    const gig = await openGig(service.store, { target: ON_CAST });
    for (const now of [START - 1, END + 10 * MINUTE]) {
      service.time.now = now;
      expect(await deliver(reaction(11))).toBe(200);
    }
    service.time.now = END - MINUTE;
    await service.store.transaction(async (tx) => {
      const watch = await tx.leaseWatch('farcaster', { lease: 'a', now: END, until: END + 1 });
      if (watch !== null) await tx.storeWatch({ ...watch, goneAt: END - 2 * MINUTE }, { lease: 'a', release: true });
    });
    expect(await deliver(reaction(11))).toBe(200);
    expect(await acts(gig, 11)).toEqual([]);
  });

  test('behavior: before the followers were read no follow is stored, and after that because it is new', async () => {
    const gig = await openGig(service.store, { gigType: 'follow', target: ACCOUNT });
    await deliver(follow(11, { time: START - 1 }));
    await deliver(follow(12, { time: START + 1 }));
    expect([await acts(gig, 11), await acts(gig, 12)]).toEqual([[], []]);
    await sweptAt(gig, START + 1_000);
    await deliver(follow(13, { time: START - 1 }));
    expect(await acts(gig, 13)).toMatchObject([{ actedAt: null, rankedAt: service.time.now }]);
  });

  test('behavior: an unfollow is noted when it happened, unless it is older than the follow', async () => {
    const gig = await openGig(service.store, { gigType: 'follow', target: ACCOUNT });
    await sweptAt(gig, START + 1_000);
    expect(await deliver(follow(11, { done: 'deleted', time: START + 10_000 }))).toBe(200);
    expect(await acts(gig, 11)).toEqual([]);
    await deliver(follow(11, { time: START + 20_000 }));
    await deliver(follow(11, { done: 'deleted', time: START + 10_000 }));
    expect(await acts(gig, 11)).toMatchObject([{ undoneAt: null }]);
    service.time.now = END + MINUTE;
    await deliver(follow(11, { done: 'deleted', time: START + 30_000 }));
    await deliver(follow(11, { done: 'deleted', time: START + 40_000 }));
    expect(await acts(gig, 11)).toMatchObject([{ undoneAt: START + 30_000 }]);
  });
});
