import { describe, expect, test } from 'vitest';
import { pollMentions, receiveMentions } from '../../../src/services/mentions/receive-mentions.ts';
import { takeOver } from '../../support/database.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { createWorld, HOUR } from '../world.ts';

const world = perCase(createWorld);

const receive = (...mentions: Parameters<typeof receiveMentions>[1]) =>
  receiveMentions(world.receiving, mentions, { source: 'webhook' });

describe('receiving', () => {
  test('behavior: a mention is on disk when it was received, and the answering job is told', async () => {
    const [id] = await receive(world.mention({ text: '@gigclaim claims', authorId: '7' }));
    const kept = { text: '@gigclaim claims', authorId: '7', receivedAt: world.clock() };
    expect(await world.store.mention(id ?? 0)).toMatchObject({ state: 'received', source: 'webhook', ...kept });
    expect(world.woken).toEqual(['answer']);
  });

  test('behavior: a hundred redeliveries are one mention, one at a time and all at once', async () => {
    const mention = world.mention();
    expect(await receive(mention)).toHaveLength(1);
    for (let again = 0; again < 50; again += 1) expect(await receive(mention)).toEqual([]);
    const other = world.mention();
    const ids = await Promise.all(Array.from({ length: 50 }, () => receive(other, other)));
    expect(ids.flat()).toHaveLength(1);
    expect(await world.store.mentions({ limit: 100 })).toHaveLength(2);
    expect(world.woken).toEqual(['answer', 'answer']);
  });

  test('behavior: the same post id on two platforms is two mentions', async () => {
    const same = { postId: '77', replyTo: '77', threadId: '77' };
    expect(await receive(world.mention(same), world.mention({ ...same, platform: 'twitter' }))).toHaveLength(2);
  });

  test("security: the bot's own posts are never stored", async () => {
    expect(await receive(world.mention({ authorId: '4242' }))).toEqual([]);
    const id = await world.hear();
    await world.answerAll();
    await world.sendAll('farcaster');
    const own = (await world.store.replyTo(id))?.postId;
    // As if the platform had named another author for it.
    expect(await receive(world.mention({ postId: own ?? '' }))).toEqual([]);
    expect(await world.store.mentions({ limit: 10 })).toHaveLength(1);
  });

  test('behavior: a mention more than 24 hours old is left out, one of exactly 24 hours is not', async () => {
    expect(await receive(world.mention({ postedAt: world.clock() - 24 * HOUR - 1 }))).toEqual([]);
    expect(await receive(world.mention({ postedAt: world.clock() - 24 * HOUR }))).toHaveLength(1);
    expect(await world.store.mentions({ limit: 10 })).toHaveLength(1);
  });

  test('security: one that was left out stays so when the clock is set back', async () => {
    const old = world.mention({ postedAt: world.clock() - 24 * HOUR - 1 });
    expect(await receive(old)).toEqual([]);
    world.advance(-2 * HOUR);
    expect(await receive(old)).toEqual([]);
    expect(await receive(world.mention())).toHaveLength(1);
  });

  test('behavior: the author is remembered under the handle of a new mention, and only of a new one', async () => {
    const first = world.mention({ authorId: '7', authorUsername: 'Alice' });
    await receive(first);
    const alice = { platform: 'farcaster', platformUserId: '7' } as const;
    expect(await world.store.account(alice)).toMatchObject({ username: 'Alice' });
    await receive(world.mention({ authorId: '7', authorUsername: 'alice2' }));
    await receive(first);
    expect(await world.store.account(alice)).toMatchObject({ username: 'alice2' });
    await receive(world.mention({ authorId: '7', authorUsername: null }));
    expect(await world.store.account(alice)).toMatchObject({ username: 'alice2' });
  });

  test('security: an older post that arrives late takes no handle from who has been seen with it since', async () => {
    const holder = async () => (await world.store.accountByHandle('farcaster', 'bob'))?.platformUserId ?? null;
    const posted = (authorId: string, authorUsername: string, minutesAgo: number) =>
      receive(world.mention({ authorId, authorUsername, postedAt: world.clock() - minutesAgo * 60_000 }));
    await posted('7', 'bob', 60);
    await posted('8', 'Bob', 30);
    expect(await holder()).toBe('8');
    await posted('7', 'bob', 45);
    // Of an account that was unknown, too.
    await posted('9', 'bob', 40);
    expect(await holder()).toBe('8');
    expect(await world.store.account({ platform: 'farcaster', platformUserId: '9' })).toMatchObject({ username: null });
    // The holder's next post is the newest sight of the handle, which a post from before it does not outdo.
    await posted('8', 'Bob', 10);
    await posted('7', 'bob', 20);
    expect(await holder()).toBe('8');
    await posted('8', 'older-name', 25);
    expect(await holder()).toBe('8');
    await posted('7', 'bob', 5);
    expect(await holder()).toBe('7');
  });

  test('behavior: a post of the future is seen now, so that the next one moves its handle', async () => {
    await receive(world.mention({ authorId: '7', authorUsername: 'bob', postedAt: world.clock() + 24 * HOUR }));
    world.advance(1);
    await receive(world.mention({ authorId: '8', authorUsername: 'bob' }));
    expect((await world.store.accountByHandle('farcaster', 'bob'))?.platformUserId).toBe('8');
  });

  test('behavior: nothing to store is no work', async () => {
    expect(await receive()).toEqual([]);
    expect(world.woken).toEqual([]);
  });

  test('error: a batch that cannot be stored whole is not stored at all', async () => {
    const broken = Object.assign(world.mention(), { platform: 'mastodon' });
    await expect(receive(world.mention(), broken)).rejects.toThrow();
    expect(await world.store.mentions({ limit: 10 })).toEqual([]);
    expect(world.woken).toEqual([]);
  });
});

