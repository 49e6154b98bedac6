import type { Platform } from '../../../domain/account.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Platforms } from '../../../domain/mentions/mention.ts';
import { summarizeError } from '../../../log.ts';
import type { JobContext } from '../../context.ts';
import { createWatchedGigs, nameTarget, toTargets } from './watched-gigs.ts';

const HOUR_MS = 3_600_000;
/** After a failure; looks find meanwhile what no webhook reports. */
const FAILED_MS = 60_000;

/**
 * Keeps what a platform's webhook asks for: with each call it is replaced if what is watched has changed, and once an hour
 * compared in any case. A failure is logged and tried again.
 * @param webhook.asks whether it asks for acts towards watched gigs; if not, for mentions alone
 */
export function createWebhookUpdate(
  { store, platforms, clock, log }: JobContext & { readonly platforms: Platforms },
  webhook: { readonly platform: Platform; readonly url: string; readonly asks: boolean },
): () => Promise<void> {
  const { platform, url, asks } = webhook;
  const readGigs = createWatchedGigs(store);
  let last = { asked: '', from: 0, until: 0 };
  return async () => {
    const network = platforms.get(platform);
    const now = clock();
    const watched = asks ? toTargets(await readGigs(platform, now)) : [];
    const asked = watched.map(nameTarget).join('\n');
    if (asked === last.asked && now >= last.from && now < last.until) return;
    last = { asked, from: now, until: now + HOUR_MS };
    try {
      const isThere = await network?.updateWebhook?.(url, watched);
      log.debug({ platform, watched: watched.length, isThere }, 'webhook compared with what is watched');
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      last = { asked, from: now, until: now + FAILED_MS };
      log.warn(
        { platform, error: summarizeError(error) },
        'webhook cannot be updated; checks find the activity that it misses',
      );
    }
  };
}
