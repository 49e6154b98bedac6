import type { MentionState, ReplyState } from '../../domain/mentions/mention.ts';
import type { PaymentState } from '../../domain/payments/payment.ts';
import type { Instance } from '../../store/port/index.ts';
import type { ConditionContext } from './conditions/define-condition.ts';
import { type MoneyAndTime, readMoneyAndTime } from './money-and-time.ts';
import { checkReadiness, type Readiness } from './readiness.ts';

export interface OperatorOverview {
  readonly readiness: Readiness;
  readonly mentions: Readonly<Record<MentionState, number>>;
  readonly replies: Readonly<Record<ReplyState, number>>;
  readonly payments: Readonly<Record<PaymentState, number>>;
  readonly money: MoneyAndTime;
  /** Those that serve the store now; none where one process alone can. */
  readonly instances: readonly Instance[];
  /** Epoch milliseconds. */
  readonly now: number;
}

export async function readOverview(deps: ConditionContext): Promise<OperatorOverview> {
  const { store, clock } = deps;
  return {
    readiness: await checkReadiness(deps),
    mentions: await store.mentionDepths(),
    replies: (await store.queueDepths()).replies,
    payments: await store.paymentDepths(),
    money: await readMoneyAndTime(deps),
    instances: (await store.instances()).filter(({ isAlive }) => isAlive),
    now: clock(),
  };
}
