import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runSoak } from '../test/long/soak/scenario.ts';
import { describe, judge } from '../test/long/soak/verdict.ts';
import { endOnSignals, endWithUsage, readChoice, readNumber, readOptions } from './options.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Of the whole time; the rest is for measuring before the load and for the last answers after it. */
const SECONDS_AROUND = 40;

const USAGE = `Usage: npm run soak -- [--minutes N] [--seed N] [--dialect old|new|both] [--store sqlite|postgres] [--instances N]

Keeps the bundled service busy for N minutes (10, at least 1) while networks and chain fail and it is killed again and
again, and then looks from outside whether anything was lost, doubled or paid wrongly. --seed makes the same load again.
--dialect says which of its two vocabularies X understands: one all the time, or (both, as by default) one after the other,
changed while the service runs. --store postgres runs N instances (3) on a server whose primary crashes once, so that its
synchronous standby takes over.
`;

const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1e6) },
      dialect: { type: 'string', default: 'both' },
      store: { type: 'string', default: 'sqlite' },
      instances: { type: 'string' },
    },
  }),
);
const seed = readNumber(USAGE, 'seed', values.seed, { least: 0 });
const minutes = readNumber(USAGE, 'minutes', values.minutes, { least: 1, whole: false });
const dialect = readChoice(USAGE, 'dialect', values.dialect, ['old', 'new', 'both']);
const store = readChoice(USAGE, 'store', values.store, ['sqlite', 'postgres']);
const instances = readNumber(USAGE, 'instances', values.instances ?? (store === 'postgres' ? '3' : '1'), { least: 1 });
if (store === 'sqlite' && instances > 1) endWithUsage(USAGE, '--instances: several need --store postgres');
const seconds = Math.max(60, minutes * 60 - SECONDS_AROUND);

// Everything that was started ends with this process.
endOnSignals();

const say = (line: string) => console.log(`soak: ${line}`);
say(`seed ${seed}, X's vocabulary: ${dialect}, load for ${seconds} s`);
execFileSync(process.execPath, [`${ROOT}/scripts/bundle.ts`], { stdio: ['ignore', 'inherit', 'inherit'] });
const soak = await runSoak({ seconds, seed, dialect, store, instances, say });
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
