/** A block as one endpoint saw it. */
export interface BlockRef {
  readonly number: bigint;
  readonly hash: `0x${string}`;
  /** Epoch milliseconds. */
  readonly at: number;
}
