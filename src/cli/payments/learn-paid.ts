import { createLog } from '../../log.ts';
import { createPaidLearner } from '../../services/audits/learn-paid.ts';
import type { LearnPaid } from '../../services/gigs/steps/check-step.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../services/payments/sender/context.ts';
import type { Store } from '../../store/port/index.ts';
import type { Context } from '../context.ts';

/** What takes payments of watched gigs into the ledger before a command decides on them; absent without a mnemonic. */
export function learnerOf(context: Context, store: Store): LearnPaid | undefined {
  const payers = context.payers();
  if (payers === null) return undefined;
  const { clock } = context;
  const log = createLog({ level: 'silent' });
  return createPaidLearner({ store, payers, clock, log, timing: SENDER_TIMING, policy: PAYMENT_POLICY });
}
