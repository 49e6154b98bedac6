import { type AccountKey, accountKeyText } from '../account.ts';
import { formatAmount } from '../amount.ts';
import type { Claim, ClaimSource } from '../claims/claim.ts';
import type { RefusalReason } from '../earning/earning.ts';
import { type Gig, type GigTimes, gigPhase, requiredFunds } from '../gigs/gig.ts';
import { type Address, checksummed, type Token } from '../gigs/token.ts';
import type { AuditAction } from '../operators/audit-event.ts';
import type { PaymentKind } from '../payments/payment.ts';
import { isoText } from '../time.ts';
import type { ChainFact } from './chain-fact.ts';

export const EVENT_TYPES = [
  'gig.created',
  'gig.funded',
  'gig.started',
  'gig.stopped',
  'gig.ended',
  'gig.settled',
  'gig.cancelled',
  'gig.frozen',
  'gig.unfrozen',
  'tips.awarded',
  'tip.voided',
  'accounts.refused',
  'submissions.waiting',
  'claim.opened',
  'payment.confirmed',
  'payment.failed',
  'payment.taken_back',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An account that earns nothing from a gig, as its event says it. */
export interface RefusedAccount {
  /** `platform:id` */
  readonly account: string;
  readonly reason: RefusalReason;
}

/** What an event says beside its gig; amounts are decimal text in whole tokens. */
export interface EventFacts {
  readonly status?: string;
  readonly title?: string | null;
  readonly amount?: string;
  readonly count?: number;
  readonly sum?: string;
  readonly first_tip_id?: number | null;
  readonly last_tip_id?: number | null;
  readonly tip_id?: number;
  readonly refusals?: RefusedAccount[];
  readonly claim_id?: number | null;
  /** `platform:id` */
  readonly account?: string;
  readonly source?: ClaimSource;
  readonly tips?: number;
  readonly payment_id?: number;
  readonly kind?: PaymentKind;
  readonly token_address?: string;
  readonly recipient?: string;
  readonly tx_hash?: string | null;
  readonly reason?: string;
}

/** An event to be written in the transaction of its cause. */
export interface NewEvent {
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly gigId: number;
  readonly facts: EventFacts;
  /** What makes its id, of an event about money on a chain; absent of others, whose ids are random. */
  readonly fact?: ChainFact;
}

/** An event that is released: it has its place among all. */
export interface StoredEvent extends Omit<NewEvent, 'fact'> {
  /** Names it for ever, also among ledgers that were restored. */
  readonly uid: string;
  /** Without gaps, in the order of the releases; those of a gig in the order of their causes. */
  readonly seq: number;
  /** The client of the gig then; null for a gig of no client. */
  readonly client: string | null;
}

/** The type of what is sent to an endpoint to try it; it is no event. */
export const TEST_TYPE = 'webhook.test';

/** The cursor behind all events so far. */
export const LATEST = 'latest';

/** An event, as programs read it. */
export function eventJson({ uid, type, at, seq, gigId, facts }: StoredEvent) {
  return { id: uid, type, timestamp: isoText(at), seq, data: { gig_id: gigId, ...facts } };
}

/** The events that an act on a gig is, by the act's name in the audit trail. */
const OF_ACTS: Readonly<Partial<Record<AuditAction, EventType>>> = {
  'gig.create': 'gig.created',
  'gig.start': 'gig.started',
  'gig.stop': 'gig.stopped',
  'gig.close': 'gig.settled',
  'gig.cancel': 'gig.cancelled',
  'gig.freeze': 'gig.frozen',
  'gig.unfreeze': 'gig.unfrozen',
  'tips.award': 'tips.awarded',
};

/** The event that an act on a gig is; undefined for an act of which programs are not told. */
export function eventOfAct(action: AuditAction): EventType | undefined {
  return OF_ACTS[action];
}

/** The status of a gig and its title, as its record has them. */
export function statusFact(gig: GigTimes & { readonly title: string | null }, now: number): EventFacts {
  const phase = gigPhase(gig, now);
  return { status: phase === 'scheduled' ? 'live' : phase, title: gig.title };
}

/** That a gig's wallet holds exactly what the gig needs. */
export function fundedEvent(gig: Gig, now: number): NewEvent {
  const required = requiredFunds(gig);
  const fact = { chainId: gig.token.chainId, wallet: gig.walletAddress, numbers: [required] };
  const facts = { amount: formatAmount(required, gig.token.decimals) };
  return { type: 'gig.funded', at: now, gigId: gig.id, facts, fact };
}

/** That a gig's time is over, or that it was stopped. */
export function endedEvent(gigId: number, now: number): NewEvent {
  return { type: 'gig.ended', at: now, gigId, facts: {} };
}

/** What is said about a batch of tips; other gigs' tips may have ids between its bounds. */
export function awardFacts(
  tips: readonly { readonly id: number }[],
  { sum, token }: { readonly sum: bigint; readonly token: Token },
): EventFacts {
  const [first, last] = [tips[0]?.id ?? null, tips.at(-1)?.id ?? null];
  return { count: tips.length, sum: formatAmount(sum, token.decimals), first_tip_id: first, last_tip_id: last };
}

/** That a tip was voided. */
export function voidedEvent(
  tip: { readonly id: number; readonly gigId: number; readonly amount: bigint },
  { token, now }: { readonly token: Token; readonly now: number },
): NewEvent {
  const facts = { tip_id: tip.id, amount: formatAmount(tip.amount, token.decimals) };
  return { type: 'tip.voided', at: now, gigId: tip.gigId, facts };
}

/** That accounts earn nothing from a gig, as it was decided in one batch. */
export function refusedEvent(
  gigId: number,
  refused: readonly (AccountKey & { readonly reason: RefusalReason })[],
  now: number,
): NewEvent {
  const refusals = refused.map(({ reason, ...account }) => ({ account: accountKeyText(account), reason }));
  return { type: 'accounts.refused', at: now, gigId, facts: { count: refused.length, refusals } };
}

/** That submissions have passed the gates and wait for a decision. */
export function waitingEvent(gigId: number, count: number, now: number): NewEvent {
  return { type: 'submissions.waiting', at: now, gigId, facts: { count } };
}

/** That an account claims tips: one event for each gig that it claims them from. */
export function claimEvents(claim: Claim, tips: readonly { readonly gigId: number }[], now: number): NewEvent[] {
  const ofGigs = [...Map.groupBy(tips, ({ gigId }) => gigId)].sort(([a], [b]) => a - b);
  return ofGigs.map(([gigId, { length }]) => {
    const facts = { claim_id: claim.id, source: claim.source, account: accountKeyText(claim), tips: length };
    return { type: 'claim.opened', at: now, gigId, facts };
  });
}

export interface ToldPayment {
  readonly id: number;
  readonly gigId: number;
  readonly kind: PaymentKind;
  readonly claimId: number | null;
  /** Base units of `token`. */
  readonly amount: bigint;
  readonly token: Token;
  readonly wallet: Address;
  readonly recipient: Address;
}

/** A part of a payment as the chain has it: the numbers of one word of marks. Amounts are base units. */
export interface ChainPart {
  readonly amount: bigint;
  readonly numbers: readonly bigint[];
}

/** The outcome of a payment. Each of its parts on the chain has an event, so that every ledger tells the same. */
export type PaymentFate =
  | ({ readonly type: 'payment.confirmed'; readonly hash: `0x${string}` } & ChainPart)
  | { readonly type: 'payment.failed'; readonly reason: string }
  | ({ readonly type: 'payment.taken_back'; readonly hash: `0x${string}` | null; readonly reason: string } & ChainPart);

/** The outcome of a payment, as an event. A return may be of another token than the gig's. */
export function paymentEvent(payment: ToldPayment, fate: PaymentFate, now: number): NewEvent {
  const { id, gigId, kind, claimId, token, wallet, recipient } = payment;
  const { amount } = 'amount' in fate ? fate : payment;
  const facts = {
    payment_id: id,
    kind,
    claim_id: claimId,
    amount: formatAmount(amount, token.decimals),
    token_address: checksummed(token.address),
    recipient: checksummed(recipient),
    ...('hash' in fate ? { tx_hash: fate.hash } : {}),
    ...('reason' in fate ? { reason: fate.reason } : {}),
  };
  const fact = 'numbers' in fate ? { fact: { chainId: token.chainId, wallet, numbers: fate.numbers } } : {};
  return { type: fate.type, at: now, gigId, facts, ...fact };
}
