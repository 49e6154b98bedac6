import { fileURLToPath } from 'node:url';

/** The folders of the page's files, its own first: from this file and from a bundle in the same folder alike. */
export const ASSETS: readonly string[] = ['./page/assets', './feed/assets', '../src/http/pages/assets'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
