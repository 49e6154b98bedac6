import { expect, test } from 'vitest';
import { runChaos } from './harness.ts';
import { sampleOf } from './points.ts';

/** Of thousands of points so many that all tests together stay quick; `npm run chaos` tries all of them. */
const SAMPLE = {
  commit: 4,
  call: 4,
  again: 0,
  send: 12,
  fault: 5,
  restore: 5,
  undo: 5,
  twin: 6,
  reorg: 8,
} as const;

test('security: whenever the process dies and whatever the node does, each tip is paid exactly once', {
  timeout: 900_000,
}, async () => {
  const { tried, failures } = await runChaos({ benches: 2, choose: (points) => sampleOf(points, SAMPLE) });
  expect(failures).toEqual([]);
  const { again: _, ...sampled } = tried;
  for (const reached of Object.values(sampled)) expect(reached).toBeGreaterThan(0);
});
