import { MINUTE_MS } from '../../../domain/time.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/** Longer than a payment is signed for. */
const LATE_MS = 10 * MINUTE_MS;

/** A payment for a gig was taken ten minutes ago, and is neither in a settled block nor given up. */
export const depositLate = defineCondition({
  kind: 'deposit_late',
  reach: 'gig',
  say: (gigId: number, reason: string | null) => ({
    ...aboutGig(gigId),
    text: `The payment by x402 for gig ${gigId} has waited for more than 10 minutes${reason === null ? '' : `: ${reason}`}`,
    remedy:
      'Check the endpoint of its chain, the gas tank, GAS_BUDGET_X402_DAY and the facilitator. No payment is sent twice.',
  }),
  check: { name: 'x402', well: 'No payment by x402 waits' },
  async find({ store, clock }, tell) {
    const late = await store.lateDeposits(clock() - LATE_MS);
    return late.map(({ gigId, reason }) => tell(gigId, reason));
  },
});
