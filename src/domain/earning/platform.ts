import type { Address } from '../gigs/token.ts';
import type { Act, ActKind, Target } from './act.ts';

/** A page of acts towards a target, newest first. */
export interface ActPage {
  readonly acts: readonly Act[];
  /** The cursor of the next page, opaque outside the platform; null after the last one. */
  readonly next: string | null;
  /** Whether entries of the page were not understood, and are left out: who is not listed may be among them. */
  readonly isPartial?: boolean;
}

export interface AccountFacts {
  readonly accountId: string;
  readonly username: string | null;
  /** In millionths, 0 to 1,000,000; null when the platform gives none. */
  readonly score: number | null;
  readonly followers: number | null;
  /** Epoch milliseconds; null when the platform does not tell. */
  readonly registeredAt: number | null;
  /** Verified Ethereum addresses, in lower case. */
  readonly addresses: readonly Address[];
  /** Whether it follows the account that was asked about; null when none was, or the platform does not tell. */
  readonly follows: boolean | null;
}

/** What the earning engine asks of a platform. Every method throws only AdapterError. */
export interface ActReader {
  /** The most accounts or posts of one bulk question. */
  readonly bulk: number;
  /**
   * A page of the acts of one kind towards a target, newest first; the first page when `cursor` is null. Null when the
   * target is gone.
   */
  readActs(query: { kind: ActKind; target: Target; cursor: string | null }): Promise<ActPage | null>;
  /**
   * The accounts with these ids, at most `bulk`; one that is missing in the answer is absent.
   * @param query.following the account about which `follows` is asked
   */
  readAccounts(ids: readonly string[], query: { following: string | null }): Promise<ReadonlyMap<string, AccountFacts>>;
  /** Whether each of these posts, at most `bulk`, still exists; one that it does not answer about for now is absent. */
  readPosts(ids: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  /** The texts of these posts, at most `bulk`: null for one that does not exist; as by `readPosts`, some are absent. */
  readTexts(ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}
