import type { ChainReader, Chains } from '../../domain/chain.ts';
import type { Condition, ConditionKind, Conditions } from '../../domain/condition.ts';
import * as conditions from '../../domain/condition.ts';
import { type DiskSpace, isNearlyFull } from '../../domain/disk.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';
import type { PlatformBreaker, PlatformStatus } from '../mentions/platform-breaker.ts';
import type { GasTank, TankStanding } from '../payments/gas-tank.ts';
import { findBlocked, findLatePayments } from '../payments/held-up.ts';
import type { ClockStanding } from './clock-standing.ts';
import { findFailedRefunds, findLateRefunds } from './stuck-refunds.ts';
import { findWatchedGigs } from './watched-gigs.ts';

/** Each chain is asked once a minute; after three missed answers it counts as unreachable. Milliseconds. */
const CHAIN_SILENT_MS = 180_000;
/** Longer than any reply waits after a failure: when a pause ended so long ago, there was nothing that it kept back. */
const PAUSE_PROVED_MS = 15 * 60_000;

/** What the conditions are read from. */
export interface ConditionDeps {
  readonly store: Pick<
    Store,
    'paymentStop' | 'frozenGigs' | 'openWatches' | 'latePayments' | 'auditFaults' | 'gigsToRefund'
  > &
    Parameters<typeof findFailedRefunds>[0]['store'];
  readonly chains: Chains;
  readonly health: Pick<PlatformBreaker, 'standings'>;
  readonly clocks: Pick<ClockStanding, 'verdictOn' | 'setBack'>;
  /** Null without a mnemonic. */
  readonly gasTank: Pick<GasTank, 'address' | 'standings'> | null;
  /** The space where the database is. */
  readonly readDisk: () => Promise<DiskSpace | null>;
  /** Between the settlement of a gig and its refund, milliseconds. */
  readonly refundDelayMs: number;
  /** When the process began to ask chains and platforms, epoch milliseconds. */
  readonly startedAt: number;
  readonly clock: () => number;
  readonly log: Log;
}

/** Whether a condition holds: null when that is not known. */
interface Verdict {
  readonly subject: string;
  readonly holds: Condition | false | null;
}

function verdicts(kind: ConditionKind, given: readonly Verdict[]): Conditions {
  return {
    found: given.flatMap(({ holds }) => holds || []),
    unknown: given.flatMap(({ subject, holds }) => (holds === null ? [{ kind, subject }] : [])),
  };
}

function known(found: readonly Condition[]): Conditions {
  return { found, unknown: [] };
}

/** Whether the gas tank is low, on each chain that has answered. */
function findLowTanks({ gasTank }: Pick<ConditionDeps, 'gasTank'>): Conditions {
  if (gasTank === null) return known([]);
  const { address } = gasTank;
  const verdictOf = ({ chain, level }: TankStanding): Verdict['holds'] => {
    if (level === null) return null;
    return level.low && conditions.gasTankLow(chain, { address, ...level });
  };
  const given = gasTank.standings().map((standing) => ({ subject: standing.chain.key, holds: verdictOf(standing) }));
  return verdicts('gas_tank_low', given);
}

function chainVerdict(
  { chain, lastSuccess }: ChainReader,
  { now, startedAt }: { now: number; startedAt: number },
): Verdict['holds'] {
  const at = lastSuccess();
  if (now - (at ?? startedAt) > CHAIN_SILENT_MS) return conditions.chainUnreachable(chain);
  return at === null ? null : false;
}

/** Which chains have not answered for a while. One that has never answered is unknown at first. */
function findSilentChains({ chains, clock, startedAt }: Pick<ConditionDeps, 'chains' | 'clock' | 'startedAt'>) {
  const now = clock();
  const given = chains.list().map((reader) => ({
    subject: reader.chain.key,
    holds: chainVerdict(reader, { now, startedAt }),
  }));
  return verdicts('chain_unreachable', given);
}

/** Which of several endpoints of a chain are passed over. Before they were asked none is known to be. */
function findPassedOver({ chains }: Pick<ConditionDeps, 'chains'>): Conditions {
  const found = chains
    .list()
    .flatMap(({ chain, endpoints }) =>
      endpoints().flatMap(({ fault, ...endpoint }) =>
        fault === null ? [] : [conditions.endpointPassedOver(chain, { ...endpoint, fault })],
      ),
    );
  return known(found);
}

/** Whether the clock was set back, and whether it agrees with each chain's. */
function findClocksOff({ chains, clocks }: Pick<ConditionDeps, 'chains' | 'clocks'>): Conditions {
  const ofChains = chains.list().map(({ chain }) => ({ subject: chain.key, holds: clocks.verdictOn(chain) }));
  const setBack: Verdict = { subject: conditions.CLOCK, holds: clocks.setBack() ?? false };
  return verdicts('clock_off', [setBack, ...ofChains]);
}

/** Between the end of a pause and the next try, and before anything was tried, nothing is known. */
function pauseVerdict({ platform, lastSuccess, paused }: PlatformStatus, now: number): Verdict['holds'] {
  if (paused === null) return lastSuccess === null ? null : false;
  if (paused.until > now) return conditions.platformPaused({ platform, reason: paused.reason });
  return now - paused.until > PAUSE_PROVED_MS ? false : null;
}

