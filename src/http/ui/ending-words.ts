import type { Ending } from '../../services/ends/endings.ts';

/** What the ways to end a gig are called, and what each does. */
export const ENDING_WORDS: Readonly<Record<Ending, { readonly label: string; readonly what: string }>> = {
  stop: {
    label: 'Stop',
    what: 'It ends now. No act after this moment counts, and what was earned stays earned.',
  },
  settle: {
    label: 'Settle',
    what: 'Its books are closed: nothing is awarded any more, and what is left is refunded.',
  },
  cancel: {
    label: 'Cancel',
    what: 'It cannot be started any more, and all that its wallet holds returns to its refund address.',
  },
};
