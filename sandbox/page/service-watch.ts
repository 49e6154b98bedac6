import { z } from 'zod';
import type { ServiceEvent } from '../service.ts';
import type { ServiceStanding } from './world.ts';

const LOOK_EVERY_MS = 1_000;
/** A request that takes longer than this counts as unanswered. */
const PATIENCE_MS = 2_000;

const readiness = z.object({
  ready: z.boolean(),
  platforms: z.array(
    z.object({
      platform: z.string(),
      paused: z.object({ reason: z.string(), until: z.string() }).nullable(),
    }),
  ),
});

const STATE_AFTER: Readonly<Record<ServiceEvent['type'], ServiceStanding['state']>> = {
  ended: 'restarting',
  stopped: 'restarting',
  back: 'up',
  started: 'up',
  lost: 'lost',
};

/** Knows how the service stands: from its process, and from what `/ready` answers. */
export interface ServiceWatch {
  standing(): ServiceStanding;
  /** Asks `/ready`, at most once a second. Never throws: no answer is a standing too. */
  look(): Promise<void>;
  /** The process told something. */
  heard(event: ServiceEvent): void;
}

/** Watches the service at `url`, which is up. `changed` is called when its standing is another one. */
export function createServiceWatch(options: {
  url: string;
  pids: () => readonly number[];
  clock: () => number;
  changed: () => void;
}): ServiceWatch {
  const { url, pids, clock, changed } = options;
  let standing: ServiceStanding = { state: 'up', pids: pids(), paused: [] };
  let lookedAt = 0;
  let looking = false;

  function become(next: ServiceStanding): void {
    const same = JSON.stringify(next) === JSON.stringify(standing);
    standing = next;
    if (!same) changed();
  }

  async function ask(): Promise<Pick<ServiceStanding, 'state' | 'paused'>> {
    try {
      const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const { ready, platforms } = readiness.parse(await answer.json());
      const paused = platforms.flatMap(({ platform, paused }) => (paused === null ? [] : [{ platform, ...paused }]));
      return { state: ready ? 'up' : 'silent', paused };
    } catch {
      // Whatever it is, it is no answer; the page says so.
      return { state: 'silent', paused: [] };
    }
  }

  return {
    standing: () => standing,
    look: async () => {
      const isDown = () => standing.state === 'restarting' || standing.state === 'lost';
      if (looking || isDown() || clock() - lookedAt < LOOK_EVERY_MS) return;
      looking = true;
      lookedAt = clock();
      const asked = await ask();
      looking = false;
      // It may have died while it was asked, which the process knows better.
      if (!isDown()) become({ ...asked, pids: pids() });
    },
    heard: (event) => {
      lookedAt = 0;
      const state = event.others ? 'up' : STATE_AFTER[event.type];
      become({ state, pids: pids(), paused: [] });
    },
  };
}
