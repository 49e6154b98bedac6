import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { AppEnv } from './context.ts';

/** A tenth of a second for the 1 MB of the API reference; the highest quality takes 20 times as long and saves a tenth. */
const BROTLI_QUALITY = 9;

type Encoding = 'br' | 'gzip' | 'identity';
type Bytes = Uint8Array<ArrayBuffer>;

/** A response body in memory, shared by all of its readers. It is compressed once, in Node's thread pool. */
export interface CachedFile {
  readonly body: Bytes;
  /** Twelve hexadecimal digits of the content's SHA-256. */
  readonly mark: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body in each encoding; created at the first request. */
  encoded(): Promise<Readonly<Record<Encoding, Bytes>>>;
}

async function encode(body: Bytes): Promise<Record<Encoding, Bytes>> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  // Copied, because zlib returns a slice of a larger buffer.
  return { br: new Uint8Array(br), gzip: new Uint8Array(gzipped), identity: body };
}

/** Creates a held file with these headers. */
export function cacheFile(body: Bytes, headers: Readonly<Record<string, string>>): CachedFile {
  const mark = createHash('sha256').update(body).digest('hex').slice(0, 12);
  let made: Promise<Record<Encoding, Bytes>> | null = null;
  return {
    body,
    mark,
    headers,
    encoded: () => {
      made ??= encode(body);
      return made;
    },
  };
}

/**
 * A file of the disk, read at its first request, because most services never send it.
 * @param edit makes what is sent of what is read
 */
export function holdFile(
  path: string,
  headers: Readonly<Record<string, string>>,
  edit: (text: string) => string = (text) => text,
): () => Promise<CachedFile> {
  let held: Promise<CachedFile> | null = null;
  async function load(): Promise<CachedFile> {
    return cacheFile(new Uint8Array(Buffer.from(edit(await readFile(path, 'utf8')))), headers);
  }
  return () => {
    held ??= load().catch((error: unknown) => {
      held = null;
      throw error;
    });
    return held;
  };
}

function chooseEncoding(c: Context<AppEnv>): Encoding {
  return accepts(c, {
    header: 'Accept-Encoding',
    supports: ['br', 'gzip'],
    default: 'identity',
    match: (taken, { supports, default: otherwise }) =>
      supports.find((name) => taken.some(({ type, q }) => type.toLowerCase() === name && q > 0)) ?? otherwise,
    // Returns one of these or the default, but is typed as a string.
  }) as Encoding;
}

function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

/**
 * Answers with a held file in the best encoding that the client accepts, or 304 when the client has it.
 * @param headers added to the file's headers, or replacing them
 */
export async function answerFile(
  c: Context<AppEnv>,
  file: CachedFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const encoding = chooseEncoding(c);
  const etag = `"${file.mark}-${encoding}"`;
  const all: Record<string, string> = { ...c.get('request').headers, ...file.headers, ...headers };
  all['etag'] = etag;
  all['vary'] = 'accept-encoding';
  if (isKnown(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers: all });
  const body = (await file.encoded())[encoding];
  all['content-length'] = String(body.byteLength);
  if (encoding !== 'identity') all['content-encoding'] = encoding;
  return new Response(body, { headers: all });
}
