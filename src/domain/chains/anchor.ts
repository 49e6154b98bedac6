import { AdapterError } from '../errors.ts';
import type { BlockRef } from './block.ts';

/**
 * Refuses a chain as an endpoint tells it that is not as far as the block on which the ledger counts: the endpoint lags,
 * or its chain has lost blocks and will grow again.
 * @throws AdapterError
 */
export function refuseBehind(
  newest: bigint,
  { chainKey, anchor }: { chainKey: string; anchor: BlockRef | null },
): void {
  if (anchor === null || newest >= anchor.number) return;
  const message = `chain ${chainKey}: the endpoint is behind block ${anchor.number}, on which the ledger counts`;
  throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}
