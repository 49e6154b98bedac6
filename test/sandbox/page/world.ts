import { NO_FAULTS } from '../../../sandbox/networks/faults.ts';
import type { World } from '../../../sandbox/page/stage.ts';

/** What the page shows of these, while the service runs and nothing else has happened. */
export function sampleWorld(known: Pick<World, 'records' | 'holdings' | 'posts'> & Partial<World>): World {
  return {
    starts: new Map(),
    claim: null,
    reception: { isUp: true, arrivals: [] },
    story: [],
    now: 0,
    aheadMs: 0,
    faults: { farcaster: { ...NO_FAULTS }, x: { ...NO_FAULTS } },
    service: { state: 'up', pids: [1], paused: [] },
    backAfterMs: null,
    ...known,
  };
}
