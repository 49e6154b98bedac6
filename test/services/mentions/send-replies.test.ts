import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import type { ReplyState } from '../../../src/domain/mentions/mention.ts';
import { backoff, idemFor, sendNextReply } from '../../../src/services/mentions/send-replies.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { BACKOFF_MS, createWorld, HOUR, SETTLE_MS } from '../world.ts';

let author = 0;
const world = perCase(createWorld);

/** A mention whose reply is queued; the reply's id. */
async function queue(platform: Platform): Promise<number> {
  author += 1;
  const id = await world.hear({ platform, authorId: `${author}`, text: '@gigclaim help' });
  await world.answerAll();
  return (await world.store.replyTo(id))?.id ?? 0;
}

async function expectState(id: number, state: ReplyState, attempts: number): Promise<void> {
  expect(await world.store.reply(id)).toMatchObject({ state, attempts });
}

/** Lets so much time pass, and shows that nothing was due before. */
async function waitOut(platform: Platform, ms: number): Promise<void> {
  world.advance(ms - 1);
  expect(await world.sendNext(platform)).toBe(false);
  world.advance(1);
}

async function sendAfter(platform: Platform, ms: number): Promise<void> {
  await waitOut(platform, ms);
  await world.sendNext(platform);
}

describe.each(['farcaster', 'twitter'] as const)('on %s', (platform) => {
  const network = () => world.networkOf(platform);
  async function tryOften(times: number): Promise<void> {
    for (let attempt = 0; attempt < times; attempt += 1) {
      expect(await world.sendNext(platform)).toBe(true);
      world.advance(600_000);
    }
  }

  test('behavior: a reply goes under the mention, and its post is remembered', async () => {
    const mention = world.mention({ platform, replyTo: '555', authorId: '9', text: '@gigclaim help' });
    await world.store.transaction((tx) => tx.insertMention(mention, { now: world.clock(), source: 'webhook' }));
    await world.answerAll();
    expect(await world.sendNext(platform)).toBe(true);
    const [reply] = await world.store.replies({ limit: 1 });
    const postId = `${platform}-post-1`;
    // The lease lasts a minute, of which a quarter is kept.
    const notAfter = world.clock() + 45_000;
    const idem = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(network().posts).toEqual([{ replyTo: '555', authorId: '9', text: reply?.text, idem, notAfter, postId }]);
    expect(reply).toMatchObject({ state: 'sent', attempts: 1, postId, sentAt: world.clock() });
    expect(await world.store.isOwnPost(platform, postId)).toBe(true);
    expect(await world.sendNext(platform)).toBe(false);
    expect(network().calls).toEqual(['reply']);
  });

  test('behavior: replies go out oldest first, each once, whatever the number of lanes', async () => {
    const ids = [];
    for (let count = 0; count < 30; count += 1) ids.push(await queue(platform));
    await world.sendAll(platform, 4);
    expect(network().posts).toHaveLength(30);
    expect(new Set(network().posts.map(({ replyTo }) => replyTo)).size).toBe(30);
    for (const id of ids) await expectState(id, 'sent', 1);
  });

  test('security: a lease whose clock was set back meanwhile sends nothing, because another process may hold the reply', async () => {
    const id = await queue(platform);
    await sendNextReply(world.sending, platform, () => world.advance(-HOUR));
    expect(network().posts).toEqual([]);
    await expectState(id, 'sending', 1);
  });

  test('error: a send that had no effect is sent again later, without a look', async () => {
    const id = await queue(platform);
    network().refuse(fault('unreachable', 'safe'));
    await world.sendNext(platform);
    await expectState(id, 'queued', 1);
    expect((await world.store.reply(id))?.lastError).toBe('unreachable: the network said unreachable');
    await sendAfter(platform, BACKOFF_MS);
    await expectState(id, 'sent', 2);
    expect(network().calls).toEqual(['reply', 'reply']);
  });

  test('error: it waits longer after each failure', async () => {
    const id = await queue(platform);
    network().refuse(fault('unreachable', 'safe'), 4);
    for (const wait of [2_000, 4_000, 8_000, 16_000]) {
      await world.sendNext(platform);
      await waitOut(platform, wait);
    }
    await world.sendNext(platform);
    await expectState(id, 'sent', 5);
  });

  test('error: a wait that the platform asks for is kept', async () => {
    const id = await queue(platform);
    network().refuse(fault('server_error', 'safe', 45_000));
    await world.sendNext(platform);
    await sendAfter(platform, 45_000);
    await expectState(id, 'sent', 2);
  });

  test('error: a send that would fail again is given up, and the next reply goes out', async () => {
    const refused = await queue(platform);
    const other = await queue(platform);
    network().refuse(fault('rejected', 'never'));
    await world.sendAll(platform);
    await expectState(refused, 'failed', 1);
    await expectState(other, 'sent', 1);
    world.advance(3_600_000);
    expect(await world.sendNext(platform)).toBe(false);
    expect(world.lines.map(({ msg }) => msg)).toContain('reply failed permanently');
  });

  test('security: a lost answer is looked up before anything is sent again, and found', async () => {
    const id = await queue(platform);
    network().lose(fault('timeout', 'unknown'));
    await world.sendNext(platform);
    await expectState(id, 'unknown', 1);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'sent', 1);
    expect(network().calls).toEqual(['reply', 'findReply']);
    expect(network().posts).toHaveLength(1);
    expect((await world.store.reply(id))?.postId).toBe(`${platform}-post-1`);
  });

  test('security: a request that was lost is looked up and then sent again, under the same key', async () => {
    const id = await queue(platform);
    network().refuse(fault('timeout', 'unknown'));
    await world.sendNext(platform);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'sent', 2);
    expect(network().calls).toEqual(['reply', 'findReply', 'reply']);
    const postId = (await world.store.reply(id))?.mention.postId ?? '';
    expect(network().posts.map(({ idem }) => idem)).toEqual([idemFor(postId)]);
  });

  test('security: a look that fails settles nothing: it is made again before anything is sent', async () => {
    const id = await queue(platform);
    network().lose(fault('timeout', 'unknown'));
    for (const failure of [fault('server_error', 'safe'), fault('forbidden', 'never'), fault('timeout', 'safe')]) {
      network().failLookUp(failure);
    }
    await world.sendNext(platform);
    for (let look = 0; look < 3; look += 1) {
      await sendAfter(platform, SETTLE_MS);
      await expectState(id, 'unknown', 1);
    }
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'sent', 1);
    expect(network().calls).toEqual(['reply', 'findReply', 'findReply', 'findReply', 'findReply']);
    expect(network().posts).toHaveLength(1);
  });

  test('security: once a send was uncertain every later one is looked up first', async () => {
    const id = await queue(platform);
    network().refuse(fault('timeout', 'unknown'));
    network().refuse(fault('unreachable', 'safe'));
    await world.sendNext(platform);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'unknown', 2);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'sent', 3);
    expect(network().calls).toEqual(['reply', 'findReply', 'reply', 'findReply', 'reply']);
  });

  test('error: what was looked up, is not there, and is then refused for good is given up', async () => {
    const id = await queue(platform);
    network().refuse(fault('timeout', 'unknown'));
    network().refuse(fault('rejected', 'never'));
    await world.sendNext(platform);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'failed', 2);
  });

  test('error: a platform that says "duplicate" is looked up, because it may be there', async () => {
    const id = await queue(platform);
    network().lose(fault('duplicate', 'unknown'));
    await world.sendNext(platform);
    await sendAfter(platform, SETTLE_MS);
    await expectState(id, 'sent', 1);
  });

  test('behavior: however long the platform is away, the reply goes out when it is back', async () => {
    const id = await queue(platform);
    network().refuse(fault('unreachable', 'safe'), 100);
    await tryOften(100);
    await expectState(id, 'queued', 100);
    expect(await world.sendNext(platform)).toBe(true);
    await expectState(id, 'sent', 101);
  });

  test('error: a text that is refused as a duplicate, and is nowhere to be found, is given up', async () => {
    const id = await queue(platform);
    network().refuse(fault('duplicate', 'unknown'), 100);
    await tryOften(10);
    await expectState(id, 'failed', 10);
    expect(await world.sendNext(platform)).toBe(false);
  });

  test('error: a fault of ours is not swallowed, and the reply is kept', async () => {
    const id = await queue(platform);
    const reply = network().network.reply;
    network().network.reply = () => Promise.reject(new TypeError('ours'));
    await expect(world.sendNext(platform)).rejects.toThrow('ours');
    await expectState(id, 'sending', 1);
    network().network.reply = reply;
    world.advance(60_000);
    await world.sendAll(platform);
    world.advance(SETTLE_MS);
    await world.sendAll(platform);
    await expectState(id, 'sent', 2);
    expect(network().posts).toHaveLength(1);
  });
});

test('behavior: the platforms do not wait for each other', async () => {
  await queue('farcaster');
  await queue('twitter');
  world.x.refuse(fault('rate_limited', 'safe', 900_000));
  await world.sendNext('twitter');
  await world.sendNext('farcaster');
  expect(world.farcaster.posts).toHaveLength(1);
  expect(world.x.posts).toHaveLength(0);
});

test('behavior: a platform that is off is left alone', async () => {
  await queue('twitter');
  expect(await sendNextReply({ ...world.sending, platforms: new Map() }, 'twitter')).toBe(false);
});

test('behavior: the key of a reply follows from the post alone', () => {
  // The first 16 hex digits of the SHA-256 of `reply:0xabc`.
  expect(idemFor('0xabc')).toBe('2e90e42d3a9b70e4');
  expect(idemFor('0xabd')).not.toBe(idemFor('0xabc'));
});

test('behavior: waits double up to ten minutes', () => {
  expect([0, 1, 2, 8, 9, 1_000].map((attempts) => backoff(2_000, attempts))).toEqual([
    2_000, 4_000, 8_000, 512_000, 600_000, 600_000,
  ]);
});
