import { describe, expect, test } from 'vitest';
import { claimCommand } from '../../../src/bot/commands/claim.ts';
import { refusedCommand } from '../../../src/bot/commands/help.ts';
import { startCommand } from '../../../src/bot/commands/start.ts';
import type { Platform } from '../../../src/domain/account.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { REPLY_WORTH, type ReplyWorth } from '../../../src/domain/mentions/reply-worth.ts';
import { giveUpPerished, type SendContext, sendNextReply } from '../../../src/services/mentions/send-replies.ts';
import { perCase } from '../../support/per-case.ts';
import { fault } from '../fakes.ts';
import { createWorld, HOUR } from '../world.ts';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;

const world = perCase(createWorld);

/** A sender to an X that takes so many replies. */
function sendingUnder(...replyBudget: SocialPlatform['replyBudget']): SendContext {
  const x = { ...world.x.network, replyBudget };
  // One author gets all of these replies.
  const limits = { perAuthor: 1_000, perThread: 1_000 };
  return { ...world.sending, limits, platforms: new Map<Platform, SocialPlatform>([['twitter', x]]) };
}

async function sendAll(deps: SendContext): Promise<void> {
  while (await sendNextReply(deps, 'twitter'));
}

/** Queues a reply of this worth and answers its id. */
async function queue(worth: ReplyWorth): Promise<number> {
  const mention = world.mention({ platform: 'twitter' });
  return await world.store.transaction(async (tx) => {
    const mentionId = await tx.insertMention(mention, { now: world.clock(), source: 'webhook' });
    const kind = worth === REPLY_WORTH.unaskedHelp ? 'unasked_help' : 'answer';
    return await tx.queueReply({ mentionId: mentionId ?? 0, kind, text: `worth ${worth}`, worth }, world.clock());
  });
}

async function queueMany(worth: ReplyWorth, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) await queue(worth);
}

const sentTexts = () => world.x.posts.map(({ text }) => text);

test.each([
  // Anybody may name any gig, so that this is worth less than a start that happens.
  ['start 1', 'refusal to a stranger', 3],
  ['claims', 'look-up', 2],
  ['gig 1', 'look-up', 2],
  ['stop', 'look-up', 2],
  ['help', 'help that was asked for', 3],
  ['gm', 'help that was not', 4],
] as const)('behavior: the reply to “%s” is worth what a %s is', async (text, _, worth) => {
  const id = await world.hear({ platform: 'twitter', text: `@gigclaim ${text}` });
  await world.answerAll();
  expect(await world.store.replyTo(id)).toMatchObject({ worth });
});

test('behavior: a start that happens goes first, and a claim that pays comes next', () => {
  expect(startCommand.worth).toBe(0);
  expect(claimCommand.worth).toBe(1);
});

test('behavior: a command with look-alike characters is told so as help is', () => {
  expect(refusedCommand.worth).toBe(REPLY_WORTH.help);
});

