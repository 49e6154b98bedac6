import { connect, type Socket } from 'node:net';

/** What came back on a connection, as far as it is one answer. */
export interface WireAnswer {
  readonly status: number;
  /** By lower-case name; of repeated ones the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Bytes behind the answer: a second answer, which only a request that was read as two can get. */
  readonly surplus: string;
  /** From the first byte sent to the last byte received. */
  readonly ms: number;
}

/** Nothing came, or no whole answer. */
export interface NoAnswer {
  readonly status: 0;
  readonly reason: string;
  readonly ms: number;
}

const HEAD_END = '\r\n\r\n';

function readHead(head: string): { status: number; headers: Record<string, string> } | null {
  const [first = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5][0-9]{2}) /.exec(first)?.[1];
  if (status === undefined) return null;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers };
}

function readChunks(text: string): { body: string; rest: string } | null {
  let body = '';
  let rest = text;
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest);
    if (size === null) return null;
    const start = size[0].length;
    const length = Number.parseInt(size[1] ?? '', 16);
    if (rest.length < start + length + 2) return null;
    body += rest.slice(start, start + length);
    rest = rest.slice(start + length + 2);
    if (length === 0) return { body, rest };
  }
}

function readBody(text: string, answered: { headers: Record<string, string>; bodiless: boolean }) {
  const { headers, bodiless } = answered;
  if (bodiless) return { body: '', rest: text };
  if (headers['transfer-encoding'] === 'chunked') return readChunks(text);
  const length = headers['content-length'];
  if (length === undefined) return { body: text, rest: '' };
  return text.length < Number(length)
    ? null
    : { body: text.slice(0, Number(length)), rest: text.slice(Number(length)) };
}

/** Reads an answer from all the bytes of a connection, one character each; null when it is none or not whole. */
function readAnswer(bytes: string, method: string): Omit<WireAnswer, 'ms'> | null {
  const end = bytes.indexOf(HEAD_END);
  const head = end < 0 ? null : readHead(bytes.slice(0, end));
  if (head === null) return null;
  const after = bytes.slice(end + HEAD_END.length);
  // An interim answer is followed by the one that counts.
  if (head.status < 200) return readAnswer(after, method);
  const bodiless = method === 'HEAD' || head.status === 204 || head.status === 304;
  const read = readBody(after, { headers: head.headers, bodiless });
  return read && { ...head, body: Buffer.from(read.body, 'latin1').toString('utf8'), surplus: read.rest };
}

/** A connection to 127.0.0.1 that never throws. */
export function openSocket(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  // What became of it shows in what came back.
  socket.on('error', () => socket.destroy());
  return socket;
}

/**
 * Sends these very bytes on a connection of their own and reads what comes back until the other side closes.
 * @param options.half whether to say, after the bytes, that nothing follows; otherwise the server must end it
 */
export function exchange(
  port: number,
  bytes: Uint8Array,
  options: { method: string; patienceMs: number; half?: boolean },
): Promise<WireAnswer | NoAnswer> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = openSocket(port);
    const chunks: Buffer[] = [];
    let timedOut = false;
    socket.setTimeout(options.patienceMs, () => {
      timedOut = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('connect', () => (options.half === true ? socket.end(bytes) : socket.write(bytes)));
    socket.once('close', () => {
      const ms = performance.now() - startedAt;
      const answer = readAnswer(Buffer.concat(chunks).toString('latin1'), options.method);
      if (answer !== null) resolve({ ...answer, ms });
      else resolve({ status: 0, reason: timedOut ? 'no answer in time' : 'closed without an answer', ms });
    });
  });
}
