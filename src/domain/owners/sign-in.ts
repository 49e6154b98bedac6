import type { Address } from '../gigs/token.ts';

export const SIGN_IN_WAYS = ['farcaster', 'wallet'] as const;
export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** The way with this name, or null. */
export function readSignInWay(name: string): SignInWay | null {
  return SIGN_IN_WAYS.find((way) => way === name) ?? null;
}

/** A sign-in that has begun, as it is stored. Times are epoch milliseconds. */
export interface SignIn {
  /** SHA-256 of its nonce, lower-case hex. */
  readonly hash: string;
  /** SHA-256 of the cookie of the browser that was shown the nonce, lower-case hex. */
  readonly browser: string;
  readonly way: SignInWay;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A session on the owners' pages, as it is stored. Times are epoch milliseconds. */
export interface OwnerSession {
  /** SHA-256 of the token in the browser's cookie, lower-case hex. */
  readonly hash: string;
  /** The owner as one word. */
  readonly owner: string;
  /** What its owner tells it from others by. */
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a message of EIP-4361 says. */
export interface SignInMessage {
  /** In lower case. */
  readonly address: Address;
  readonly chainId: number;
  readonly nonce: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A message with what is claimed to be its signature. */
export interface SignInAnswer {
  readonly message: string;
  /** As the browser sent it. */
  readonly signature: string;
}

/** Signing in with a wallet (EIP-4361). */
export interface WalletSignIn {
  message(of: SignInMessage): Promise<string>;
  /**
   * Who signed a message that is in every byte the one of `of`: the `key` of the address, or the `contract` at it on the chain;
   * null for another signature. `now` is epoch milliseconds.
   * @throws AdapterError when the chain must be asked and does not answer
   */
  verify(signed: SignInAnswer, of: SignInMessage, now: number): Promise<'key' | 'contract' | null>;
}

/** A channel of the relay through which a Farcaster app answers. */
export interface SignInChannel {
  /** The relay tells the answer to those who know it. */
  readonly token: string;
  /** Opens the app of the person who signs in. */
  readonly url: string;
}

export interface ChannelStatus {
  readonly url: string;
  /** Null until the person has answered. */
  readonly answer: SignInAnswer | null;
}

/** Sign In With Farcaster. Every failure of the relay or of the chain is an AdapterError. */
export interface FarcasterSignIn {
  /** Opens a channel for a nonce. `expiresAt` is epoch milliseconds. */
  open(nonce: string, expiresAt: number): Promise<SignInChannel>;
  /** Null when the relay knows no such channel. */
  status(token: string): Promise<ChannelStatus | null>;
  /** The FID, as decimal text, whose custody or auth address has signed a message with this nonce for this site; else null. */
  verify(signed: SignInAnswer, nonce: string): Promise<string | null>;
  /** Whether the relay answers. @throws AdapterError when it does not */
  askRelay(): Promise<void>;
  /** Whether the registries on the chain answer. @throws AdapterError when they do not */
  askRegistries(): Promise<void>;
}

/** The ways that are on; null turns one off. */
export interface SignInWays {
  readonly wallet: WalletSignIn | null;
  readonly farcaster: FarcasterSignIn | null;
}

/** Whether owners can sign in at all. */
export function mayOwnersSignIn({ wallet, farcaster }: SignInWays): boolean {
  return wallet !== null || farcaster !== null;
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Hosts, with their ports, that `viem/siwe` takes as the domain of a message: names with a plain last part, IPv4, `localhost`. */
const SIGNABLE = new RegExp(`^(?:(?:${LABEL}\\.)+[a-z]{2,}|(?:\\d{1,3}\\.){3}\\d{1,3}|localhost)(?::\\d{1,5})?$`, 'i');

/** Whether a message of EIP-4361 can name the host of this URL, so that wallets sign in at it. */
export function isSignable(publicUrl: string): boolean {
  return SIGNABLE.test(new URL(publicUrl).host);
}

/** A signature of a contract may hold those of many keys. */
const MAX_SIGNATURE = 16_384;
/** How a signature ends that delegates its account first (ERC-8010). No wallet needs it to sign in, and it is not read. */
const WRAPPED = /(?:8010){16}$/;

/**
 * A signature as people paste it: with or without `0x`, in either case, in quotes or not. Null for what is none, or is wrapped by
 * ERC-8010.
 */
export function readSignature(text: string): `0x${string}` | null {
  const [, digits = ''] = /^["']?(?:0x)?([0-9a-f]+)["']?$/i.exec(text.trim()) ?? [];
  if (digits === '' || digits.length % 2 === 1 || digits.length > MAX_SIGNATURE || WRAPPED.test(digits)) return null;
  return `0x${digits}`;
}
