import { formatAmount } from '../../domain/amount.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type FundingCheck, type Gig, requiredFunds } from '../../domain/gigs/gig.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { summarizeError } from '../../log.ts';
import type { FundingContext } from './context.ts';
import { findGig } from './find-gigs.ts';
import { changeFreeze } from './freezes.ts';
import { findPaidBefore } from './read-funding.ts';

const FUNDING_CHECK: Actor = { kind: 'job', name: 'funding check' };

/** How many gigs are looked at at a time: a slow token keeps few others waiting. */
const AT_ONCE = 8;

interface Doubt {
  /** Why the gig is frozen when it lasts. */
  readonly reason: string;
  /** What the log says when it is new. */
  readonly message: string;
}

const SILENT: Doubt = {
  reason: 'its token contract does not answer with the balance of its wallet, so its funding is unknown',
  message: 'gig funding cannot be read; checking again later',
};

function missing(short: bigint, { decimals, symbol }: Gig['token']): Doubt {
  const amount = `${formatAmount(short, decimals)} ${symbol}`;
  return {
    reason: `its funding is gone from the chain since its start: ${amount} are missing`,
    message: 'gig funding is missing; checking again later',
  };
}

async function endCheck({ store, clock, log }: FundingContext, gig: Gig, reason: string | null): Promise<void> {
  const isNew = await store.transaction(async (tx) => {
    if (!(await tx.markFundingChecked(gig.id))) return false;
    if (reason !== null) await changeFreeze(tx, { actor: FUNDING_CHECK, now: clock() }, { gigId: gig.id, reason });
    return true;
  });
  if (!isNew) return;
  if (reason === null) log.info({ gigId: gig.id }, 'funding confirmed');
  else log.error({ gigId: gig.id, reason }, 'gig frozen');
}

/** Null when the token does not tell. */
async function findHeld({ chains }: FundingContext, gig: Gig, blockNumber: bigint): Promise<bigint | null> {
  const { token, walletAddress: owner } = gig;
  const reader = chains.reader(token.chainId);
  try {
    return (await reader.balanceIn({ token, owner, blockNumber })).amount;
  } catch (error) {
    if (!(error instanceof AdapterError) || error.retry !== 'never' || error.reason !== 'bad_response') throw error;
    // An endpoint of the wrong chain is no fault of the token.
    await reader.ping();
    return null;
  }
}

/** Counts what the wallet has paid, of which an older backup does not know. */
async function findDoubt(deps: FundingContext, gig: Gig, blockNumber: bigint): Promise<Doubt | null> {
  const held = await findHeld(deps, gig, blockNumber);
  if (held === null) return SILENT;
  const short = requiredFunds(gig) - held;
  // The ledger pays nothing before this check, and a surplus is no problem.
  if (short <= 0n) return null;
  const paid = await findPaidBefore(deps, gig, blockNumber);
  const gone = short - (paid?.amount ?? 0n);
  return gone > 0n ? missing(gone, gig.token) : null;
}

/**
 * Decides on one start by its wallet's balance in a settled block. A doubt counts only when it persists for the chain's
 * confirmations, because a transaction removed by a reorganisation is mostly included again soon.
 * @returns whether it is decided
 */
async function checkOne(deps: FundingContext, check: FundingCheck, settled: bigint): Promise<boolean> {
  const { gigId, blockNumber, checkBlock } = check;
  const gig = await findGig(deps, { gigId });
  const doubt = await findDoubt(deps, gig, settled);
  const wasInDoubt = checkBlock > blockNumber;
  if (doubt === null || wasInDoubt) {
    await endCheck(deps, gig, doubt?.reason ?? null);
    return true;
  }
  const to = settled + BigInt(deps.chains.reader(gig.token.chainId).chain.confirmations);
  const isNew = await deps.store.transaction((tx) => tx.postponeFundingCheck(gigId, { from: checkBlock, to }));
  const { reason, message } = doubt;
  if (isNew) deps.log.warn({ gigId, reason, block: settled, nextLook: to }, message);
  return false;
}

/** Null when the chain does not answer for this gig. */
async function tryOne(deps: FundingContext, check: FundingCheck, settled: bigint): Promise<boolean | null> {
  try {
    return await checkOne(deps, check, settled);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ gigId: check.gigId, error: summarizeError(error) }, 'cannot confirm the funding of a gig yet');
    return null;
  }
}

async function checkChain(deps: FundingContext, chainId: number): Promise<boolean> {
  const waiting = await deps.store.fundingsToCheck(chainId);
  if (waiting.length === 0) return false;
  const reader = deps.chains.reader(chainId);
  const settled = await reader.settledBlock();
  const due = waiting.filter(({ checkBlock }) => checkBlock <= settled);
  let isAnyDecided = false;
  for (let start = 0; start < due.length; start += AT_ONCE) {
    const some = due.slice(start, start + AT_ONCE);
    const decided = await Promise.all(some.map((check) => tryOne(deps, check, settled)));
    if (decided.includes(true)) isAnyDecided = true;
    // The others are not asked for while the chain answers nothing at all.
    if (decided.includes(null)) await reader.settledBlock();
  }
  return isAnyDecided;
}

/**
 * Checks the funding of one chain's started gigs again, once the block in which it was seen has the chain's
 * confirmations: a reorganisation may have removed it.
 * @returns whether any was decided on
 */
export async function checkFundings(deps: FundingContext, chainId: number): Promise<boolean> {
  try {
    return await deps.chains.reader(chainId).decide(() => checkChain(deps, chainId));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'cannot confirm gig funding yet');
    return false;
  }
}
