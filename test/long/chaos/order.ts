import { type Chain, chainById } from '../../../src/domain/chain.ts';
import type { Address } from '../../../src/domain/token.ts';

/** Deep enough that a payment is in the chain for a while before it counts. */
const CONFIRMATIONS = 3;

/** The local chain, on which a payment counts only some blocks after its own. */
export const CHAIN: Chain = {
  // Every build knows the local chain.
  ...(chainById(31337) as Chain),
  confirmations: CONFIRMATIONS,
};

/** How long the paying process waits for one answer, in milliseconds. */
export const ANSWER_PATIENCE_MS = 400;

/** At which of its commits, counted from 1, a process kills itself: with the commit still to come, or just done. */
export interface Suicide {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/** What a paying process is told. */
export interface Order {
  readonly databasePath: string;
  readonly migrationsFolder: string;
  readonly rpcUrl: string;
  readonly claims: readonly { readonly fid: string; readonly postId: string; readonly recipient: Address }[];
  readonly suicide: Suicide | null;
}