describe('a platform’s budget of replies', () => {
  test('behavior: what is worth more goes first, whatever was queued before', async () => {
    for (const worth of [4, 3, 2, 1, 0, 2] as const) await queue(worth);
    await sendAll(sendingUnder({ limit: 100, windowMs: QUARTER }));
    expect(sentTexts()).toEqual(['worth 0', 'worth 1', 'worth 2', 'worth 2', 'worth 3', 'worth 4']);
  });

  test('behavior: unasked help goes only while more than half of it is left', async () => {
    const deps = sendingUnder({ limit: 100, windowMs: QUARTER }, { limit: 300, windowMs: 3 * HOUR });
    await queueMany(REPLY_WORTH.unaskedHelp, 160);
    await sendAll(deps);
    expect(world.x.posts).toHaveLength(50);
    await queue(REPLY_WORTH.help);
    await queue(REPLY_WORTH.start);
    await sendAll(deps);
    expect(sentTexts().slice(50)).toEqual(['worth 0', 'worth 3']);
    // Those of the first quarter of an hour do not count against the second.
    world.advance(QUARTER + 1);
    await sendAll(deps);
    expect(world.x.posts).toHaveLength(102);
    // The third comes up against half of what three hours hold.
    world.advance(QUARTER + 1);
    await sendAll(deps);
    expect(world.x.posts).toHaveLength(150);
  });

  test('behavior: when it is used up nothing goes, and the worthiest first when there is room again', async () => {
    const deps = sendingUnder({ limit: 3, windowMs: QUARTER });
    await queueMany(REPLY_WORTH.lookUp, 5);
    await sendAll(deps);
    expect(world.x.posts).toHaveLength(3);
    await queue(REPLY_WORTH.claim);
    world.advance(QUARTER);
    expect(await sendNextReply(deps, 'twitter')).toBe(false);
    world.advance(1);
    await sendAll(deps);
    expect(sentTexts().slice(3)).toEqual(['worth 1', 'worth 2', 'worth 2']);
  });

  test('behavior: it counts what is being sent, so that lanes together stay within it', async () => {
    const deps = sendingUnder({ limit: 3, windowMs: QUARTER });
    await queueMany(REPLY_WORTH.lookUp, 8);
    await Promise.all(Array.from({ length: 8 }, () => sendNextReply(deps, 'twitter')));
    expect(world.x.posts).toHaveLength(3);
  });

  test('security: a lane that waited for its turn counts what another has sent since it looked at the clock', async () => {
    const deps = sendingUnder({ limit: 1, windowMs: QUARTER });
    await queueMany(REPLY_WORTH.lookUp, 2);
    const before = world.clock();
    world.advance(5_000);
    await sendNextReply(deps, 'twitter');
    expect(await sendNextReply({ ...deps, clock: () => before }, 'twitter')).toBe(false);
    expect(world.x.posts).toHaveLength(1);
  });

  test('behavior: it is what the store says, so that a restart begins no new one', async () => {
    await queueMany(REPLY_WORTH.lookUp, 5);
    await sendAll(sendingUnder({ limit: 3, windowMs: QUARTER }));
    await world.store.begin();
    await sendAll(sendingUnder({ limit: 3, windowMs: QUARTER }));
    expect(world.x.posts).toHaveLength(3);
  });

  test('behavior: replies that the platform refused used nothing up', async () => {
    const deps = sendingUnder({ limit: 3, windowMs: QUARTER });
    world.x.refuse(fault('forbidden', 'never'), 4);
    await queueMany(REPLY_WORTH.lookUp, 8);
    await sendAll(deps);
    expect(world.x.posts).toHaveLength(3);
  });

  test('behavior: the log says once that it runs low, that it is used up, and that there is room again', async () => {
    const deps = sendingUnder({ limit: 4, windowMs: QUARTER });
    await queueMany(REPLY_WORTH.lookUp, 6);
    const said = () =>
      world.lines.map(({ level, msg }) => `${level}: ${msg}`).filter((line) => line.includes('budget'));
    await sendAll(deps);
    await sendAll(deps);
    const low = 'info: half of the reply budget is used up; unrequested help waits';
    const usedUp = 'warn: reply budget is used up; replies wait';
    expect(said()).toEqual([low, usedUp]);
    world.advance(QUARTER + 1);
    await sendAll(deps);
    expect(said()).toEqual([low, usedUp, 'info: reply budget is available again', low]);
  });

  test('behavior: a platform without one takes everything', async () => {
    await queueMany(REPLY_WORTH.unaskedHelp, 120);
    await sendAll(sendingUnder());
    expect(world.x.posts).toHaveLength(120);
  });
});

describe('what waits for a day', () => {
  const DAY = 24 * HOUR;

  test.each([REPLY_WORTH.lookUp, REPLY_WORTH.help, REPLY_WORTH.unaskedHelp])(
    'behavior: a reply of worth %i is given up, with the reason, and an operator may send it all the same',
    async (worth) => {
      const id = await queue(worth);
      world.advance(DAY - 1);
      await giveUpPerished(world.sending, 'twitter');
      expect(await world.store.reply(id)).toMatchObject({ state: 'queued' });
      world.advance(1);
      await giveUpPerished(world.sending, 'farcaster');
      expect(await world.store.reply(id)).toMatchObject({ state: 'queued' });
      await giveUpPerished(world.sending, 'twitter');
      expect(await world.store.reply(id)).toMatchObject({
        state: 'failed',
        lastError: 'given up: it waited 24 hours for its turn, behind replies that are worth more or a paused platform',
      });
      expect(world.lines.at(-1)).toMatchObject({ level: 'warn', platform: 'twitter', replies: 1 });
      await world.store.transaction((tx) => tx.retryReply(id, world.clock()));
      await giveUpPerished(world.sending, 'twitter');
      await world.sendAll('twitter');
      expect(await world.store.reply(id)).toMatchObject({ state: 'sent' });
    },
  );

  test.each([REPLY_WORTH.start, REPLY_WORTH.claim])(
    'behavior: a reply of worth %i goes out however late',
    async (worth) => {
      const id = await queue(worth);
      world.advance(7 * DAY);
      await giveUpPerished(world.sending, 'twitter');
      await world.sendAll('twitter');
      expect(await world.store.reply(id)).toMatchObject({ state: 'sent' });
    },
  );

  test('behavior: nothing is given up while a cap pauses the platform, and for a day after its end', async () => {
    const id = await queue(REPLY_WORTH.help);
    const until = world.clock() + 2 * DAY;
    await world.store.transaction((tx) => tx.setPlatformPause('twitter', { reason: 'a cap', until }, world.clock()));
    for (const [ms, state] of [
      [DAY, 'queued'],
      [2 * DAY - 1, 'queued'],
      [1, 'failed'],
    ] as const) {
      world.advance(ms);
      await giveUpPerished(world.sending, 'twitter');
      expect(await world.store.reply(id)).toMatchObject({ state });
    }
  });

  test('behavior: what was tried within the day waits on', async () => {
    const id = await queue(REPLY_WORTH.lookUp);
    world.advance(DAY - 1);
    world.x.refuse(fault('server_error', 'safe'));
    await world.sendNext('twitter');
    world.advance(DAY - 1);
    await giveUpPerished(world.sending, 'twitter');
    expect(await world.store.reply(id)).toMatchObject({ state: 'queued' });
  });
});
