import type { Gig } from '../gigs/gig.ts';
import { type RefundStatus, refundWaitWords } from '../gigs/gig-end.ts';
import { HOUR_MS } from '../time.ts';
import { type Fact, fact, momentOr, type Told } from './fact.ts';
import { REFUND_TO } from './gig-facts.ts';

export interface ShownRefund {
  readonly gig: Gig;
  readonly refund: RefundStatus;
  /** Why the chain does not prove a refund that is due; null when it does, and where nobody has asked. */
  readonly unproved: string | null;
}

function isToCome({ gig }: ShownRefund): boolean {
  return gig.status === 'live' && gig.refundedAt === null;
}

function dueTold({ refund: { dueAt, delayMs } }: ShownRefund): Told {
  return momentOr(dueAt) ?? `${delayMs / HOUR_MS} hours after its settlement`;
}

function waitTold({ gig, refund: { wait }, unproved }: ShownRefund): Told | null {
  if (gig.refundedAt !== null || gig.cancelledAt !== null) return null;
  if (wait !== null) return refundWaitWords(wait);
  if (unproved !== null) return [`${refundWaitWords('unproved')}: `, { foreign: unproved }];
  return 'nothing: it is planned as soon as the books are proved';
}

export const REFUND_FACTS: readonly Fact<ShownRefund>[] = [
  fact('refund', (shown) => (isToCome(shown) ? { amount: shown.refund.left, of: shown.gig.token } : null)),
  REFUND_TO,
  fact('refund planned', ({ gig }) => momentOr(gig.refundedAt)),
  fact('not before', (shown) => (isToCome(shown) ? dueTold(shown) : null)),
  fact('waits for', waitTold),
];
