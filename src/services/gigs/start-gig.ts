import { commitmentOf, SECRET_BYTES } from '../../domain/earning/payouts/draw.ts';
import { payoutOf } from '../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../domain/errors.ts';
import { fundedEvent } from '../../domain/events/event.ts';
import { type Gig, liveWindow, requiredFunds, START_LEASE_MS } from '../../domain/gigs/gig.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { carryOut, type Prepared } from '../prepared.ts';
import { type Commanded, commandGig } from './command-gig.ts';
import type { StartContext } from './context.ts';
import { findGig, requireNotLive } from './find-gigs.ts';
import { readFunding } from './read-funding.ts';

export interface StartGigRequest {
  readonly gigId: number;
  /** Names this attempt at the start. Only it can release the lock or make the gig live under it. */
  readonly holder: string;
  /** The prefix of earlier attempts' holders at the same request; their lock is taken over. */
  readonly takesOver?: string;
  /** Runs first in the transaction that takes the lock; if it throws, nothing is changed. */
  readonly confirm?: (tx: StoreTx) => Promise<void>;
  readonly actor: Actor;
}

/** A start that is possible: the gig is funded, and locked until this is committed or abandoned. */
export interface PreparedStart extends Prepared<Gig> {
  readonly started: Gig;
  abandon(): Promise<void>;
}

async function takeLock({ store, clock }: StartContext, request: StartGigRequest): Promise<Gig> {
  const { gigId, holder, takesOver, confirm, actor } = request;
  return await store.transaction(async (tx) => {
    await confirm?.(tx);
    const gig = await commandGig(tx, { gigId, actor, act: 'start' });
    const now = clock();
    requireNotLive(gig, now);
    if (gig.cancelledAt !== null) throw new DomainError({ code: 'gig_cancelled', gigId });
    const locked = await tx.lockGig(gigId, { holder, takesOver, now, until: now + START_LEASE_MS });
    if (!locked) throw new DomainError({ code: 'gig_in_progress', gigId });
    return gig;
  });
}

function sameTerms(a: Gig, b: Gig): boolean {
  return requiredFunds(a) === requiredFunds(b) && a.token.id === b.token.id && a.walletAddress === b.walletAddress;
}

async function planFee(tx: StoreTx, gig: Commanded, treasury: Address | null, now: number): Promise<void> {
  if (treasury === null || gig.feeAmount === 0n) return;
  await tx.planPayment(
    {
      kind: 'fee',
      chainId: gig.token.chainId,
      gigId: gig.id,
      claimId: null,
      tokenId: gig.token.id,
      recipient: treasury,
      amount: gig.feeAmount,
    },
    { now, tipIds: [] },
  );
}

/** Keeps a secret for a draw, which will show it. */
async function watch(
  tx: StoreTx,
  { id: gigId }: Commanded,
  { nextAt, randomBytes }: { nextAt: number; randomBytes: StartContext['randomBytes'] },
) {
  const stored = await tx.earningRules(gigId);
  if (stored === null) return;
  const payout = payoutOf(readStoredRules(stored.rules).rule);
  const newSecret = () => Buffer.from(randomBytes(SECRET_BYTES)).toString('hex');
  const entrySecret = payout.entry === undefined ? null : newSecret();
  await tx.openWatch(gigId, { target: stored.target, nextAt, entrySecret });
  if (!payout.hasDraw) return;
  const secret = newSecret();
  await tx.openDraw(gigId, { secret, commitment: commitmentOf(secret) });
}

/** `now` is when the funding was seen, in epoch milliseconds. */
interface Funded {
  readonly gig: Gig;
  readonly seen: { readonly blockNumber: bigint; readonly checkBlock: bigint | null };
  readonly now: number;
}

async function goLive(
  tx: StoreTx,
  { treasury, randomBytes, gigId, holder, actor }: StartContext & StartGigRequest,
  { gig: funded, seen, now }: Funded,
): Promise<Gig> {
  // An owner may have been removed while the chain was asked.
  const gig = await commandGig(tx, { gigId, actor, act: 'start' });
  requireNotLive(gig, now);
  // The balance was compared with the terms read under the lock, so changed terms need a new check.
  if (!sameTerms(gig, funded)) throw new DomainError({ code: 'gig_in_progress', gigId });
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
  await watch(tx, gig, { nextAt: window.startTime, randomBytes });
  await tx.insertEvents([fundedEvent(gig, now)]);
  const detail = { amount: gig.rewardAmount, fee: gig.feeAmount, block: seen.blockNumber };
  await recordGigEvent(tx, { actor, now }, { action: 'gig.start', gigId, detail });
  return await findGig({ store: tx }, { gigId });
}

/**
 * Locks a created gig and checks that its wallet was funded with exactly reward plus fee. At most one of several concurrent
 * starts can be committed; a failed preparation releases the lock and changes nothing else.
 * @throws DomainError as {@link commandGig}, `gig_already_live`, `gig_ended`, `gig_in_progress`, `gig_not_funded`
 * @throws AdapterError when the chain cannot be asked
 */
export async function prepareStart(deps: StartContext, request: StartGigRequest): Promise<PreparedStart> {
  const { gigId, holder } = request;
  const gig = await takeLock(deps, request);
  const abandon = async () => {
    await deps.store
      .transaction((tx) => tx.unlockGig(gigId, holder), { narrow: true })
      .catch((cause: unknown) => {
        throw new Error(`gig ${gigId}: its start lock could not be given back; it ends with its lease`, { cause });
      });
  };
  try {
    const funding = await readFunding(deps, { gig });
    if (funding.actual !== funding.expected) throw new DomainError({ code: 'gig_not_funded', gigId, funding });
    const { paidBefore, chain } = funding;
    const blockNumber = paidBefore?.since ?? funding.blockNumber;
    // A reorganisation may remove the funding; what was seen in a settled block needs no second check.
    const checkBlock = paidBefore === null && chain.confirmations > 1 ? blockNumber : null;
    const now = deps.clock();
    const started: Gig = { ...gig, ...liveWindow(gig, now), status: 'live', production: true, wentLiveAt: now };
    const funded: Funded = { gig, seen: { blockNumber, checkBlock }, now };
    return { started, commit: (tx) => goLive(tx, { ...deps, ...request }, funded), abandon };
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** Makes a created gig live: {@link prepareStart} and its commit. */
export async function startGig(deps: StartContext, request: StartGigRequest): Promise<Gig> {
  return await carryOut(deps, await prepareStart(deps, request));
}
