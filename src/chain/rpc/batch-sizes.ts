/** How many reads share one request at most. Many public endpoints take ten, and some take no batches. */
const SIZES: readonly number[] = [100, 10];
/** After so many uses what was refused is tried again, because one great answer may have been the reason. */
const USES = 100;

/** What is known of the batches that an endpoint takes. */
export interface BatchSizes {
  /** The sizes to try for the next reads, the greatest first; none when it takes no batches. */
  next(): readonly number[];
  /**
   * Keeps these alone: it has refused the others, and answered the same reads afterwards. Where it has not, the batch was not
   * the reason.
   */
  keep(sizes: readonly number[]): void;
}

/** An endpoint of which nothing is known yet. */
export function createBatchSizes(): BatchSizes {
  let kept = SIZES;
  let uses = 0;
  return {
    next() {
      uses += 1;
      if (uses % USES === 0) kept = SIZES;
      return kept;
    },
    keep(sizes) {
      kept = kept.filter((size) => sizes.includes(size));
    },
  };
}
