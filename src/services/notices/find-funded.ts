import type { Chains } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { type Gig, requiredFunds } from '../../domain/gigs/gig.ts';
import { type GigFacts, orderEvents, type Telling } from '../../domain/gigs/notice.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { NoticeContext } from './context.ts';

/** For how long after its creation a gig's wallet is looked at. Milliseconds. */
export const LOOKED_AT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

function mayBeFunded({ status, createdAt, cancelledAt }: GigFacts, now: number): boolean {
  return status === 'created' && cancelledAt === null && now < createdAt + LOOKED_AT_FOR_MS;
}

async function findAwaited({ store }: NoticeContext, tellings: readonly Telling[], now: number): Promise<Gig[]> {
  const ids = new Set(tellings.flatMap(({ gigId, told }) => (told.includes('funded') ? [] : [gigId])));
  const gigs: Gig[] = [];
  for (const id of ids) {
    const facts = await store.gigFacts(id);
    const gig = facts !== null && mayBeFunded(facts, now) ? await store.gig(id) : null;
    if (gig !== null) gigs.push(gig);
  }
  return gigs;
}

/** What the funding of gigs is looked at with. */
export interface FundingLook {
  readonly chains: Chains;
  readonly log: Log;
}

/** None when the chain does not answer. */
async function findOnChain({ chains, log }: FundingLook, chainId: number, gigs: readonly Gig[]): Promise<Gig[]> {
  try {
    const held = await chains
      .reader(chainId)
      .balances(gigs.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address })));
    return gigs.filter((gig, place) => held[place] === requiredFunds(gig));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether gigs are funded');
    return [];
  }
}

/** The gigs, among these, whose wallets hold exactly what they need. */
export async function findFundedGigs(deps: FundingLook, gigs: readonly Gig[]): Promise<Gig[]> {
  const byChain = Map.groupBy(gigs, ({ token }) => token.chainId);
  const found = await Promise.all([...byChain].map(([chainId, ofChain]) => findOnChain(deps, chainId, ofChain)));
  return found.flat();
}

/** The tellings, among these, of created gigs that are exactly funded by now and whose owner was not told so. */
export async function findFunded(deps: NoticeContext, tellings: readonly Telling[], now: number): Promise<Telling[]> {
  const found = await findFundedGigs(deps, await findAwaited(deps, tellings, now));
  const funded = new Set(found.map(({ id }) => id));
  return tellings.filter(({ gigId, told }) => funded.has(gigId) && !told.includes('funded'));
}

/** That a gig is funded, as the next event to tell; null once it is started, or was told. */
export function fundedNext({ told }: Telling, facts: GigFacts, now: number) {
  if (!mayBeFunded(facts, now) || told.includes('funded')) return null;
  return { event: 'funded', told: orderEvents([...told, 'funded']) } as const;
}
