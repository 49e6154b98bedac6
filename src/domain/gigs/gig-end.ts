import { payoutOf } from '../earning/rules/index.ts';
import type { EarningRules } from '../earning/terms/rules.ts';
import type { Payment } from '../payments/payment.ts';
import { DAY_MS } from '../time.ts';
import { type AwardWindow, type GigTimes, type GigType, gigPhase } from './gig.ts';
import type { Address, Token } from './token.ts';

export const MAX_AWARD_DAYS = 90;

/** For how many days awards are taken after the end of a gig that people decide on. */
const DAYS_TO_DECIDE = 14;

/** The days for awards of a gig whose terms do not say: two weeks where people decide, none where rules do. */
export function defaultAwardDays({ gigType, rules }: { gigType: GigType; rules: EarningRules | null }): number {
  return rules === null || !payoutOf(rules.rule).isWatched || gigType === 'custom_bounty' ? DAYS_TO_DECIDE : 0;
}

/** Until when awards by request and decisions are taken, once the gig is live; before, by its terms as they are. */
export function awardsUntil({ endTime, awardDays }: AwardWindow): number {
  return endTime + awardDays * DAY_MS;
}

export type ClosedBecause = 'created' | 'cancelled' | 'scheduled' | 'ended' | 'settled';

/** Why a gig takes no awards by request now; null while it takes them. `ended`: its time for awards is also over. */
export function whyClosed(
  gig: GigTimes & AwardWindow & { readonly settledAt: number | null },
  now: number,
): ClosedBecause | null {
  if (gig.settledAt !== null) return 'settled';
  const phase = gigPhase(gig, now);
  if (phase === 'live') return null;
  return phase === 'ended' && now < awardsUntil(gig) ? null : phase;
}

/** `refundAddress` is from the gig's terms, `refundTo` from the operator. */
interface RefundPlace {
  readonly refundAddress: Address | null;
  readonly refundTo: Address | null;
}

/** Where what is left of a gig returns to: as its terms say, else as the operator said; null when neither did. */
export function refundRecipient({ refundAddress, refundTo }: RefundPlace): Address | null {
  return refundAddress ?? refundTo;
}

/** When the refund of a gig is due at the earliest; null before it is settled. */
export function refundDueAt({ settledAt }: { readonly settledAt: number | null }, delayMs: number): number | null {
  return settledAt === null ? null : settledAt + delayMs;
}

/** Whether another payment is the same refund or return, or a later return of the same asset, which takes what this would. */
export function isSameReturn(other: Payment, { id, kind, place, token }: Payment): boolean {
  if (other.id === id || other.kind !== kind) return false;
  return kind === 'refund' || other.place === place || (other.token.id === token.id && other.id > id);
}

/** Refunds and returns of one gig, without those that failed and were planned again since. */
export function withoutReplaced(payments: readonly Payment[]): Payment[] {
  const isReplaced = (failed: Payment) =>
    payments.some((other) => isSameReturn(other, failed) && (other.state !== 'failed' || other.id > failed.id));
  return payments.filter((payment) => payment.state !== 'failed' || !isReplaced(payment));
}

/** An amount in base units of its token. */
export interface TokenAmount {
  readonly token: Token;
  readonly amount: bigint;
}

/** The sums of refunds and returns that are paid or on their way, for each token. */
export function sumReturned(payments: readonly Payment[]): TokenAmount[] {
  const back = payments.filter(({ kind, state }) => (kind === 'refund' || kind === 'return') && state !== 'failed');
  return [...Map.groupBy(back, ({ token }) => token.id).values()].flatMap((some) => {
    const [first] = some;
    return first === undefined
      ? []
      : [{ token: first.token, amount: some.reduce((sum, { amount }) => sum + amount, 0n) }];
  });
}

export type RefundWait =
  /** It never was live: it can be cancelled, and what its wallet holds is returned then. */
  | 'not_started'
  | 'not_settled'
  /** The time between settlement and refund is not over. */
  | 'delay'
  /** Neither the terms nor the operator say where to. */
  | 'no_address'
  | 'frozen'
  /** The ledger has lost tips of gigs of its time, to which money may be owed: an operator has to say so. */
  | 'lost_tips'
  /** The file of ids beside the database shows that it is an older copy: an operator has to prove the ledger. */
  | 'restored'
  /** What the wallet holds and has paid could not be compared with the ledger, or not proved. */
  | 'unproved';

/** How the refund of a gig, or the return of what a cancelled one holds, stands by the ledger. */
export interface RefundStatus {
  /** Where it goes; null when neither the terms nor the operator say. */
  readonly recipient: Address | null;
  /** When a refund is due at the earliest; null before the settlement. */
  readonly dueAt: number | null;
  /** Between settlement and refund, in milliseconds. */
  readonly delayMs: number;
  /** Base units that would be refunded now; 0 once it was planned, and of a gig that has not started. */
  readonly left: bigint;
  /** What the refund waits for; null when it was planned, or could be, as far as the ledger knows. */
  readonly wait: Exclude<RefundWait, 'unproved'> | null;
  /** The refunds and returns of the gig, newest first. */
  readonly payments: readonly Payment[];
}

const WAITS = {
  not_started: 'the gig has not started; gig cancel ends it and returns the money in its wallet',
  not_settled: 'the gig is not settled',
  delay: 'the waiting time before the refund is not over',
  no_address: 'no refund address is set',
  frozen: 'the gig is frozen',
  lost_tips: 'the ledger has lost tips of that time, which may be owed this money',
  restored: 'the database may be an older copy; award again what is owed, then run reconcile over all gigs',
  unproved: 'the books of the gig are not proved',
} as const satisfies Record<RefundWait, string>;

/** Why a refund is not planned yet, in words for an operator that follow a colon. */
export function refundWaitWords(wait: RefundWait): string {
  return WAITS[wait];
}
