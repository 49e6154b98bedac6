import { defineRule } from './define-rule.ts';

/** Nothing is watched: tips come by request. */
export const manual = defineRule({
  type: 'manual',
  by: 'request',
  holds: false,
  given: {},
  stored: {},
  shown: {},
  fill: () => ({}),
  write: () => ({}),
  takes: () => ({}),
  clause: () => 'Tips are awarded by request',
});
