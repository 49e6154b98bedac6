import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** How commands and files are named in a clone, and how in the package. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/In scripts, use npm run -s, so that npm itself prints nothing: /g, 'In scripts: '],
  [/npm run (?:-s )?(admin|sandbox|say|act|later|listen)\b(?: --)?/g, 'npx gigclaim $1'],
  [/npm start\b/g, 'npx gigclaim start'],
  [/run npm install, or apt-get/g, 'run apt-get'],
  // Node strips no types below `node_modules`.
  [/'image-worker\.ts'/g, "'image-worker.js'"],
];

/** A text of the program, with its commands as the package takes them. */
export function inWordsOfPackage(text: string): string {
  return WORDS.reduce((result, [clone, ours]) => result.replaceAll(clone, ours), text);
}

/** Has every text of the program name commands as the package takes them. */
export const PACKAGE_WORDS: Plugin = {
  name: 'package-words',
  setup({ onLoad }) {
    onLoad({ filter: /\/(src|sandbox)\/.*\.ts$/ }, async ({ path }) =>
      path.includes('/node_modules/')
        ? null
        : { contents: inWordsOfPackage(await readFile(path, 'utf8')), loader: 'ts' },
    );
  },
};
