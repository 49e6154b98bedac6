import { expect, test } from 'vitest';
import { runChaos } from './harness.ts';
import { sampleOf } from './points.ts';

/** Of hundreds of points so many that all tests together stay quick; `npm run chaos` tries every one. */
const SAMPLE = { commit: 6, call: 8, again: 0, send: 22, fault: 6 } as const;

test('security: whenever the process dies and whatever the node does, each tip is paid exactly once', {
  timeout: 180_000,
}, async () => {
  const { tried, failures } = await runChaos({ benches: 2, choose: (points) => sampleOf(points, SAMPLE) });
  expect(failures).toEqual([]);
  for (const kind of ['commit', 'call', 'send', 'fault'] as const) expect(tried[kind]).toBeGreaterThan(0);
});
