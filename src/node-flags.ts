// Dependencies still call `punycode`; the warning would be the first line of every log.
const NO_WARNING = '--disable-warning=DEP0040';

export const ADMIN_NODE_FLAGS: readonly string[] = [NO_WARNING];

/**
 * How Node is started for the service: by `npm start`, the sandbox and the bench. Each flag stands here with its reason; what
 * it gains is in `docs/performance.md`.
 */
export const NODE_FLAGS: readonly string[] = [
  NO_WARNING,
  // A young generation that may not grow further keeps the process small.
  '--max-semi-space-size=16',
  // Pretenuring puts what a waiting request needs for milliseconds among what stays: only a major collection takes it away.
  '--no-allocation-site-pretenuring',
  // V8's four helper threads take most of a small machine from the thread that answers while a major collection marks.
  '--v8-pool-size=1',
];

/** Environment variables that must be set before Node starts, for glibc's native memory. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  // One arena keeps the process small.
  MALLOC_ARENA_MAX: '1',
  // Left to itself glibc keeps what the start has freed.
  MALLOC_TRIM_THRESHOLD_: '131072',
};
