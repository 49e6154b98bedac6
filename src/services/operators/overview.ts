import type { MentionState, ReplyState } from '../../domain/mention.ts';
import type { PaymentState } from '../../domain/payment.ts';
import type { Store } from '../../store/port/index.ts';
import { checkReadiness, type Readiness } from './readiness.ts';

/** The part of the store that the operator's pages and commands read. */
export type OperatorStore = Pick<
  Store,
  | 'transaction'
  | 'mention'
  | 'mentions'
  | 'mentionDepths'
  | 'reply'
  | 'replyTo'
  | 'followUpTo'
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
  | 'gigFreeze'
  | 'frozenGigs'
  | 'lostTipsNoticedAt'
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
  /** Frozen gigs, each with the reason. */
  readonly frozen: readonly { readonly gigId: number; readonly reason: string }[];
  /** Epoch milliseconds. */
  readonly now: number;
}

export type StandingDeps = Parameters<typeof checkReadiness>[0] & {
  readonly store: Pick<Store, 'mentionDepths' | 'queueDepths' | 'paymentDepths' | 'frozenGigs'>;
  readonly clock: () => number;
};

export async function readStanding(deps: StandingDeps): Promise<OperatorOverview> {
  const { store, clock } = deps;
  return {
    readiness: await checkReadiness(deps),
    mentions: await store.mentionDepths(),
    replies: (await store.queueDepths()).replies,
    payments: await store.paymentDepths(),
    frozen: await store.frozenGigs(),
    now: clock(),
  };
}
