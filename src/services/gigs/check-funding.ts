import type { Actor } from '../../domain/actor.ts';
import { formatAmount } from '../../domain/amount.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type FundingCheck, type Gig, requiredFunds } from '../../domain/gig.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';
import { findGig } from './find-gigs.ts';
import { changeFreeze } from './freezes.ts';
import { type FundingSource, findPaidBefore } from './read-funding.ts';

export interface FundingDeps extends FundingSource {
  readonly store: Pick<Store, 'transaction' | 'gig' | 'fundingsToCheck'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

const FUNDING_CHECK: Actor = { kind: 'job', name: 'funding check' };

/** Records that the check was made, and freezes the gig if its funding is missing. */
async function settle({ store, clock, log }: FundingDeps, gig: Gig, missing: string | null): Promise<void> {
  const reason =
    missing === null ? null : `its funding is gone from the chain since it was started: ${missing} are missing`;
  const isNew = await store.transaction(async (tx) => {
    if (!(await tx.markFundingChecked(gig.id))) return false;
    if (reason !== null) await changeFreeze(tx, { actor: FUNDING_CHECK, now: clock() }, { gigId: gig.id, reason });
    return true;
  });
  if (!isNew) return;
  if (reason === null) log.info({ gigId: gig.id }, 'funding confirmed');
  else log.error({ gigId: gig.id, reason }, 'gig frozen');
}

/** What a gig's wallet lacks of its funding in a settled block; what it has paid, as an older backup does not know, counts. */
async function findShort({ chains, payers }: FundingDeps, gig: Gig, blockNumber: bigint): Promise<bigint> {
  const { token, walletAddress: owner } = gig;
  const { amount } = await chains.reader(token.chainId).balanceIn({ token, owner, blockNumber });
  const short = requiredFunds(gig) - amount;
  if (short <= 0n) return short;
  const paid = await findPaidBefore({ payers }, gig, blockNumber);
  return short - (paid?.amount ?? 0n);
}

/**
 * Decides on one start by its wallet's balance in a settled block. A shortage counts only when it persists for the
 * chain's confirmations, because a transaction removed by a reorganisation is mostly included again soon.
 * @returns whether it is decided
 */
async function checkOne(deps: FundingDeps, check: FundingCheck, settled: bigint): Promise<boolean> {
  const { gigId, blockNumber, checkBlock } = check;
  const gig = await findGig(deps, { gigId });
  const { decimals, symbol, chainId } = gig.token;
  const reader = deps.chains.reader(chainId);
  // The ledger pays nothing before this check, and a surplus is no problem.
  const short = await findShort(deps, gig, settled);
  const missing = short > 0n ? `${formatAmount(short, decimals)} ${symbol}` : null;
  const wasMissing = checkBlock > blockNumber;
  if (missing === null || wasMissing) {
    await settle(deps, gig, missing);
    return true;
  }
  const to = settled + BigInt(reader.chain.confirmations);
  const isNew = await deps.store.transaction((tx) => tx.postponeFundingCheck(gigId, { from: checkBlock, to }));
  if (isNew)
    deps.log.warn({ gigId, missing, block: settled, nextLook: to }, 'gig funding is missing; checking again later');
  return false;
}

async function checkChain(deps: FundingDeps, chainId: number): Promise<boolean> {
  const waiting = await deps.store.fundingsToCheck(chainId);
  if (waiting.length === 0) return false;
  const settled = await deps.chains.reader(chainId).settledBlock();
  let isAnyDecided = false;
  for (const check of waiting) {
    if (check.checkBlock > settled) continue;
    if (await checkOne(deps, check, settled)) isAnyDecided = true;
  }
  return isAnyDecided;
}

/**
 * Checks the funding of one chain's started gigs again, once the block in which it was seen has the chain's
 * confirmations: a reorganisation may have removed it.
 * @returns whether any was decided on
 */
export async function checkFundings(deps: FundingDeps, chainId: number): Promise<boolean> {
  try {
    return await checkChain(deps, chainId);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'cannot confirm gig funding yet');
    return false;
  }
}
