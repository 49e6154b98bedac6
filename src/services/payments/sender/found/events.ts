import { lookBackFrom } from '../../../../domain/chains/block.ts';
import type { Address } from '../../../../domain/gigs/token.ts';
import type { PaidEvent, PayerChain, WalletNumbers } from '../../../../domain/payments/payer-chain.ts';
import { smaller } from '../../../../domain/payments/payment-step.ts';
import type { Store } from '../../../../store/port/index.ts';

/** How many requests for events the sender makes at once: a chain's payments wait meanwhile. */
export const FEW_REQUESTS = 100n;

/** Where the creation was not noted, the wallet can first have paid at the start. */
async function firstBlockOf(store: Store, gigId: number): Promise<bigint> {
  const [gig, [start]] = await Promise.all([store.gig(gigId), store.gigTransactions(gigId)]);
  return lookBackFrom(gig?.createdBlock ?? start?.blockNumber ?? 0n);
}

/** The payments of these gigs' wallets since their creation, up to a block. */
export async function readEvents(
  { store, payer }: { store: Store; payer: PayerChain },
  gigs: readonly { readonly id: number; readonly wallet: Address }[],
  { until, ...terms }: { until: bigint; mostRequests?: bigint | undefined; marked?: readonly WalletNumbers[] },
): Promise<PaidEvent[]> {
  if (gigs.length === 0) return [];
  const blocks = await Promise.all(gigs.map(({ id }) => firstBlockOf(store, id)));
  const from = blocks.reduce(smaller, until);
  return await payer.paidEvents({ wallets: gigs.map(({ wallet }) => wallet), from, to: until, ...terms });
}
