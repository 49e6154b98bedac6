import type { StoreTx } from '../port/index.ts';
import type { SubjectsOf } from '../sql/subjects.ts';
import { DRAW_SUBJECTS, EARNING_SUBJECTS } from './subjects/of-earning.ts';
import { GIG_END_SUBJECTS, GIG_SUBJECTS, TELLING_SUBJECTS } from './subjects/of-gigs.ts';
import { MENTION_SUBJECTS } from './subjects/of-mentions.ts';
import { ACCESS_SUBJECTS, ALERT_SUBJECTS, OPERATOR_SUBJECTS } from './subjects/of-operators.ts';
import { LEDGER_SUBJECTS, PAYMENT_SUBJECTS } from './subjects/of-payments.ts';

/**
 * What each method of a transaction locks before its statements, until the transaction ends. A read by which a transaction
 * decides locks as well: a lock that is taken after it would be too late.
 */
export const SUBJECTS: SubjectsOf<StoreTx> = {
  ...ACCESS_SUBJECTS,
  ...ALERT_SUBJECTS,
  ...DRAW_SUBJECTS,
  ...EARNING_SUBJECTS,
  ...GIG_SUBJECTS,
  ...GIG_END_SUBJECTS,
  ...LEDGER_SUBJECTS,
  ...MENTION_SUBJECTS,
  ...OPERATOR_SUBJECTS,
  ...PAYMENT_SUBJECTS,
  ...TELLING_SUBJECTS,
};
