import type { Platform } from '../domain/account.ts';
import type { CallGate } from '../domain/call-gate.ts';
import type { SocialPlatform } from '../domain/mention.ts';
import type { FarcasterConfig, TwitterConfig } from '../domain/platform-config.ts';

/** The platforms that are configured, in the order in which they are named everywhere; null is off. */
export async function createPlatforms(options: {
  readonly farcaster: FarcasterConfig | null;
  readonly twitter: TwitterConfig | null;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** What the calls to a platform pass; all are made when absent. */
  readonly gate?: (platform: Platform) => CallGate;
}): Promise<Map<Platform, SocialPlatform>> {
  const { farcaster, twitter, clock, gate } = options;
  const platforms = new Map<Platform, SocialPlatform>();
  // Imported only when it is on: an SDK costs start-up time and memory.
  if (farcaster !== null) {
    const { createFarcaster } = await import('./farcaster/index.ts');
    platforms.set('farcaster', createFarcaster({ ...farcaster, clock, gate: gate?.('farcaster') }));
  }
  if (twitter !== null) {
    const { createTwitter } = await import('./x/index.ts');
    platforms.set('twitter', await createTwitter({ ...twitter, clock, gate: gate?.('twitter') }));
  }
  return platforms;
}
