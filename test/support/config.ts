import { type Config, ConfigError, loadConfig } from '../../src/config.ts';

/** What is wrong with these settings, a sentence for each; none when they are valid. */
export function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** Of an operator who sets none. */
export const NO_BRAND: Config['brand'] = { name: null, accent: null, contact: null, terms: null };

/** What the settings of alerts and of signing in are without any. */
export const OFF: Pick<
  Config,
  | 'signIn'
  | 'ownerCreate'
  | 'ownerOpenGigs'
  | 'ownersGasPerDay'
  | 'farcasterRelayUrl'
  | 'farcasterRpcUrls'
  | 'alertWebhooks'
  | 'brand'
  | 'logoFile'
  | 'snaps'
> = {
  signIn: [],
  ownerCreate: 'nobody',
  ownerOpenGigs: 3,
  ownersGasPerDay: 20_000_000n,
  farcasterRelayUrl: 'https://relay.farcaster.xyz',
  farcasterRpcUrls: [],
  alertWebhooks: [],
  brand: NO_BRAND,
  logoFile: null,
  snaps: false,
};
