import { expect, test } from 'vitest';
import { runChaos } from './harness.ts';
import { type Kind, sampleOf } from './points.ts';

/** Of thousands of points so many that all tests together stay quick; `npm run chaos` tries all of them. */
const SAMPLES: Readonly<Record<'sqlite' | 'postgres', Readonly<Partial<Record<Kind, number>>>>> = {
  sqlite: { commit: 4, call: 4, send: 12, fault: 5, endpoint: 10, restore: 5, undo: 5, twin: 6, reorg: 8 },
  // The services are the same: what is added is that several pay from one ledger, and that it has a server.
  postgres: { commit: 2, call: 2, send: 1, endpoint: 3, restore: 3, pair: 10, halt: 5, crash: 4 },
};

test.each(['sqlite', 'postgres'] as const)(
  'security: whenever the process dies and whatever the node does, each tip is paid exactly once, on %s',
  { timeout: 900_000 },
  async (engine) => {
    const sample = SAMPLES[engine];
    const { tried, failures } = await runChaos({ benches: 2, engine, choose: (points) => sampleOf(points, sample) });
    expect(failures).toEqual([]);
    expect(Object.keys(tried).sort()).toEqual(Object.keys(sample).sort());
  },
);
