import solc from 'solc';
import type { Abi, Hex } from 'viem';

/** One compiled contract. */
export interface CompiledContract {
  readonly abi: Abi;
  /** Creation bytecode, without arguments of the constructor. */
  readonly creation: Hex;
  /** Runtime bytecode with zeroes where the constructor writes immutables. */
  readonly runtime: Hex;
  /** Where it writes them: offsets and lengths in bytes, a list for each immutable. */
  readonly immutables: readonly (readonly { readonly start: number; readonly length: number }[])[];
  /** The compiler's metadata, as it writes them. */
  readonly metadata: string;
}

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        readonly abi: Abi;
        readonly metadata: string;
        readonly evm: {
          readonly bytecode: { readonly object: string };
          readonly deployedBytecode: {
            readonly object: string;
            readonly immutableReferences: Record<string, { readonly start: number; readonly length: number }[]>;
          };
        };
      }
    >
  >;
}

/** Without a hash of the metadata: a comment or a path changes neither the code nor its address. */
const SETTINGS = {
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  evmVersion: 'cancun',
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'metadata', 'evm.bytecode.object', 'evm.deployedBytecode'] } },
} as const;

/**
 * Compiles Solidity sources by their names, with the settings of the contracts that hold money.
 * @throws Error on any error or warning
 */
export function compile(sources: Readonly<Record<string, string>>): Map<string, CompiledContract> {
  const named = Object.entries(sources).map(([name, content]) => [name, { content }]);
  const input = { language: 'Solidity', sources: Object.fromEntries(named), settings: SETTINGS };
  // What solc answers is documented as standard JSON output.
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const compiled = Object.values(contracts).flatMap((file) => Object.entries(file));
  return new Map(
    compiled.map(([name, { abi, metadata, evm }]) => [
      name,
      {
        abi,
        metadata,
        creation: `0x${evm.bytecode.object}`,
        runtime: `0x${evm.deployedBytecode.object}`,
        immutables: Object.values(evm.deployedBytecode.immutableReferences),
      },
    ]),
  );
}
