import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import anvil from '@foundry-rs/anvil/package.json' with { type: 'json' };

// The package.json of what `npm pack` packs. A clone needs all packages to build; an installed package needs those that its bundles
// load. npm packs the package.json that stands in the root, so this one takes its place while npm packs.
// `npm run postpack` puts the own one back when npm was interrupted.

const ROOT = resolve(import.meta.dirname, '../..');
const OWN = join(ROOT, 'package.json');
const KEPT = join(ROOT, 'dist/package.json');
/** The folder of the package's files, from the root on. */
export const LAID_OUT = 'dist/package';

/** @throws Error while another `npm pack` works on the root */
export function refuseWhilePacking(): void {
  if (existsSync(KEPT))
    throw new Error(
      'npm pack is under way, or was interrupted: wait for it, or put package.json back by npm run postpack',
    );
}

/** What the programs load from `node_modules`. The bundles hold everything else. */
const LOADED = ['better-sqlite3', '@resvg/resvg-wasm', '@expo-google-fonts/inter'];

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

function readOwn(): Manifest {
  return JSON.parse(readFileSync(OWN, 'utf8')) as Manifest;
}

/** @param folder where its program is, from the package.json on */
export function publishedManifest(folder: string): object {
  const { name, version, description, license, type, engines, dependencies } = readOwn();
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { gigclaim: join(folder, 'bin/gigclaim.cjs') },
    dependencies: Object.fromEntries(LOADED.map((each) => [each, dependencies[each]])),
    // The sandbox's EVM node, 44 MB, of which npm takes the one for the machine. Production may leave it out.
    optionalDependencies: anvil.optionalDependencies,
  };
}

function write(path: string, manifest: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

if (import.meta.main) {
  if (process.argv[2] === 'restore') {
    renameSync(KEPT, OWN);
  } else {
    refuseWhilePacking();
    const { prepack, postpack } = readOwn().scripts;
    const published = publishedManifest(LAID_OUT);
    writeFileSync(KEPT, readFileSync(OWN), { flag: 'wx' });
    // With `prepack` npm pack is refused after an interruption. Otherwise it would pack the files of the last time.
    write(OWN, { ...published, files: [LAID_OUT], scripts: { prepack, postpack } });
  }
}
