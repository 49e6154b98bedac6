import { type ClaimOutcome, type ClaimStatus, claimOutcome, payoutsOf } from '../claims/claim.ts';
import type { Earning } from '../earning/earning.ts';
import type { TipRecord } from '../gigs/tip.ts';
import type { TokenUnit } from '../gigs/token.ts';
import { type IgnoreReason, type MentionRecord, mentionFault, type ReplyRecord } from '../mentions/mention.ts';
import { type Obstacle, type Obstacles, obstacleClause, sentence } from '../payments/obstacle.ts';
import type { Payment } from '../payments/payment.ts';
import { CLAIM_PAYOUTS } from './claim-facts.ts';
import type { Piece, Told } from './fact.ts';
import { replyFault } from './reply-facts.ts';

export type RecordStanding = 'done' | 'open' | 'bad';

/** A record of an account in one line, with why it is not done. */
export interface RecordLine {
  /** The id by which pages of its list go on. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly state: string;
  readonly standing: RecordStanding;
  readonly told: Told;
  /** A sentence; null when it is done. */
  readonly why: Told | null;
}

const IGNORED: Readonly<Record<IgnoreReason, string>> = {
  opted_out: 'Not answered: the account has opted out of replies.',
  author_limit: 'Not answered: the account had as many replies as it may get in an hour.',
  thread_limit: 'Not answered: the thread had as many replies as it may get in an hour.',
  help_already_given: 'Not answered: the account already got the help within a day.',
  gave_up: 'Not answered: the author withdrew before the reply was sent.',
};

function whyReply(reply: ReplyRecord): Told | null {
  const { id, state, heldFor } = reply;
  if (state === 'sent') return null;
  const fault = replyFault(reply);
  const because: Piece[] = fault === null ? ['.'] : [': ', { foreign: fault }];
  if (state === 'failed') return [`Reply ${id} failed`, ...because];
  if (heldFor === 'first_reply') return `Reply ${id} waits for the first reply to this mention.`;
  if (heldFor !== null) return `Reply ${id} is held: its ${heldFor} has reached the hourly limit.`;
  return [`Reply ${id} is ${state}`, ...because];
}

function whyMention(mention: MentionRecord, replies: readonly ReplyRecord[]): Told | null {
  const { state, ignoreReason } = mention;
  const fault = mentionFault(mention);
  if (state === 'ignored') return ignoreReason === null ? 'Not answered, by rule.' : IGNORED[ignoreReason];
  if (state === 'answered') return replies.map(whyReply).find((why) => why !== null) ?? null;
  const words = state === 'failed' ? 'It could not be handled' : 'It waits to be handled';
  return fault === null ? `${words}.` : [`${words}: `, { foreign: fault }];
}

/** A mention, with what is posted under it. */
export function mentionLine(mention: MentionRecord, replies: readonly ReplyRecord[]): RecordLine {
  const { id, receivedAt, state, text } = mention;
  const why = whyMention(mention, replies);
  const isBad = state === 'failed' || replies.some((reply) => reply.state === 'failed');
  return {
    id,
    at: receivedAt,
    state: state === 'answered' ? 'handled' : state,
    standing: isBad ? 'bad' : why === null || state === 'ignored' ? 'done' : 'open',
    told: [{ record: 'mention', id }, ': ', { foreign: text }],
    why,
  };
}

function waitSentence(obstacle: Obstacle): string {
  const clause = obstacleClause(obstacle);
  return obstacle === 'gig_frozen' ? sentence(clause) : `Waiting ${clause}.`;
}

function whyPayment({ state, reason }: Payment, obstacle: Obstacle | null): Told | null {
  switch (state) {
    case 'confirmed':
      return null;
    case 'failed':
      return ['Failed: ', { foreign: reason ?? 'no reason is known' }];
    case 'sent':
      return reason === null
        ? 'It is in a transaction that is not settled yet.'
        : ['It is in a transaction that is not settled yet: ', { foreign: reason }];
    case 'planned':
      if (obstacle !== null) return waitSentence(obstacle);
      return reason === null ? 'Waiting to be sent.' : ['Waiting: ', { foreign: reason }];
  }
}

const OF_PAYMENT = { confirmed: 'done', failed: 'bad', planned: 'open', sent: 'open' } as const;

/** A payment, with what holds it up. */
export function paymentLine(payment: Payment, obstacle: Obstacle | null): RecordLine {
  const { id, gigId, claimId, amount, token: of, state, updatedAt } = payment;
  const claim: Piece[] = claimId === null ? [] : [', ', { record: 'claim', id: claimId }];
  return {
    id,
    at: updatedAt,
    state,
    standing: OF_PAYMENT[state],
    told: [{ record: 'payment', id }, ': ', { amount, of }, ' from ', { record: 'gig', id: gigId }, ...claim],
    why: whyPayment(payment, obstacle),
  };
}

const OF_CLAIM: Readonly<Record<ClaimOutcome, RecordStanding>> = {
  paid: 'done',
  empty: 'done',
  pending: 'open',
  failed: 'bad',
};

/** A claim, with what holds up its payouts. */
export function claimLine(status: ClaimStatus, obstacles: Obstacles): RecordLine {
  const { id, createdAt, recipient } = status.claim;
  const state = claimOutcome(status);
  const undone = payoutsOf(status).find(({ outcome }) => outcome === (state === 'failed' ? 'failed' : 'pending'));
  const paid = CLAIM_PAYOUTS.read({ status, username: null });
  const payouts: readonly Piece[] = paid === null ? [] : typeof paid === 'object' && 'map' in paid ? paid : [paid];
  return {
    id,
    at: createdAt,
    state,
    standing: OF_CLAIM[state],
    told: [{ record: 'claim', id }, ': ', ...payouts, ' to ', { address: recipient }],
    why: undone === undefined ? null : whyPayment(undone.payment, obstacles.get(undone.payment.id) ?? null),
  };
}

function whyTip(
  { status, voidReason, claimNonce }: TipRecord,
  isVoid: boolean,
  payment: RecordLine | null,
): Told | null {
  if (isVoid) return ['Void: ', { foreign: voidReason ?? '' }];
  if (status === 'claimed') return null;
  if (claimNonce === null) return 'Not claimed yet.';
  return payment?.why ?? 'Its claim is under way.';
}

/** A tip, with the line of the payment that its claim planned for it. */
export function tipLine(
  tip: TipRecord,
  { token: of, payment }: { readonly token: TokenUnit; readonly payment: RecordLine | null },
): RecordLine {
  const { id, gigId, amount, createdAt, voidedAt, status } = tip;
  const isVoid = voidedAt !== null;
  return {
    id,
    at: createdAt,
    state: isVoid ? 'void' : status === 'claimed' ? 'paid' : 'pending',
    standing: isVoid || status === 'claimed' ? 'done' : 'open',
    told: [`tip ${id}: `, { amount, of }, ' from ', { record: 'gig', id: gigId }],
    why: whyTip(tip, isVoid, payment),
  };
}

/** An earning that is not awarded, with its sentence. */
export function earningLine({ observationId, gigId, state, updatedAt }: Earning, why: string): RecordLine {
  return {
    id: observationId,
    at: updatedAt,
    state,
    standing: state === 'refused' ? 'bad' : 'open',
    told: [{ record: 'gig', id: gigId }],
    why: { foreign: why },
  };
}
