import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type CachedFile, cacheFile } from '../middleware/cached-file.ts';

/** The files that pages load, from folders of this project. */
export interface Assets {
  /**
   * The URL of an asset, with a hash of its content, so that it can be cached for ever.
   * @throws Error when there is no such file
   */
  url(name: string): string;
  /** An asset; null when there is none with this name. */
  read(name: string): CachedFile | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** No slashes: only files in the folders can be named. */
const NAME = /^[a-z0-9-]+\.(?:css|js|svg)$/;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * The assets in `folders`; the first folder that has a name wins. Each file is read at its first request and kept in
 * memory.
 * @param options.root the path before `/assets/`; empty when absent
 * @param options.made assets that are no files of this project, by their names; they win
 */
export function createAssets({
  folders,
  root = '',
  made,
}: {
  folders: readonly string[];
  root?: string;
  made?: ReadonlyMap<string, CachedFile>;
}): Assets {
  const known = new Map<string, CachedFile>(made);

  function load(name: string): CachedFile | null {
    const loaded = known.get(name);
    if (loaded !== undefined || !NAME.test(name)) return loaded ?? null;
    for (const folder of folders) {
      try {
        const body = new Uint8Array(readFileSync(join(folder, name)));
        const asset = cacheFile(body, {
          'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
          'cache-control': 'public, max-age=31536000, immutable',
        });
        known.set(name, asset);
        return asset;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return null;
  }

  return {
    url: (name) => {
      const asset = load(name);
      if (asset === null) throw new Error(`there is no asset ${name}`);
      return `${root}/assets/${name}?v=${asset.mark}`;
    },
    read: load,
  };
}
