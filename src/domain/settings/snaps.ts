import { isSafe } from '../fields.ts';
import { settingChoice } from './setting-values.ts';

export const SNAP_SETTINGS = {
  SNAPS: settingChoice(['true', 'false']).default('false'),
};

interface Given {
  readonly SNAPS: 'true' | 'false';
  readonly PUBLIC_URL: string | null;
}

interface Surroundings {
  /** Whether Farcaster is on. */
  readonly hasFarcaster: boolean;
  /** Whether an endpoint of chain 10 is named. */
  readonly hasEndpoint: boolean;
}

/** What is missing for cards; null when nothing is, or they are off. */
export function snapsProblem({ SNAPS, PUBLIC_URL }: Given, { hasFarcaster, hasEndpoint }: Surroundings): string | null {
  if (SNAPS !== 'true') return null;
  if (!hasFarcaster) return 'SNAPS needs Farcaster: set NEYNAR_API_KEY and the other settings of the bot';
  if (!hasEndpoint) return 'RPC_URL_10 must be set where SNAPS is true: each claim by tap asks Optimism for a key';
  if (PUBLIC_URL !== null && !isSafe(new URL(PUBLIC_URL))) return 'PUBLIC_URL must be https where SNAPS is true';
  return null;
}
