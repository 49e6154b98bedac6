import { AWARD_BATCH } from '../../../domain/earning/payouts/fixed.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { type Awards, runBatches } from './batches.ts';

/** Refuses held accounts of a gig about which its platform is asked no more, as many as one step does. */
export async function refuseHeld({ store, clock }: ServiceContext, gigId: number): Promise<Awards> {
  const refuseSome = async (tx: StoreTx): Promise<Awards> => {
    const query = { reason: 'not_decided', now: clock(), limit: AWARD_BATCH, isHeldOnly: true } as const;
    return { awarded: 0, refused: await tx.refuseOpenEarnings(gigId, query) };
  };
  return await runBatches(() => store.transaction(refuseSome));
}
