import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>
  >;
}

const SOURCE = 'odd-tokens.sol';

// solc is no dependency of this project: it is taken from the folder in which this runs.
const solc: { compile(input: string): string } = createRequire(join(process.cwd(), 'here.js'))('solc');

const input = {
  language: 'Solidity',
  sources: { [SOURCE]: { content: readFileSync(join(import.meta.dirname, SOURCE), 'utf8') } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'paris',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  },
};

// What solc answers is documented as standard JSON output.
const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
for (const { formattedMessage } of output.errors ?? []) console.error(formattedMessage);
const creation = Object.entries(output.contracts[SOURCE] ?? {})
  .map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`] as const)
  // An abstract contract has no bytecode.
  .filter(([, bytecode]) => bytecode !== '0x');
const artifact = JSON.stringify(Object.fromEntries(creation), null, 2);
writeFileSync(join(import.meta.dirname, 'odd-tokens.json'), `${artifact}\n`);
