import type { Address } from '../../domain/gigs/token.ts';
import { type Owner, ownerText } from '../../domain/owners/owner.ts';
import type { ChannelStatus, SignInWay } from '../../domain/owners/sign-in.ts';
import { FARCASTER } from '../../domain/platforms/platforms.ts';
import type { ServiceContext } from '../context.ts';
import { hashOf } from '../operators/api-keys.ts';
import type { Chance, SignInContext } from './context.ts';
import { type NewOwnerSession, openOwnerSession } from './sessions.ts';

/** How long a sign-in may take. Milliseconds. */
export const SIGN_IN_MS = 10 * 60 * 1000;

/** A sign-in that has begun. The nonce and the browser's secret are stored as hashes alone. Times are epoch milliseconds. */
export interface BegunSignIn {
  readonly nonce: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A sign-in as the browser names it: the nonce that it was shown, and its own secret. */
export interface OwnSignIn {
  readonly nonce: string;
  readonly browser: string;
}

export interface SignInRequest extends OwnSignIn {
  /** What the owner tells the session from others by. */
  readonly label: string;
  readonly replaces: string | undefined;
  readonly requestId: string | null;
}

/** A secret by which a browser is known while it signs in. */
export function newBrowser({ randomBytes }: Chance): string {
  return Buffer.from(randomBytes(32)).toString('base64url');
}

/** Begins a sign-in of a browser. Its nonce works once, in this browser, for {@link SIGN_IN_MS}. */
export async function beginSignIn(
  { store, clock, randomBytes }: SignInContext,
  { way, browser }: { way: SignInWay; browser: string },
): Promise<BegunSignIn> {
  // EIP-4361 takes letters and digits alone.
  const nonce = Buffer.from(randomBytes(16)).toString('hex');
  const issuedAt = clock();
  const expiresAt = issuedAt + SIGN_IN_MS;
  const signIn = { hash: hashOf(nonce), browser: hashOf(browser), way, createdAt: issuedAt, expiresAt };
  await store.transaction((tx) => tx.insertSignIn(signIn));
  return { nonce, issuedAt, expiresAt };
}

async function findSignIn(
  { store, clock }: ServiceContext,
  { nonce, browser, way }: OwnSignIn & { way: SignInWay },
): Promise<BegunSignIn | null> {
  const found = await store.openSignIn(hashOf(nonce), { browser: hashOf(browser), now: clock() });
  if (found === null || found.way !== way) return null;
  return { nonce, issuedAt: found.createdAt, expiresAt: found.expiresAt };
}

/** Uses the sign-in and opens the session in one transaction; null when the sign-in was used meanwhile. */
async function finish(
  deps: SignInContext,
  { owner, request }: { owner: Owner; request: SignInRequest },
): Promise<NewOwnerSession | null> {
  const { nonce, browser, label, replaces, requestId } = request;
  const opening = { owner: ownerText(owner), label, replaces, requestId };
  return await deps.store.transaction(async (tx) => {
    const now = deps.clock();
    const isUsed = await tx.useSignIn(hashOf(nonce), { browser: hashOf(browser), now });
    return isUsed ? await openOwnerSession(tx, deps, { ...opening, now }) : null;
  });
}

export interface AskedWallet {
  /** In lower case. */
  readonly address: Address;
  /** The chain that is asked about a contract's signature. */
  readonly chainId: number;
}

/**
 * Opens a session for the wallet that signed the message which this sign-in issued, byte for byte.
 * @param request.signed the message and the signature, as the browser sent them
 * @returns null when the sign-in is unknown, used, expired or another browser's, or the signature is another one
 * @throws AdapterError when the chain must be asked and does not answer
 */
export async function signInWithWallet(
  deps: SignInContext,
  request: SignInRequest & { readonly wallet: AskedWallet; readonly message: string; readonly signature: string },
): Promise<NewOwnerSession | null> {
  const way = deps.signIn.wallet;
  const begun = way === null ? null : await findSignIn(deps, { ...request, way: 'wallet' });
  if (way === null || begun === null) return null;
  const { wallet, message, signature } = request;
  const by = await way.verify({ message, signature }, { ...wallet, ...begun }, deps.clock());
  if (by === null) return null;
  const chainId = by === 'contract' ? wallet.chainId : null;
  return await finish(deps, { owner: { kind: 'wallet', address: wallet.address, chainId }, request });
}

/** What a browser that signs in with Farcaster is shown. */
export interface WaitingSignIn extends ChannelStatus {
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * How far a sign-in with Farcaster is. The relay is asked only for a sign-in that is open in this browser.
 * @returns null when it is over, or the relay does not know the channel
 * @throws AdapterError when the relay does not answer
 */
export async function askFarcaster(
  deps: SignInContext,
  request: OwnSignIn & { readonly channel: string },
): Promise<WaitingSignIn | null> {
  const way = deps.signIn.farcaster;
  const begun = way === null ? null : await findSignIn(deps, { ...request, way: 'farcaster' });
  if (way === null || begun === null) return null;
  const status = await way.status(request.channel);
  return status === null ? null : { ...status, expiresAt: begun.expiresAt };
}

/**
 * Opens a session for the Farcaster account whose custody or auth address answered the channel with this sign-in's nonce. The
 * signed message comes from the relay, never from the browser.
 * @returns null as {@link askFarcaster}, or when no answer is there or its signer does not speak for the account
 * @throws AdapterError when the relay or the chain does not answer
 */
export async function signInWithFarcaster(
  deps: SignInContext,
  request: SignInRequest & { readonly channel: string },
): Promise<NewOwnerSession | null> {
  const way = deps.signIn.farcaster;
  const waiting = await askFarcaster(deps, request);
  if (way === null || waiting === null || waiting.answer === null) return null;
  const fid = await way.verify(waiting.answer, request.nonce);
  if (fid === null) return null;
  return await finish(deps, { owner: { kind: 'account', platform: FARCASTER.id, platformUserId: fid }, request });
}
