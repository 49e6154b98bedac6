import { isOwnersClient } from '../owners/owner.ts';
import type { PaymentCandidate } from './payment.ts';
import { REASON } from './reasons.ts';

/** A gas tank that cannot pay for this many plain transfers of a token now is low; a payment costs one or two of them. */
export const TRANSFERS_IN_RESERVE = 100n;

/** What a payment may cost, and who may cause how much. Gas is counted in plain transfers, see {@link chargeOf}. */
export interface PaymentPolicy {
  /** Gas that the payments of a client's gigs may use a day, and their fees once more; null or 0 when there is no limit. */
  readonly clientGasPerDay: bigint | null;
  /** The same for the gigs of all owners together that were created on their pages; see {@link OWNER_PARTS}. */
  readonly ownersGasPerDay: bigint | null;
  /** Gas that the payments of a gig may use for its whole life: this much, */
  readonly gigGas: bigint;
  /** and this much more for each tip that it has awarded. */
  readonly gigGasPerTip: bigint;
  /** Gas that a payment burns at most, without what a simulation adds. */
  readonly tokenGas: bigint;
  /** A payment costs at most as much as so many plain transfers of a token. */
  readonly transfers: bigint;
  /** In a token that the operator allows more, both are so many times as much. */
  readonly allowance: bigint;
  /** A token that failed on the chain so often within an hour waits. */
  readonly tokenFailures: number;
  /** A payment that failed on the chain so often fails permanently. */
  readonly paymentFailures: number;
  /** After so many failures, of any claims, the payments of a gig to an account are made after pauses that grow. */
  readonly accountFailures: number;
  /** The most payments in one transaction. */
  readonly payments: number;
}

/** Gas of a plain transfer of a token to a new holder. */
export const TRANSFER_GAS = 51_500n;
const SECOND_MS = 1_000;
const FIRST_PAUSE_MS = 60 * 60 * SECOND_MS;
/** Each pause is so many times as long as the one before. */
const PAUSE_GROWTH = 4;
const MOST_GROWTH = 6;

export interface Delay {
  readonly reason: string;
  /** Whether the wait is normal, and the operator need not act. */
  readonly isCalm: boolean;
  /** After how long it is looked at again, milliseconds. */
  readonly waitMs: number;
  /** Whose payments all wait for the same. */
  readonly holds?: 'client' | 'gig' | 'token';
}

/** Gas that was used within a day: by fees, which limit each other alone, and by all other payments. */
export interface DayGas {
  readonly claims: bigint;
  readonly fees: bigint;
}

/** What has been used of the budgets that a payment counts against, with what its own transaction has used of them so far. */
export interface BudgetFacts {
  /** Without the gig's fee. */
  readonly gig: { readonly gasUsed: bigint; readonly tips: number };
  /** Of its client within a day. */
  readonly clientGas: DayGas;
  /** Of all owners together, when its client is one of them; else null. */
  readonly ownersGas: DayGas | null;
  /** Of its token, within an hour. */
  readonly tokenFailures: number;
  /** Of its gig's payments to its account that failed on the chain, within thirty days; null when none did. */
  readonly ownFailures: { readonly failures: number; readonly gasUsed: bigint; readonly failedAt: number } | null;
}

/** Stands for all owners in the place of a client: they have one budget together. */
export const ALL_OWNERS = 'owner:';
/** An owner uses one of so many parts of it: anybody signs in with as many wallets as they like. */
const OWNER_PARTS = 10n;

/** Whose daily gas a client's gigs use: the client's, and that of all owners together when it is one of them. */
export function gasHolders(client: string | null): readonly string[] {
  if (client === null) return [];
  return isOwnersClient(client) ? [client, ALL_OWNERS] : [client];
}

function wait(reason: string, seconds: number): Delay {
  return { reason, isCalm: false, waitMs: seconds * SECOND_MS };
}

/** Why a planned payment may not even be tried for now; null when it may. */
export function findFreeze(
  { freeze, awaitsFunding }: PaymentCandidate,
  { fundedMs }: { fundedMs: number },
): Delay | null {
  if (freeze !== null) return { ...wait(`the gig is frozen: ${freeze}`, 5), holds: 'gig' };
  if (!awaitsFunding) return null;
  const reason = 'its gig was funded a moment ago, and the chain may still take that back';
  return { reason, waitMs: fundedMs, isCalm: true, holds: 'gig' };
}

/**
 * Why a payment waits because others of its gig to its account failed on the chain; null when it need not. A recipient can
 * behave well in every simulation, and each claim is another payment.
 */
export function findPause(
  { kind }: PaymentCandidate,
  { ownFailures }: BudgetFacts,
  { policy, now }: { policy: PaymentPolicy; now: number },
): Delay | null {
  if (kind === 'mark' || ownFailures === null) return null;
  const { failures, failedAt } = ownFailures;
  const more = failures - policy.accountFailures;
  if (more < 0) return null;
  const pause = FIRST_PAUSE_MS * PAUSE_GROWTH ** Math.min(more, MOST_GROWTH);
  const left = Math.min(failedAt + pause - now, pause);
  if (left <= 0) return null;
  const reason = `${REASON.recipientFails} failed on the chain ${failures} times; it is tried after a pause`;
  return { reason, isCalm: false, waitMs: left };
}

