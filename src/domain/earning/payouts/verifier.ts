import { formatAmount } from '../../amount.ts';
import { isSafe } from '../../fields.ts';
import { isoText } from '../../time.ts';
import type { GivenDecision } from './decisions.ts';

export interface AskedCandidate {
  readonly id: number;
  readonly platform: string;
  readonly platformUserId: string;
  readonly username: string | null;
  /** 0 to 1; null when the platform gives none. */
  readonly score: number | null;
  readonly postId: string;
  readonly text: string;
  /** When the sender says that it was posted, epoch milliseconds. */
  readonly postedAt: number | null;
}

export interface VerifierQuestion {
  /** The same at every try. */
  readonly batchId: string;
  readonly gigId: number;
  /** What is left of the reward, in base units. */
  readonly remaining: bigint;
  readonly decimals: number;
  readonly candidates: readonly AskedCandidate[];
}

/** Which verifiers are asked. */
export interface VerifierUrls {
  /** The URL that decides for a gig with this `verifier`; null when it is decided by hand. */
  urlOf(verifier: string | null): string | null;
}

/** The verifiers that the operator lets this service ask. */
export interface Verifiers extends VerifierUrls {
  /** Asks for decisions. @throws AdapterError when there is no answer, or one of another shape */
  ask(url: string, question: VerifierQuestion): Promise<readonly GivenDecision[]>;
}

/** Who decides on the submissions to a bounty: people, or the program at this origin. */
export type Decider = 'hand' | { readonly origin: string };

/** Who decides on the submissions to a gig with this `verifier`. */
export function deciderOf(verifier: string | null, verifiers: VerifierUrls | undefined): Decider {
  const url = verifiers?.urlOf(verifier) ?? null;
  return url === null ? 'hand' : { origin: new URL(url).origin };
}

/** Who decides, in words. */
export function deciderWords(decider: Decider): string {
  return decider === 'hand' ? 'decided by hand' : `decided by the verifier at ${decider.origin}`;
}

/** Why a gig whose `verifier` is a URL is decided by hand, as a sentence; null when the URL is asked, or it is none. */
export function byHandHint(verifier: string | null, decider: Decider): string | null {
  const url = verifier === null || decider !== 'hand' ? null : URL.parse(verifier);
  if (url === null || !/^https?:$/u.test(url.protocol)) return null;
  return `The verifier is not asked: the operator of this service does not allow ${url.origin}.`;
}

/** The body of a question, as verifiers read it. */
export function questionJson({ gigId, remaining, decimals, candidates }: VerifierQuestion) {
  return {
    type: 'submissions',
    gig_id: gigId,
    remaining: formatAmount(remaining, decimals),
    candidates: candidates.map(({ id, platform, platformUserId, username, score, postId, text, postedAt }) => ({
      id,
      platform,
      platform_user_id: platformUserId,
      username,
      score,
      submission: { post_id: postId, text, posted_at: postedAt === null ? null : isoText(postedAt) },
    })),
  };
}

/** The URL that is asked by this `verifier`; null for one that is not under one of these origins. */
export function verifierUrl(verifier: string | null, origins: readonly string[]): string | null {
  const url = verifier === null ? null : URL.parse(verifier);
  // Other schemes can have the origin of a URL inside them.
  if (url === null || !/^https?:$/u.test(url.protocol) || !origins.includes(url.origin)) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

/** Base64 of the PKCS #8 DER of an Ed25519 private key: a fixed beginning, and the 32 bytes of the seed. */
const SIGNING_KEY = /^MC4CAQAwBQYDK2VwBCIEI[A-P][A-Za-z0-9+/]{42}$/;

/** Whether a text can be the key that signs the questions. */
export function isSigningKey(text: string): boolean {
  return SIGNING_KEY.test(text);
}

/** An origin of a program in its canonical form; null for any other text. Plain http is for this machine alone. */
export function readOrigin(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && url.href === `${url.origin}/` && isSafe(url) ? url.origin : null;
}

/** Which verifiers of bounties are asked. Secret: the key. */
export interface VerifierConfig {
  /** In their canonical form. */
  readonly origins: readonly string[];
  /** Base64 of the PKCS #8 DER of an Ed25519 private key. */
  readonly signingKey: string;
}
