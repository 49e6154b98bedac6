import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { ADMIN_NODE_FLAGS, NODE_ENVIRONMENT, NODE_FLAGS } from '../src/node-flags.ts';
import { readReferenceScript } from './api-reference.ts';
import { PACKAGE_WORDS } from './package/commands.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Each in a bundle of its own: what they share would fall into many small chunks, and the service would start with all of them. */
const PROGRAMS = ['main=src/main.ts', 'admin=src/admin.ts'];
/** Named in `src/http/api/docs.ts` as well. */
const REFERENCE = 'api-reference.js';
/** Named in `src/http/api/typed-client.ts` as well. */
const CLIENT = 'client.ts';

/** Named in `src/compile-cache.ts` as well. */
const COMPILED = 'compile-cache';

/** What CommonJS dependencies expect to find around them, in every chunk. */
const BANNER = `import { createRequire as __bundleCreateRequire } from 'node:module';
import { dirname as __bundleDirname } from 'node:path';
import { fileURLToPath as __bundleFileURLToPath } from 'node:url';
const require = __bundleCreateRequire(import.meta.url);
const __filename = __bundleFileURLToPath(import.meta.url);
const __dirname = __bundleDirname(__filename);`;

/** Gives a chunk that exports only its `default` the named exports that Node would find in the same package. */
const NAMED_EXPORTS = '.then((chunk) => ({ ...chunk.default, default: chunk.default }))';

/** What `npm start`, the image and the systemd unit run: the service with Node's flags and variables. */
const START = [
  '#!/bin/sh',
  ...Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `export ${name}=${value}`),
  `exec node ${NODE_FLAGS.join(' ')} "\${0%/*}/main.js"`,
  '',
].join('\n');

/** What `npm run admin` runs. */
const ADMIN = ['#!/bin/sh', `exec node ${ADMIN_NODE_FLAGS.join(' ')} "\${0%/*}/admin.js" "$@"`, ''].join('\n');

/**
 * Neynar's client brings a second copy of viem's accounts and ten lists of words, for a call that registers signers. The
 * service makes no such call.
 */
const WITHOUT_SIGNERS: Plugin = {
  name: 'without-signers',
  setup({ onResolve, onLoad }) {
    const namespace = 'empty';
    onResolve({ filter: /^viem\/accounts$/ }, ({ importer }) =>
      importer.includes('/@neynar/') ? { path: 'node_modules/viem/accounts', namespace } : null,
    );
    onLoad({ filter: /.*/, namespace }, () => ({ contents: '' }));
  },
};

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // A native module finds its binary beside its own package.
  external: ['better-sqlite3'],
  // What is made names no folder of this machine, also where `node_modules` is a link.
  preserveSymlinks: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** The names of the store's methods as JSON: a process that knows them makes few of the queries. */
async function readStoreMethods(): Promise<string> {
  const { outputFiles } = await build({ ...COMMON, entryPoints: ['scripts/store-methods.ts'], write: false });
  const input = outputFiles[0]?.text ?? '';
  return execFileSync(process.execPath, ['--input-type=module'], { cwd: ROOT, input, encoding: 'utf8' });
}

function withStoreMethods(names: string): Plugin {
  const contents = `export const METHOD_NAMES = ${names};`;
  return {
    name: 'with-store-methods',
    setup: ({ onLoad }) => onLoad({ filter: /\/src\/store\/sql\/method-names\.ts$/ }, () => ({ contents })),
  };
}

/** `name=path` as the entry at `path`, bundled as `name.js`. */
function parseEntry(text: string): [name: string, path: string] {
  const [name, path, ...rest] = text.split('=');
  if (!name || !path || rest.length > 0) throw new Error(`an entry is name=path, got ${text}`);
  return [name, path];
}

/** The files of the chunks that hold a dynamically imported CommonJS package. */
function commonJsChunks({ inputs, outputs }: Metafile): string[] {
  return Object.entries(outputs)
    .filter(([, { entryPoint }]) => entryPoint !== undefined && inputs[entryPoint]?.format === 'cjs')
    .map(([path]) => basename(path));
}

/** The files of the chunks in which nothing is ours. */
function foreignChunks({ outputs }: Metafile): Set<string> {
  const foreign = Object.entries(outputs).filter(([, { inputs }]) =>
    Object.keys(inputs).every((input) => input.includes('node_modules/')),
  );
  return new Set(foreign.map(([path]) => basename(path)));
}

