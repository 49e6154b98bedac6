import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runFuzz } from '../test/long/fuzz/run.ts';
import { endOnSignals, readNumber, readOptions } from './options.ts';

const USAGE = `Usage: npm run fuzz -- [--seed N] [--requests N]

Attacks the bundled service with hostile requests, webhooks, messages of agents, command texts and clients, all on this machine.
--requests is how many of each kind are made at least (10000); --seed makes the same ones again.
`;

const BUNDLER = fileURLToPath(new URL('./bundle.ts', import.meta.url));
const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      requests: { type: 'string', default: '10000' },
    },
  }),
);
const seed = readNumber(USAGE, 'seed', values.seed, { least: 0 });
const count = readNumber(USAGE, 'requests', values.requests, { least: 1 });

endOnSignals();
execFileSync(process.execPath, [BUNDLER], { stdio: ['ignore', 'inherit', 'inherit'] });
console.log(`fuzz: seed ${seed}`);
try {
  const sizes = {
    requests: count,
    webhooks: count,
    challenges: count,
    messages: count,
    texts: count,
    mentions: count,
    lookUps: 200,
  };
  await runFuzz({ seed, sizes, say: (line) => console.log(`fuzz: ${line}`) });
  console.log('fuzz: nothing found');
} catch (error) {
  console.error(`fuzz: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
