import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorOf, type LeasedMention, type SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { REPLY_WORTH } from '../../../src/domain/mentions/reply-worth.ts';
import { answerNextMention } from '../../../src/services/mentions/answer-mentions.ts';
import { createDueMentions } from '../../../src/services/mentions/due-mentions.ts';
import { createPlatformBreaker } from '../../../src/services/mentions/platform-breaker.ts';
import { sendNextReply } from '../../../src/services/mentions/send-replies.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { createNetwork, keepLog } from '../../services/fakes.ts';
import { SEEDED_AT, sampleMention, seedMention } from '../../support/store.ts';
import { type Instances, openInstances, tally } from './instances.ts';

const HOUR = 3_600_000;

let instances: Instances;
let store: Store;
beforeEach(async () => {
  instances = await openInstances();
  store = instances.stores[0];
});
afterEach(() => instances.close());

const clock = () => SEEDED_AT;
const { log } = keepLog();
let ids = 0;
const newId = () => `id-${++ids}`;
const network = createNetwork('farcaster');

function answering(by: Store, limits: { perAuthor: number; perThread: number }) {
  return {
    store: by,
    platforms: new Map([['farcaster', network.network]]),
    readMention: () => ({
      name: 'hi',
      worth: REPLY_WORTH.help,
      prepare: async () => ({ reply: { kind: 'answer', text: 'hi' } as const }),
    }),
    limits,
    clock,
    newId,
    log,
    wake: () => undefined,
    timing: { leaseMs: 60_000, backoffMs: 2_000 },
    dueMentions: createDueMentions(),
    isShared: () => true,
    sending: null,
  };
}

function sending(by: Store, posting: SocialPlatform, limits: { perAuthor: number; perThread: number }) {
  return {
    store: by,
    platforms: new Map([[posting.platform, posting]]),
    limits,
    health: createPlatformBreaker({ platforms: [posting.platform], clock, log }),
    startedAt: SEEDED_AT - HOUR,
    clock,
    newId,
    log,
    timing: { leaseMs: 60_000, settleMs: 15_000, backoffMs: 2_000, noteMs: 0 },
  };
}

/** Runs a lane's step until it finds nothing. */
async function drain(step: () => Promise<boolean>): Promise<number> {
  let steps = 0;
  while (await step()) steps += 1;
  return steps;
}

const WIDE = { perAuthor: 100, perThread: 100 };

