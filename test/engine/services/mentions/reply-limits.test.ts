import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mention } from '../../../../src/domain/mentions/mention.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { answerNextMention } from '../../../../src/services/mentions/answer-mentions.ts';
import { giveUpPerished, retryReply, sendNextReply } from '../../../../src/services/mentions/send-replies.ts';
import { fault } from '../../../services/fakes.ts';
import { createWorld, HOUR, LEASE_MS, SETTLE_MS, type World } from '../../../services/world.ts';
import { isOnPostgres, takeOver } from '../../../support/database.ts';
import { seedGig } from '../../../support/store.ts';

const REQUIRED = 105_000_000_000_000_000_000n;
const THREAD = '0xthread';
const DAY = 24 * HOUR;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

/** Says it and lets the bot answer and send whatever is due; answers the mention's id. */
async function say(text: string, from: Partial<Mention> = {}): Promise<number> {
  const id = await ask(text, from);
  await world.sendAll('farcaster');
  return id;
}

/** Says it, and lets the bot answer and not send. */
async function ask(text: string, from: Partial<Mention> = {}): Promise<number> {
  const id = await world.hear({ text: `@gigclaim ${text}`, ...from });
  await world.answerAll();
  return id;
}

/** A start that is refused, which is said all the same. */
const start = (authorId: string, threadId?: string) =>
  say('start gig 99', { authorId, ...(threadId === undefined ? {} : { threadId }) });

const stateOf = async (mentionId: number) => {
  const reply = await world.store.replyTo(mentionId);
  return reply === null ? null : `${reply.state}${reply.heldFor === null ? '' : ` for ${reply.heldFor}`}`;
};
const statesOf = (ids: readonly number[]) => Promise.all(ids.map(stateOf));
const postsTo = async (mentionId: number) => {
  const mention = await world.store.mention(mentionId);
  return world.farcaster.posts.filter(({ replyTo }) => replyTo === mention?.replyTo).length;
};

/** Five authors look something up in the thread, each a minute after the other, which uses its hour up. */
async function fillThread(): Promise<void> {
  for (let author = 1; author <= 5; author += 1) {
    await say('claims', { authorId: `${author}`, threadId: THREAD });
    world.advance(60_000);
  }
  expect(world.farcaster.posts).toHaveLength(5);
}

