import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runSoak } from '../test/soak/scenario.ts';
import { describe, judge } from '../test/soak/verdict.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Of the whole time; the rest is for measuring before the load and for the last answers after it. */
const SECONDS_AROUND = 40;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const seed = Number(values.seed);
const seconds = Math.max(60, Number(values.minutes) * 60 - SECONDS_AROUND);
if (!Number.isSafeInteger(seed) || !Number.isFinite(seconds)) {
  console.error('Usage: npm run soak -- [--minutes N] [--seed S]');
  process.exit(2);
}

// Everything that was started ends with this process, but only when it ends by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const say = (line: string) => console.log(`soak: ${line}`);
say(`seed ${seed}, load for ${seconds} s`);
execFileSync(process.execPath, [`${ROOT}/scripts/bundle.ts`], { stdio: ['ignore', 'inherit', 'inherit'] });
const soak = await runSoak({ seconds, seed, say });
try {
  const evidence = await soak.gather();
  for (const line of describe(evidence)) say(line);
  const problems = judge(evidence);
  for (const problem of problems) console.error(`soak: ✗ ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else say('every mention answered exactly once, every tip paid exactly once, every gig adds up');
} finally {
  await soak.close();
}
