import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import type { ReplyState } from '../../../src/domain/mentions/mention.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { backoff, idemFor, retryReply, sendNextReply } from '../../../src/services/mentions/send-replies.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { BACKOFF_MS, createWorld, HOUR, LEASE_MS, SETTLE_MS } from '../world.ts';

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
    const { id: replyId, mentionId } = reply ?? {};
    expect(world.lines.at(-1)).toMatchObject({ msg: 'reply sent', mentionId, replyId, platform, postId, found: false });
    const standing = world.health.standings().find((each) => each.platform === platform);
    expect(standing).toEqual({ platform, lastSuccess: world.clock(), paused: null });
  });

  test('behavior: replies go out oldest first, each once, whatever the number of lanes', async () => {
    const ids = [];
    for (let count = 0; count < 30; count += 1) ids.push(await queue(platform));
    await world.sendAll(platform, 4);
    expect(network().posts).toHaveLength(30);
    expect(new Set(network().posts.map(({ replyTo }) => replyTo)).size).toBe(30);
    for (const id of ids) await expectState(id, 'sent', 1);
  });

  test.each([
    ['has passed', LEASE_MS, 0],
    ['is longer than any, because the clock was set back,', -1, 0],
    ['is nearly over', LEASE_MS - 1, 1],
    ['is whole', 0, 1],
  ])('security: a lease that %s may be another process’s: posted %i later', async (_, ms, posts) => {
    const id = await queue(platform);
    await sendNextReply(world.sending, platform, () => world.advance(ms));
    expect(network().posts).toHaveLength(posts);
    await expectState(id, posts === 0 ? 'sending' : 'sent', 1);
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

  test('error: what may concern the post or the whole account is tried again a minute later, then after twice as long', async () => {
    const id = await queue(platform);
    network().refuse(fault('forbidden', 'never'), 2);
    for (const [attempts, waitMs] of [
      [1, 60_000],
      [2, 120_000],
    ] as const) {
      await world.sendNext(platform);
      await expectState(id, 'queued', attempts);
      expect((await world.store.reply(id))?.lastError).toBe('forbidden: the network said forbidden');
      expect(world.lines.at(-1)).toMatchObject({
        msg: 'reply not sent yet',
        replyId: id,
        platform,
        state: 'queued',
        waitMs,
      });
      await waitOut(platform, waitMs);
    }
    await world.sendNext(platform);
    await expectState(id, 'sent', 3);
  });

  test('error: what may concern the post alone is given up once others were answered', async () => {
    const id = await queue(platform);
    network().refuse(fault('not_found', 'never'));
    await world.sendNext(platform);
    await queue(platform);
    await world.sendNext(platform);
    world.advance(60_000);
    network().refuse(fault('not_found', 'never'));
    await world.sendNext(platform);
    await expectState(id, 'failed', 2);
    expect(world.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'reply failed permanently',
      replyId: id,
      state: 'failed',
    });
  });

  test('error: the wait after a look that failed grows with the age of the reply, up to ten minutes', async () => {
    const id = await queue(platform);
    network().lose(fault('timeout', 'unknown'));
    await world.sendNext(platform);
    for (const [age, waitMs] of [
      [40_000, SETTLE_MS],
      [100_000, 25_000],
      [24 * HOUR, 600_000],
    ] as const) {
      world.advance(age - (world.clock() - ((await world.store.reply(id))?.createdAt ?? 0)));
      network().failLookUp(fault('server_error', 'safe'));
      await world.sendNext(platform);
      expect(world.lines.at(-1)).toMatchObject({ state: 'unknown', waitMs });
    }
  });

  test('error: looks that are refused pause the platform, and those that hit a rate limit do not', async () => {
    await queue(platform);
    network().lose(fault('timeout', 'unknown'));
    await world.sendNext(platform);
    for (const reason of ['rate_limited', 'unauthorized', 'unauthorized', 'unauthorized'] as const) {
      expect(world.health.canSend(platform)).toBe(true);
      network().failLookUp(fault(reason, 'safe'));
      world.advance(600_000);
      await world.sendNext(platform);
    }
    expect(world.health.canSend(platform)).toBe(false);
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

test('error: what is no failed reply, or has another one under way, is not tried again by hand', async () => {
  const id = await queue('farcaster');
  const retry = (replyId: number) => retryReply(world, { replyId, actor: COMMAND_LINE });
  const refused = (message: string) => ({ refusal: { code: 'invalid_request', message } });
  await expect(retry(99)).rejects.toMatchObject(refused('There is no reply 99; see reply list.'));
  const queued = `Reply ${id} is queued; only a failed one can be retried.`;
  await expect(retry(id)).rejects.toMatchObject(refused(queued));
  world.farcaster.refuse(fault('rejected', 'never'));
  await world.sendNext('farcaster');
  world.advance(1);
  await retry(id);
  const [entry] = await world.store.auditEvents({ limit: 1 });
  const about = { subject: 'reply', subjectId: String(id), gigId: null, detail: '{}', at: world.clock() };
  expect(entry).toMatchObject({ action: 'reply.retry', actorName: 'command line', ...about });
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
