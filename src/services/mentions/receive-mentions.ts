import type { Platform } from '../../domain/account.ts';
import { AdapterError } from '../../domain/errors.ts';
import {
  MAX_MENTION_AGE_MS,
  type Mention,
  type PlatformEvent,
  type SocialPlatform,
} from '../../domain/mentions/mention.ts';
import type { MentionArrival } from '../../store/port/index.ts';
import { NARROW } from '../narrow.ts';
import type { PollContext, ReceiveContext } from './context.ts';

type Arrival = Omit<MentionArrival, 'now'>;

function isWanted({ platforms, clocks }: ReceiveContext, { platform, authorId, postedAt }: Mention): boolean {
  return platforms.get(platform)?.bot.id !== authorId && clocks.latest() - postedAt <= MAX_MENTION_AGE_MS;
}

/**
 * Stores the new mentions among events in one step; when this returns they are on disk and will be answered. It skips the
 * bot's own posts, posts already known, and posts older than 24 hours.
 * @param arrival.requestId the request that brought them, for the log
 * @returns the ids of the new ones
 */
export async function receiveMentions(
  deps: ReceiveContext,
  events: readonly PlatformEvent[],
  { requestId, ...arrival }: Arrival & { requestId?: string },
): Promise<number[]> {
  const mentions = events.filter((event) => event.kind === 'mention').filter((mention) => isWanted(deps, mention));
  if (mentions.length === 0 && arrival.cursor === undefined) return [];
  const kept = await deps.store.storeMentions(mentions, { ...arrival, now: deps.clock() });
  const { source } = arrival;
  for (const { id, mention } of kept) {
    const { platform, postId } = mention;
    deps.log.info({ requestId, mentionId: id, platform, postId, source }, 'mention stored');
  }
  for (const platform of new Set(kept.map(({ mention }) => mention.platform))) deps.wake(platform);
  return kept.map(({ id }) => id);
}

async function pollPlatform(deps: PollContext, network: SocialPlatform): Promise<void> {
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
 * which any process may begin at once unless the answer could not be used, starts at the same cursor
 */
export async function pollMentions(
  deps: PollContext,
  platform: Platform,
  { everyMs }: { everyMs: number },
): Promise<void> {
  const network = deps.platforms.get(platform);
  if (network === undefined || !deps.health.isAnswering(platform)) return;
  const now = deps.clock();
  const { store } = deps;
  if (!(await store.transaction((tx) => tx.claimPoll(platform, { now, everyMs }), NARROW))) return;
  try {
    await pollPlatform(deps, network);
  } catch (error) {
    // A list of too many pages, or in a form that is not understood, is no better at once, and costs as many calls again.
    const isUnreadable = error instanceof AdapterError && error.reason === 'bad_response';
    if (!isUnreadable) await store.transaction((tx) => tx.releasePoll(platform, now), NARROW);
    throw error;
  }
}
