import { type Audit, addsUp } from '../../domain/audit.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { changeFreeze } from '../gigs/freezes.ts';
import { type AuditDeps, type AuditSubject, auditOf, findLiveGig, startOf, takeSnapshot } from './audit-gig.ts';

/** How many wallets' events one request covers. */
const BATCH = 50;
const PAGE = 500;
/** Errors that one token's contract can cause by itself; then the gigs of the batch are audited one by one. */
const MAY_BE_ONE_TOKENS_FAULT: readonly string[] = ['bad_response', 'rejected', 'rate_limited'];

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

/** Every gig that ever went live, oldest first. */
async function liveGigs({ store, clock }: Pick<AuditDeps, 'store' | 'clock'>): Promise<Gig[]> {
  // The same time for both phases; otherwise a gig that ends meanwhile could be in neither.
  const now = clock();
  const found: Gig[] = [];
  for (const phase of ['live', 'ended'] as const) {
    let before: number | undefined;
    do {
      const page: Gig[] = await store.gigs({ phase, now, limit: PAGE, before });
      found.push(...page);
      before = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (before !== undefined);
  }
  return found.sort((a, b) => a.id - b.id);
}

/** Freezes or releases a gig. A freeze that was set during the audit stays, because the audit did not see it. */
async function decide(
  { store, clock, actor }: AuditDeps,
  { gig, freezeReason: before }: AuditSubject,
  reason: string | null,
) {
  return await store.transaction(async (tx) => {
    const current = await tx.gigFreeze(gig.id);
    if (reason === current || (reason === null && current !== before)) return current;
    return await changeFreeze(tx, { actor, now: clock() }, { gigId: gig.id, reason });
  });
}

function reasonOf({ problems: [problem, ...more] }: Audit): string | null {
  if (problem === undefined) return null;
  return `it does not add up: ${problem.text}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

async function conclude(deps: AuditDeps, started: AuditSubject, result: Audit | AdapterError): Promise<Reconciled> {
  const { gig, freezeReason: before } = started;
  if (result instanceof AdapterError) {
    return { gig, audit: null, error: result.message, frozen: before, change: null };
  }
  // An unproven result changes nothing, because an endpoint may lag.
  const frozen =
    addsUp(result) === null ? await deps.store.gigFreeze(gig.id) : await decide(deps, started, reasonOf(result));
  const isSame = (frozen === null) === (before === null);
  return { gig, audit: result, error: null, frozen, change: isSame ? null : frozen === null ? 'released' : 'frozen' };
}

async function attempt<T>(work: () => Promise<T>): Promise<T | AdapterError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError) return error;
    throw error;
  }
}

async function reconcileBatch(deps: AuditDeps, chainId: number, batch: readonly AuditSubject[]): Promise<Reconciled[]> {
  const snapshot = await attempt(() => takeSnapshot(deps.auditors.auditor(chainId), batch));
  const results: Reconciled[] = [];
  if (snapshot instanceof AdapterError && batch.length > 1 && MAY_BE_ONE_TOKENS_FAULT.includes(snapshot.reason)) {
    for (const started of batch) results.push(...(await reconcileBatch(deps, chainId, [started])));
    return results;
  }
  for (const started of batch) {
    const result = snapshot instanceof AdapterError ? snapshot : await attempt(() => auditOf(deps, started, snapshot));
    results.push(await conclude(deps, started, result));
  }
  return results;
}

/**
 * Checks on chain that each live gig, or one gig, holds its funding less what was paid in tips and fees. A mismatch
 * freezes the gig, a match releases it from any freeze, and no proof changes nothing; anyone can send a surplus.
 * @throws DomainError `gig_not_found`, or `invalid_request` for a gig that has not started
 */
export async function reconcileGigs(
  deps: AuditDeps,
  { gigId }: { gigId?: number | undefined } = {},
): Promise<Reconciled[]> {
  const gigs = gigId === undefined ? await liveGigs(deps) : [await findLiveGig(deps, gigId)];
  const starts = await Promise.all(gigs.map((gig) => startOf(deps.store, gig)));
  const started = starts.sort((a, b) => Number(a.startBlock - b.startBlock));
  const results: Reconciled[] = [];
  for (const [chainId, ofChain] of Map.groupBy(started, ({ gig }) => gig.token.chainId)) {
    for (let next = 0; next < ofChain.length; next += BATCH) {
      results.push(...(await reconcileBatch(deps, chainId, ofChain.slice(next, next + BATCH))));
    }
  }
  return results.sort((a, b) => a.gig.id - b.gig.id);
}
