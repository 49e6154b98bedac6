import type { Platform } from '../../domain/account.ts';
import { AdapterError } from '../../domain/errors.ts';
import {
  MAX_MENTION_AGE_MS,
  type Mention,
  type PlatformEvent,
  type Platforms,
  type SocialPlatform,
} from '../../domain/mention.ts';
import type { Log } from '../../log.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import type { PlatformBreaker } from './platform-breaker.ts';

export interface ReceiveDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly platforms: Platforms;
  readonly clock: () => number;
  readonly log: Log;
  /** Tells a platform's answering job that there is work. */
  readonly wake: (platform: Platform) => void;
}

interface Arrival {
  readonly source: 'webhook' | 'poll';
  /** The end of the poll that found them, stored with them. */
  readonly cursor?: { platform: Platform; value: string | null };
}

async function keep(deps: ReceiveDeps, tx: StoreTx, mention: Mention, source: Arrival['source']) {
  const now = deps.clock();
  const own = deps.platforms.get(mention.platform)?.bot.id === mention.authorId;
  if (own || (await tx.isOwnPost(mention.platform, mention.postId))) return null;
  if (now - mention.postedAt > MAX_MENTION_AGE_MS) return null;
  return await tx.insertMention(mention, { now, source });
}

async function keepAll(deps: ReceiveDeps, tx: StoreTx, mentions: readonly Mention[], { source, cursor }: Arrival) {
  const kept: { id: number; mention: Mention }[] = [];
  for (const mention of mentions) {
    const id = await keep(deps, tx, mention, source);
    if (id !== null) kept.push({ id, mention });
  }
  if (cursor !== undefined) await tx.setPollCursor(cursor.platform, cursor.value, deps.clock());
  return kept;
}

/**
 * Stores the new mentions among events in one transaction; when this returns they are on disk and will be answered. It
 * skips the bot's own posts, posts already known, and posts older than 24 hours.
 * @param arrival.requestId the request that brought them, for the log
 * @returns the ids of the new ones
 */
export async function receiveMentions(
  deps: ReceiveDeps,
  events: readonly PlatformEvent[],
  arrival: Arrival & { requestId?: string },
): Promise<number[]> {
  const { source, requestId } = arrival;
  const mentions = events.filter((event) => event.kind === 'mention');
  if (mentions.length === 0 && arrival.cursor === undefined) return [];
  const kept = await deps.store.transaction((tx) => keepAll(deps, tx, mentions, arrival), { narrow: true });
  for (const { id, mention } of kept) {
    const { platform, postId } = mention;
    deps.log.info({ requestId, mentionId: id, platform, postId, source }, 'mention stored');
  }
  for (const platform of new Set(kept.map(({ mention }) => mention.platform))) deps.wake(platform);
  return kept.map(({ id }) => id);
}

type PollDeps = ReceiveDeps & {
  readonly store: Pick<Store, 'transaction' | 'pollCursor'>;
  readonly health: PlatformBreaker;
};

async function look(deps: PollDeps, network: SocialPlatform): Promise<void> {
  const { platform } = network;
  const cursor = await deps.store.pollCursor(platform);
  const failed = (error: unknown): never => {
    // Rate limits of reading are not those of posting, so one here pauses no replies.
    if (error instanceof AdapterError && error.reason !== 'rate_limited') deps.health.failed(platform, error);
    throw error;
  };
  const found = await network
    .pollEvents({ cursor, since: deps.clock() - MAX_MENTION_AGE_MS })
    .catch((error: unknown) => failed(error));
  deps.health.heard(platform);
  await receiveMentions(deps, found.events, { source: 'poll', cursor: { platform, value: found.cursor } });
  if (found.brokenOff !== undefined) failed(found.brokenOff);
}

/**
 * Polls a platform for mentions of the last 24 hours that webhooks may have missed, and stores them with the cursor of
 * the next poll. Among processes on one store, one polls every `everyMs`; an unresponsive platform is not polled.
 * @throws AdapterError when the platform cannot be asked; mentions found before that are stored, and the next poll,
 * which any process may begin at once, starts at the same cursor
 */
export async function pollMentions(
  deps: PollDeps,
  platform: Platform,
  { everyMs }: { everyMs: number },
): Promise<void> {
  const network = deps.platforms.get(platform);
  if (network === undefined || !deps.health.isAnswering(platform)) return;
  const now = deps.clock();
  const { store } = deps;
  if (!(await store.transaction((tx) => tx.claimPoll(platform, { now, everyMs }), { narrow: true }))) return;
  try {
    await look(deps, network);
  } catch (error) {
    await store.transaction((tx) => tx.releasePoll(platform, now), { narrow: true });
    throw error;
  }
}
