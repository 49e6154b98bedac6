import type { AccountKey } from '../account.ts';
import type { Act, ActKind, ActSource } from './act.ts';
import type { HoldingFacts } from './holding/holding.ts';

export const EARNING_STATES = ['held', 'eligible', 'awarded', 'refused'] as const;
/** The state of an account in a gig. `awarded` means a tip, permanently; `refused` has a reason. */
export type EarningState = (typeof EARNING_STATES)[number];

/** Why an account earns nothing, in the order in which gates are asked; the last five are given after the gates. */
export const REFUSAL_REASONS = [
  'before_start',
  'after_end',
  'own_account',
  'blocked',
  'withdrawn',
  'account_gone',
  'score_unknown',
  'score_too_low',
  'too_young',
  'too_few_followers',
  'labelled_spam',
  'no_verified_address',
  'same_address',
  'text_too_short',
  'duplicate_text',
  'too_little_held',
  'reward_used_up',
  'share_too_small',
  'not_drawn',
  'verifier_refused',
  'not_decided',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/**
 * Refusals that another act of the account reopens. A cast from before the start says nothing against a later one: lists
 * and searches also show old casts.
 */
export const REOPENED: ReadonlySet<RefusalReason | null> = new Set<RefusalReason>([
  'before_start',
  'withdrawn',
  'text_too_short',
  'duplicate_text',
]);

/** A stored act. Times are epoch milliseconds. */
export interface Observation extends AccountKey {
  readonly id: number;
  readonly gigId: number;
  readonly kind: ActKind;
  /** See {@link Act}. */
  readonly objectId: string;
  readonly actedAt: number | null;
  readonly firstSeenAt: number;
  /** When it was last seen standing; just before it became known, if only a webhook has told about it. */
  readonly lastSeenAt: number;
  /** Its rank: see {@link rankOf}; ties go by `id`. */
  readonly rankedAt: number;
  readonly source: ActSource;
  /** When the platform told that it was undone, or null; only an unfollow is told so. */
  readonly undoneAt: number | null;
  /** SHA-256 of the normalised text, hex; null for an act without text. */
  readonly textHash: string | null;
  /** Letters of its text, without names, links and the keyword; null for an act without text. */
  readonly letters: number | null;
}

export interface Earning extends AccountKey {
  readonly gigId: number;
  readonly state: EarningState;
  readonly reason: RefusalReason | null;
  /** The act that counts, and its rank. */
  readonly observationId: number;
  readonly rankedAt: number;
  /** When it is to be settled, or asked about once eligible; epoch milliseconds. Of no meaning once awarded or refused. */
  readonly dueAt: number;
  readonly facts: EarningFacts | null;
  /** The round in which it has a share, and its weight there; both null while it has none. */
  readonly round: number | null;
  readonly weight: bigint | null;
  /** Base units; null until awarded. */
  readonly amount: bigint | null;
  readonly tipId: number | null;
  /** Why the operator voided its tip; null or absent when it has not, or when it was not asked for. */
  readonly voidReason?: string | null;
  /** Why the verifier refused it, cleaned; absent or null without words. */
  readonly note?: string | null;
  readonly updatedAt: number;
}

/** What was known of an account when it was decided on, kept with the decision. */
export interface EarningFacts {
  readonly username: string | null;
  /** In millionths; null when the platform gives none. */
  readonly score: number | null;
  readonly followers: number | null;
  /** Epoch milliseconds. */
  readonly registeredAt: number | null;
  readonly label: SpamLabel;
  readonly verifiedAddresses: number;
  readonly letters: number | null;
  /** Absent where the gig asks for no holding. */
  readonly holding?: HoldingFacts | undefined;
}

/** What the operator's file of labels says about an account. */
export type SpamLabel = 'spam' | 'trusted' | 'unknown';

/** When an act was seen, and what had been swept before. Epoch milliseconds. */
export interface Sighting {
  readonly firstSeenAt: number;
  readonly startTime: number;
  /** The beginning of the last complete sweep before; null when there was none. */
  readonly sweptAt: number | null;
}

/**
 * The time by which acts are ranked. Timestamps are the senders' own claims, so an act that an earlier sweep did not find
 * happened after that began. An act without a readable time happened when it was first seen, as far as is known.
 */
export function rankOf({ actedAt }: Act, { firstSeenAt, startTime, sweptAt }: Sighting): number {
  return Math.min(firstSeenAt, Math.max(actedAt ?? firstSeenAt, startTime, sweptAt ?? 0));
}
