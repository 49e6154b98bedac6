import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'redoc';
const FILE = 'bundles/redoc.standalone.js';

interface LockedPackage {
  readonly version: string;
  /** Subresource integrity of the package's archive: `sha512-` and base64. */
  readonly integrity: string;
}

function readLocked(root: string): LockedPackage {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const locked = lock.packages[`node_modules/${NAME}`];
  if (locked === undefined) throw new Error(`package-lock.json does not name ${NAME}`);
  return locked;
}

/** Writes the archive of a package into the folder; npm says on stderr what went wrong. */
function packInto(folder: string, spec: string): void {
  const args = ['pack', spec, '--loglevel=error', '--prefer-offline', '--pack-destination', folder];
  try {
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (cause) {
    const remedy = 'Build where the npm registry can be reached, or after a development install (npm install)';
    throw new Error(`${spec}, the script of /api/docs, could not be fetched. ${remedy}`, { cause });
  }
}

/** Fetches the archive of the locked version, without its dependencies, and takes the one file out of it. */
function fetchScript(root: string): Uint8Array {
  const { version, integrity } = readLocked(root);
  const folder = mkdtempSync(join(tmpdir(), 'gigclaim-build-'));
  try {
    const spec = `${NAME}@${version}`;
    packInto(folder, spec);
    const [file] = readdirSync(folder);
    if (file === undefined) throw new Error(`npm pack wrote no archive of ${spec}`);
    const archive = readFileSync(join(folder, file));
    const found = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    if (found !== integrity) throw new Error(`${spec} has the hash ${found}, package-lock.json says ${integrity}`);
    return execFileSync('tar', ['-xzOf', join(folder, file), `package/${FILE}`], { maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The script of `/api/docs`. A development install has its package; a production install leaves it out, because it
 * brings dependencies that only its own build needs, so the file comes from the npm registry then.
 */
export function readReferenceScript(root: string): Uint8Array {
  const installed = join(root, 'node_modules', NAME, FILE);
  return existsSync(installed) ? readFileSync(installed) : fetchScript(root);
}
