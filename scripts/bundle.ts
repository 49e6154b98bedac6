import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Metafile } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/node-flags.ts';
import { readReferenceScript } from './api-reference.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DEFAULT_ENTRIES = ['main=src/main.ts'];
/** Named in `src/http/api/docs.ts` as well. */
const REFERENCE = 'api-reference.js';

/** What CommonJS dependencies expect to find around them, in every chunk. */
const BANNER = `import { createRequire as __bundleCreateRequire } from 'node:module';
import { dirname as __bundleDirname } from 'node:path';
import { fileURLToPath as __bundleFileURLToPath } from 'node:url';
const require = __bundleCreateRequire(import.meta.url);
const __filename = __bundleFileURLToPath(import.meta.url);
const __dirname = __bundleDirname(__filename);`;

/** Gives a chunk that exports only its `default` the named exports that Node would find in the same package. */
const NAMED_EXPORTS = '.then((chunk) => ({ ...chunk.default, default: chunk.default }))';

/** What `npm start`, the image and the systemd unit run, beside `main.js`: the service with Node's flags and variables. */
const START = [
  '#!/bin/sh',
  ...Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `export ${name}=${value}`),
  `exec node ${NODE_FLAGS.join(' ')} "\${0%/*}/main.js"`,
  '',
].join('\n');

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

/**
 * Bundles the entries into ESM for Node. All files lie flat in `outdir`, so that a path relative to a module is the same
 * from every chunk; what is imported dynamically stays in chunks of its own.
 */
async function bundle(entries: readonly string[], outdir: string): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(entries.map(parseEntry)),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    chunkNames: '[name]-[hash]',
    sourcemap: true,
    // Stack traces need positions only, and the sources would be most of what is written.
    sourcesContent: false,
    // Node keeps the text of what it runs: 15 MB less. Names stay, for stack traces and for those who look into it.
    minifyWhitespace: true,
    minifySyntax: true,
    // A native module finds its binary beside its own package.
    external: ['better-sqlite3'],
    banner: { js: BANNER },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  // esbuild leaves such a chunk without named exports, unlike a bundle without chunks: evanw/esbuild#3245.
  const lazy = commonJsChunks(metafile).map((file) => `import("./${file}")`);
  const named = (text: string) => lazy.reduce((code, call) => code.replaceAll(call, call + NAMED_EXPORTS), text);
  // The maps of foreign code are most of what would be written, and tell us nothing.
  const foreign = foreignChunks(metafile);
  const unmapped = (text: string) => text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  const files = outputFiles
    .map(({ path, text }) => ({ path, file: basename(path), text }))
    .filter(({ file }) => !(file.endsWith('.map') && foreign.has(file.slice(0, -'.map'.length))))
    .map(({ path, file, text }) => {
      const code = file.endsWith('.js') ? named(text) : text;
      return { path, file, text: foreign.has(file) ? unmapped(code) : code };
    });
  const folder = resolve(ROOT, outdir);
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ path, text }) => writeFile(path, text)));
  // Chunks of earlier bundles go only now, so that a process that starts meanwhile finds its own.
  const written = new Set([...files.map(({ file }) => file), REFERENCE]);
  const stale = (await readdir(folder)).filter((file) => /\.js(\.map)?$/.test(file) && !written.has(file));
  await Promise.all(stale.map((file) => rm(join(folder, file))));
}

/** Adds to the bundled service what it reads from its folder and what starts it. */
async function addServiceFiles(outdir: string): Promise<void> {
  const folder = resolve(ROOT, outdir);
  await writeFile(join(folder, REFERENCE), readReferenceScript(ROOT));
  await writeFile(join(folder, 'start'), START, { mode: 0o755 });
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { outdir: { type: 'string', default: 'dist' } },
});
const isService = positionals.length === 0;
await bundle(isService ? DEFAULT_ENTRIES : positionals, values.outdir);
if (isService) {
  await addServiceFiles(values.outdir);
  const { name, version } = manifest;
  process.stdout.write(`Built ${name} ${version} in ${resolve(ROOT, values.outdir)}\n`);
}