interface BundledFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Bundles the entries into ESM for Node. All files lie flat in `outdir`, so that a path relative to a module is the same
 * from every chunk; what is imported dynamically stays in chunks of its own. Entries come last.
 */
async function bundle(
  entries: readonly string[],
  outdir: string,
  { storeMethods, plugins }: { storeMethods: string; plugins: readonly Plugin[] },
): Promise<BundledFile[]> {
  const named = entries.map(parseEntry);
  const { metafile, outputFiles } = await build({
    ...COMMON,
    entryPoints: Object.fromEntries(named),
    outdir,
    splitting: true,
    chunkNames: '[name]-[hash]',
    sourcemap: true,
    // Stack traces need positions only, and the sources would be most of what is written.
    sourcesContent: false,
    // Node keeps the text of what it runs: 15 MB less. Names stay, for stack traces and for those who look into it.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [WITHOUT_SIGNERS, withStoreMethods(storeMethods), ...plugins],
    banner: { js: BANNER },
    metafile: true,
    write: false,
  });
  // esbuild leaves such a chunk without named exports, unlike a bundle without chunks: evanw/esbuild#3245.
  const lazy = commonJsChunks(metafile).map((file) => `import("./${file}")`);
  const withNames = (text: string) => lazy.reduce((code, call) => code.replaceAll(call, call + NAMED_EXPORTS), text);
  // The maps of foreign code are most of what would be written, and tell us nothing.
  const foreign = foreignChunks(metafile);
  const unmapped = (text: string) => text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  const isEntry = ({ file }: BundledFile) => named.some(([name]) => file === `${name}.js`);
  return outputFiles
    .map(({ path, text }) => ({ file: basename(path), text }))
    .filter(({ file }) => !(file.endsWith('.map') && foreign.has(file.slice(0, -'.map'.length))))
    .map(({ file, text }) => {
      const code = file.endsWith('.js') ? withNames(text) : text;
      return { file, text: foreign.has(file) ? unmapped(code) : code };
    })
    .toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
}

/** Whole or not at all, for a process that starts meanwhile, and another build at the same time. */
async function put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  await writeFile(unfinished, content, { mode });
  await rename(unfinished, path);
}

/** When a file was changed; later than anything when it is missing. */
async function changedAt(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** Removes what neither this build has written, nor the one before it, whose programs may still run and load chunks. */
async function removeOlder(folder: string, { written, before }: { written: readonly string[]; before: number }) {
  const kept = new Set([...written, REFERENCE]);
  const others = (await readdir(folder)).filter((file) => /\.(js|js\.map|new)$/.test(file) && !kept.has(file));
  for (const file of others) {
    const path = join(folder, file);
    // Another build may have removed it.
    if (before === Number.POSITIVE_INFINITY || (await changedAt(path)) < before) await rm(path, { force: true });
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { outdir: { type: 'string', default: 'dist' }, 'for-package': { type: 'boolean', default: false } },
});
const begun = new Date();
const isService = positionals.length === 0;
const folder = resolve(ROOT, values.outdir);
const admin = join(folder, 'admin');
const bundles = isService ? PROGRAMS.map((entry) => [entry]) : [positionals];
const storeMethods = await readStoreMethods();
const texts = { storeMethods, plugins: values['for-package'] ? [PACKAGE_WORDS] : [] };
const files = (await Promise.all(bundles.map((entries) => bundle(entries, values.outdir, texts)))).flat();
await mkdir(folder, { recursive: true });
const before = await changedAt(admin);
for (const { file, text } of files) await put(join(folder, file), text);
await removeOlder(folder, { written: files.map(({ file }) => file), before });
if (isService) {
  await put(join(folder, REFERENCE), readReferenceScript(ROOT));
  // Of chunks that are there no longer; the next process begins a new one.
  await rm(join(folder, COMPILED), { recursive: true, force: true });
  await put(join(folder, CLIENT), await readFile(join(ROOT, 'client/gigclaim.ts')));
  await put(join(folder, 'start'), START, 0o755);
  await put(admin, ADMIN, 0o755);
  // `build-if-changed.sh` compares it with the sources: what changed while they were read is newer.
  await utimes(admin, begun, begun);
  const { name, version } = manifest;
  process.stdout.write(`Built ${name} ${version} in ${folder}\n`);
}
