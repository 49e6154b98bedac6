import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { judgeMutants, strayEquivalent } from './mutants/judge.ts';
import { drawMutants, mutateRooms } from './mutants/mutants.ts';
import { reportOf } from './mutants/report.ts';
import { endOnSignals, readNumber, readOptions } from './options.ts';

const USAGE = `Usage: npm run mutants -- [--seed N] [--count N] [--only PATH]

Puts faults into the code that decides money, identity and delivery, one at a time, and runs the tests near each.
--count is how many are drawn (600); --seed draws the same ones again; --only takes the files whose paths begin so.
The end names each fault that no test near it notices. It fails when tests notice less than 95 %.
`;

const GOAL = 0.95;

const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      count: { type: 'string', default: '600' },
      only: { type: 'string', default: 'src/' },
    },
  }),
);
const seed = readNumber(USAGE, 'seed', values.seed, { least: 0 });
const count = readNumber(USAGE, 'count', values.count, { least: 1 });

endOnSignals();
const mutated = await mutateRooms();
const among = mutated.mutants.filter(({ file }) => file.startsWith(values.only));
const drawn = drawMutants(among, seed, count);
console.log(`mutants: seed ${seed}, ${drawn.length} of ${among.length} faults`);
const verdicts = await judgeMutants(mutated, drawn, (line) => console.log(`mutants: ${line}`));
const report = reportOf(verdicts);
console.log(report.text);
for (const line of strayEquivalent(mutated.mutants)) console.log(line);
if (report.noticed < GOAL) process.exitCode = 1;
process.exit();
