import { describe } from 'vitest';
import { describeAccounts } from './contract/accounts.ts';
import { describeAnswers } from './contract/answers.ts';
import { describeApiKeys } from './contract/api-keys.ts';
import { describeAwards } from './contract/awards.ts';
import { describeChangedAccounts } from './contract/changed-accounts.ts';
import { describeClaims } from './contract/claims.ts';
import { describeCounts } from './contract/counts.ts';
import { describeGigLists } from './contract/gig-lists.ts';
import { describeGigTerms } from './contract/gig-terms.ts';
import { describeGigs } from './contract/gigs.ts';
import { describeLedgerLists } from './contract/ledger-lists.ts';
import { describeMentionLeases } from './contract/mention-leases.ts';
import { describeMentions } from './contract/mentions.ts';
import { describeOperator } from './contract/operator.ts';
import { describePaid } from './contract/paid.ts';
import { describePayouts } from './contract/payouts.ts';
import { describePolls } from './contract/polls.ts';
import { describeReplies } from './contract/replies.ts';
import { describeReplyLeases } from './contract/reply-leases.ts';
import { describeSessions } from './contract/sessions.ts';
import { type OpenStore, useStore } from './contract/subject.ts';
import { describeTipNumbers } from './contract/tip-numbers.ts';
import { describeTips } from './contract/tips.ts';
import { describeTransactions } from './contract/transactions.ts';
import { describeVersion } from './contract/version.ts';

/** What every implementation of the store promises, tested through the port alone. */
export function describeStore(name: string, open: OpenStore): void {
  describe(name, () => {
    const subject = useStore(open);
    describeTransactions(subject);
    describeVersion(subject);
    describeChangedAccounts(subject);
    describeAccounts(subject);
    describeGigs(subject);
    describeGigTerms(subject);
    describeGigLists(subject);
    describeTips(subject);
    describeTipNumbers(subject);
    describeAwards(subject);
    describeAnswers(subject);
    describeApiKeys(subject);
    describeSessions(subject);
    describeMentions(subject);
    describeMentionLeases(subject);
    describePolls(subject);
    describeReplies(subject);
    describeReplyLeases(subject);
    describeClaims(subject);
    describePayouts(subject);
    describePaid(subject);
    describeLedgerLists(subject);
    describeCounts(subject);
    describeOperator(subject);
  });
}
