import type { LocalAccount } from 'viem';

/** What a person's app is asked to confirm. */
export interface AskedSignIn {
  /** The relay's token of the channel. */
  readonly channel: string;
  readonly nonce: string;
  /** The site that asks, as its channel names it. */
  readonly domain: string;
  readonly uri: string;
  /** Whose account. */
  readonly fid: number;
  /** The custody or auth key that signs. */
  readonly by: LocalAccount;
}

/** Where the app finds the relay, and the node with Farcaster's registries. URLs without a slash at their ends. */
export interface FarcasterPlaces {
  readonly relay: string;
  readonly registries: string;
}

/**
 * Confirms a sign-in as a person's Farcaster app does: signs the message and answers the channel.
 * @throws Error when the relay does not take the answer
 */
export async function confirmSignIn(
  { relay, registries }: FarcasterPlaces,
  { channel, nonce, domain, uri, fid, by }: AskedSignIn,
): Promise<void> {
  // The library brings all of viem's chains.
  const { createWalletClient, viemConnector } = await import('@farcaster/auth-client');
  const app = createWalletClient({ relay, ethereum: viemConnector({ rpcUrl: registries }) });
  const built = app.buildSignInMessage({ address: by.address, fid, uri, domain, nonce });
  if (built.isError) throw built.error;
  const { message } = built;
  const signature = await by.signMessage({ message });
  const answer = { channelToken: channel, authKey: 'sandbox', message, signature, fid };
  const { isError, error } = await app.authenticate(answer);
  if (isError) throw error ?? new Error('the relay did not take the answer');
}
