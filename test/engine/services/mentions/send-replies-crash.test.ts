import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Platform } from '../../../../src/domain/account.ts';
import type { LeasedReply } from '../../../../src/domain/mentions/mention.ts';
import { idemFor, sendNextReply } from '../../../../src/services/mentions/send-replies.ts';
import { fault } from '../../../services/fakes.ts';
import { createWorld, LEASE_MS, SETTLE_MS, type World } from '../../../services/world.ts';
import { takeOver } from '../../../support/database.ts';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const networkOf = (platform: Platform) => (platform === 'farcaster' ? world.farcaster : world.x);

async function queue(platform: Platform, authorId = '1001'): Promise<number> {
  const id = await world.hear({ platform, authorId, text: '@gigclaim help' });
  await world.answerAll();
  const reply = await world.store.replyTo(id);
  if (reply === null) throw new Error('no reply was queued');
  return reply.id;
}

/** Another process takes the next reply, and is never heard of again. */
async function crashWithLease(platform: Platform): Promise<LeasedReply> {
  const now = world.clock();
  const request = { lease: 'crashed', now, until: now + LEASE_MS };
  const held = await world.store.transaction((tx) => tx.leaseReply(platform, request));
  if (held === null) throw new Error('there was nothing to hold');
  return held;
}

/** The same, after it has said that it sends and perhaps sent it. */
async function crashWhileSending(platform: Platform, posted: boolean): Promise<void> {
  const held = await crashWithLease(platform);
  await world.store.transaction((tx) => tx.markSending(held.id, 'crashed'));
  const { postId, replyTo, authorId } = held.mention;
  const notAfter = world.clock() + LEASE_MS;
  if (posted)
    await networkOf(platform).network.reply({ replyTo, authorId, text: held.text, idem: idemFor(postId), notAfter });
}

async function runUntilSent(platform: Platform, id: number): Promise<void> {
  for (let turn = 0; turn < 10 && (await world.store.reply(id))?.state !== 'sent'; turn += 1) {
    await world.sendAll(platform, 2);
    world.advance(SETTLE_MS);
  }
  expect(await world.store.reply(id)).toMatchObject({ state: 'sent' });
}

describe('a process that dies', () => {
  test.each(['farcaster', 'twitter'] as const)(
    'behavior: before it sends on %s: the next one sends after the lease',
    async (platform) => {
      const id = await queue(platform);
      await crashWithLease(platform);
      world.advance(LEASE_MS - 1);
      expect(await world.sendNext(platform)).toBe(false);
      world.advance(1);
      await world.sendNext(platform);
      expect(await world.store.reply(id)).toMatchObject({ state: 'sent', attempts: 1 });
    },
  );

  test.each([
    ['farcaster', true],
    ['farcaster', false],
    ['twitter', true],
    ['twitter', false],
  ] as const)(
    'security: while it sends on %s, posted or not (%s): there is one post in the end',
    async (platform, posted) => {
      const network = networkOf(platform);
      const id = await queue(platform);
      await crashWhileSending(platform, posted);
      expect(await world.sendNext(platform)).toBe(false);
      world.advance(LEASE_MS);
      network.calls.length = 0;
      await runUntilSent(platform, id);
      expect(network.posts).toHaveLength(1);
      expect(network.calls).toEqual(posted ? ['findReply'] : ['findReply', 'reply']);
    },
  );

  test('security: on X the look waits until a post would show up', async () => {
    const id = await queue('twitter');
    await crashWhileSending('twitter', true);
    world.x.delay(true);
    world.advance(LEASE_MS);
    await world.sendAll('twitter', 4);
    expect(await world.store.reply(id)).toMatchObject({ state: 'unknown', lastError: 'interrupted while sending' });
    world.advance(SETTLE_MS - 1);
    expect(await world.sendNext()).toBe(false);
    world.x.delay(false);
    world.advance(1);
    await world.sendNext();
    expect(await world.store.reply(id)).toMatchObject({ state: 'sent', postId: 'twitter-post-1' });
    expect(world.x.posts).toHaveLength(1);
  });

  test('security: on Farcaster a post that does not show up yet is sent again under the same key, which posts nothing', async () => {
    const id = await queue('farcaster');
    await crashWhileSending('farcaster', true);
    world.farcaster.delay(true);
    world.advance(LEASE_MS);
    await world.sendNext('farcaster');
    expect(await world.store.reply(id)).toMatchObject({ state: 'sent', postId: 'farcaster-post-1' });
    expect(world.farcaster.posts).toHaveLength(1);
  });

  test('behavior: a new process takes over, at once when it serves alone', async () => {
    const id = await queue('twitter');
    await crashWhileSending('twitter', true);
    await takeOver(world.store, { held: 1, pass: () => world.advance(LEASE_MS) });
    await runUntilSent('twitter', id);
    expect(world.x.posts).toHaveLength(1);
  });
});

describe('a lease that ends while the platform is slow', () => {
  test('security: the reply is not sent by the other one, but found', async () => {
    const id = await queue('twitter');
    const { reply } = world.x.network;
    world.x.network.reply = async (request) => {
      const answer = await reply(request);
      world.advance(LEASE_MS);
      // The other one finds `sending`, and leaves it until the post would show up.
      expect(await sendNextReply(world.sending, 'twitter')).toBe(true);
      return answer;
    };
    await world.sendNext();
    expect(world.lines.map(({ msg }) => msg)).toContain(
      'reply was sent, but its lease had ended; it will be looked up',
    );
    expect(await world.store.reply(id)).toMatchObject({ state: 'unknown' });
    await runUntilSent('twitter', id);
    expect(world.x.posts).toHaveLength(1);
  });

  test('security: a lease that ended before the send sends nothing', async () => {
    const id = await queue('twitter');
    // Between its lease and its send the process sleeps for so long that another one holds the reply.
    let transactions = 0;
    const store = {
      ...world.store,
      transaction: async <T>(run: Parameters<typeof world.store.transaction<T>>[0]) => {
        transactions += 1;
        const value = await world.store.transaction(run);
        if (transactions === 1) {
          world.advance(LEASE_MS);
          await crashWithLease('twitter');
        }
        return value;
      },
    };
    expect(await sendNextReply({ ...world.sending, store }, 'twitter')).toBe(true);
    expect(world.x.calls).toEqual([]);
    expect(await world.store.reply(id)).toMatchObject({ state: 'sending', attempts: 1 });
  });
});

