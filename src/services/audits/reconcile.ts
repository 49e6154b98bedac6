import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { type Audit, addsUp, auditGig, type GigBooks } from '../../domain/payments/audit.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { type NumberBits, numbersWithout } from '../../domain/payments/payment-numbers.ts';
import type { ReadContext } from '../context.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { changeFreeze } from '../gigs/freezes.ts';
import { adoptMarks } from '../payments/sender/found/adopt.ts';
import { findVoidPaid, readKnownMarks } from '../payments/sender/found/known-marks.ts';
import { type Fault, forgetAuditFaults, storeAuditFaults } from './audit-faults.ts';
import { findGigsWithMoney, findStartedGigs } from './audited-gigs.ts';
import type { AuditContext } from './context.ts';

/** The wallets of so many gigs share a request. */
const TOGETHER = 100;
/** How often answers about the gigs of one token are waited for in vain: whoever makes a token can make it slow. */
const MOST_WAITS = 10;

export interface Reconciled {
  readonly gig: Gig;
  /** Null when its chain did not answer; then the gig was not changed. */
  readonly audit: Audit | null;
  /** Why its chain did not answer, or null. */
  readonly error: string | null;
  /** Why the gig is frozen now, or null. */
  readonly frozen: string | null;
  /** Whether this audit froze or released it; null when neither. */
  readonly change: 'frozen' | 'released' | null;
}

/** Why the books of a gig do not prove what its wallet owes; null when they do. */
export function whyUnproved({ audit, error, frozen }: Reconciled): string | null {
  if (audit === null) return error;
  if (addsUp(audit) === true) return frozen;
  return [...audit.problems, ...audit.unproved].join('; ');
}

/** @throws DomainError `gig_not_found`, or `invalid_request` when the gig has not started */
async function findStartedGig(deps: ReadContext, gigId: number): Promise<Gig> {
  const gig = await findGig(deps, { gigId });
  if (gig.status !== 'created') return gig;
  throw invalidRequest(`Gig ${gigId} has not started, so it owes nothing.`);
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));

interface Marked {
  readonly gig: Gig;
  readonly known: NumberBits;
}

/** Of the numbers that the ledger has marked those that the chain shows in each wallet, after a block. */
async function readMarked(payer: PayerChain, marked: readonly Marked[], blockNumber: bigint): Promise<NumberBits[]> {
  const words = marked.map(({ known }) => [...known.keys()]);
  const queries = marked.flatMap(({ gig: { walletAddress: wallet }, known }, index) =>
    (words[index] ?? []).map((word) => ({ wallet, word, due: known.get(word) ?? 0n })),
  );
  const bits = (await payer.marks(queries, blockNumber)).values();
  return words.map((ofGig) => new Map(ofGig.map((word) => [word, bits.next().value ?? 0n])));
}

/** Read after the block: each of its payments was in the ledger before it was sent. */
async function readBooks({ store }: AuditContext, { gig, known }: Marked, blockNumber: bigint): Promise<GigBooks> {
  const { id, token } = gig;
  const [start] = await store.gigTransactions(id);
  if (start === undefined) throw new TypeError(`gig ${id} is live, and its start was not recorded`);
  return {
    startBlock: start.blockNumber,
    awaitsCheck: start.checkBlock !== null,
    ...(await store.gigPaid(id, { chainId: token.chainId, blockNumber })),
    voidPaid: await findVoidPaid(store, id, known),
    freeze: await store.gigFreeze(id),
  };
}

/**
 * Audits gigs of one chain as of a settled block, in the order of the gigs. What their wallets have paid and the ledger
 * does not know is taken into it first.
 * @throws AdapterError when the chain does not answer
 */
