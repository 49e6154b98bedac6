import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runFuzz } from '../test/fuzz/run.ts';

const USAGE = `Usage: npm run fuzz -- [--seed N] [--requests N]

Attacks the bundled service with hostile requests, webhooks, command texts and clients, all on this machine.
--requests is how many of each kind are made at least (10000); --seed makes the same ones again.
`;

const BUNDLER = fileURLToPath(new URL('./bundle.ts', import.meta.url));
const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string', default: '10000' }, help: { type: 'boolean' } },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const count = Number(values.requests);

if (values.help === true || !Number.isInteger(seed) || !Number.isInteger(count) || count < 1) {
  console.log(USAGE);
  process.exit(values.help === true ? 0 : 1);
}
execFileSync(process.execPath, [BUNDLER], { stdio: ['ignore', 'inherit', 'inherit'] });
console.log(`fuzz: seed ${seed}`);
try {
  const sizes = { requests: count, webhooks: count, challenges: count, texts: count, mentions: count, lookUps: 200 };
  await runFuzz({ seed, sizes, say: (line) => console.log(`fuzz: ${line}`) });
  console.log('fuzz: nothing found');
} catch (error) {
  console.error(`fuzz: seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