describe('polling', () => {
  /** Looks for mentions on a platform; however recently the last look was when no time is given. */
  const look = (everyMs = 0, platform: 'farcaster' | 'twitter' = 'twitter') =>
    pollMentions(world.receiving, platform, { everyMs });

  test('behavior: what the webhooks missed is stored, with the place where the next look starts', async () => {
    const known = world.mention();
    await receive(known);
    const missed = world.mention();
    world.farcaster.answerPoll({ events: [known, missed], cursor: 'cursor-1' });
    await look(0, 'farcaster');
    expect(await world.store.mentionByPost('farcaster', missed.postId)).toMatchObject({ source: 'poll' });
    expect(await world.store.mentionByPost('farcaster', known.postId)).toMatchObject({ source: 'webhook' });
    await look(0, 'farcaster');
    expect(world.farcaster.asked).toEqual([
      { cursor: null, since: world.clock() - 24 * HOUR },
      { cursor: 'cursor-1', since: world.clock() - 24 * HOUR },
    ]);
    expect(world.health.standings()[0]).toMatchObject({ platform: 'farcaster', lastSuccess: world.clock() });
  });

  test('behavior: the cursor is kept though nothing was found, and each platform has its own', async () => {
    world.x.answerPoll({ events: [], cursor: 'x-9' });
    await look();
    expect(await world.store.pollCursor('twitter')).toBe('x-9');
    expect(await world.store.pollCursor('farcaster')).toBeNull();
  });

  test('error: a failed look leaves the cursor where it was', async () => {
    world.x.answerPoll({ events: [], cursor: 'x-9' });
    await look();
    world.x.answerPoll(fault('server_error', 'safe'));
    await expect(look()).rejects.toMatchObject({ reason: 'server_error' });
    expect(await world.store.pollCursor('twitter')).toBe('x-9');
  });

  test('error: a look that broke off keeps what it found, and fails', async () => {
    world.x.answerPoll({ events: [], cursor: 'x-9' });
    await look();
    const found = world.mention({ platform: 'twitter' });
    world.x.answerPoll({ events: [found], cursor: 'x-9', brokenOff: fault('server_error', 'safe') });
    await expect(look()).rejects.toMatchObject({ reason: 'server_error' });
    expect(await world.store.mentionByPost('twitter', found.postId)).toMatchObject({ source: 'poll' });
    expect(await world.store.pollCursor('twitter')).toBe('x-9');
    expect(world.woken).toEqual(['answer']);
  });

  test('behavior: being slowed down in reading holds no reply back', async () => {
    world.x.answerPoll(fault('rate_limited', 'safe', 900_000));
    await expect(look()).rejects.toMatchObject({ reason: 'rate_limited' });
    expect(world.health.canSend('twitter')).toBe(true);
  });

  test('behavior: of several processes on one store one looks, and another takes over when it is gone', async () => {
    const others = Array.from({ length: 3 }, () => ({ ...world.receiving }));
    const everyMs = 60_000;
    const turn = () => Promise.all(others.map((receiving) => pollMentions(receiving, 'twitter', { everyMs })));
    await turn();
    expect(world.x.asked).toHaveLength(1);
    world.advance(everyMs - 1);
    await turn();
    expect(world.x.asked).toHaveLength(1);
    others.shift();
    world.advance(1);
    await turn();
    expect(world.x.asked).toHaveLength(2);
  });

  test('behavior: one platform’s look leaves that of the other to whoever comes first', async () => {
    await look(60_000);
    await look(60_000, 'farcaster');
    expect([world.x.asked.length, world.farcaster.asked.length]).toEqual([1, 1]);
  });

  test('error: a look that failed may be taken up again at once', async () => {
    world.x.answerPoll(fault('server_error', 'safe'));
    await expect(look(60_000)).rejects.toMatchObject({ reason: 'server_error' });
    await look(60_000);
    expect(world.x.asked).toHaveLength(2);
    await look(60_000);
    expect(world.x.asked).toHaveLength(2);
  });

  test('error: a list that has too many pages is read again after the interval, not at once', async () => {
    world.x.answerPoll({ events: [], cursor: null, brokenOff: fault('bad_response', 'safe') });
    await expect(look(60_000)).rejects.toMatchObject({ reason: 'bad_response' });
    await look(60_000);
    world.advance(59_999);
    await look(60_000);
    expect(world.x.asked).toHaveLength(1);
    world.advance(1);
    await look(60_000);
    expect(world.x.asked).toHaveLength(2);
  });

  test('behavior: a process that starts looks, when it starts alone at once, however recently the one before it looked', async () => {
    await look(60_000);
    await takeOver(world.store, { held: 0, pass: () => world.advance(60_000) });
    await look(60_000);
    expect(world.x.asked).toHaveLength(2);
  });

  test('behavior: a platform that is silent is not asked', async () => {
    const hang = () => Promise.reject(fault('timeout', 'safe'));
    for (let call = 0; call < 3; call += 1) {
      await expect(world.health.gate('twitter').pass(hang)).rejects.toMatchObject({ reason: 'timeout' });
    }
    await look();
    expect(world.x.asked).toEqual([]);
    world.advance(15_000);
    await look();
    expect(world.x.asked).toHaveLength(1);
  });

  test('behavior: a platform that is off is not asked', async () => {
    const receiving = { ...world.receiving, platforms: new Map() };
    await pollMentions(receiving, 'twitter', { everyMs: 0 });
    expect(world.x.asked).toEqual([]);
  });
});
