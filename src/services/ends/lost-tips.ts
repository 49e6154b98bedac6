import type { Gig } from '../../domain/gig.ts';
import type { StoreReads } from '../../store/port/index.ts';

/**
 * Whether a gig may owe tips that the ledger does not know: the chain has shown payments of tips that it has lost, as
 * after an older backup was put back, and the gig is of that time.
 */
export async function mayOweLostTips(
  reads: Pick<StoreReads, 'lostTipsNoticedAt'>,
  { createdAt }: Pick<Gig, 'createdAt'>,
): Promise<boolean> {
  const lostAt = await reads.lostTipsNoticedAt();
  return lostAt !== null && lostAt >= createdAt;
}
