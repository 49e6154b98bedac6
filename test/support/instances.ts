import type { InstanceWatch } from '../../src/services/operators/instances.ts';

/** How an instance stands that serves its store alone. */
export const ALONE: InstanceWatch = {
  look: async () => undefined,
  lookAfterSleep: () => null,
  moved: () => null,
  isOnTime: () => true,
  clockAheadMs: () => 0,
  living: () => 1,
  owns: () => true,
};
