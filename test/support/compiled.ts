import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledContract } from '../../scripts/solc.ts';

type Contracts = Readonly<Record<string, CompiledContract>>;

const ROOT = join(import.meta.dirname, '../..');
const KEPT = join(ROOT, 'node_modules/.cache/contracts');
/** What decides the code beside the source. */
const COMPILER = ['scripts/solc.ts', 'node_modules/solc/package.json'];

const compiled = new Map<string, Promise<Contracts>>();

/** Compiles a source, unless a run before has: that takes up to two seconds of the processor, in each worker of each project. */
async function contractsOf(file: string): Promise<Contracts> {
  const source = readFileSync(join(import.meta.dirname, 'contracts', file), 'utf8');
  const hash = createHash('sha256').update(source);
  for (const path of COMPILER) hash.update(readFileSync(join(ROOT, path)));
  const path = join(KEPT, `${file}-${hash.digest('hex')}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  const { compile } = await import('../../scripts/solc.ts');
  const contracts = Object.fromEntries(compile({ [file]: source }));
  mkdirSync(KEPT, { recursive: true });
  // Other workers find the whole file or none.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(contracts));
  renameSync(own, path);
  return contracts;
}

/** A contract of a file of `contracts`. */
export async function contractIn(file: string, name: string): Promise<CompiledContract> {
  const contracts = compiled.get(file) ?? contractsOf(file);
  compiled.set(file, contracts);
  const contract = (await contracts)[name];
  if (contract === undefined) throw new Error(`there is no contract ${name} in ${file}`);
  return contract;
}