describe('a command that changes something, above the limits', () => {
  test('behavior: a start in a full thread happens at once, and is told when there is room', async () => {
    const gig = await seedGig(world.store, { owners: [{ platform: 'farcaster', platformUserId: '77' }] });
    world.ledger.fund(gig.walletAddress, REQUIRED);
    await fillThread();
    const id = await say(`start gig ${gig.id}`, { authorId: '77', threadId: THREAD });
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live' });
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered' });
    expect(await stateOf(id)).toBe('queued for thread');
    expect((await world.store.replyTo(id))?.lastError).toBe(
      'held until the limit allows it: its thread gets at most 5 an hour (REPLIES_PER_THREAD_HOUR)',
    );
    // The first of the five was sent five minutes ago.
    world.advance(HOUR - 300_000);
    expect(await world.sendNext('farcaster')).toBe(false);
    world.advance(1);
    expect(await world.sendNext('farcaster')).toBe(true);
    expect(await stateOf(id)).toBe('sent');
    expect(world.farcaster.posts.at(-1)?.text).toMatch(/^Gig 1 is live until /);
  });

  test('behavior: each author has ten an hour, whatever the threads', async () => {
    const ids = [];
    for (let count = 0; count < 12; count += 1) ids.push(await start('77'));
    expect(await statesOf(ids.slice(9))).toEqual(['sent', 'queued for author', 'queued for author']);
    expect((await world.store.replyTo(ids[11] ?? 0))?.lastError).toContain('REPLIES_PER_AUTHOR_HOUR');
    world.advance(HOUR + 1);
    await world.sendAll('farcaster');
    expect(await statesOf(ids.slice(9))).toEqual(['sent', 'sent', 'sent']);
  });

  test('behavior: stopping works, and is told when there is room', async () => {
    for (let count = 0; count < 10; count += 1) await say('claims');
    const stop = await say('stop');
    const account = { platform: 'farcaster', platformUserId: '1001' } as const;
    expect(await world.store.hasOptedOut(account)).toBe(true);
    expect(await stateOf(stop)).toBe('queued for author');
    world.advance(HOUR + 1);
    await world.sendAll('farcaster');
    expect(await stateOf(stop)).toBe('sent');
    expect(world.farcaster.posts.at(-1)?.text).toMatch(/^You will get no more replies from me\./);
  });

  test('behavior: whoever says stop gets nothing any more that was held before', async () => {
    for (let count = 0; count < 10; count += 1) await say('claims');
    const held = await start('1001');
    world.advance(1);
    const stop = await say('stop');
    world.advance(HOUR + 1);
    await world.sendAll('farcaster');
    expect(await stateOf(held)).toBe('failed');
    const { lastError } = (await world.store.replyTo(held)) ?? {};
    expect(lastError).toBe('given up: its author turned replies off while it waited');
    expect(await stateOf(stop)).toBe('sent');
  });

  test.each([
    ['stands still', 0],
    ['is set back by two hours', -2 * HOUR],
  ])('security: so it is when the clock %s before they say it', async (_, byMs) => {
    for (let count = 0; count < 10; count += 1) await say('claims');
    const held = await start('1001');
    world.advance(byMs);
    const stop = await say('stop');
    world.advance(3 * HOUR + 1);
    await world.sendAll('farcaster');
    expect(await statesOf([held, stop])).toEqual(['failed', 'sent']);
  });

  test.each(['stop', 'Stop!', 'please stop', 'unsubscribe', 'opt out'])(
    'security: after %j nothing is posted but the one reply that says so, whatever waits or was tried before',
    async (words) => {
      const waiting = await ask('claims');
      const tried = await ask('help', { platform: 'twitter' });
      world.x.refuse(fault('timeout', 'unknown'));
      await world.sendNext('twitter');
      expect(await stateOf(tried)).toBe('unknown');
      world.advance(1);
      const stops = [await world.hear({ text: `@gigclaim ${words}` })];
      stops.push(await world.hear({ text: `@gigclaim ${words}`, platform: 'twitter' }));
      for (const text of ['claims', 'help', 'hello?', words]) await world.hear({ text: `@gigclaim ${text}` });
      await world.answerAll();
      world.advance(SETTLE_MS);
      for (let hour = 0; hour < 3; hour += 1) {
        await world.sendAll('farcaster');
        await world.sendAll('twitter');
        world.advance(HOUR);
      }
      expect(await statesOf([waiting, tried])).toEqual(['failed', 'failed']);
      expect(await statesOf(stops)).toEqual(['sent', 'sent']);
      const said = [...world.farcaster.posts, ...world.x.posts].map(({ text }) => text.slice(0, 36));
      expect(said).toEqual(['You will get no more replies from me', 'You will get no more replies from me']);
    },
  );

  test('behavior: a look-up above the limits is left unanswered, also while others are held', async () => {
    await fillThread();
    await start('77', THREAD);
    world.advance(HOUR - 300_000 + 1);
    // There is room for one, and one waits for it.
    const id = await world.hear({ authorId: '78', threadId: THREAD, text: '@gigclaim claims' });
    for (const other of ['79', '80', '81', '82'])
      await world.hear({ authorId: other, threadId: THREAD, text: '@gigclaim start gig 99' });
    await world.answerAll();
    expect(await world.store.mention(id)).toMatchObject({ state: 'ignored', ignoreReason: 'thread_limit' });
  });
});

