import { refuseBehind } from '../../../domain/chains/anchor.ts';
import type { PayerChain } from '../../../domain/payments/payer-chain.ts';
import type { Store } from '../../../store/port/index.ts';
import type { Facts } from './context.ts';

/**
 * What a chain says now. The order matters: nonces before the blocks in which their effect is looked up, and the anchor
 * last, so that a reorganisation in between is noticed now or, by the block that was read before, at the next look.
 * @throws AdapterError when the chain does not answer, or is not as far as the block on which the ledger counts: it lags,
 * or has lost blocks and will grow again
 */
export async function readFacts(store: Store, payer: PayerChain): Promise<Facts> {
  const tank = await payer.tank();
  const head = await payer.head();
  const anchor = await store.chainAnchor(payer.chain.id);
  refuseBehind(head.latest.number, { chainKey: payer.chain.key, anchor });
  const isAnchorCanonical = anchor === null || (await payer.isCanonical(anchor));
  return { ...tank, ...head, anchor, isAnchorCanonical };
}
