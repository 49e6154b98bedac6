import { lookBackFrom } from '../../domain/chains/block.ts';
import type { Chains } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type Gig, type PaidBefore, type ReadFunding, requiredFunds } from '../../domain/gigs/gig.ts';
import { isOfReturn } from '../../domain/payments/payment.ts';
import { movedOf } from '../../domain/payments/payment-marks.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { ChainReads } from '../context.ts';

/**
 * What a gig's wallet has paid by the contract up to a block; null when it has paid nothing. All wallets that have paid
 * delegate to it, so those of most gigs cost one question.
 * @throws AdapterError when the chain cannot be asked
 */
export async function findPaidBefore(
  { payers }: ChainReads,
  { walletAddress: wallet, token, createdBlock }: Gig,
  until: bigint,
): Promise<PaidBefore | null> {
  if (payers === null) return null;
  const payer = payers.payer(token.chainId);
  const [isDelegated] = await payer.delegated([wallet], until);
  if (isDelegated !== true) return null;
  const from = createdBlock === null ? 0n : lookBackFrom(createdBlock);
  const all = await payer.paidEvents({ wallets: [wallet], from, to: until });
  // What went back is held no more: such a gig had ended.
  const events = all.filter(({ numbers }) => !numbers.some(isOfReturn));
  const [first] = events;
  return first === undefined ? null : { amount: movedOf(events, token.address), since: first.blockNumber };
}

/** In the newest block that is settled; null when the wallet has paid nothing by then. */
async function readSpent(ctx: ChainReads, gig: Gig, latest: bigint) {
  const { token, walletAddress: owner } = gig;
  const reader = ctx.chains.reader(token.chainId);
  const depth = BigInt(reader.chain.confirmations - 1);
  const blockNumber = latest > depth ? latest - depth : 0n;
  const paidBefore = await findPaidBefore(ctx, gig, blockNumber);
  if (paidBefore === null) return null;
  const { amount } = await reader.balanceIn({ token, owner, blockNumber });
  return { actual: amount + paidBefore.amount, blockNumber, paidBefore };
}

/**
 * What the gig's wallet must hold and holds, read from its chain. After an older backup was restored the wallet of a gig
 * that is not started may have paid: that counts as held.
 * @throws AdapterError when the chain cannot be asked
 */
export async function readFunding(ctx: ChainReads, { gig }: { gig: Gig }): Promise<ReadFunding> {
  return await ctx.chains.reader(gig.token.chainId).decide(() => readOnce(ctx, gig));
}

/** As {@link readFunding}; the error when the chain cannot be asked. */
export async function tryFunding(ctx: ChainReads, gig: Gig): Promise<ReadFunding | AdapterError> {
  try {
    return await readFunding(ctx, { gig });
  } catch (error) {
    if (error instanceof AdapterError) return error;
    throw error;
  }
}

async function readOnce(ctx: ChainReads, gig: Gig): Promise<ReadFunding> {
  const { token, walletAddress, status } = gig;
  const reader = ctx.chains.reader(token.chainId);
  const { amount: actual, blockNumber } = await reader.balance({ token, owner: walletAddress });
  const expected = requiredFunds(gig);
  const mayHavePaid = status === 'created' && actual !== expected;
  const spent = mayHavePaid ? await readSpent(ctx, gig, blockNumber) : null;
  const seen = spent ?? { actual, blockNumber, paidBefore: null };
  return { ...seen, expected, token, chain: reader.chain, walletAddress };
}

export interface FundingLook {
  readonly chains: Chains;
  readonly log: Log;
}

/** How much less than it needs a gig's wallet holds: 0 when it holds exactly that, negative when it holds more. Base units. */
type IsFound = (missing: bigint) => boolean;

/** None when the chain does not answer. */
async function findOnChain(
  { chains, log }: FundingLook,
  { chainId, gigs, isFound }: { chainId: number; gigs: readonly Gig[]; isFound: IsFound },
): Promise<Gig[]> {
  try {
    const held = await chains
      .reader(chainId)
      .balances(gigs.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address })));
    return gigs.filter((gig, place) => {
      const balance = held[place];
      return balance !== undefined && balance !== null && isFound(requiredFunds(gig) - balance);
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether gigs are funded');
    return [];
  }
}

async function findByBalance(deps: FundingLook, all: readonly Gig[], isFound: IsFound): Promise<Gig[]> {
  const byChain = Map.groupBy(all, ({ token }) => token.chainId);
  const found = await Promise.all([...byChain].map(([chainId, gigs]) => findOnChain(deps, { chainId, gigs, isFound })));
  return found.flat();
}

/** The gigs, among these, whose wallets hold exactly what they need. */
export async function findFundedGigs(deps: FundingLook, gigs: readonly Gig[]): Promise<Gig[]> {
  return await findByBalance(deps, gigs, (missing) => missing === 0n);
}

/** The gigs, among these, whose wallets hold less than they need. */
export async function findShortGigs(deps: FundingLook, gigs: readonly Gig[]): Promise<Gig[]> {
  return await findByBalance(deps, gigs, (missing) => missing > 0n);
}
