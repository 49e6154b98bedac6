import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CompiledContract, compile } from '../../scripts/solc.ts';

const compiled = new Map<string, Map<string, CompiledContract>>();

/** A contract of a file of `contracts`, which each process of tests compiles once. */
export function contractIn(file: string, name: string): CompiledContract {
  const contracts =
    compiled.get(file) ?? compile({ [file]: readFileSync(join(import.meta.dirname, 'contracts', file), 'utf8') });
  compiled.set(file, contracts);
  const contract = contracts.get(name);
  if (contract === undefined) throw new Error(`there is no contract ${name} in ${file}`);
  return contract;
}
