import { PAYOUT_DEFAULTS } from '../payouts/payout.ts';
import { defineRule } from './define-rule.ts';

/** Nothing is watched: tips come by request. */
export const manual = defineRule({
  type: 'manual',
  holds: false,
  given: {},
  stored: {},
  shown: {},
  fill: () => ({}),
  write: () => ({}),
  pays: () => ({ ...PAYOUT_DEFAULTS, by: 'manual', isWatched: false }),
  clause: () => 'Tips are awarded by request',
  form: { choice: 'I choose: I award from a list', fields: {} },
});