describe('a platform that refuses the account', () => {
  test.each(['unauthorized', 'payment_required'] as const)(
    'behavior: after three times %s nothing more is tried, nothing is lost, and all goes out later',
    async (reason) => {
      for (let author = 0; author < 10; author += 1) await queue('twitter', `${author}`);
      world.x.refuse(fault(reason, 'safe'), 3);
      await world.sendAll('twitter');
      expect(world.x.calls).toHaveLength(3);
      expect(await world.sendNext()).toBe(false);
      expect((await world.store.queueDepths()).replies).toMatchObject({ queued: 10, failed: 0 });
      world.advance(60_000);
      await world.sendAll('twitter');
      expect(world.x.posts).toHaveLength(10);
      expect(new Set(world.x.posts.map(({ replyTo }) => replyTo)).size).toBe(10);
    },
  );

  test('behavior: a run of refused replies pauses and keeps them; they fail when others were answered since', async () => {
    for (let author = 0; author < 8; author += 1) await queue('twitter', `${author}`);
    world.x.refuse(fault('not_engaged', 'never'), 5);
    await world.sendAll('twitter');
    expect((await world.store.queueDepths()).replies).toMatchObject({ failed: 0, queued: 8 });
    expect(world.x.calls).toHaveLength(5);
    world.advance(60_000);
    for (let other = 0; other < 3; other += 1) await world.sendNext();
    expect(world.x.posts.map(({ authorId }) => authorId)).toEqual(['5', '6', '7']);
    world.x.refuse(fault('not_engaged', 'never'), 5);
    await world.sendAll('twitter');
    expect((await world.store.queueDepths()).replies).toMatchObject({ failed: 5, sent: 3 });
    // What was refused is kept for the operator.
    const [failed] = await world.store.replies({ limit: 1, state: 'failed' });
    await world.store.transaction((tx) => tx.retryReply(failed?.id ?? 0, world.clock()));
    await world.sendAll('twitter');
    expect(world.x.posts).toHaveLength(4);
  });

  test('behavior: a rate limit holds everything back for as long as it asks', async () => {
    await queue('twitter', '1');
    await queue('twitter', '2');
    world.x.refuse(fault('rate_limited', 'safe', 900_000));
    await world.sendAll('twitter');
    expect(world.x.calls).toHaveLength(1);
    world.advance(899_999);
    expect(await world.sendNext()).toBe(false);
    world.advance(1);
    await world.sendAll('twitter');
    expect(world.x.posts).toHaveLength(2);
  });

  test('behavior: looks are held back as well, and what is uncertain stays so', async () => {
    const id = await queue('twitter');
    world.x.lose(fault('timeout', 'unknown'));
    await world.sendNext();
    world.advance(SETTLE_MS);
    world.x.failLookUp(fault('rate_limited', 'safe', 900_000));
    await world.sendNext();
    expect(await world.store.reply(id)).toMatchObject({ state: 'unknown' });
    expect(await world.sendNext()).toBe(false);
    world.advance(900_000);
    await world.sendNext();
    expect(await world.store.reply(id)).toMatchObject({ state: 'sent' });
    expect(world.x.posts).toHaveLength(1);
  });
});

describe('a reply that the process before this one may have sent, though the store does not know', () => {
  /** The senders of a process that starts now. */
  const restarted = () => ({ ...world.sending, startedAt: world.clock() });

  test('security: on X it is found and not sent, also when the first look fails, which fails nothing', async () => {
    const id = await world.hear({ platform: 'twitter' });
    await world.answerAll();
    const { postId: replyTo } = (await world.store.mention(id)) ?? { postId: '' };
    const sent = { replyTo, authorId: '1001', text: 'before', idem: 'x', notAfter: Number.MAX_SAFE_INTEGER };
    const { postId } = await world.x.network.reply(sent);
    world.advance(1);
    const sending = restarted();
    world.x.failLookUp(fault('rate_limited', 'safe', 60_000));
    expect(await sendNextReply(sending, 'twitter')).toBe(true);
    expect(await world.store.replyTo(id)).toMatchObject({
      state: 'queued',
      lastError: 'rate_limited: could not look for the reply: the network said rate_limited',
    });
    world.advance(60_000);
    expect(await sendNextReply(sending, 'twitter')).toBe(true);
    expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent', postId });
    expect(world.x.posts).toHaveLength(1);
  });

  test('behavior: a reply that is not there is sent; a mention since the start, and Farcaster, are not looked up', async () => {
    const old = await world.hear({ platform: 'twitter' });
    await world.hear({ platform: 'farcaster' });
    world.advance(1);
    const sending = restarted();
    const later = await world.hear({ platform: 'twitter', authorId: '7' });
    await world.answerAll();
    for (const platform of ['twitter', 'farcaster'] as const) while (await sendNextReply(sending, platform));
    expect(world.x.calls).toEqual(['findReply', 'reply', 'reply']);
    expect(world.farcaster.calls).toEqual(['reply']);
    for (const id of [old, later]) expect(await world.store.replyTo(id)).toMatchObject({ state: 'sent' });
  });
});
