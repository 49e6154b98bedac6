import { describe } from 'vitest';
import { describeAcceptedUses } from './contract/accepted-uses.ts';
import { describeAccounts } from './contract/accounts.ts';
import { describeAnswers } from './contract/answers.ts';
import { describeApiKeys } from './contract/api-keys.ts';
import { describeAwards } from './contract/awards.ts';
import { describeClaims } from './contract/claims.ts';
import { describeGas } from './contract/gas.ts';
import { describeGigLists } from './contract/gig-lists.ts';
import { describeGigTerms } from './contract/gig-terms.ts';
import { describeGigs } from './contract/gigs.ts';
import { describeLedgerLists } from './contract/ledger-lists.ts';
import { describeMentionLeases } from './contract/mention-leases.ts';
import { describeMentions } from './contract/mentions.ts';
import { describeOperator } from './contract/operator.ts';
import { describePaid } from './contract/paid.ts';
import { describePayouts } from './contract/payouts.ts';
import { describeReplies } from './contract/replies.ts';
import { describeReplyLeases } from './contract/reply-leases.ts';
import { describeSessions } from './contract/sessions.ts';
import { type OpenStore, useStore } from './contract/subject.ts';
import { describeTips } from './contract/tips.ts';
import { describeTransactions } from './contract/transactions.ts';
import { describeTransfers } from './contract/transfers.ts';
import { describeVersion } from './contract/version.ts';
import { describeWallets } from './contract/wallets.ts';

/** What every implementation of the store promises, tested through the port alone. */
export function describeStore(name: string, open: OpenStore): void {
  describe(name, () => {
    const subject = useStore(open);
    describeTransactions(subject);
    describeVersion(subject);
    describeAccounts(subject);
    describeGigs(subject);
    describeGigTerms(subject);
    describeGigLists(subject);
    describeTips(subject);
    describeAwards(subject);
    describeAnswers(subject);
    describeApiKeys(subject);
    describeSessions(subject);
    describeMentions(subject);
    describeMentionLeases(subject);
    describeReplies(subject);
    describeReplyLeases(subject);
    describeClaims(subject);
    describePayouts(subject);
    describePaid(subject);
    describeTransfers(subject);
    describeWallets(subject);
    describeGas(subject);
    describeLedgerLists(subject);
    describeAcceptedUses(subject);
    describeOperator(subject);
  });
}
