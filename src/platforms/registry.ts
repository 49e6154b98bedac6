import type { Platform } from '../domain/account.ts';
import type { SpamLabels } from '../domain/earning/labels.ts';
import type { SocialPlatform } from '../domain/mentions/mention.ts';
import type { CallGate } from '../domain/platforms/call-gate.ts';
import type { NoteOddAnswer } from '../domain/platforms/odd-answer.ts';
import type { Log } from '../log.ts';
import type { ConfiguredPlatform } from './define-platform.ts';
import { openSpamLabels } from './farcaster/earning/labels.ts';

/** Opens the platforms that are on, in their order. */
export async function createPlatforms(
  configured: readonly ConfiguredPlatform[],
  options: {
    /** Epoch milliseconds. */
    readonly clock: () => number;
    /** The gate of each platform's calls; no gates when absent. */
    readonly gate?: (platform: Platform) => CallGate;
    /** Takes answers that are not understood. */
    readonly note?: NoteOddAnswer;
  },
): Promise<Map<Platform, SocialPlatform>> {
  const { clock, gate, note } = options;
  const platforms = new Map<Platform, SocialPlatform>();
  for (const { id, open } of configured) platforms.set(id, await open({ clock, gate: gate?.(id), note }));
  return platforms;
}

/**
 * The labels of a file of spam labels; null without one.
 * @throws LabelsUnreadable when it cannot be used
 */
export async function openLabels({ path, log }: { path: string | null; log: Log }): Promise<SpamLabels | null> {
  return path === null ? null : await openSpamLabels({ path, log });
}
