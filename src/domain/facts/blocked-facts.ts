import type { Account } from '../account.ts';
import { accountFact, type Fact, fact } from './fact.ts';

interface Blocked extends Account {
  readonly blockedAt: number;
  /** What the operator gave as the reason, for operators. */
  readonly reason: string;
}

export const BLOCKED_ACCOUNT = accountFact<Blocked>((blocked) => blocked);
export const BLOCKED_SINCE = fact<Blocked>('blocked', ({ blockedAt }) => ({ moment: blockedAt }), {
  json: 'blocked_at',
});
export const BLOCKED_REASON = fact<Blocked>('reason', ({ reason }) => ({ text: reason }), { json: 'reason' });

export const BLOCKED_FACTS: readonly Fact<Blocked>[] = [BLOCKED_ACCOUNT, BLOCKED_SINCE, BLOCKED_REASON];

export const NONE_BLOCKED = 'No account is blocked.';