function findPaused({ health, clock }: Pick<ConditionDeps, 'health' | 'clock'>): Conditions {
  const now = clock();
  const given = health.standings().map((status) => ({
    subject: platformFacts(status.platform).slug,
    holds: pauseVerdict(status, now),
  }));
  return verdicts('platform_paused', given);
}

/** Whether nothing is paid, because the store is on another server than before. */
export async function findStop({ store }: { store: Pick<Store, 'paymentStop'> }): Promise<Condition[]> {
  const stop = await store.paymentStop();
  return stop === null ? [] : [conditions.paymentsStopped(stop)];
}

/** Every gig that is frozen. */
export async function findFrozenGigs({ store }: { store: Pick<Store, 'frozenGigs'> }): Promise<Condition[]> {
  return (await store.frozenGigs()).map(conditions.gigFrozen);
}

/** The payments that are late, on each of these chains. */
export async function findLate(
  deps: Parameters<typeof findLatePayments>[0],
  { chainIds }: { chainIds: readonly number[] },
): Promise<Condition[]> {
  const held = Map.groupBy(await findLatePayments(deps, { chainIds }), ({ chainId }) => chainId);
  return [...held].map(([chainId, ofChain]) => conditions.paymentsLate(chainId, ofChain));
}

/** The payments that the endpoints of these chains keep from being made. */
export async function findBlockedPayments(
  deps: Parameters<typeof findBlocked>[0],
  { chainIds }: { chainIds: readonly number[] },
): Promise<Condition[]> {
  return (await findBlocked(deps, { chainIds })).map(({ chainId, ...found }) =>
    conditions.paymentsBlocked(chainId, found),
  );
}

/** The gigs whose last audit failed, but for those that lack only the answer of a chain that is `silent` as a whole. */
export async function findFailedAudits(
  { store }: { store: Pick<Store, 'auditFaults'> },
  { silent = new Set() }: { silent?: ReadonlySet<number> } = {},
): Promise<Condition[]> {
  const faults = await store.auditFaults();
  return faults
    .filter(({ isUnanswered, chainId }) => !(isUnanswered && silent.has(chainId)))
    .map(conditions.auditFailed);
}

/** The watched gigs for which nothing succeeded for a day. */
async function findOverdueGigs(deps: Parameters<typeof findWatchedGigs>[0]): Promise<Condition[]> {
  return (await findWatchedGigs(deps)).overdue.map(conditions.earningOverdue);
}

/** The settled gigs whose refund is late. */
export async function findRefundsLate(deps: Parameters<typeof findLateRefunds>[0]): Promise<Condition[]> {
  return (await findLateRefunds(deps)).map(conditions.refundLate);
}

/** The gigs whose refund or return failed. */
export async function findRefundsFailed(deps: Parameters<typeof findFailedRefunds>[0]): Promise<Condition[]> {
  return (await findFailedRefunds(deps)).map(conditions.refundFailed);
}

/** Whether the disk of the database is nearly full. @throws Error when that cannot be determined */
export async function findFullDisk({ readDisk }: Pick<ConditionDeps, 'readDisk'>): Promise<Condition[]> {
  const space = await readDisk();
  return space !== null && isNearlyFull(space) ? [conditions.diskNearlyFull(space)] : [];
}

/** What cannot be read is unknown, and keeps no other condition from being found. */
async function read(
  { log }: Pick<ConditionDeps, 'log'>,
  kind: ConditionKind,
  find: () => Promise<Condition[]>,
): Promise<Conditions> {
  try {
    return known(await find());
  } catch (error) {
    log.error({ condition: kind, error: summarizeError(error) }, 'cannot read whether a condition holds');
    return { found: [], unknown: [{ kind, subject: null }] };
  }
}

/** Everything that is wrong now with the service or with what it depends on, so that the operator must act. */
export async function findConditions(deps: ConditionDeps): Promise<Conditions> {
  const readers = deps.chains.list();
  const chainIds = readers.map(({ chain }) => chain.id);
  const silentChains = findSilentChains(deps);
  const keys = new Set(silentChains.found.map(({ subject }) => subject));
  const silent = new Set(readers.flatMap(({ chain }) => (keys.has(chain.key) ? [chain.id] : [])));
  const parts = [
    await read(deps, 'payments_stopped', () => findStop(deps)),
    await read(deps, 'disk_nearly_full', () => findFullDisk(deps)),
    silentChains,
    findPassedOver(deps),
    findLowTanks(deps),
    findPaused(deps),
    findClocksOff(deps),
    await read(deps, 'payments_late', () => findLate(deps, { chainIds })),
    await read(deps, 'payments_blocked', () => findBlockedPayments(deps, { chainIds })),
    await read(deps, 'gig_frozen', () => findFrozenGigs(deps)),
    await read(deps, 'audit_failed', () => findFailedAudits(deps, { silent })),
    await read(deps, 'earning_overdue', () => findOverdueGigs(deps)),
    await read(deps, 'refund_late', () => findRefundsLate(deps)),
    await read(deps, 'refund_failed', () => findRefundsFailed(deps)),
  ];
  return { found: parts.flatMap(({ found }) => found), unknown: parts.flatMap(({ unknown }) => unknown) };
}
