import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { type Door, SECURITY_HEADERS } from './middleware/context.ts';
import { endSlowReaders } from './slow-readers.ts';

/** For HTTP/1.0, where the `Host` header is optional. */
const UNNAMED = 'localhost';

function malformed(message: string, requestId: string) {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', 'x-request-id': requestId };
  return { body: JSON.stringify({ error: message }), headers };
}

/** Answers requests without a valid URL, which never reach the app. */
function refuse(error: unknown, requestId: string): Response {
  if (!(error instanceof RequestError)) throw error;
  const message = 'The request line or the Host header is malformed: send a path, and the host alone';
  const { body, headers } = malformed(message, requestId);
  return new Response(body, { status: 400, headers });
}

/** Node keeps the first of several `Host` headers, but a proxy may have used the last (RFC 9112, 3.2). */
function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function refuseTwoHosts(outgoing: ServerResponse, requestId: string): void {
  const { body, headers } = malformed('The request has more than one Host header', requestId);
  outgoing.writeHead(400, { ...headers, connection: 'close' }).end(body);
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

/** Applies the limits to a server's clients; returns the callback for every request. */
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
  const server = createServer({ ...NO_STREAM_WITHOUT_BODY, ...options }, (incoming, outgoing) => {
    // Without this, clients that reuse a connection would keep a closing server open for ever.
    if (!server.listening) outgoing.setHeader('connection', 'close');
    watchAnswer(incoming.socket, outgoing);
    if (namesTwoHosts(incoming)) refuseTwoHosts(outgoing, newId());
    else listener(incoming, outgoing);
  });
  const watchAnswer = limitCallers(server, options);
  return server;
}

/**
 * Returns a function that stops listening and resolves when all requests are answered. It closes connections without a
 * request, which browsers and balancers open in advance; Node itself would wait for them.
 */
export function createGracefulShutdown(server: Server): () => Promise<void> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return () =>
    new Promise((resolve) => {
      // Closing fails when the server does not listen; then there is nothing to wait for.
      server.close(() => resolve());
      for (const socket of unused) socket.destroy();
    });
}
