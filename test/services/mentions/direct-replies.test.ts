import { describe, expect, test } from 'vitest';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { answerNextMention } from '../../../src/services/mentions/answer-mentions.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { isOnPostgres } from '../../support/database.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { createWorld, LEASE_MS, preparing, SETTLE_MS } from '../world.ts';

const counted = countTransactions();
const world = perCase(() => createWorld({ wrap: counted.wrap, isDirect: true }));

type Platform = 'farcaster' | 'twitter';
async function hear(platform: Platform, overrides: Partial<{ authorId: string; threadId: string; text: string }> = {}) {
  return await world.hear({ platform, text: '@gigclaim claims', ...overrides });
}

/** A mention that is answered; its id. */
async function answer(...said: Parameters<typeof hear>): Promise<number> {
  const id = await hear(...said);
  await world.answerNext();
  return id;
}

/** What the platform does with the next reply, in place of posting it. */
function instead(platform: Platform, act: SocialPlatform['reply']): void {
  const { network } = world.networkOf(platform);
  const { reply } = network;
  network.reply = async (request) => {
    network.reply = reply;
    return await act(request);
  };
}

async function expectQueued(id: number): Promise<void> {
  expect(await world.store.replyTo(id)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(world.woken).toContain('send');
}

describe.each(['farcaster', 'twitter'] as const)('a reply on %s that nothing stands in the way of', (platform) => {
  test('behavior: it is sent at once; the answer and the intent to send it are one transaction, the outcome another', async () => {
    const id = await hear(platform);
    const before = counted.count();
    expect(await world.answerNext()).toBe(true);
    expect(counted.count() - before).toBe(2);
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered', attempts: 1 });
    const postId = `${platform}-post-1`;
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', attempts: 1, postId, sentAt: world.clock() });
    expect(world.networkOf(platform).calls).toEqual(['reply']);
    expect(world.networkOf(platform).posts).toMatchObject([{ notAfter: world.clock() + 45_000 }]);
    expect(await world.answerNext()).toBe(false);
    expect(await world.sendNext(platform)).toBe(false);
  });

  test('security: before the platform is called the store says that it is being sent', async () => {
    const id = await hear(platform);
    instead(platform, async () => {
      expect(await world.store.mention(id)).toMatchObject({ state: 'answered' });
      expect(await world.store.replyTo(id)).toMatchObject({ state: 'sending', attempts: 1 });
      expect(await world.sendNext(platform)).toBe(false);
      return { postId: 'a-post' };
    });
    await world.answerNext();
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', postId: 'a-post' });
  });

  test.each([true, false])(
    'security: a process that dies while it sends it, posted or not (%s): one post in the end',
    async (isPosted) => {
      const id = await hear(platform);
      const network = world.networkOf(platform);
      const post = network.network.reply;
      instead(platform, async (request) => {
        if (isPosted) await post(request);
        throw new TypeError('the process dies');
      });
      // A fault of ours: neither the mention nor the reply is put back.
      await expect(world.answerNext()).rejects.toThrow('the process dies');
      expect(await world.store.mention(id)).toMatchObject({ state: 'answered', lastError: null });
      expect(await world.store.replyTo(id)).toMatchObject({ state: 'sending', attempts: 1 });
      expect(await world.answerNext()).toBe(false);
      expect(await world.sendNext(platform)).toBe(false);
      world.advance(LEASE_MS);
      for (let turn = 0; turn < 4; turn += 1) {
        await world.sendAll(platform);
        world.advance(SETTLE_MS);
      }
      expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent' });
      expect(network.posts).toHaveLength(1);
    },
  );

  test('error: one that had no effect is queued, and goes out later', async () => {
    world.networkOf(platform).refuse(fault('unreachable', 'safe'));
    const id = await answer(platform);
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'queued', attempts: 1 });
    world.advance(2_000);
    await world.sendAll(platform);
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', attempts: 2 });
  });

  test('security: of an unknown outcome it is looked up before it is sent again', async () => {
    world.networkOf(platform).lose(fault('timeout', 'unknown'));
    const id = await answer(platform);
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'unknown', attempts: 1 });
    world.advance(SETTLE_MS);
    await world.sendAll(platform);
    expect(world.networkOf(platform).calls).toEqual(['reply', 'findReply']);
    expect(world.networkOf(platform).posts).toHaveLength(1);
  });

  test('behavior: many at once are each answered and sent once, whatever the number of lanes', async () => {
    const ids = [];
    for (let author = 0; author < 30; author += 1) ids.push(await hear(platform, { authorId: `${author}` }));
    await Promise.all([world.answerAll(8), world.sendAll(platform, 4)]);
    await world.sendAll(platform);
    for (const id of ids) expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', attempts: 1 });
    expect(new Set(world.networkOf(platform).posts.map(({ replyTo }) => replyTo)).size).toBe(30);
    expect(world.networkOf(platform).posts).toHaveLength(30);
  });
});

