import type { Account, AccountKey } from '../../domain/account.ts';
import type { Draw, DrawnLot, FixedEntrants, Winner } from '../../domain/earning/draw.ts';

/** Reads of draws. */
export interface DrawReads {
  /** Null for a gig without one. It holds the secret, also while that must not be known. */
  draw(gigId: number): Promise<Draw | null>;
  /** The winners by their place, each with the handle that it had at its decision. */
  drawWinners(gigId: number): Promise<(Winner & Account)[]>;
  /**
   * Accounts that are in a gig's draw, in the order of the bytes of their lines; once it is closed, they stay the same.
   * @param query.after the last one of the page before; null for the first page
   */
  entrants(gigId: number, query: { after: AccountKey | null; limit: number }): Promise<AccountKey[]>;
}

/** Changes of draws, inside a transaction. A draw goes forward only, and keeps what is set. */
export interface DrawWrites {
  openDraw(gigId: number, draw: { secret: string; commitment: string }): Promise<void>;
  /** Nobody enters or leaves any more; false when it is closed already. Throws while anybody is held. */
  closeDraw(gigId: number, now: number): Promise<boolean>;
  /** False when it is not closed, or fixed already. */
  fixDraw(gigId: number, fixed: FixedEntrants): Promise<boolean>;
  /** Keeps what was drawn; false when the draw is not fixed. Throws when the gig's round is not divided. */
  keepDrawn(gigId: number, lot: DrawnLot & { winners: readonly Winner[] }): Promise<boolean>;
}
