import type { TransactionOptions } from '../store/port/index.ts';

/** The option of a transaction that rests only on the rows which its own conditional change names. */
export const NARROW: TransactionOptions = { narrow: true };
