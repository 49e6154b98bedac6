import type { Platform } from '../../../domain/account.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { defineCondition } from './define-condition.ts';

/** Longer than any reply waits after a failure: when a pause ended so long ago, there was nothing that it kept back. */
const PAUSE_PROVED_MS = 15 * 60_000;

/**
 * Nothing is sent to a platform for now, because of what it answered, or because it did not answer. Between the end of a
 * pause and the next try, and before anything was tried, nothing is known.
 */
export const platformPaused = defineCondition({
  kind: 'platform_paused',
  reach: 'part',
  check: { nameOf: (subject) => `${subject} pause` },
  say({ platform, reason, byCap }: { platform: Platform; reason: string; byCap?: true }) {
    const { slug: subject, label } = platformFacts(platform);
    const remedy = byCap
      ? `Raise the cap in ${label}’s developer console and run npm run admin -- platform resume ${subject}; otherwise waiting work continues after the pause.`
      : 'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.';
    return { subject, text: `${label} is paused: ${reason}`, remedy };
  },
  find({ health, clock }, tell) {
    const now = clock();
    return health.standings().map(({ platform, lastSuccess, paused }) => {
      const unknown = { unknownOf: platformFacts(platform).slug };
      if (paused === null) return lastSuccess === null && unknown;
      if (paused.until > now) return tell({ platform, ...paused });
      return now - paused.until <= PAUSE_PROVED_MS && unknown;
    });
  },
});
