import type { Taps } from '../domain/claims/tap.ts';
import type { SignInWay, SignInWays } from '../domain/owners/sign-in.ts';
import { createFarcasterSignIn } from './farcaster.ts';
import { createTaps } from './jfs.ts';
import { siteOf } from './site.ts';
import { type AskChain, createWalletSignIn } from './wallet.ts';

export interface SignInOptions {
  readonly publicUrl: string;
  /** As the operator calls the service, or null. */
  readonly siteName?: string | null;
  readonly ways: readonly SignInWay[];
  readonly relayUrl: string;
  /** The endpoints of chain 10. */
  readonly rpcUrls: readonly string[];
  readonly ask: AskChain;
}

/** The ways in which owners sign in. Nothing is loaded or sent before the first of them does. */
export function createSignIn({ publicUrl, siteName, ways, relayUrl, rpcUrls, ask }: SignInOptions): SignInWays {
  const site = siteOf(publicUrl, siteName);
  return {
    wallet: ways.includes('wallet') ? createWalletSignIn({ site, ask }) : null,
    farcaster: ways.includes('farcaster') ? createFarcasterSignIn({ site, relayUrl, rpcUrls }) : null,
  };
}

/** The settings by which people prove who they are. */
interface SignInSettings {
  readonly publicUrl: string;
  readonly brand: { readonly name: string | null };
  readonly signIn: readonly SignInWay[];
  /** Whether there are cards. */
  readonly snaps: boolean;
  readonly farcasterRelayUrl: string;
  readonly farcasterRpcUrls: readonly string[];
}

/** How people prove who they are: owners, and those who tap on cards; `taps` is null where there are none. */
export function openSignIn(
  settings: SignInSettings,
  { ask, clock }: { readonly ask: AskChain; readonly clock: () => number },
): { readonly signIn: SignInWays; readonly taps: Taps | null } {
  const { publicUrl, brand, signIn: ways, farcasterRelayUrl: relayUrl, farcasterRpcUrls: rpcUrls, snaps } = settings;
  return {
    signIn: createSignIn({ publicUrl, siteName: brand.name, ways, relayUrl, rpcUrls, ask }),
    taps: snaps ? createTaps({ publicUrl, rpcUrls, clock }) : null,
  };
}