async function auditTogether(
  deps: AuditContext,
  payer: PayerChain,
  { gigs, isThorough }: { gigs: readonly Gig[]; isThorough: boolean },
): Promise<Audit[]> {
  const { store } = deps;
  const unexplained = new Set((await adoptMarks(deps, payer, { gigs, isThorough })).unexplained);
  const marked: Marked[] = [];
  for (const gig of gigs) marked.push({ gig, known: await readKnownMarks(store, gig.id) });
  const { number: blockNumber } = (await payer.head()).settled;
  const shown = await readMarked(payer, marked, blockNumber);
  const balances = await payer.balances(
    gigs.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address })),
    blockNumber,
  );
  const audits: Audit[] = [];
  for (const [index, { gig, known }] of marked.entries()) {
    const onChain = shown[index] ?? new Map();
    const facts = {
      blockNumber,
      held: balances[index] ?? null,
      isExplained: !unexplained.has(gig.id),
      unmarked: [...known.keys()].sort(ascending).flatMap((word) => numbersWithout(word, known, onChain)),
    };
    audits.push(auditGig(gig, await readBooks(deps, { gig, known }, blockNumber), facts));
  }
  return audits;
}

/**
 * As {@link auditTogether}; a gig that does not add up is looked at once more, by its wallet's events: what was paid for
 * tips that the ledger has lost is found by them alone, and much may happen meanwhile.
 */
async function auditTwice(deps: AuditContext, payer: PayerChain, gigs: readonly Gig[]): Promise<Audit[]> {
  const audits = await auditTogether(deps, payer, { gigs, isThorough: false });
  const wrong = gigs.filter((_, index) => audits[index]?.problems.length !== 0);
  if (wrong.length === 0) return audits;
  const again = await auditTogether(deps, payer, { gigs: wrong, isThorough: true });
  return audits.map((audit, index) => again[wrong.findIndex(({ id }) => id === gigs[index]?.id)] ?? audit);
}

