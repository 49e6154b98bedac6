import type { AccountActor, Actor } from '../../domain/actor.ts';
import type { Chains } from '../../domain/chain.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Gig, type GigTransaction, liveWindow, requiredFunds, START_LEASE_MS } from '../../domain/gig.ts';
import type { Address } from '../../domain/token.ts';
import type { Store, StoreTx } from '../../store/port.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { findGig, findReachedGig, readFunding } from './find-gigs.ts';

export interface StartGigDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly chains: Chains;
  /** Where the platform's fee goes after a start; null leaves it in the gig's wallet. */
  readonly treasury: Address | null;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export interface StartGigRequest {
  readonly gigId: number;
  /** Names this attempt at the start. Only this attempt frees the lock or makes the gig live under it. */
  readonly holder: string;
  /** How the names of earlier attempts at the same request begin; their lock is taken over. */
  readonly takesOver?: string;
  /** Runs in the transaction that takes the lock, before it; what it throws ends the attempt with nothing changed. */
  readonly confirm?: (tx: StoreTx) => Promise<void>;
  readonly actor: Actor;
  /** Runs in the transaction that makes the gig live: what it writes happens with the start or not at all. */
  readonly alongside?: (tx: StoreTx, started: Gig) => Promise<void>;
}

async function takeLock({ store, clock }: StartGigDeps, request: StartGigRequest): Promise<Gig> {
  const { gigId, holder, takesOver, confirm, actor } = request;
  return await store.transaction(async (tx) => {
    await confirm?.(tx);
    const gig = await findReachedGig({ store: tx }, { gigId, actor });
    if (gig.status === 'live') throw new DomainError({ code: 'gig_already_live', gigId });
    const now = clock();
    const locked = await tx.lockGig(gigId, { holder, takesOver, now, until: now + START_LEASE_MS });
    if (!locked) throw new DomainError({ code: 'gig_in_progress', gigId });
    return gig;
  });
}

function sameTerms(a: Gig, b: Gig): boolean {
  return requiredFunds(a) === requiredFunds(b) && a.token.id === b.token.id && a.walletAddress === b.walletAddress;
}

async function planFee(tx: StoreTx, gig: Gig, treasury: Address | null, now: number): Promise<void> {
  if (treasury === null || gig.feeAmount === 0n) return;
  await tx.planTransfer(
    {
      kind: 'fee',
      chainId: gig.token.chainId,
      sender: gig.walletAddress,
      gigId: gig.id,
      claimId: null,
      tokenId: gig.token.id,
      recipient: treasury,
      amount: gig.feeAmount,
    },
    { now, tipIds: [] },
  );
}

async function goLive(
  { store, clock, treasury }: StartGigDeps,
  request: StartGigRequest,
  funded: Gig,
  seen: Pick<GigTransaction, 'blockNumber' | 'spentNonces' | 'checkBlock'>,
) {
  const { gigId, holder, actor, alongside } = request;
  return await store.transaction(async (tx) => {
    const gig = await findGig({ store: tx }, { gigId });
    if (gig.status === 'live') throw new DomainError({ code: 'gig_already_live', gigId });
    // The balance was compared with the terms read under the lock; other terms need another look.
    if (!sameTerms(gig, funded)) throw new DomainError({ code: 'gig_in_progress', gigId });
    const now = clock();
    const window = liveWindow(gig, now);
    const live = await tx.markLive(gigId, { holder, ...window });
    if (!live) throw new DomainError({ code: 'gig_in_progress', gigId });
    await tx.recordGigTransaction(
      {
        gigId,
        tokenId: gig.token.id,
        chainId: gig.token.chainId,
        amount: gig.rewardAmount,
        commissionAmount: gig.feeAmount,
        ...seen,
      },
      now,
    );
    await planFee(tx, gig, treasury, now);
    const detail = { amount: gig.rewardAmount, fee: gig.feeAmount, block: seen.blockNumber };
    await recordGigEvent(tx, { actor, now }, { action: 'gig.start', gigId, detail });
    const started = await findGig({ store: tx }, { gigId });
    await alongside?.(tx, started);
    return started;
  });
}

/**
 * Makes a created gig live once its wallet holds exactly reward plus fee. Of any number of simultaneous starts of one
 * gig at most one succeeds; every other way out leaves the gig as it was, with its lock free.
 * @returns the gig as it now is
 * @throws DomainError `gig_not_found`, `gig_already_live`, `gig_in_progress`, `gig_not_funded`
 * @throws AdapterError when the chain cannot be asked
 */
export async function startGig(deps: StartGigDeps, request: StartGigRequest): Promise<Gig> {
  const { gigId, holder } = request;
  const gig = await takeLock(deps, request);
  try {
    const funding = await readFunding(deps, { gig });
    if (funding.actual !== funding.expected) throw new DomainError({ code: 'gig_not_funded', gigId, funding });
    const { blockNumber } = funding;
    const reader = deps.chains.reader(gig.token.chainId);
    const spentNonces = await reader.spentNonces({ address: gig.walletAddress, blockNumber });
    // A reorganisation may take the funding back; where one block is enough to count, nothing is left to look at.
    const checkBlock = reader.chain.confirmations > 1 ? blockNumber : null;
    return await goLive(deps, request, gig, { blockNumber, spentNonces, checkBlock });
  } catch (error) {
    await deps.store
      .transaction((tx) => tx.unlockGig(gigId, holder))
      .catch((cause: unknown) => {
        throw new Error(`gig ${gigId}: its start lock could not be given back; it ends with its lease`, { cause });
      });
    throw error;
  }
}

/**
 * {@link startGig} on behalf of an account, which must be one of the gig's owners by its id.
 * @throws DomainError `not_gig_owner` besides those of startGig
 */
export async function startOwnGig(
  deps: StartGigDeps & { readonly store: Pick<Store, 'transaction' | 'gig' | 'ownsGig'> },
  request: StartGigRequest & { readonly actor: AccountActor },
): Promise<Gig> {
  const { gigId, actor } = request;
  await findGig(deps, { gigId });
  if (!(await deps.store.ownsGig(gigId, actor))) throw new DomainError({ code: 'not_gig_owner', gigId });
  return await startGig(deps, request);
}
