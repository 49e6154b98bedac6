import { expect, test } from 'vitest';
import { runSoak } from './scenario.ts';
import { describe, judgeExactness } from './verdict.ts';

/** One round before the primary crashes, and what is left undisturbed after it: too short to judge memory by. */
const LOAD_SECONDS = 50;

test('security: three instances under load and faults lose and double nothing when a synchronous standby is promoted', {
  timeout: 900_000,
}, async () => {
  const told: string[] = [];
  const say = (line: string) => void told.push(line);
  const soak = await runSoak({ store: 'postgres', instances: 3, dialect: 'new', seconds: LOAD_SECONDS, seed: 2, say });
  try {
    const evidence = await soak.gather();
    const story = [...told, ...describe(evidence)].join('\n');
    expect(judgeExactness(evidence), story).toEqual([]);
    expect(told, story).toContainEqual(expect.stringContaining('the standby is the primary'));
    // The primary, and an instance.
    expect(evidence.outages).toHaveLength(2);
    expect(soak.stage.pids()).toHaveLength(3);
    expect(evidence.holdings.filter(({ expected }) => expected > 0n).length).toBeGreaterThan(10);
  } finally {
    await soak.close();
  }
});
