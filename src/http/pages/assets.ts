import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** What a browser loads beside a page, from folders of this project. */
export interface Assets {
  /**
   * The address of an asset, with a mark of its content, so that it may be kept for ever.
   * @throws Error when there is no such file
   */
  url(name: string): string;
  /** An asset and its headers; null when there is none under this name. */
  read(name: string): { readonly body: Uint8Array<ArrayBuffer>; readonly headers: Record<string, string> } | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** No path: nothing outside the folders can be named. */
const NAME = /^[a-z0-9-]+\.(?:css|js|svg)$/;

interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly mark: string;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * The assets in `folders`, of which the first that has a name wins. Each file is read when it is first asked for, and
 * then kept: they are few and small.
 * @param options.root what comes before `/assets/`; nothing when absent
 */
export function createAssets({ folders, root = '' }: { folders: readonly string[]; root?: string }): Assets {
  const known = new Map<string, Asset>();

  function load(name: string): Asset | null {
    const loaded = known.get(name);
    if (loaded !== undefined || !NAME.test(name)) return loaded ?? null;
    for (const folder of folders) {
      try {
        const body = new Uint8Array(readFileSync(join(folder, name)));
        const asset = { body, mark: createHash('sha256').update(body).digest('hex').slice(0, 12) };
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
    read: (name) => {
      const asset = load(name);
      if (asset === null) return null;
      const headers = {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'content-length': String(asset.body.byteLength),
        'cache-control': 'public, max-age=31536000, immutable',
      };
      return { body: asset.body, headers };
    },
  };
}
