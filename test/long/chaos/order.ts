import { type Chain, chainById } from '../../../src/domain/chains/chain.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { Clocks } from './clocks.ts';

/** Deep enough that a payment is in the chain for a while before it counts. */
const CONFIRMATIONS = 3;

/** The local chain, on which a payment counts only some blocks after its own. */
export const CHAIN: Chain = {
  // Every build knows the local chain.
  ...(chainById(31337) as Chain),
  confirmations: CONFIRMATIONS,
};

/** The gigs that are stopped, settled and refunded when their claims are paid. */
export const REFUNDED_GIGS = [1, 2] as const;
/** The gig that is funded in part and cancelled. */
export const CANCELLED_GIG = 4;

/** The gig of the console that is funded and starts by itself, and the one that never is and is cancelled by itself. */
export const STARTED_GIG = 5;
export const UNFUNDED_GIG = 6;

/** Where fees go. */
export const TREASURY: Address = '0x0000000000000000000000000000000000000fee';

/** How long the paying process waits for one answer, in milliseconds: longer than a busy machine takes for any. */
export const ANSWER_PATIENCE_MS = 2_000;

/** What a process says on its output when it stops itself at a commit. */
export const PAUSED = 'paused';

/** What a process says on its output when it has committed. */
export const COMMITTED = 'committed';

/** At which of its commits, counted from 1, a process stops: with the commit still to come, or just done. */
export interface Stop {
  readonly commit: number;
  readonly when: 'before' | 'after';
  /** `die`: by SIGKILL. `pause`: by SIGSTOP, until somebody lets it go on. */
  readonly how: 'die' | 'pause';
}

/** A post, or a tap on a card, by which an account claims all that it can. */
export interface ClaimOrder {
  readonly fid: string;
  readonly by: 'post' | 'tap';
  /** Of a tap what stands for its post. */
  readonly postId: string;
  readonly recipient: Address;
  /** A tip that is awarded just before, unless the ledger has it: base units as text. */
  readonly earns: { readonly gigId: number; readonly amount: string } | null;
}

/** What a paying process is told. */
export interface Order {
  /** As `openStore` names it. */
  readonly ledger: string;
  readonly migrationsFolder: string;
  /** Of one endpoint, or of two. */
  readonly rpcUrls: readonly [string, ...string[]];
  /** Round after round, with some steps of the payments between them. */
  readonly rounds: readonly (readonly ClaimOrder[])[];
  readonly stop: Stop | null;
  readonly clocks: Clocks;
  /** A folder for a copy of SQLite's file after each commit, `1.db`, `2.db`, …; null for none. */
  readonly copies: string | null;
}
