import { randomBytes } from 'node:crypto';
import type { CommandNeed } from '../../src/bot/context.ts';
import { createMentionReader } from '../../src/bot/read-mention.ts';
import type { Platform } from '../../src/domain/account.ts';
import type { Mention, MentionEvent } from '../../src/domain/mentions/mention.ts';
import {
  type AnswerContext,
  answerNextMention,
  type MentionCommand,
  type MentionContext,
  type Outcome,
  type ReadMention,
} from '../../src/services/mentions/answer-mentions.ts';
import { createDueMentions } from '../../src/services/mentions/due-mentions.ts';
import { createPlatformBreaker } from '../../src/services/mentions/platform-breaker.ts';
import { receiveMentions } from '../../src/services/mentions/receive-mentions.ts';
import { type SendContext, sendNextReply } from '../../src/services/mentions/send-replies.ts';
import { createClockStatus } from '../../src/services/operators/clock/clock-status.ts';
import { openTestStore, type WrapStore } from '../support/database.ts';
import { sampleMention } from '../support/store.ts';
import { createClock, createLedger, createNetwork, keepLog } from './fakes.ts';

export const LEASE_MS = 60_000;
export const SETTLE_MS = 15_000;
export const BACKOFF_MS = 2_000;
export const HOUR = 3_600_000;

/** What answers, with commands that are prepared as `prepare` does it. */
export function preparing(
  answering: AnswerContext,
  prepare: (ctx: MentionContext, command: MentionCommand) => Promise<Outcome>,
): AnswerContext {
  const readMention: ReadMention = (text, bot) => {
    const command = answering.readMention(text, bot);
    return { ...command, prepare: (ctx) => prepare(ctx, command) };
  };
  return { ...answering, readMention };
}

/** The services over a real store, with both networks and a chain in memory and a clock that stands still. */
export async function createWorld(
  options: {
    wrap?: WrapStore;
    /** Whether other processes answer as well; false when absent. */
    isShared?: boolean;
    /** Whether replies are sent right after their mentions are answered; they are queued when absent. */
    isDirect?: boolean;
    /** What some commands need; nothing when absent. */
    offered?: readonly CommandNeed[];
  } = {},
) {
  const { store, database, close } = await openTestStore(options);
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const farcaster = createNetwork('farcaster');
  const x = createNetwork('twitter');
  const platforms = new Map<Platform, typeof x.network>([
    ['farcaster', farcaster.network],
    ['twitter', x.network],
  ]);
  const ledger = createLedger();
  const health = createPlatformBreaker({ platforms: [...platforms.keys()], clock, log });
  const woken: string[] = [];
  let ids = 0;
  let posts = 0;
  const newId = () => {
    ids += 1;
    return `lease-${ids}`;
  };
  const sending: SendContext = {
    store,
    platforms,
    health,
    startedAt: clock(),
    clock,
    newId,
    log,
    limits: { perAuthor: 10, perThread: 5 },
    timing: { leaseMs: LEASE_MS, settleMs: SETTLE_MS, backoffMs: BACKOFF_MS, noteMs: 0 },
  };
  const reading: Parameters<typeof createMentionReader>[0] = {
    store,
    platforms,
    chains: ledger.chains,
    wallets: null,
    payers: null,
    treasury: null,
    clock,
    newId,
    publicUrl: 'http://gigclaim.test',
    offered: options.offered ?? [],
    refundDelayMs: 0,
    randomBytes,
    wakePayments: () => woken.push('pay'),
  };
  const answering: AnswerContext = {
    store,
    platforms,
    clock,
    newId,
    log,
    limits: { perAuthor: 10, perThread: 5 },
    readMention: createMentionReader(reading),
    wake: () => woken.push('send'),
    timing: { leaseMs: LEASE_MS, backoffMs: BACKOFF_MS },
    dueMentions: createDueMentions(),
    isShared: () => options.isShared === true,
    sending: options.isDirect === true ? sending : null,
  };
  const clocks = createClockStatus({ clock });
  const receiving = { store, platforms, health, clock, clocks, log, wake: () => woken.push('answer') };

  /** A mention with a post id of its own, on X a numeric one. */
  function mention(overrides: Partial<Mention> = {}): MentionEvent {
    posts += 1;
    const id = overrides.platform === 'twitter' ? String(2_000_000 + posts) : `0x${String(posts).padStart(40, '0')}`;
    const found = sampleMention({ postId: id, replyTo: id, threadId: id, postedAt: clock(), ...overrides });
    return { ...found, kind: 'mention' };
  }

  async function answerAll(): Promise<void> {
    while (await answerNextMention(answering));
  }

  return {
    store,
    database,
    close,
    clock,
    advance,
    lines,
    farcaster,
    x,
    ledger,
    health,
    woken,
    reading,
    answering,
    sending,
    receiving,
    mention,
    /** Receives a mention and answers its id. */
    async hear(overrides: Partial<Mention> = {}): Promise<number> {
      const [id] = await receiveMentions(receiving, [mention(overrides)], { source: 'webhook' });
      if (id === undefined) throw new Error('the mention was not stored');
      return id;
    },
    answerNext: () => answerNextMention(answering),
    /** Answers whatever is due, in so many lanes. */
    async answerAll(lanes = 1): Promise<void> {
      await Promise.all(Array.from({ length: lanes }, answerAll));
    },
    sendNext: (platform: Platform = 'twitter') => sendNextReply(sending, platform),
    async sendAll(platform: Platform, lanes = 1): Promise<void> {
      const lane = async () => {
        while (await sendNextReply(sending, platform));
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    /** Answers all with so many lanes; one that finds the oldest mentions held comes back later, as the job does. */
    async answerUntilDone(lanes: number): Promise<void> {
      while ((await store.queueDepths()).mentions > 0) {
        await Promise.all(Array.from({ length: lanes }, answerAll));
      }
    },
    networkOf: (platform: 'farcaster' | 'twitter') => (platform === 'farcaster' ? farcaster : x),
    /** What the bot says to a mention, or null. */
    replyText: async (mentionId: number) => (await store.replyTo(mentionId))?.text ?? null,
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Says something to the bot, lets it answer, and gives back what it says. */
export async function ask(world: World, overrides: Partial<Mention> = {}): Promise<string | null> {
  const id = await world.hear(overrides);
  await world.answerAll();
  return await world.replyText(id);
}
