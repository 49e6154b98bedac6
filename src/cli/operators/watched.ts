import { type Config, ConfigError } from '../../config.ts';
import type { Platform } from '../../domain/account.ts';
import type { WatchedTarget } from '../../domain/earning/act.ts';
import { createWatchedGigs, toTargets } from '../../services/earning/acts/watched-gigs.ts';
import { type Context, StoreUnusable } from '../context.ts';

/** What a platform's webhook is to tell of besides mentions; nothing while the store cannot be read. */
export async function findWatched(
  context: Context,
  { earningWebhook, earningLookSeconds }: Config,
  platform: Platform,
): Promise<readonly WatchedTarget[]> {
  if (!earningWebhook || earningLookSeconds === 0) return [];
  try {
    if (!context.hasDatabase()) return [];
    return await context.withStore(async (store) =>
      toTargets(await createWatchedGigs(store)(platform, context.clock())),
    );
  } catch (error) {
    // Before the webhook's secret is known the database cannot be opened either.
    if (!(error instanceof StoreUnusable) && !(error instanceof ConfigError)) throw error;
    return [];
  }
}
