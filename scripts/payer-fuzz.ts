import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startAnvil } from '../sandbox/anvil.ts';
import { fuzzPayer } from '../test/support/payer-fuzz.ts';
import { endOnSignals, readNumber, readOptions } from './options.ts';

const USAGE = `Usage: npm run contracts:fuzz -- [--seed N] [--steps N]

Holds random sequences of payments on a node of its own against a plain model of the contract.
--steps is how many (5000); --seed makes the same ones again.
`;

const { values } = readOptions(USAGE, () =>
  parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      steps: { type: 'string', default: '5000' },
    },
  }),
);
const seed = readNumber(USAGE, 'seed', values.seed, { least: 0 });
const steps = readNumber(USAGE, 'steps', values.steps, { least: 1 });

endOnSignals();
const anvil = await startAnvil({ keptStates: 8 });
console.log(`contracts: seed ${seed}`);
try {
  const { made, refused } = await fuzzPayer({ seed, steps, url: anvil.url });
  console.log(`contracts: ${made} payments made, refused: ${JSON.stringify(refused)}`);
} catch (error) {
  console.error(`contracts: ${error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error)}`);
  process.exitCode = 1;
} finally {
  await anvil.stop();
}
