import type { Actor } from '../domain/actor.ts';
import { formatAmount } from '../domain/amount.ts';
import type { Chains } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { type Gig, requiredFunds } from '../domain/gig.ts';
import { type Log, summarizeError } from '../log.ts';
import type { Store } from '../store/port.ts';
import { changeFreeze } from './freezes.ts';
import { findGig } from './gigs.ts';

export interface FundingDeps {
  readonly store: Pick<Store, 'transaction' | 'gig' | 'fundingsToCheck'>;
  readonly chains: Chains;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

const FUNDING_CHECK: Actor = { kind: 'job', name: 'funding check' };

/** Stops a gig whose money is gone, or lets it pay, and remembers that this was looked at. */
async function settle({ store, clock, log }: FundingDeps, gig: Gig, held: bigint): Promise<void> {
  const { decimals, symbol } = gig.token;
  const missing = requiredFunds(gig) - held;
  const reason =
    missing > 0n
      ? `its funding is gone from the chain since it was started: ${formatAmount(missing, decimals)} ${symbol} are missing`
      : null;
  const isNew = await store.transaction(async (tx) => {
    if (!(await tx.markFundingChecked(gig.id))) return false;
    if (reason !== null) await changeFreeze(tx, { actor: FUNDING_CHECK, now: clock() }, { gigId: gig.id, reason });
    return true;
  });
  if (!isNew) return;
  if (reason === null) log.info({ gigId: gig.id }, 'funding confirmed');
  else log.error({ gigId: gig.id, reason }, 'gig stopped');
}

async function checkChain(deps: FundingDeps, chainId: number): Promise<boolean> {
  const waiting = await deps.store.fundingsToCheck(chainId);
  if (waiting.length === 0) return false;
  const reader = deps.chains.reader(chainId);
  const blockNumber = await reader.settledBlock();
  const due = waiting.filter(({ checkBlock }) => checkBlock <= blockNumber);
  for (const { gigId } of due) {
    const gig = await findGig(deps, { gigId });
    // Nothing was paid out since, so the wallet must still hold all of it; more is no fault.
    const { amount } = await reader.balanceIn({ token: gig.token, owner: gig.walletAddress, blockNumber });
    await settle(deps, gig, amount);
  }
  return due.length > 0;
}

/**
 * Looks again at the funding of gigs that were started on one chain, once the block in which it was seen has the chain's
 * confirmations: a reorganisation may have taken it back since.
 * @returns whether any was looked at
 */
export async function checkFundings(deps: FundingDeps, chainId: number): Promise<boolean> {
  try {
    return await checkChain(deps, chainId);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'the funding of started gigs cannot be confirmed yet');
    return false;
  }
}
