import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { z } from 'zod';
import { invalidRequest } from '../../domain/errors.ts';
import { requestOnce } from '../../outbound.ts';
import { examples } from '../arguments.ts';
import type { Context } from '../context.ts';
import type { Setup } from './setup.ts';

const ASK_MS = 10_000;
const MAX_BYTES = 4_000_000;
const MAX_ARCHIVE_BYTES = 500_000_000;
const BLOCK = 512;

const version = z.string().regex(/^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(-[0-9A-Za-z.-]{1,64})?$/);
/** A manifest of this package: its package.json, or the registry's answer. */
const release = z.object({ name: z.literal('gigclaim'), version });

/** The file of a package's archive, which is a tar file. */
function fileOf(archive: Uint8Array, wanted: string): string | null {
  const tar = gunzipSync(archive, { maxOutputLength: MAX_ARCHIVE_BYTES });
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    // No sign: the next file is never before this one.
    const size = Number.parseInt(/[0-7]+/.exec(tar.toString('latin1', at + 124, at + 136))?.[0] ?? '0', 8);
    if (name === wanted) return tar.toString('utf8', at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return null;
}

function versionIn(text: string, where: string): string {
  try {
    return release.parse(JSON.parse(text)).version;
  } catch {
    throw invalidRequest(`${where} names no version of gigclaim.`);
  }
}

function versionOfFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
    const text = bytes[0] === 0x1f ? fileOf(bytes, 'package/package.json') : bytes.toString('utf8');
    return versionIn(text ?? '', path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw invalidRequest(`${path} cannot be read: ${error.message}`);
    throw error;
  }
}

function registryOfNpm(): string {
  const { status, stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', timeout: ASK_MS });
  if (status === 0) return stdout.trim();
  throw invalidRequest('npm does not name its registry. Set npm_config_registry to it, or name a file by --from.');
}

async function versionOfRegistry(registry: string): Promise<string> {
  const asked = {
    headers: { accept: 'application/json' },
    timeoutMs: ASK_MS,
    maxBytes: MAX_BYTES,
    who: 'the package registry',
  };
  const base = registry.endsWith('/') ? registry : `${registry}/`;
  const url = URL.parse('gigclaim/latest', base);
  if (url === null) throw invalidRequest('npm_config_registry is no URL. Set it to one, or name a file by --from.');
  const { status, text } = await requestOnce(url.href, asked, (code) => [200, 404].includes(code));
  if (status === 404) throw invalidRequest('The package registry has no gigclaim. Name a file by --from.');
  return versionIn(text, 'The answer of the package registry');
}

function partsOf(text: string): [numbers: number[], before: string] {
  const [numbers = '', ...before] = text.split('-');
  return [numbers.split('.').map(Number), before.join('-')];
}

/** Whether a version is later than another one; one with a hyphen precedes the one without it. */
export function isLater(one: string, other: string): boolean {
  const [[numbers, before], [others, otherBefore]] = [partsOf(one), partsOf(other)];
  const place = numbers.findIndex((number, index) => number !== others[index]);
  if (place !== -1) return (numbers[place] ?? 0) > (others[place] ?? 0);
  if (before === '' || otherBefore === '') return before === '' && otherBefore !== '';
  return before.localeCompare(otherBefore, 'en', { numeric: true }) > 0;
}

/** A path as a shell takes it. */
function shellWord(path: string): string {
  return /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The commands of an update, by how the program was installed. */
function stepsTo(newest: string, from: string | undefined, { program }: Setup): string[] {
  const archive = from?.endsWith('.tgz') === true ? shellWord(from) : `gigclaim@${newest}`;
  if (existsSync(join(program, 'bin/run.mjs'))) {
    // Beside it in node_modules, unless it was installed without the sandbox.
    const omit = existsSync(join(program, '../../../@foundry-rs')) ? '' : '--omit=optional ';
    return [`npm install ${omit}${archive}`, 'npx gigclaim start', 'npx gigclaim admin doctor'];
  }
  if (existsSync(join(program, 'scripts')))
    return ['git pull --ff-only && npm install --omit=dev && npm run build', 'npm start', 'npm run admin -- doctor'];
  return [
    `docker compose up --detach --pull always   # with the compose.yaml of ${newest}`,
    'docker compose exec gigclaim npm run -s admin -- doctor',
  ];
}

async function check({ print, setup }: Context, from: string | undefined): Promise<void> {
  if (setup === null) throw new TypeError('update needs to know where the program is');
  const installed = versionOfFile(join(setup.program, 'package.json'));
  const newest = from === undefined ? await versionOfRegistry(setup.registry ?? registryOfNpm()) : versionOfFile(from);
  print(`Installed: ${installed}`);
  print(`Newest:    ${newest}, says ${from ?? 'the package registry'}`);
  if (!isLater(newest, installed)) {
    print('There is nothing to update.');
    return;
  }
  print('Read CHANGELOG.md, back up the database and stop the service as docs/operate.md#update says. Then run:');
  for (const step of stepsTo(newest, from, setup)) print(`  ${step}`);
}

/** `update --check`: whether there is a newer version, and the commands to install it. */
export function addUpdateCommand(program: Command, context: Context): void {
  const command = program
    .command('update')
    .description(
      'compare the installed version with the newest one, and print the commands to update. It installs nothing. Nothing asks the ' +
        'package registry but this command',
    )
    .requiredOption('--check', 'compare the versions')
    .option('--from <file>', 'read the newest version from a package (.tgz) or a package.json, not from the registry')
    .action(({ from }: { from?: string }) => check(context, from));
  examples(command, 'update --check', 'update --check --from gigclaim-0.5.0.tgz');
}