function reasonOf({ problems: [problem, ...more] }: Audit): string | null {
  if (problem === undefined) return null;
  return `it does not add up: ${problem}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

async function conclude(deps: AuditContext, gig: Gig, { audit, before }: { audit: Audit; before: string | null }) {
  const { store, clock, actor } = deps;
  const reason = reasonOf(audit);
  const frozen = await store.transaction(async (tx) => {
    const current = await tx.gigFreeze(gig.id);
    // An unproven result changes nothing, and a freeze that was set during the audit stays: the audit did not see it.
    if (addsUp(audit) === null || reason === current || (reason === null && current !== before)) return current;
    return await changeFreeze(tx, { actor, now: clock() }, { gigId: gig.id, reason });
  });
  const isSame = (frozen === null) === (before === null);
  const change: Reconciled['change'] = isSame ? null : frozen === null ? 'released' : 'frozen';
  return { gig, audit, error: null, frozen, change };
}

/** A chain that fails to answer one question may answer others. */
async function isThere({ payers }: AuditContext, chainId: number): Promise<boolean> {
  try {
    await payers.payer(chainId).head();
    return true;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return false;
  }
}

/** By token first, because a token is what fails. */
function split(gigs: readonly Gig[]): (readonly Gig[])[] {
  const ofTokens = [...Map.groupBy(gigs, ({ token }) => token.id).values()];
  if (ofTokens.length > 1) return ofTokens;
  const half = Math.ceil(gigs.length / 2);
  return [gigs.slice(0, half), gigs.slice(half)];
}

interface Group {
  readonly chainId: number;
  readonly gigs: readonly Gig[];
  /** What is left of {@link MOST_WAITS}; those of a token share it. */
  readonly waits: { left: number };
  /** Called for each gig that is done with. */
  readonly onGig: () => void;
}

/** Empty when smaller groups are of no use. */
async function findParts(deps: AuditContext, group: Group, error: AdapterError): Promise<Group[]> {
  const { chainId, gigs, waits } = group;
  if (error.retry !== 'never') waits.left -= 1;
  if (gigs.length === 1 || waits.left <= 0 || !(await isThere(deps, chainId))) return [];
  const isOneToken = gigs.every(({ token }) => token.id === gigs[0]?.token.id);
  return split(gigs).map((part) => ({ ...group, gigs: part, waits: isOneToken ? waits : { left: MOST_WAITS } }));
}

/** A gig whose events or token cannot be read in time keeps no other from its audit. */
async function reconcileTogether(deps: AuditContext, group: Group): Promise<Reconciled[]> {
  const { chainId, gigs, onGig } = group;
  const before = await Promise.all(gigs.map(({ id }) => deps.store.gigFreeze(id)));
  const results: Reconciled[] = [];
  let audits: Audit[];
  try {
    const payer = deps.payers.payer(chainId);
    audits = await payer.decide(() => auditTwice(deps, payer, gigs));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const parts = await findParts(deps, group, error);
    for (const part of parts) results.push(...(await reconcileTogether(deps, part)));
    if (parts.length > 0) return results;
    const { message } = error;
    return gigs.map((gig, index) => {
      onGig();
      return { gig, audit: null, error: message, frozen: before[index] ?? null, change: null };
    });
  }
  for (const [index, gig] of gigs.entries()) {
    const audit = audits[index];
    if (audit === undefined) throw new TypeError(`gig ${gig.id} was not audited`);
    results.push(await conclude(deps, gig, { audit, before: before[index] ?? null }));
    onGig();
  }
  return results;
}

/** Null also for an audit that was only inconclusive. */
function faultOf({ gig, audit, error }: Reconciled): Fault | null {
  const { chainId } = gig.token;
  if (audit === null) return { chainId, isUnanswered: true, reason: error ?? 'its chain does not answer' };
  const reason = reasonOf(audit);
  return reason === null ? null : { chainId, isUnanswered: false, reason };
}

async function reconcileAll(deps: AuditContext, gigs: readonly Gig[]): Promise<Reconciled[]> {
  const results: Reconciled[] = [];
  let done = 0;
  const onGig = () => {
    done += 1;
    deps.onAudited?.(done, gigs.length);
  };
  deps.onAudited?.(done, gigs.length);
  for (const [chainId, ofChain] of Map.groupBy(gigs, ({ token }) => token.chainId)) {
    for (let start = 0; start < ofChain.length; start += TOGETHER) {
      const group = { chainId, gigs: ofChain.slice(start, start + TOGETHER), waits: { left: MOST_WAITS }, onGig };
      results.push(...(await reconcileTogether(deps, group)));
    }
  }
  await storeAuditFaults(deps, new Map(results.map((result) => [result.gig.id, faultOf(result)])));
  return results.sort((a, b) => a.gig.id - b.gig.id);
}

/**
 * Compares every started gig, or one, with its chain: what its wallet has paid, which the ledger takes over where it does
 * not know it, and what it holds. A shortfall freezes the gig, a match releases it from any freeze but the operator's, and
 * no proof changes nothing; anyone can send a surplus.
 * @throws DomainError `gig_not_found`, or `invalid_request` for a gig that has not started
 */
export async function reconcileGigs(
  deps: AuditContext,
  { gigId }: { gigId?: number | undefined } = {},
): Promise<Reconciled[]> {
  const gigs = gigId === undefined ? await findStartedGigs(deps) : [await findStartedGig(deps, gigId)];
  return await reconcileAll(deps, gigs);
}

/** As {@link reconcileGigs}, of one gig. */
export async function reconcileGig(deps: AuditContext, gigId: number): Promise<Reconciled> {
  const [reconciled] = await reconcileGigs(deps, { gigId });
  if (reconciled === undefined) throw new TypeError(`gig ${gigId} was not audited`);
  return reconciled;
}

/** Reconciles the gigs whose money is not all accounted for, and logs what it finds. */
export async function reconcileOpenGigs(deps: AuditContext): Promise<Reconciled[]> {
  const { log } = deps;
  const gigs = await findGigsWithMoney(deps);
  const results = await reconcileAll(deps, gigs);
  await forgetAuditFaults(
    deps,
    gigs.map(({ id }) => id),
  );
  for (const { gig, audit, error, frozen, change } of results) {
    const fields = { gigId: gig.id, frozen };
    if (error !== null) log.warn({ ...fields, error }, 'gig could not be audited');
    if (change === 'frozen') log.error(fields, 'gig frozen');
    if (change === 'released') log.info(fields, 'gig pays again');
    for (const text of audit?.unproved ?? []) log.warn({ ...fields, text }, 'the audit of a gig is inconclusive');
    for (const text of audit?.notes ?? []) log.info({ ...fields, text }, 'noted in an audit');
  }
  return results;
}
