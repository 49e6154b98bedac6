import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { LAID_OUT, publishedManifest, refuseWhilePacking } from './package/manifest.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Of this process alone until it is whole. */
const UNFINISHED = `${LAID_OUT}.${process.pid}`;
const PACKAGE = join(ROOT, UNFINISHED);

const SANDBOX_PROGRAMS = ['main', 'say', 'act', 'later', 'listen'];

/** The files of the project that are in the package as they are. */
const COPIED = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', '.env.example'],
  ...['docs/**/*.{md,mjs,ts}', 'deploy/{Caddyfile,gigclaim.service,litestream.yml}', 'contracts/*.{sol,json}'],
  ...['drizzle{,-postgres}/*.sql', 'drizzle{,-postgres}/meta/_journal.json'],
  ...['src/http/pages/assets/*', 'sandbox/{page,feed}/assets/*', 'sandbox/{service,operator}-clock.js'],
];

function put(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(join(PACKAGE, path)), { recursive: true });
  writeFileSync(join(PACKAGE, path), content, { mode });
}

function bundle(folder: string, entries: readonly string[] = []): void {
  const args = ['scripts/bundle.ts', '--for-package', '--outdir', join(UNFINISHED, folder), ...entries];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

refuseWhilePacking();
process.once('exit', () => rmSync(PACKAGE, { recursive: true, force: true }));
bundle('dist');
// The shell's ways to start them, in place of which there is `bin`.
for (const file of ['start', 'admin']) rmSync(join(PACKAGE, 'dist', file));
bundle(
  'sandbox',
  SANDBOX_PROGRAMS.map((name) => `${name}=sandbox/${name}.ts`),
);
for (const path of globSync(COPIED, { cwd: ROOT })) {
  mkdirSync(dirname(join(PACKAGE, path)), { recursive: true });
  cpSync(join(ROOT, path), join(PACKAGE, path));
}
// A clone starts what it has built, the package its command.
const unit = readFileSync(join(ROOT, 'deploy/gigclaim.service'), 'utf8');
put('deploy/gigclaim.service', unit.replace(/^ExecStart=.*\n# With the package: (?=ExecStart=)/m, ''));
// Node strips no types below `node_modules`.
const worker = readFileSync(join(ROOT, 'src/http/pages/image-worker.ts'), 'utf8');
put('src/http/pages/image-worker.js', transformSync(worker, { loader: 'ts' }).code);
buildSync({
  absWorkingDir: ROOT,
  entryPoints: ['scripts/package/run.ts'],
  outfile: join(PACKAGE, 'bin/run.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
});
put('bin/gigclaim.cjs', readFileSync(join(ROOT, 'scripts/package/gigclaim.cjs')), 0o755);
put('package.json', `${JSON.stringify(publishedManifest('.'), null, 2)}\n`);
refuseWhilePacking();
const whole = join(ROOT, LAID_OUT);
rmSync(whole, { recursive: true, force: true });
renameSync(PACKAGE, whole);
process.stderr.write(`Laid out ${manifest.name} ${manifest.version} in ${whole}\n`);
