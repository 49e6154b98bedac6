import type { Platform } from './account.ts';
import { formatAmount } from './amount.ts';
import { CHAINS, type Chain } from './chain.ts';
import { type DiskSpace, spaceText } from './disk.ts';
import type { EndpointFault, EndpointStanding } from './endpoint-standing.ts';
import { chainKeyOf, type HeldUp, heldUpProblem } from './hold-up.ts';
import { TRANSFERS_IN_RESERVE } from './payment-limits.ts';
import { plain } from './plain-text.ts';
import { platformFacts } from './platforms.ts';
import { durationText, minuteText } from './time.ts';
import { type Address, checksummed } from './token.ts';

/** What can be wrong with the service, or with what it depends on, so that the operator must act. */
export const CONDITION_KINDS = [
  'store_moved',
  'payments_stopped',
  'gas_tank_low',
  'gig_frozen',
  'payments_late',
  'payments_blocked',
  'platform_paused',
  'chain_unreachable',
  'endpoint_passed_over',
  'audit_failed',
  'earning_overdue',
  'refund_late',
  'refund_failed',
  'disk_nearly_full',
  'clock_off',
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** What tells a condition from others. */
export interface ConditionKey {
  readonly kind: ConditionKind;
  /** The key of a chain, `base endpoint 2`, `gig 42`, the name of a platform in paths, `database`, or `clock`. */
  readonly subject: string;
}

/** Something that is wrong now, the same wherever it is told. It holds no secret. */
export interface Condition extends ConditionKey {
  /** The gig, when it is about one. */
  readonly gigId: number | null;
  /** A sentence without a full stop at its end. */
  readonly text: string;
  /** What to do: sentences. */
  readonly remedy: string;
}

/** The conditions of now. */
export interface Conditions {
  readonly found: readonly Condition[];
  /** What is not known now, and may hold or not; without a subject all of that kind. */
  readonly unknown: readonly (Omit<ConditionKey, 'subject'> & { readonly subject: string | null })[];
}

/** Whether it cannot be said now that a condition holds, or that it does not. */
export function isUnknown({ unknown }: Conditions, { kind, subject }: ConditionKey): boolean {
  return unknown.some((each) => each.kind === kind && (each.subject === null || each.subject === subject));
}

/** The subject of a condition about a gig. */
export function subjectOfGig(gigId: number): string {
  return `gig ${gigId}`;
}

/** The subject of a condition about the store. */
export const DATABASE = 'database';

/** The subject of a condition about the clock alone. */
export const CLOCK = 'clock';

/** The store was moved to another database, `reason` in words, while this instance did not run. */
export function storeMoved({ reason }: { reason: string }): Condition {
  return {
    kind: 'store_moved',
    subject: DATABASE,
    gigId: null,
    text: `This instance uses nothing any more and ends: ${plain(reason)}`,
    remedy: 'Set DATABASE_URL to the database that is used now, and start the service again.',
  };
}

/** The store is on another server than before, `server` in words, so nothing is paid. */
export function paymentsStopped({ server }: { server: string }): Condition {
  return {
    kind: 'payments_stopped',
    subject: DATABASE,
    gigId: null,
    text: `All payments are stopped, because the database is on another server than before (${server}), which may lack its last commits`,
    remedy:
      'See that no instance uses the server before, then run npm run admin -- reconcile: when every gig adds up, payments go on.',
  };
}

/** The gas tank at `address` holds less than a reserve of payments costs now. Amounts in wei. */
export function gasTankLow(
  { key, id, name, nativeCurrency }: Chain,
  { address, balance, reserve }: { address: Address; balance: bigint; reserve: bigint },
): Condition {
  const { symbol, decimals } = nativeCurrency;
  const shown = checksummed(address);
  const [held, needed] = [balance, reserve].map((wei) => `${formatAmount(wei, decimals)} ${symbol}`);
  return {
    kind: 'gas_tank_low',
    subject: key,
    gigId: null,
    text: `The gas tank on ${name} is low: ${shown} holds ${held}, less than the ${needed} that ${TRANSFERS_IN_RESERVE} transfers of a token cost now`,
    remedy: `Send ${symbol} on ${name} (chain id ${id}) to ${shown}: it pays the gas of all payments.`,
  };
}

/** A gig pays nothing: an audit or a payment found a fault, or the operator froze it. */
export function gigFrozen({
  gigId,
  reason,
  isByOperator,
}: {
  gigId: number;
  reason: string;
  isByOperator: boolean;
}): Condition {
  return {
    kind: 'gig_frozen',
    subject: subjectOfGig(gigId),
    gigId,
    text: `Gig ${gigId} is frozen, because ${plain(reason)}`,
    // An audit releases what it froze, and only the operator what the operator froze, as a rebuild does.
    remedy: isByOperator
      ? `When the reason is gone, run npm run admin -- gig unfreeze ${gigId}.`
      : `See gig show ${gigId} and payment list, fix the cause, then run npm run admin -- reconcile ${gigId}: a gig that adds up pays again.`,
  };
}

/** Payments of one chain were planned more than an hour ago and are not confirmed; `held` says by what. */
export function paymentsLate(chainId: number, held: readonly HeldUp[]): Condition {
  const problems = held.map(heldUpProblem);
  return {
    kind: 'payments_late',
    subject: chainKeyOf(chainId),
    gigId: null,
    text: `Payments on ${chainKeyOf(chainId)} are late by more than an hour: ${problems.map(({ detail }) => detail).join('; ')}`,
    remedy: problems.map(({ remedy }) => remedy).join(' '),
  };
}

/** The endpoint of a chain keeps its payments from being made; `reasons` are those of the payments. */
export function paymentsBlocked(
  chainId: number,
  { reasons, payments }: { reasons: readonly string[]; payments: number },
): Condition {
  const [key, chain] = [chainKeyOf(chainId), CHAINS.find(({ id }) => id === chainId)];
  const wait = payments === 1 ? '1 payment waits' : `${payments} payments wait`;
  return {
    kind: 'payments_blocked',
    subject: key,
    gigId: null,
    text: `${wait} on ${key}, because of its endpoint: ${reasons.map((reason) => plain(reason)).join('; ')}`,
    remedy: `Set RPC_URL_${chainId} to another JSON-RPC endpoint of ${chain?.name ?? key}, and see payment list.`,
  };
}

/** Nothing is sent to a platform for now, because of what it answered, or because it did not answer. */
export function platformPaused({ platform, reason }: { platform: Platform; reason: string }): Condition {
  const { label, slug } = platformFacts(platform);
  return {
    kind: 'platform_paused',
    subject: slug,
    gigId: null,
    text: `${label} is paused: ${reason}`,
    remedy:
      'Check the keys, the credits and the state of the bot’s account; what waits goes on by itself after the pause.',
  };
}

/** The endpoint of a chain gives no valid answer; `why` follows a colon when it is known. */
export function chainUnreachable({ key, id, name }: Pick<Chain, 'key' | 'id' | 'name'>, why?: string): Condition {
  return {
    kind: 'chain_unreachable',
    subject: key,
    gigId: null,
    text: `The endpoint of ${name} gives no valid answer${why === undefined ? '' : `: ${why}`}`,
    remedy: `Set RPC_URL_${id} to a JSON-RPC endpoint of ${name} that answers, or take ${key} out of CHAINS.`,
  };
}

/** One of several endpoints of a chain is not asked, because it fails, lags or serves another chain. */
export function endpointPassedOver(
  { key, id, name }: Pick<Chain, 'key' | 'id' | 'name'>,
  endpoint: Pick<EndpointStanding, 'place' | 'name'> & { readonly fault: EndpointFault },
): Condition {
  const { kind, why } = endpoint.fault;
  return {
    kind: 'endpoint_passed_over',
    subject: `${key} endpoint ${endpoint.place}`,
    gigId: null,
    text: `${name} is not asked through ${endpoint.name}: ${why}`,
    remedy:
      kind === 'other_chain'
        ? `Correct RPC_URL_${id}: an endpoint of another chain is asked for nothing but its chain id.`
        : `The other endpoints of ${name} are asked meanwhile. If it lasts, replace that one in RPC_URL_${id}.`,
  };
}

/** The last audit of a gig did not succeed; `reason` is a clause. */
export function auditFailed({ gigId, reason }: { gigId: number; reason: string }): Condition {
  return {
    kind: 'audit_failed',
    subject: subjectOfGig(gigId),
    gigId,
    text: `The audit of gig ${gigId} failed: ${plain(reason)}`,
    remedy: `Run npm run admin -- reconcile ${gigId}: it audits the gig again and says what it finds.`,
  };
}

/** A watched gig has had no successful step for a day, although one was due. */
export function earningOverdue(gigId: number): Condition {
  return {
    kind: 'earning_overdue',
    subject: subjectOfGig(gigId),
    gigId,
    text: `Nothing succeeded for a day for watched gig ${gigId}, though it was due`,
    remedy: `See “watched gig waits” in the log, and run npm run admin -- gig settle ${gigId}: it says what fails. When its platform does not come back, gig settle ${gigId} --refuse-open ends the gig without it.`,
  };
}

/** The refund of a settled gig has been due for a day, and is not planned. */
export function refundLate(gigId: number): Condition {
  return {
    kind: 'refund_late',
    subject: subjectOfGig(gigId),
    gigId,
    text: `The refund of gig ${gigId} is due for more than a day and not planned`,
    remedy: `Run npm run admin -- gig refund ${gigId}: it says what the refund waits for.`,
  };
}

/** The refund of a gig, or the return of what a cancelled one holds, failed, and was not planned again. */
export function refundFailed(gigId: number): Condition {
  return {
    kind: 'refund_failed',
    subject: subjectOfGig(gigId),
    gigId,
    text: `The refund or return of gig ${gigId} failed and was not planned again`,
    remedy: `Run npm run admin -- gig refund ${gigId}: it says why it failed, and with --yes plans it again, to --to if that is given.`,
  };
}

/** Little is free where the database is. */
export function diskNearlyFull(space: DiskSpace): Condition {
  return {
    kind: 'disk_nearly_full',
    subject: DATABASE,
    gigId: null,
    text: `The disk of the database is nearly full: ${spaceText(space)}`,
    remedy: 'Free space where DATABASE_URL is, or move the database to a larger disk: without space nothing is stored.',
  };
}

/** The time of a chain and the clock differ: its newest block is ahead of the clock, or (negative) all new ones are older. */
export function chainClockOff({ key, name }: Pick<Chain, 'key' | 'name'>, { aheadMs }: { aheadMs: number }): Condition {
  const isAhead = aheadMs > 0;
  const apart = durationText(Math.abs(aheadMs));
  const text = isAhead
    ? `The clock is behind the time of ${name}: its newest block was ${apart} ahead. Holds, windows and refunds end later by as much, and above 10 minutes no raffle on ${key} is fixed`
    : `The clock is ahead of the time of ${name}, or its endpoint is late: the newest blocks were at least ${apart} old. Holds, windows and refunds may end earlier by as much`;
  return {
    kind: 'clock_off',
    subject: key,
    gigId: null,
    text,
    remedy: `Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of ${name} is not: set another one.`,
  };
}

/** The clock was set back by `backMs`, and stood at `at` already. Epoch milliseconds. */
export function clockSetBack({ at, backMs }: { at: number; backMs: number }): Condition {
  return {
    kind: 'clock_off',
    subject: CLOCK,
    gigId: null,
    text: `The clock was set back by ${durationText(backMs)}. Until ${minuteText(at)} everything that has a set time waits longer by as much: windows of watched gigs, holds, rounds, draws, settlements and refunds. Starts, awards, claims and replies go on`,
    remedy:
      'If the clock is right now, there is nothing to do. Otherwise set it and run NTP: what waits is due as soon as its time has come.',
  };
}