test('behavior: in a file the note that it was sent waits for the commit of the next mention', async () => {
  const timing = { ...world.sending.timing, noteMs: 2 ** 31 - 1 };
  const answering = { ...world.answering, sending: { ...world.sending, timing } };
  const id = await hear('twitter');
  const sends: Promise<void>[] = [];
  await answerNextMention(answering, undefined, async (sending) => void sends.push(sending));
  await expect.poll(() => world.x.posts).toHaveLength(1);
  if (!isOnPostgres()) expect(await world.store.replyTo(id)).toMatchObject({ state: 'sending', attempts: 1 });
  // What is being sent is counted, and nobody else sends it.
  const budget = { since: 0, until: world.clock() };
  expect(await world.store.countRepliesSent('twitter', budget)).toBe(1);
  expect(await world.sendNext('twitter')).toBe(false);
  await hear('twitter', { authorId: '9' });
  await Promise.all(sends);
  expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', postId: 'twitter-post-1' });
  expect(world.x.posts).toHaveLength(1);
});

describe('a reply is queued', () => {
  test.each([
    ['its thread', { threadId: '7', authorId: '9' }],
    ['its author', { threadId: '8' }],
    ['both', { threadId: '7' }],
  ])('behavior: while others wait for %s, and its turn is given back', async (_, said) => {
    instead('twitter', () => Promise.reject(fault('unreachable', 'safe')));
    const before = await answer('twitter', { threadId: '7' });
    await expectQueued(await answer('twitter', said));
    expect(await world.store.replyTo(before)).toMatchObject({ state: 'queued' });
    expect(world.health.takeFreeTurn('twitter', 1)).not.toBeNull();
  });

  test('behavior: while the budget of the platform has no room for it', async () => {
    Object.assign(world.x.network, { replyBudget: [{ limit: 1, windowMs: 60_000 }] });
    await answer('twitter');
    await expectQueued(await answer('twitter', { authorId: '9' }));
    expect(world.x.posts).toHaveLength(1);
  });

  test('behavior: while the platform is paused', async () => {
    world.x.refuse(fault('rate_limited', 'safe', 900_000));
    await answer('twitter');
    await expectQueued(await answer('twitter', { authorId: '9' }));
    expect(world.x.calls).toEqual(['reply']);
  });

  test('behavior: while as many others are under way', async () => {
    const stuck = Promise.withResolvers<void>();
    const { reply } = world.x.network;
    world.x.network.reply = async (request) => {
      await stuck.promise;
      return await reply(request);
    };
    const ids: number[] = [];
    for (let author = 0; author < 14; author += 1) ids.push(await hear('twitter', { authorId: `${author}` }));
    const sends: Promise<void>[] = [];
    const leave = async (sending: Promise<void>) => void sends.push(sending);
    while (await answerNextMention(world.answering, undefined, leave));
    expect((await world.store.queueDepths()).replies).toMatchObject({ sending: 12, queued: 2 });
    stuck.resolve();
    await Promise.all(sends);
    await world.sendAll('twitter');
    for (const id of ids) expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent' });
  });

  test('security: to a mention of before the start of the process, which an earlier one may have answered', async () => {
    const sending = { ...world.sending, startedAt: world.clock() + 1 };
    const id = await hear('twitter');
    await answerNextMention({ ...world.answering, sending });
    await expectQueued(id);
  });

  test('behavior: to a command that does more than read', async () => {
    await expectQueued(await answer('twitter', { text: '@gigclaim stop' }));
  });
});

describe('a mention that is not leased before it is answered', () => {
  /** Another process would take the next mention. */
  function leaseElsewhere() {
    const now = world.clock();
    const request = { lease: 'other', now, until: now + LEASE_MS, platforms: ['farcaster'] as const };
    return world.store.transaction((tx) => tx.leaseMention(request));
  }

  test('security: another process that takes it meanwhile answers it alone', async () => {
    const id = await hear('farcaster');
    const answering = preparing(world.answering, async (ctx, command) => {
      expect(await leaseElsewhere()).toMatchObject({ id });
      return await command.prepare(ctx);
    });
    expect(await answerNextMention(answering)).toBe(true);
    expect(await world.store.replyTo(id)).toBeNull();
    expect(await world.store.mention(id)).toMatchObject({ state: 'received' });
    expect(world.farcaster.calls).toEqual([]);
    expect(world.lines.at(-1)).toMatchObject({ msg: 'mention leased by another worker' });
    expect(await world.store.transaction((tx) => tx.markAnswered(id, 'other'))).toBe(true);
  });

  test('error: a failure is counted, and the mention waits', async () => {
    const id = await hear('farcaster');
    const broken = preparing(world.answering, () => Promise.reject(new TypeError('ours')));
    expect(await answerNextMention(broken)).toBe(true);
    const failed = { state: 'received', attempts: 1, lastError: 'TypeError: ours' };
    expect(await world.store.mention(id)).toMatchObject(failed);
    expect(await world.answerNext()).toBe(false);
    world.advance(2_000);
    expect(await world.answerNext()).toBe(true);
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent' });
  });

  test('behavior: one that does more than read is leased on disk before its effect', async () => {
    const id = await hear('farcaster', { text: '@gigclaim stop' });
    const answering = preparing(world.answering, async (ctx, command) => {
      expect(await leaseElsewhere()).toBeNull();
      return await command.prepare(ctx);
    });
    await answerNextMention(answering);
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered', attempts: 1 });
  });

  test('behavior: looks for work that is not there open no transaction', async () => {
    const before = counted.count();
    expect(await world.answerNext()).toBe(false);
    expect([await world.sendNext('farcaster'), await world.sendNext('twitter')]).toEqual([false, false]);
    expect(counted.count()).toBe(before);
  });
});
