import type { MentionState, ReplyState } from '../../domain/mention.ts';
import type { PaymentState } from '../../domain/payment.ts';
import type { Instance, Store } from '../../store/port/index.ts';
import type { ConditionContext } from './conditions/define-condition.ts';
import { checkReadiness, type Readiness } from './readiness.ts';

/** The part of the store that the operator's pages and commands read. */
export type OperatorStore = Pick<
  Store,
  | 'transaction'
  | 'engine'
  | 'pools'
  | 'instances'
  | 'mention'
  | 'mentions'
  | 'mentionDepths'
  | 'reply'
  | 'repliesTo'
  | 'replies'
  | 'queueDepths'
  | 'payment'
  | 'payments'
  | 'tankTransaction'
  | 'paymentDepths'
  | 'paymentsOfClaim'
  | 'paymentsOfGig'
  | 'tipsOfPayment'
  | 'claim'
  | 'claims'
  | 'account'
  | 'gig'
  | 'gigs'
  | 'gigOwners'
  | 'ownsGig'
  | 'gigFreeze'
  | 'frozenGigs'
  | 'paymentStop'
  | 'latePayments'
  | 'auditFaults'
  | 'gigsToRefund'
  | 'openWatches'
  | 'lostTipsNoticedAt'
  | 'doubtedUpTo'
  | 'earningOverviews'
  | 'earnings'
  | 'earningRules'
  | 'candidates'
  | 'observations'
  | 'evaluations'
  | 'watch'
  | 'blockedAccounts'
  | 'apiKeys'
  | 'auditEvents'
>;

/** The service's readiness and the sizes of its queues, at one time. */
export interface OperatorOverview {
  readonly readiness: Readiness;
  readonly mentions: Readonly<Record<MentionState, number>>;
  readonly replies: Readonly<Record<ReplyState, number>>;
  readonly payments: Readonly<Record<PaymentState, number>>;
  /** Those that serve the store now; none where one process alone can. */
  readonly instances: readonly Instance[];
  /** Epoch milliseconds. */
  readonly now: number;
}

export async function readStanding(deps: ConditionContext): Promise<OperatorOverview> {
  const { store, clock } = deps;
  return {
    readiness: await checkReadiness(deps),
    mentions: await store.mentionDepths(),
    replies: (await store.queueDepths()).replies,
    payments: await store.paymentDepths(),
    instances: (await store.instances()).filter(({ isAlive }) => isAlive),
    now: clock(),
  };
}
