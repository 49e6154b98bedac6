/** More blocks than a reorganisation replaces, or than nodes of one endpoint differ by. */
export const REORGANISATION = 256n;

/** From which block on to look for what happened after this one was the newest. */
export function lookBackFrom(block: bigint): bigint {
  return block > REORGANISATION ? block - REORGANISATION : 0n;
}

/** What names a block on one branch of a chain. */
export interface BlockId {
  readonly number: bigint;
  readonly hash: `0x${string}`;
}

/** A block as one endpoint saw it. */
export interface BlockRef extends BlockId {
  /** Epoch milliseconds. */
  readonly at: number;
}
