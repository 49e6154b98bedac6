import type { Ending } from '../../services/ends/endings.ts';

/** What the ways to end a gig are called, and what each does. */
export const ENDING_WORDS: Readonly<Record<Ending, { readonly label: string; readonly what: string }>> = {
  stop: {
    label: 'Stop',
    what: 'It ends now. New activity no longer counts; tips already earned are kept.',
  },
  settle: {
    label: 'Settle',
    what: 'Its books are closed: no more tips are awarded, and the unawarded funds are refunded.',
  },
  cancel: {
    label: 'Cancel',
    what: 'It can no longer be started, and the money in its wallet returns to its refund address.',
  },
};
