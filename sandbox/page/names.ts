import type { Platform } from '../../src/domain/account.ts';
import type { SocialNetwork } from '../networks/network.ts';

/** The two networks in the page's own addresses and ids. */
export const NETWORKS = ['farcaster', 'x'] as const;
export type NetworkName = (typeof NETWORKS)[number];

/** Both networks, by the name the page has for them. */
export type Networks = Readonly<Record<NetworkName, SocialNetwork>>;

export const TITLES: Readonly<Record<NetworkName, 'Farcaster' | 'X'>> = { farcaster: 'Farcaster', x: 'X' };

/** What the store calls a network. */
export const PLATFORM_OF: Readonly<Record<NetworkName, Platform>> = { farcaster: 'farcaster', x: 'twitter' };

/** What the page calls a platform. */
export function networkOf(platform: Platform): NetworkName {
  return platform === 'twitter' ? 'x' : 'farcaster';
}

/** The page's name for what came in an address, or null. */
export function parseNetwork(text: string): NetworkName | null {
  return NETWORKS.find((name) => name === text) ?? null;
}
