import { describe } from 'vitest';
import { describeAccounts } from './contract/accounts.ts';
import { describeAdoptedPayments } from './contract/adopted-payments.ts';
import { describeAlerts } from './contract/alerts.ts';
import { describeAnswers } from './contract/answers.ts';
import { describeApiKeys } from './contract/api-keys.ts';
import { describeAwards } from './contract/awards.ts';
import { describeChangedAccounts } from './contract/changed-accounts.ts';
import { describeClaims } from './contract/claims.ts';
import { describeCounts } from './contract/counts.ts';
import { describeDaySums } from './contract/day-sums.ts';
import { describeEarningActs } from './contract/earning-acts.ts';
import { describeEarningQueues } from './contract/earning-queues.ts';
import { describeEarningWatches } from './contract/earning-watches.ts';
import { describeEarnings } from './contract/earnings.ts';
import { describeEventDeliveries } from './contract/event-deliveries.ts';
import { describeFrozenGigs } from './contract/frozen-gigs.ts';
import { describeGigEnds } from './contract/gig-ends.ts';
import { describeGigLists } from './contract/gig-lists.ts';
import { describeGigTerms } from './contract/gig-terms.ts';
import { describeGigs } from './contract/gigs.ts';
import { describeLedgerState } from './contract/ledger-state.ts';
import { describeListPlaces } from './contract/list-places.ts';
import { describeMentionLeases } from './contract/mention-leases.ts';
import { describeMentions } from './contract/mentions.ts';
import { describeNames } from './contract/names.ts';
import { describeNotifications } from './contract/notifications.ts';
import { describeOperator } from './contract/operator.ts';
import { describeOwnerGigs } from './contract/owner-gigs.ts';
import { describeOwnerSessions } from './contract/owner-sessions.ts';
import { describeOwners } from './contract/owners.ts';
import { describePaid } from './contract/paid.ts';
import { describePaymentBudgets } from './contract/payment-budgets.ts';
import { describePaymentLists } from './contract/payment-lists.ts';
import { describePaymentTips } from './contract/payment-tips.ts';
import { describePayments } from './contract/payments.ts';
import { describePolls } from './contract/polls.ts';
import { describeReplies } from './contract/replies.ts';
import { describeReplyLeases } from './contract/reply-leases.ts';
import { describeSessions } from './contract/sessions.ts';
import { describeSettledPayments } from './contract/settled-payments.ts';
import { type OpenStore, useStore } from './contract/subject.ts';
import { describeTankTransactions } from './contract/tank-transactions.ts';
import { describeTellings } from './contract/tellings.ts';
import { describeTipFloors } from './contract/tip-floors.ts';
import { describeTipNumbers } from './contract/tip-numbers.ts';
import { describeTips } from './contract/tips.ts';
import { describeTransactions } from './contract/transactions.ts';
import { describeVersion } from './contract/version.ts';

/** What every implementation of the store promises, tested through the port alone; in parts that run beside each other. */
const PARTS = {
  gigs: [
    describeTransactions,
    describeVersion,
    describeChangedAccounts,
    describeAccounts,
    describeGigs,
    describeGigTerms,
    describeGigEnds,
    describeGigLists,
    describeTips,
    describeTipNumbers,
    describeTipFloors,
    describeAwards,
    describeAnswers,
    describeApiKeys,
    describeSessions,
    describeNames,
    describeOwnerGigs,
    describeOwnerSessions,
  ],
  people: [
    describeMentions,
    describeMentionLeases,
    describePolls,
    describeTellings,
    describeOwners,
    describeReplies,
    describeReplyLeases,
    describeEarningWatches,
    describeEarningActs,
    describeEarnings,
    describeEarningQueues,
    describeAlerts,
    describeEventDeliveries,
    describeNotifications,
  ],
  payments: [
    describeClaims,
    describePaid,
    describePayments,
    describeSettledPayments,
    describePaymentTips,
    describeAdoptedPayments,
    describeTankTransactions,
    describePaymentLists,
    describePaymentBudgets,
    describeFrozenGigs,
    describeLedgerState,
    describeCounts,
    describeDaySums,
    describeListPlaces,
    describeOperator,
  ],
} as const;

export type ContractPart = keyof typeof PARTS;

/** Tests one part of the contract, or all of it. */
export function describeStore(name: string, open: OpenStore, part?: ContractPart): void {
  describe(name, () => {
    const subject = useStore(open);
    for (const tests of part === undefined ? Object.values(PARTS).flat() : PARTS[part]) tests(subject);
  });
}