describe('mentions on two instances', () => {
  test('security: each is answered once, and those of an author one after the other, in their order', async () => {
    const underWay = new Set<string>();
    const answered = new Map<string, number[]>();
    let isArriving = true;
    const step = async (by: Store): Promise<boolean> => {
      const request = { lease: newId(), now: SEEDED_AT, until: SEEDED_AT + 60_000, platforms: ['farcaster'] };
      const mention = await by.transaction((tx) => tx.leaseMention(request));
      if (mention === null) return isArriving;
      const { id, authorId, lease }: LeasedMention = mention;
      if (underWay.has(authorId)) throw new Error(`two mentions of ${authorId} are held`);
      underWay.add(authorId);
      answered.set(authorId, [...(answered.get(authorId) ?? []), id]);
      // From its commit on another lane may have the next one.
      underWay.delete(authorId);
      expect(await by.transaction((tx) => tx.markAnswered(id, lease))).toBe(true);
      return true;
    };
    // Some transactions take longer than others, so that they would end in another order than they began.
    const arrive = async (by: Store, turn: number) => {
      const own = { postId: `0xm${turn}`, authorId: String(2_000 + (turn % 4)), authorUsername: null };
      await by.transaction(async (tx) => {
        await tx.insertMention(sampleMention(own), { now: SEEDED_AT, source: 'webhook' });
        for (let reads = 0; reads < (turn * 7) % 5; reads += 1) await tx.lastArrival();
      });
    };
    const lanes = [...instances.stores, ...instances.stores].map((by) => drain(() => step(by)));
    await instances.atOnce(200, arrive);
    isArriving = false;
    await Promise.all(lanes);
    expect(await store.mentionDepths()).toMatchObject({ received: 0, answered: 200 });
    for (const of of answered.values()) expect(of).toEqual(of.toSorted((a, b) => a - b));
  });

  test('security: the ids of those of an author rise in the order of their commits', async () => {
    const committed: number[] = [];
    const arrive = async (
      by: Store,
      postId: string,
      { reads, onInserted }: { reads: number; onInserted?: () => void },
    ) => {
      const mention = sampleMention({ postId, authorUsername: null });
      const id = await by.transaction(async (tx) => {
        const given = await tx.insertMention(mention, { now: SEEDED_AT, source: 'webhook' });
        onInserted?.();
        for (let read = 0; read < reads; read += 1) await tx.lastArrival();
        return given;
      });
      committed.push(id ?? 0);
    };
    await store.transaction((tx) => tx.setUsername({ ...authorOf(sampleMention()), username: null }, SEEDED_AT));
    // So that its connection is open.
    await instances.stores[1].checkWritable();
    const { promise: inserted, resolve } = Promise.withResolvers<void>();
    const first = arrive(store, '0xm1', { reads: 200, onInserted: resolve });
    await inserted;
    await Promise.all([first, arrive(instances.stores[1], '0xm2', { reads: 0 })]);
    expect(committed).toEqual([1, 2]);
  });

  test('security: a post that several webhooks bring is stored once', async () => {
    const arrival = { now: SEEDED_AT, source: 'webhook' } as const;
    const stored = await instances.atOnce(20, async (by) => {
      const id = await by.transaction((tx) => tx.insertMention(sampleMention(), arrival));
      return id === null ? 'known' : 'new';
    });
    expect(tally(stored)).toEqual({ new: 1, known: 19 });
  });

  test('security: instances that do not know of each other yet answer each once, and send each answer once', async () => {
    const { network: posting, posts } = createNetwork('farcaster');
    const mentions = 30;
    for (let number = 0; number < mentions; number += 1) {
      const own = { postId: `0xa${number}`, authorId: String(5_000 + number), authorUsername: null };
      await seedMention(store, { ...own, replyTo: `0xa${number}`, threadId: `0xa${number}` });
    }
    const drains = instances.stores.flatMap((by) => {
      const alone = { dueMentions: createDueMentions(), isShared: () => false, sending: sending(by, posting, WIDE) };
      const platforms = new Map([['farcaster', posting]]);
      const step = () => answerNextMention({ ...answering(by, WIDE), ...alone, platforms });
      const send = () => sendNextReply(alone.sending, 'farcaster');
      return [drain(step), drain(step), drain(send)];
    });
    await Promise.all(drains);
    await drain(() => sendNextReply(sending(store, posting, WIDE), 'farcaster'));
    expect(await store.mentionDepths()).toMatchObject({ received: 0, answered: mentions });
    expect((await store.queueDepths()).replies).toMatchObject({ sent: mentions });
    expect(new Set(posts.map(({ replyTo }) => replyTo)).size).toBe(mentions);
    expect(posts).toHaveLength(mentions);
  });

  test('security: a thread gets as many answers as its limit allows', async () => {
    for (let number = 0; number < 16; number += 1) {
      const own = { postId: `0xt${number}`, authorId: String(3_000 + number), authorUsername: null };
      await seedMention(store, { ...own, threadId: '0xthread' });
    }
    const limits = { perAuthor: 10, perThread: 5 };
    await instances.atOnce(16, (by) => answerNextMention(answering(by, limits)));
    expect(await store.mentionDepths()).toMatchObject({ answered: 5, ignored: 11 });
    expect((await store.queueDepths()).replies).toMatchObject({ queued: 5 });
  });
});

describe('replies on two instances', () => {
  async function queue(
    count: number,
    { platform = 'farcaster', authorId = (number: number) => String(4_000 + number) } = {},
  ) {
    for (let number = 0; number < count; number += 1) {
      const postId = platform === 'farcaster' ? `0xq${number}` : String(9_000 + number);
      const own = { postId, replyTo: postId, threadId: postId, authorId: authorId(number) };
      const mentionId = await seedMention(store, { ...own, platform, authorUsername: null });
      await store.transaction((tx) => tx.queueReply({ mentionId, kind: 'answer', text: `hi ${number}` }, SEEDED_AT));
    }
  }

  test('security: an author gets as many as the limit allows', async () => {
    const { network: posting, posts } = createNetwork('farcaster');
    await queue(12, { authorId: () => '4000' });
    const limits = { perAuthor: 3, perThread: 5 };
    await instances.atOnce(12, (by) => drain(() => sendNextReply(sending(by, posting, limits), 'farcaster')));
    expect(posts).toHaveLength(3);
    expect((await store.queueDepths()).replies).toMatchObject({ sent: 3, queued: 9 });
  });

  test('security: a platform gets as many as its budget allows', async () => {
    const { network: x, posts } = createNetwork('twitter');
    const posting = { ...x, replyBudget: [{ limit: 4, windowMs: HOUR }] };
    await queue(12, { platform: 'twitter' });
    await instances.atOnce(12, (by) => drain(() => sendNextReply(sending(by, posting, WIDE), 'twitter')));
    expect(posts).toHaveLength(4);
    expect((await store.queueDepths()).replies).toMatchObject({ sent: 4, queued: 8 });
  });

  test('security: each is sent once', async () => {
    const { network: posting, posts } = createNetwork('farcaster');
    await queue(30);
    await instances.atOnce(12, (by) => drain(() => sendNextReply(sending(by, posting, WIDE), 'farcaster')));
    expect(new Set(posts.map(({ replyTo }) => replyTo)).size).toBe(30);
    expect(posts).toHaveLength(30);
  });
});
