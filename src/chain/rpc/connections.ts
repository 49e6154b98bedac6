import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** How many bytes of an answer are read, and how many it may unpack to. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Some gateways pack answers although the request asks them not to. */
const UNPACK: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** An answer is longer than any usable one. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

/** A POST to an endpoint. */
export interface Posting {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Called before the body is read; what it throws ends the request. */
  readonly onStatus: (status: number, headers: IncomingHttpHeaders) => void;
}

/**
 * How long a connection without questions is kept, in milliseconds: longer than the five seconds between two looks at a chain, and
 * shorter than servers usually keep one. A server that names a limit of its own is left before that.
 */
const KEPT_MS = 20_000;

/** How many connections to each origin have ended. */
const ended = new Map<string, number>();

async function openConnections(): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEPT_MS, allowH2: false });
  return agent.on('disconnect', ({ origin }) => ended.set(origin, (ended.get(origin) ?? 0) + 1));
}

let opening: Promise<Dispatcher> | undefined;

/** Puts the parts of a body together. `fail` hears of one that is too long or cannot be unpacked. */
function openBody(encoding: string | undefined, done: (text: string) => void, fail: (error: Error) => void) {
  const parts: Buffer[] = [];
  const lengths = { packed: 0, unpacked: 0 };
  const fits = (of: keyof typeof lengths, { length }: Buffer) => {
    lengths[of] += length;
    const is = lengths[of] <= MOST_BYTES;
    if (!is) fail(new AnswerTooLong(`more than ${MOST_BYTES} bytes`));
    return is;
  };
  const take = (part: Buffer) => void (fits('unpacked', part) && parts.push(part));
  const finish = () => done(new TextDecoder().decode(Buffer.concat(parts)));
  const unpacking = UNPACK[encoding?.trim().toLowerCase() ?? '']?.();
  if (unpacking === undefined) return { take, finish, drop: () => undefined };
  unpacking.on('data', take).on('end', finish).on('error', fail);
  return {
    take: (part: Buffer) => void (fits('packed', part) && unpacking.write(part)),
    finish: () => void unpacking.end(),
    drop: () => void unpacking.destroy(),
  };
}

function send(dispatcher: Dispatcher, { signal, onStatus, ...request }: Posting): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let controller: Dispatcher.DispatchController | undefined;
  let body: ReturnType<typeof openBody> | undefined;
  let isOver = false;
  const end = (error: Error) => {
    reject(error);
    body?.drop();
    // A request that waits for its connection has no controller yet.
    if (!isOver) controller?.abort(error);
    isOver = true;
  };
  const giveUp = () => end(new Error('given up'));
  const over = () => signal.removeEventListener('abort', giveUp);
  promise.then(over, over);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) {
    giveUp();
    return promise;
  }
  dispatcher.dispatch(
    { ...request, method: 'POST' },
    {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) giveUp();
      },
      onResponseStart(_started, status, headers) {
        // An interim response, without a body.
        if (status < 200) return;
        try {
          onStatus(status, headers);
        } catch (error) {
          reject(error);
          // A short body is here by then, and its connection is kept; another one may never end.
          setImmediate(end, new Error('refused', { cause: error }));
          return;
        }
        const encoding = headers['content-encoding'];
        body = openBody(Array.isArray(encoding) ? encoding[0] : encoding, resolve, end);
      },
      onResponseData: (_started, part) => body?.take(part),
      onResponseEnd() {
        isOver = true;
        body?.finish();
      },
      onResponseError(_started, error) {
        isOver = true;
        end(error);
      },
    },
  );
  return promise;
}

/**
 * Posts over connections that all endpoints share and whose ends are counted, and returns the body of the answer. It follows no
 * redirect, and only the signal limits its time. Its library loads with the first request, which shortens a start by 40 ms.
 * @throws AnswerTooLong
 */
export async function post(posting: Posting): Promise<string> {
  opening ??= openConnections();
  return await send(await opening, posting);
}

/** Counts the ended connections to an endpoint: when the count has changed, the next may reach another server. */
export function countDisconnects(rpcUrl: string): () => number {
  const { origin } = new URL(rpcUrl);
  return () => ended.get(origin) ?? 0;
}
