import type { Actor } from '../../domain/actor.ts';
import { type Audit, addsUp, auditGig } from '../../domain/audit.ts';
import type { Chains } from '../../domain/chain.ts';
import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import type { Store } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { changeFreeze } from '../gigs/freezes.ts';

const PAGE = 500;

export interface AuditDeps {
  readonly store: Store;
  readonly chains: Chains;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly actor: Actor;
}

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

/** The gig, which must have started. @throws DomainError `gig_not_found`, or `invalid_request` when it has not */
async function findLiveGig(deps: Pick<AuditDeps, 'store'>, gigId: number): Promise<Gig> {
  const gig = await findGig(deps, { gigId });
  if (gig.status !== 'created') return gig;
  throw invalidRequest(`Gig ${gigId} has not started, so it owes nothing.`);
}

/** Audits one gig as of a settled block. @throws AdapterError when its chain does not answer */
async function audit({ store, chains }: AuditDeps, gig: Gig): Promise<Audit> {
  const { token, walletAddress: owner } = gig;
  const reader = chains.reader(token.chainId);
  const [start] = await store.gigTransactions(gig.id);
  if (start === undefined) throw new TypeError(`gig ${gig.id} is live, and its start was not recorded`);
  const settled = await reader.settledBlock();
  const blockNumber = settled > start.blockNumber ? settled : start.blockNumber;
  const { amount: held } = await reader.balanceIn({ token, owner, blockNumber });
  // Read after the block: each of its payments was in the ledger before it was sent.
  return auditGig(gig, await store.paymentsOfGig(gig.id), { blockNumber, held });
}

function reasonOf({ problems: [problem, ...more] }: Audit): string | null {
  if (problem === undefined) return null;
  return `it does not add up: ${problem}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

async function reconcile(deps: AuditDeps, gig: Gig): Promise<Reconciled> {
  const { store, clock, actor } = deps;
  const before = await store.gigFreeze(gig.id);
  let found: Audit;
  try {
    found = await audit(deps, gig);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { gig, audit: null, error: error.message, frozen: before, change: null };
  }
  const reason = reasonOf(found);
  const frozen = await store.transaction(async (tx) => {
    const current = await tx.gigFreeze(gig.id);
    // An unproven result changes nothing, and a freeze that was set during the audit stays: the audit did not see it.
    if (addsUp(found) === null || reason === current || (reason === null && current !== before)) return current;
    return await changeFreeze(tx, { actor, now: clock() }, { gigId: gig.id, reason });
  });
  const isSame = (frozen === null) === (before === null);
  return { gig, audit: found, error: null, frozen, change: isSame ? null : frozen === null ? 'released' : 'frozen' };
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
  const results: Reconciled[] = [];
  for (const gig of gigs) results.push(await reconcile(deps, gig));
  return results;
}