describe('held replies', () => {
  test('behavior: a thread of twelve is served five an hour, each once and in order', async () => {
    const ids: number[] = [];
    for (let author = 1; author <= 12; author += 1) {
      ids.push(await start(`${author}`, THREAD));
      world.advance(1_000);
    }
    // Lanes that meet on PostgreSQL put back for a second who is not the next, while the clock of this test stands still.
    const lanes = isOnPostgres() ? 1 : 4;
    const sent = async () => (await statesOf(ids)).map((state) => (state === 'sent' ? 1 : 0)).join('');
    expect(await sent()).toBe('111110000000');
    world.advance(HOUR - 12_000);
    await world.sendAll('farcaster');
    expect(await sent()).toBe('111110000000');
    world.advance(1);
    await world.sendAll('farcaster');
    expect(await sent()).toBe('111111000000');
    world.advance(4_000);
    await world.sendAll('farcaster', lanes);
    expect(await sent()).toBe('111111111100');
    world.advance(HOUR);
    await world.sendAll('farcaster', lanes);
    expect(await sent()).toBe('111111111110');
    world.advance(1);
    await world.sendAll('farcaster', lanes);
    expect(await sent()).toBe('111111111111');
    expect(await Promise.all(ids.map(postsTo))).toEqual(ids.map(() => 1));
  });

  test('behavior: hold up no other author and no other thread', async () => {
    await fillThread();
    for (let author = 100; author < 120; author += 1) await start(`${author}`, THREAD);
    const other = await say('claims', { authorId: '200' });
    expect(await stateOf(other)).toBe('sent');
    // Nor their own author elsewhere.
    const elsewhere = await say('claims', { authorId: '100' });
    expect(await stateOf(elsewhere)).toBe('sent');
  });

  test('behavior: ten that wait for a thread leave their author’s look-ups elsewhere alone', async () => {
    await fillThread();
    for (let count = 0; count < 10; count += 1) await start('77', THREAD);
    expect(await stateOf(await say('claims', { authorId: '77' }))).toBe('sent');
  });

  test('behavior: are sent before younger ones when there is room sooner than was foreseen', async () => {
    await fillThread();
    const held = await start('77', THREAD);
    // Another process, or the same one after a restart, allows more.
    const limits = { perAuthor: 10, perThread: 6 };
    const younger = await ask('start gig 99', { authorId: '78', threadId: THREAD });
    while (await sendNextReply({ ...world.sending, limits }, 'farcaster'));
    expect(await stateOf(held)).toBe('sent');
    world.advance(1_000);
    while (await sendNextReply({ ...world.sending, limits }, 'farcaster'));
    expect(await stateOf(younger)).toBe('queued for thread');
  });

  test('behavior: one that is held says why, and leaves the first in line as it was', async () => {
    await fillThread();
    await start('77', THREAD);
    const mentionId = await ask('start gig 99', { authorId: '78', threadId: THREAD });
    expect(await world.sendNext('farcaster')).toBe(true);
    const reason = 'held until the limit allows it: its thread gets at most 5 an hour (REPLIES_PER_THREAD_HOUR)';
    const replyId = (await world.store.replyTo(mentionId))?.id;
    const fields = { mentionId, replyId, platform: 'farcaster', reason };
    expect(world.lines.at(-1)).toMatchObject({ level: 'info', msg: 'reply held', ...fields });
    expect(await world.sendNext('farcaster')).toBe(false);
  });

  test('behavior: one that could not be sent gives its room back', async () => {
    await fillThread();
    const [first, second] = [await start('77', THREAD), await start('78', THREAD)];
    world.advance(HOUR - 300_000 + 1);
    world.farcaster.refuse(fault('rejected', 'never'));
    await world.sendAll('farcaster');
    expect(await stateOf(first)).toBe('failed');
    world.advance(60_000);
    await world.sendAll('farcaster');
    expect(await stateOf(second)).toBe('sent');
  });

  test('behavior: survive a crash, also one in the middle of the look for room', async () => {
    await fillThread();
    const held = await start('77', THREAD);
    const due = await start('78');
    world.advance(HOUR - 300_000 + 1);
    const now = world.clock();
    const dead = { lease: 'dead', now, until: now + LEASE_MS };
    expect((await world.store.transaction((tx) => tx.leaseReply('farcaster', dead)))?.mentionId).toBe(held);
    await takeOver(world.store, { held: 1, pass: () => world.advance(LEASE_MS) });
    await world.sendAll('farcaster');
    expect(await statesOf([held, due])).toEqual(['sent', 'sent']);
    expect([await postsTo(held), await postsTo(due)]).toEqual([1, 1]);
  });

  test('security: what may have been sent keeps its room until that is known', async () => {
    for (let author = 1; author <= 4; author += 1) await say('claims', { authorId: `${author}`, threadId: THREAD });
    world.farcaster.lose(fault('timeout', 'unknown'));
    const lost = await start('5', THREAD);
    expect(await stateOf(lost)).toBe('unknown');
    const next = await start('6', THREAD);
    expect(await stateOf(next)).toBe('queued for thread');
    world.advance(SETTLE_MS);
    await world.sendAll('farcaster');
    expect(await statesOf([lost, next])).toEqual(['sent', 'queued for thread']);
    expect(world.farcaster.posts).toHaveLength(5);
  });

  test('error: one without room for 24 hours is given up, with the reason, and an operator may send it', async () => {
    const limits = { perAuthor: 1, perThread: 5 };
    const send = async () => {
      while (await sendNextReply({ ...world.sending, limits }, 'farcaster'));
    };
    const ids = [];
    for (let count = 0; count < 26; count += 1) {
      ids.push(await ask('start gig 99', { authorId: '77' }));
    }
    await send();
    for (let hour = 1; hour < 24; hour += 1) {
      world.advance(HOUR + 1);
      await send();
    }
    expect(world.farcaster.posts).toHaveLength(24);
    world.advance(DAY - 23 * (HOUR + 1) - 1);
    await send();
    const [, last = 0] = ids.slice(24);
    expect(await statesOf(ids.slice(24))).toEqual(['queued for author', 'queued for author']);
    world.advance(1);
    await send();
    expect(await statesOf(ids.slice(24))).toEqual(['failed', 'failed']);
    const reply = await world.store.replyTo(last);
    expect(reply?.lastError).toBe(
      'given up after 24 hours: its author gets at most 1 an hour (REPLIES_PER_AUTHOR_HOUR)',
    );
    expect(world.lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'reply given up', replyId: reply?.id }),
    );
    await retryReply(world, { replyId: reply?.id ?? 0, actor: COMMAND_LINE });
    await send();
    expect(await stateOf(last)).toBe('sent');
  });

  test('behavior: one that is held keeps no other from being given up after a day without a turn', async () => {
    for (let count = 0; count < 10; count += 1) await say('claims');
    const stop = await say('stop');
    expect(await stateOf(stop)).toBe('queued for author');
    const other = await ask('claims', { authorId: '77', threadId: 'another' });
    world.advance(26 * HOUR);
    await giveUpPerished(world.sending, 'farcaster');
    expect(await statesOf([stop, other])).toEqual(['failed', 'failed']);
  });

  test('behavior: after a day it is not given up as long as it waits for its turn alone', async () => {
    await fillThread();
    const [first, second] = [await start('77', THREAD), await start('78', THREAD)];
    world.advance(2 * DAY);
    const { id = 0 } = (await world.store.replyTo(second)) ?? {};
    await world.store.transaction((tx) => tx.releaseReply(id, 0));
    await world.sendNext('farcaster');
    expect(await statesOf([first, second])).toEqual(['queued for thread', 'queued for thread']);
    await world.sendAll('farcaster');
    world.advance(1_000);
    await world.sendAll('farcaster');
    expect(await statesOf([first, second])).toEqual(['sent', 'sent']);
  });

  test('behavior: a platform that was away for a day costs nothing that there is room for', async () => {
    const id = await ask('start gig 99');
    world.advance(2 * DAY);
    await world.sendAll('farcaster');
    expect(await stateOf(id)).toBe('sent');
  });
});

