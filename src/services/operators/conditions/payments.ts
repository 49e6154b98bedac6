import { CHAINS } from '../../../domain/chains/chain.ts';
import { chainKeyOf, type HeldUp, heldUpProblem } from '../../../domain/payments/hold-up.ts';
import { plain } from '../../../domain/plain-text.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { findBlocked, findLatePayments, findScreened } from '../../payments/held-up.ts';
import { aboutGig, type ConditionContext, defineCondition } from './define-condition.ts';

function enabled({ chains }: ConditionContext): { chainIds: number[] } {
  return { chainIds: chains.list().map(({ chain }) => chain.id) };
}

/** Payments of one chain were planned more than an hour ago and are not confirmed; `held` says by what. */
export const paymentsLate = defineCondition({
  kind: 'payments_late',
  reach: 'payments',
  say: (chainId: number, held: readonly HeldUp[]) => {
    const key = chainKeyOf(chainId);
    const problems = held.map(heldUpProblem);
    return {
      subject: key,
      text: `Payments on ${key} are late by more than an hour: ${problems.map(({ detail }) => detail).join('; ')}`,
      remedy: problems.map(({ remedy }) => remedy).join(' '),
    };
  },
  async find(context, tell) {
    const late = await findLatePayments(context, enabled(context));
    return [...Map.groupBy(late, ({ chainId }) => chainId)].map(([chainId, held]) => tell(chainId, held));
  },
});

/** What a screening oracle says, or that it says nothing, keeps payments of a chain from being made. */
export const paymentsScreened = defineCondition({
  kind: 'payments_screened',
  reach: 'payments',
  say: (chainId: number, held: readonly HeldUp[]) => {
    const problems = held.map(heldUpProblem);
    return {
      subject: chainKeyOf(chainId),
      text: problems.map(({ detail }) => detail).join('; '),
      remedy: problems.map(({ remedy }) => remedy).join(' '),
    };
  },
  async find(context, tell) {
    const screened = await findScreened(context, enabled(context));
    return [...Map.groupBy(screened, ({ chainId }) => chainId)].map(([chainId, held]) => tell(chainId, held));
  },
});

/** The endpoint of a chain keeps its payments from being made; `reasons` are those of the payments. */
export const paymentsBlocked = defineCondition({
  kind: 'payments_blocked',
  reach: 'payments',
  say: (chainId: number, { reasons, payments }: { reasons: readonly string[]; payments: number }) => {
    const key = chainKeyOf(chainId);
    const name = CHAINS.find(({ id }) => id === chainId)?.name ?? key;
    const wait = payments === 1 ? '1 payment waits' : `${payments} payments wait`;
    return {
      subject: key,
      text: `${wait} on ${key}, because of its endpoint: ${reasons.map((reason) => plain(reason)).join('; ')}`,
      remedy: `Set RPC_URL_${chainId} to another JSON-RPC endpoint of ${name}, and see payment list.`,
    };
  },
  async find(context, tell) {
    const blocked = await findBlocked(context, enabled(context));
    return blocked.map(({ chainId, ...found }) => tell(chainId, found));
  },
});

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
