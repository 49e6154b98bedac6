/** That nothing is paid, because the store is on another server than before, whose last commits it may lack. */
export interface PaymentStop {
  /** The server on which it is now, in words. */
  readonly server: string;
  /** When that was noticed, epoch milliseconds. */
  readonly since: number;
}

/** What identifies the ledger, and says how recent it is. */
export interface LedgerState {
  /** The random word that a file's `<database>.ids` has, too; null where the store is on a server. */
  readonly word: string | null;
  /** The highest floor of tip numbers that was ever drawn; 0 before the first. */
  readonly tipFloor: number;
  /**
   * When a service last said that it works with this ledger, in epoch milliseconds by its machine's clock; null before. After the
   * clock was set back by up to a day it is where the clock stood, until the clock is there again.
   */
  readonly beatAt: number | null;
}
