import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concatHex, encodeAbiParameters, getContractAddress, type Hex, keccak256, padHex, zeroHash } from 'viem';
import { type CompiledContract, compile } from './solc.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = 'contracts/TipPayer.sol';
const REGISTRIES = 'sandbox/owners/registries.sol';
/** The deterministic deployer that most chains have: https://github.com/Arachnid/deterministic-deployment-proxy */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

interface Deployment {
  readonly contract: CompiledContract;
  readonly creation: Hex;
  readonly address: Hex;
  readonly codeHash: Hex;
}

/** The code as it stands on a chain: each immutable of these contracts is one and the same word. */
function withImmutables({ runtime, immutables }: CompiledContract, word: Hex): Hex {
  const places = immutables.flat();
  return places.reduce<Hex>(
    (code, { start, length }) =>
      `0x${code.slice(2, 2 + 2 * start)}${word.slice(2)}${code.slice(2 + 2 * (start + length))}`,
    runtime,
  );
}

function deployment(contract: CompiledContract, terms: { args: Hex; immutable: (address: Hex) => Hex }): Deployment {
  const creation = concatHex([contract.creation, terms.args]);
  const address = getContractAddress({ opcode: 'CREATE2', from: DEPLOYER, salt: zeroHash, bytecode: creation });
  const codeHash = keccak256(withImmutables(contract, terms.immutable(address)));
  // The pattern of an address is that of hex.
  return { contract, creation, address: address.toLowerCase() as Hex, codeHash };
}

function render(name: string, { contract, creation, address, codeHash }: Deployment): string {
  const abi = contract.abi.map((item) => `    ${JSON.stringify(item)},`);
  return [
    `export const ${name} = {`,
    '  abi: [',
    ...abi,
    '  ],',
    '  /** What the deterministic deployer is given, the arguments of the constructor at its end. */',
    `  creation: '${creation}',`,
    '  /** Where it puts it with salt 0, in lower case. */',
    `  address: '${address}',`,
    '  /** Keccak-256 of the code that is there afterwards. */',
    `  codeHash: '${codeHash}',`,
    '} as const;',
    '',
  ].join('\n');
}

function renderStandIn(name: string, { abi, runtime }: CompiledContract): string {
  const items = abi.map((item) => `    ${JSON.stringify(item)},`);
  return [
    `export const ${name} = {`,
    '  abi: [',
    ...items,
    '  ],',
    '  /** The code as it stands on a chain. */',
    `  runtime: '${runtime}',`,
    '} as const;',
    '',
  ].join('\n');
}

/** The stand-ins for Farcaster's registries, of which the sandbox needs only the code. */
function buildRegistries(): string {
  const compiled = compile({ [REGISTRIES]: readFileSync(join(ROOT, REGISTRIES), 'utf8') });
  const [ids, keys] = [compiled.get('IdRegistry'), compiled.get('KeyRegistry')];
  if (ids === undefined || keys === undefined) throw new Error('a registry is missing');
  const head = `// Made from ${REGISTRIES} by \`npm run contracts:build\`. A test compiles again and compares.\n\n`;
  return `${head}${renderStandIn('ID_REGISTRY_STAND_IN', ids)}\n${renderStandIn('KEY_REGISTRY_STAND_IN', keys)}`;
}

/** What is committed of the compiled contracts, by path. */
export function buildContracts(): Map<string, string> {
  const compiled = compile({ [SOURCE]: readFileSync(join(ROOT, SOURCE), 'utf8') });
  const [payer, batch] = [compiled.get('TipPayer'), compiled.get('PayBatch')];
  if (payer === undefined || batch === undefined) throw new Error('a contract is missing');
  const tipPayer = deployment(payer, { args: '0x', immutable: (address) => padHex(address) });
  const payBatch = deployment(batch, {
    args: encodeAbiParameters([{ type: 'address' }], [tipPayer.address]),
    immutable: () => keccak256(concatHex(['0xef0100', tipPayer.address])),
  });
  const head = '// Made from contracts/ by `npm run contracts:build`. A test compiles again and compares.\n\n';
  return new Map([
    [
      'src/chain/payer/contract/artifact.ts',
      `${head}${render('TIP_PAYER', tipPayer)}\n${render('PAY_BATCH', payBatch)}`,
    ],
    ['contracts/TipPayer.metadata.json', `${payer.metadata}\n`],
    ['contracts/PayBatch.metadata.json', `${batch.metadata}\n`],
    ['sandbox/owners/registries-artifact.ts', buildRegistries()],
  ]);
}
