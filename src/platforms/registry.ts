import type { Platform } from '../domain/account.ts';
import type { CallGate } from '../domain/call-gate.ts';
import type { SpamLabels } from '../domain/earning/labels.ts';
import type { SocialPlatform } from '../domain/mention.ts';
import type { FarcasterConfig, XConfig } from '../domain/platform-config.ts';
import { FARCASTER, X } from '../domain/platforms.ts';
import type { Log } from '../log.ts';
import { openSpamLabels } from './farcaster/labels.ts';

/** The configured platforms, in their fixed order; null is off. */
export async function createPlatforms(options: {
  readonly farcaster: FarcasterConfig | null;
  readonly x: XConfig | null;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** The gate of each platform's calls; no gates when absent. */
  readonly gate?: (platform: Platform) => CallGate;
}): Promise<Map<Platform, SocialPlatform>> {
  const { farcaster, x, clock, gate } = options;
  const platforms = new Map<Platform, SocialPlatform>();
  // Imported only when the platform is on: an SDK costs start-up time and memory.
  if (farcaster !== null) {
    const { createFarcaster } = await import('./farcaster/adapter.ts');
    platforms.set(FARCASTER.id, createFarcaster({ ...farcaster, clock, gate: gate?.(FARCASTER.id) }));
  }
  if (x !== null) {
    const { createXPlatform } = await import('./x/adapter.ts');
    platforms.set(X.id, await createXPlatform({ ...x, clock, gate: gate?.(X.id) }));
  }
  return platforms;
}

/**
 * The labels of a file of spam labels; null without one.
 * @throws LabelsUnreadable when it cannot be used
 */
export async function openLabels({ path, log }: { path: string | null; log: Log }): Promise<SpamLabels | null> {
  return path === null ? null : await openSpamLabels({ path, log });
}
