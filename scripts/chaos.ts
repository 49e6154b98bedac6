import { parseArgs } from 'node:util';
import { KINDS, runChaos } from '../test/long/chaos/harness.ts';
import { nameOf } from '../test/long/chaos/points.ts';
import { endOnSignals, readChoice, readNumber, readOptions } from './options.ts';

const USAGE = `Usage: npm run chaos -- [--store sqlite|postgres] [--every] [--only POINT] [--benches N]

Kills the process at every commit and at the RPC calls of claims by posts and taps, refunds and returns, lets the RPC
endpoint fail in every way it knows, has one endpoint of two lie, forget, hide or follow a fork, puts the database back
to earlier copies, pays by two instances at once and takes blocks back, and looks each time whether everybody was paid
exactly once and without a hand. Meanwhile the service's clock is off by up to ten minutes, and the chain's time goes
on, stands still, lags or jumps, as follows from a point's name. With --store postgres two instances pay from one
database, of which one is killed or stopped, and the server crashes.

A process repeats its questions while it waits for a block. Of those of one method, with no change of ledger and chain
between them, the first is a place to disturb it, and the third, the ninth and so on. Each kill is tried at each place, and
of the other disturbances the next one in turn; --every tries each of them at each place, several times as many points.
--only takes the beginning of a point's name; --benches is how many points are tried at once (2).
`;

const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      store: { type: 'string', default: 'sqlite' },
      every: { type: 'boolean', default: false },
      only: { type: 'string' },
      benches: { type: 'string', default: '2' },
    },
  }),
);
const { every, only } = values;
const engine = readChoice(USAGE, 'store', values.store, ['sqlite', 'postgres']);
const benches = readNumber(USAGE, 'benches', values.benches, { least: 1 });
endOnSignals();

const report = await runChaos({
  benches,
  engine,
  extent: every ? 'every' : 'in_turn',
  choose: (points) => points.filter((point) => only === undefined || nameOf(point).startsWith(only)),
  onFailure: ({ point, problems }) => {
    const options = `--store ${engine} ${every ? '--every ' : ''}`;
    console.error(`chaos: ${point} failed; alone: npm run chaos -- ${options}--only ${point}`);
    for (const problem of problems) console.error(`  - ${problem}`);
  },
  onKind: (kind, reached) => console.log(`chaos: ${KINDS[kind]}: ${reached} points`),
});
const { tried, missed, failures } = report;
const { commits, questions, places, sends } = report.census;

console.log(
  `chaos: undisturbed, claims and ends take ${commits} commits, ${questions} questions at ${places.length} places, and ${sends} offers`,
);
if (missed.length > 0) console.log(`chaos: ${missed.length} points were not reached: ${missed.join(' ')}`);
const count = Object.values(tried).reduce((sum, reached) => sum + reached, 0);
if (failures.length > 0 || count === 0) {
  console.error(`chaos: ${count} points, ${failures.length} went wrong`);
  process.exitCode = 1;
} else {
  console.log(`chaos: ${count} points, all paid exactly once`);
}
