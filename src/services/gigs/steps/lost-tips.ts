import type { Gig } from '../../../domain/gigs/gig.ts';
import type { RefundWait } from '../../../domain/gigs/gig-end.ts';
import type { StoreReads } from '../../../store/port/index.ts';

/**
 * Why a gig may owe tips that the ledger does not know; null when it may not. An older backup was put back, and the gig is
 * of that time: the chain has shown payments of tips that the ledger has lost, or the file of ids knows of later gigs.
 */
export async function whyTipsMayBeLost(
  reads: StoreReads,
  { id, createdAt }: Gig,
): Promise<Extract<RefundWait, 'lost_tips' | 'restored'> | null> {
  const lostAt = await reads.lostTipsNoticedAt();
  if (lostAt !== null && lostAt >= createdAt) return 'lost_tips';
  const doubted = await reads.doubtedUpTo();
  return doubted !== null && id <= doubted ? 'restored' : null;
}