/** Why a daily budget delays a payment; null when none does. The owner's share does not delay the first payment of a day. */
function findDayShortage(
  { kind, client }: PaymentCandidate,
  { clientGas, ownersGas }: BudgetFacts,
  { policy, gas }: { policy: PaymentPolicy; gas: bigint },
): Delay | null {
  const most = (ownersGas === null ? policy.clientGasPerDay : policy.ownersGasPerDay) ?? 0n;
  if (most === 0n || client === null) return null;
  // A claim never waits for fees; a fee waits for both, or starts would be free.
  const used = ({ claims, fees }: DayGas) => (kind === 'fee' ? claims + fees : claims);
  const own = used(clientGas);
  const isOverShare = ownersGas !== null && own > 0n && own + gas > most / OWNER_PARTS;
  if (!isOverShare && used(ownersGas ?? clientGas) + gas <= most) return null;
  if (gas > most) {
    const needs = `${REASON.clientTooSmall} in a day, ${gas} of ${most}`;
    return wait(`${needs}; an operator can raise GAS_BUDGET_${ownersGas === null ? 'CLIENT' : 'OWNERS'}_DAY`, 60);
  }
  return { ...wait(REASON.clientUsedUp, 60), holds: 'client' };
}

/**
 * Why a planned payment waits for its budgets; null when it need not. Marks of what was paid before count against none.
 * @param gas what it would use
 */
export function findShortage(
  payment: PaymentCandidate,
  used: BudgetFacts,
  { policy, gas }: { policy: PaymentPolicy; gas: bigint },
): Delay | null {
  const { kind, token, numbers } = payment;
  const { gig, tokenFailures, ownFailures } = used;
  if (kind === 'mark') return null;
  // What one account wastes is at most what its own tips add to the gig's gas, so that the others can use theirs.
  if (ownFailures !== null && ownFailures.gasUsed + gas > policy.gigGasPerTip * BigInt(numbers.length)) {
    return wait(`${REASON.recipientFails} have failed with all the gas that its tips allow`, 3_600);
  }
  // The native asset does not fail; its recipients do, and they are nobody else's.
  if (!token.isNative && tokenFailures >= policy.tokenFailures) {
    return { ...wait(`${REASON.tokenFails} ${tokenFailures} times within an hour`, 60), holds: 'token' };
  }
  if (gig.gasUsed + gas > policy.gigGas + policy.gigGasPerTip * BigInt(gig.tips)) {
    return { ...wait(`${REASON.gigUsedUp} the gas that its tips allow`, 60), holds: 'gig' };
  }
  return findDayShortage(payment, used, { policy, gas });
}

/** What a simulated payment costs, and what a plain transfer costs at the same time. */
export interface PaymentCost {
  /** Gas, publishing included where the chain counts it as gas. */
  readonly gas: bigint;
  /** Wei for each unit of gas. */
  readonly maxFeePerGas: bigint;
  /** Wei of publishing that is not in the gas. */
  readonly publishing: bigint;
  /** Wei of a plain transfer of a token, publishing included. */
  readonly transferCost: bigint;
  /** How many words of numbers the payment marks; each has a transfer of its own. */
  readonly words: number;
}

function weiOf({ gas, maxFeePerGas, publishing }: PaymentCost): bigint {
  return gas * maxFeePerGas + publishing;
}

/** What a payment counts for in the budgets: gas, as if publishing were free and a plain transfer cost as ever. */
export function chargeOf(cost: PaymentCost): bigint {
  return cost.transferCost === 0n ? cost.gas : (weiOf(cost) * TRANSFER_GAS) / cost.transferCost;
}

/** Only on chains that count publishing as gas does a transfer cost more than {@link TRANSFER_GAS}. */
function publishingGas({ maxFeePerGas, transferCost }: PaymentCost): bigint {
  const gas = maxFeePerGas === 0n ? 0n : transferCost / maxFeePerGas - TRANSFER_GAS;
  return gas > 0n ? gas : 0n;
}

/** Gas as it is burnt, without the quarter that a simulation adds. */
function burnt(gas: bigint): bigint {
  return (gas * 4n) / 5n;
}

interface Allowable {
  readonly isAllowed: boolean;
}

function allowanceOf({ isAllowed }: Allowable, { allowance }: PaymentPolicy): bigint {
  return isAllowed ? allowance : 1n;
}

/** Why a payment's token or recipient needs too much gas, in words; null when it does not. */
export function findExcess(payment: PaymentCandidate, cost: PaymentCost, policy: PaymentPolicy): string | null {
  if (payment.kind === 'mark') return null;
  const most = policy.tokenGas * allowanceOf(payment, policy) * BigInt(cost.words);
  const gas = burnt(cost.gas - publishingGas(cost) * policy.transfers * BigInt(cost.words));
  if (gas <= most) return null;
  const remedy = payment.isAllowed ? 'although its token is allowed more' : 'an operator can allow its token more';
  return `${REASON.wouldBurn} ${gas} gas, more than ${most} allowed; ${remedy}`;
}

/**
 * Whether the gas of a call of several payments leaves room for one that burns more than it may. Each of the others needs
 * at most about as much as a plain transfer.
 * @param cost of the whole call
 */
export function mayHideExcess(cost: PaymentCost, { tokenGas, transfers }: PaymentPolicy): boolean {
  const others = BigInt(cost.words - 1);
  const gas = burnt(cost.gas - publishingGas(cost) * (transfers + others));
  return gas > tokenGas + TRANSFER_GAS * others;
}

/** Why a payment is too expensive for now; null when it is not. */
export function findPrice(payment: Allowable, cost: PaymentCost, policy: PaymentPolicy): Delay | null {
  const transfers = policy.transfers * allowanceOf(payment, policy);
  if (weiOf(cost) <= cost.transferCost * transfers * BigInt(cost.words)) return null;
  return wait(`${REASON.tooExpensive} ${transfers} plain transfers of a token`, 15);
}

/** The share of one part of all, rounded up, so that the shares cover the amount. */
export function shareOf(amount: bigint, { part, all }: { part: bigint; all: bigint }): bigint {
  return (amount * part + all - 1n) / all;
}
