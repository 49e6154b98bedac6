import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { errorResult } from './errors/error-words.ts';
import type { HttpFault } from './errors/http-faults.ts';
import { type Door, SECURITY_HEADERS } from './middleware/context.ts';
import { endSlowReaders } from './slow-readers.ts';

/** For HTTP/1.0, where the `Host` header is optional. */
const UNNAMED = 'localhost';

/** What is answered to a request that the app never sees. */
function answerTo(fault: HttpFault, requestId: string) {
  const { status, body: words } = errorResult(fault, requestId);
  const body = JSON.stringify(words);
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
  };
  return { status, body, headers };
}

function malformed(message: string): HttpFault {
  return { code: 'malformed_http', message };
}

/** Requests without a valid URL never reach the app. */
function refuse(error: unknown, requestId: string): Response {
  if (!(error instanceof RequestError)) throw error;
  const message =
    'The request line or the Host header is malformed: send a path in the request line, and only the host in the Host header';
  const { body, ...rest } = answerTo(malformed(message), requestId);
  return new Response(body, rest);
}

/**
 * What is wrong with the Host headers, or null. Of several, Node keeps the first, but a proxy may have used the last
 * (RFC 9112, 3.2); without one, Node itself would answer without a body.
 */
function findHostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'The request has more than one Host header';
  return hosts === 0 && httpVersion === '1.1' ? 'The request has no Host header' : null;
}

function refuseHosts(outgoing: ServerResponse, problem: string, requestId: string): void {
  const { status, body, headers } = answerTo(malformed(problem), requestId);
  outgoing.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

/** What Node's HTTP parser refuses, by the code of its error; anything else is a 400. */
const UNPARSED: Readonly<Record<string, HttpFault>> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_long' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'chunks_too_long' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout' },
};
const NOT_HTTP = malformed('The request is not valid HTTP/1.1');

/** Answers nothing when a response has begun or was the last one. */
function refuseUnparsed(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex,
  { requestId, sending }: { requestId: string; sending: ServerResponse | undefined },
): void {
  const isAnswered = sending?.headersSent && !(sending.writableFinished && sending.shouldKeepAlive);
  if (!socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  const { status, body, headers } = answerTo(UNPARSED[error.code ?? ''] ?? NOT_HTTP, requestId);
  const all = { ...headers, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  // A response to HEAD has no body.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
  socket.end(isHead ? head : head + body, () => socket.destroy());
}

function refuseExpectation(outgoing: ServerResponse, requestId: string): void {
  const { status, body, headers } = answerTo({ code: 'expectation_unknown' }, requestId);
  outgoing.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

/** Time and connection limits for clients. Milliseconds; Node's own limits, or none, when absent. */
export interface Patience extends ServerOptions {
  /** The longest time without a byte in either direction; must exceed the time to produce a response. */
  readonly idleMs?: number | undefined;
  /** How long a client may take to read one response. Checked every `connectionsCheckingInterval`. */
  readonly answerMs?: number | undefined;
  /** Connections beyond it are closed at once. */
  readonly maxConnections?: number | undefined;
}

const CHECK_MS = 30_000;

/**
 * Completes a request without a body once its head is read. Node otherwise opens and closes an empty stream for each, a
 * tenth of the cost of a claim look-up. Node since 24.12; earlier versions ignore it.
 */
const NO_STREAM_WITHOUT_BODY = { optimizeEmptyRequests: true };

function limitCallers(server: Server, { idleMs, answerMs, maxConnections, connectionsCheckingInterval }: Patience) {
  if (idleMs !== undefined) server.timeout = idleMs;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  if (answerMs === undefined) return () => undefined;
  return endSlowReaders(server, { answerMs, checkMs: connectionsCheckingInterval ?? CHECK_MS });
}

export interface ServedApp {
  readonly app: Hono;
  readonly newId: () => string;
  /** The app's server that this is; the public one when absent. */
  readonly door?: Door;
}

/** Creates a server of the app, which does not listen yet. */
export function createHttpServer({ app, newId, door }: ServedApp, options: Patience = {}): Server {
  const errorHandler = (error: unknown) => refuse(error, newId());
  const fetch =
    door === undefined ? app.fetch : (request: Request, bindings: object) => app.fetch(request, { ...bindings, door });
  const listener = getRequestListener(fetch, { hostname: UNNAMED, errorHandler });
  const server = createServer(
    { ...NO_STREAM_WITHOUT_BODY, requireHostHeader: false, ...options },
    (incoming, outgoing) => {
      // Without this, clients that reuse a connection would keep a closing server open for ever.
      if (!server.listening) outgoing.setHeader('connection', 'close');
      watchAnswer(incoming.socket, outgoing);
      sending.set(incoming.socket, outgoing);
      const problem = findHostProblem(incoming);
      if (problem === null) listener(incoming, outgoing);
      else refuseHosts(outgoing, problem, newId());
    },
  );
  const watchAnswer = limitCallers(server, options);
  /** The newest response of each connection. */
  const sending = new WeakMap<Duplex, ServerResponse>();
  server.on('clientError', (error, socket) =>
    refuseUnparsed(error, socket, { requestId: newId(), sending: sending.get(socket) }),
  );
  server.on('checkExpectation', (incoming, outgoing) => {
    sending.set(incoming.socket, outgoing);
    refuseExpectation(outgoing, newId());
  });
  return server;
}

/**
 * Returns a function that stops listening and resolves when all requests are answered. It closes connections without a
 * request, which browsers and balancers open in advance, and each other one with its last answer; Node itself would wait
 * until they are idle for too long.
 */
export function createGracefulShutdown(server: Server): () => Promise<void> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const underWay = new WeakMap<Socket, number>();
  server.on('request', ({ socket }, answer) => {
    unused.delete(socket);
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    answer.once('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      underWay.set(socket, left);
      if (left === 0 && !server.listening) socket.destroySoon();
    });
  });
  return () =>
    new Promise((resolve) => {
      // Closing fails when the server does not listen; then there is nothing to wait for.
      server.close(() => resolve());
      for (const socket of unused) socket.destroy();
    });
}