describe('unasked help', () => {
  test('behavior: counts against no thread', async () => {
    for (let author = 1; author <= 8; author += 1) {
      expect(await stateOf(await say('gm', { authorId: `${author}`, threadId: THREAD }))).toBe('sent');
    }
    expect(await stateOf(await say('claims', { authorId: '50', threadId: THREAD }))).toBe('sent');
    expect(await stateOf(await start('51', THREAD))).toBe('sent');
  });

  test('behavior: is not given in a full thread', async () => {
    await fillThread();
    const id = await say('gm', { authorId: '77', threadId: THREAD });
    expect(await world.store.mention(id)).toMatchObject({ state: 'ignored', ignoreReason: 'thread_limit' });
  });
});

test('behavior: the limits are those that the operator sets', async () => {
  const limits = { perAuthor: 2, perThread: 5 };
  const ids = [];
  for (let count = 0; count < 4; count += 1) {
    ids.push(await world.hear({ text: count === 3 ? '@gigclaim start gig 99' : '@gigclaim claims' }));
    while (await answerNextMention({ ...world.answering, limits }));
    while (await sendNextReply({ ...world.sending, limits }, 'farcaster'));
  }
  expect(await statesOf(ids)).toEqual(['sent', 'sent', null, 'queued for author']);
});

test('security: a lane that waited for its turn counts what another has sent since it looked at the clock', async () => {
  for (let author = 1; author <= 4; author += 1) await say('claims', { authorId: `${author}`, threadId: THREAD });
  const fifth = await world.hear({ authorId: '5', threadId: THREAD, text: '@gigclaim start gig 99' });
  const sixth = await world.hear({ authorId: '6', threadId: THREAD, text: '@gigclaim start gig 99' });
  await world.answerAll();
  const before = world.clock();
  world.advance(5_000);
  await sendNextReply(world.sending, 'farcaster');
  await sendNextReply({ ...world.sending, clock: () => before }, 'farcaster');
  expect(await statesOf([fifth, sixth])).toEqual(['sent', 'queued for thread']);
});

test('security: however many lanes send, no hour of a thread has more than its limit', async () => {
  const ids = [];
  for (let count = 0; count < 30; count += 1) {
    ids.push(await world.hear({ authorId: `${count}`, threadId: THREAD, text: '@gigclaim start gig 99' }));
  }
  while ((await world.store.queueDepths()).mentions > 0) await world.answerAll(8);
  for (let step = 0; step < 60; step += 1) {
    await world.sendAll('farcaster', 4);
    world.advance(10 * 60_000);
  }
  const times = (await world.store.replies({ limit: 100, state: 'sent' }))
    .map(({ sentAt }) => sentAt ?? 0)
    .toSorted((a, b) => a - b);
  expect(times).toHaveLength(30);
  for (const [index, at] of times.entries()) {
    const next = times[index + 5];
    if (next !== undefined) expect(next - at).toBeGreaterThan(HOUR);
  }
});
