import type { SignInWay, SignInWays } from '../domain/owners/sign-in.ts';
import { createFarcasterSignIn } from './farcaster.ts';
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
