import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { type Door, SECURITY_HEADERS } from './middleware/context.ts';
import { endSlowReaders } from './slow-readers.ts';

/** For HTTP/1.0, whose requests need not name the host that they are for. */
const UNNAMED = 'localhost';

function malformed(message: string, requestId: string) {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', 'x-request-id': requestId };
  return { body: JSON.stringify({ error: message }), headers };
}

/** Answers what does not even make a URL, and so never comes to the app. */
function refuse(error: unknown, requestId: string): Response {
  if (!(error instanceof RequestError)) throw error;
  const message = 'The request line or the Host header is malformed: send a path, and the host alone';
  const { body, headers } = malformed(message, requestId);
  return new Response(body, { status: 400, headers });
}

/** Node keeps the first of several `Host` headers, and a proxy before it may have gone by the last (RFC 9112, 3.2). */
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

/** How long callers may take, and how many there may be. Milliseconds; Node's own limits, or none, when absent. */
export interface Patience extends ServerOptions {
  /** How long a connection may pass no byte in either direction, also while its answer is made: longer than that takes. */
  readonly idleMs?: number | undefined;
  /** How long a client may take to read one answer. Looked at every `connectionsCheckingInterval`. */
  readonly answerMs?: number | undefined;
  /** Connections beyond it are closed at once. */
  readonly maxConnections?: number | undefined;
}

const CHECK_MS = 30_000;

/**
 * A request that announces no body is complete once its head is read. Node otherwise opens, ends and closes an empty stream
 * for each of them: a tenth of what a claim look-up costs. Node since 24.12; earlier ones ignore it.
 */
const NO_STREAM_WITHOUT_BODY = { optimizeEmptyRequests: true };

/** Holds a server's callers to the limits; answers what is to be told of every request. */
function limitCallers(server: Server, { idleMs, answerMs, maxConnections, connectionsCheckingInterval }: Patience) {
  if (idleMs !== undefined) server.timeout = idleMs;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  if (answerMs === undefined) return () => undefined;
  return endSlowReaders(server, { answerMs, checkMs: connectionsCheckingInterval ?? CHECK_MS });
}

export interface ServedApp {
  readonly app: Hono;
  readonly newId: () => string;
  /** Which of the app's doors it is; the one for everybody when absent. */
  readonly door?: Door;
}

/** A server of the app; it listens nowhere yet. */
export function createHttpServer({ app, newId, door }: ServedApp, options: Patience = {}): Server {
  const errorHandler = (error: unknown) => refuse(error, newId());
  const fetch =
    door === undefined ? app.fetch : (request: Request, bindings: object) => app.fetch(request, { ...bindings, door });
  const listener = getRequestListener(fetch, { hostname: UNNAMED, errorHandler });
  const server = createServer({ ...NO_STREAM_WITHOUT_BODY, ...options }, (incoming, outgoing) => {
    // Once it listens no more, callers that go on asking on a connection they have would keep it open for ever.
    if (!server.listening) outgoing.setHeader('connection', 'close');
    watchAnswer(incoming.socket, outgoing);
    if (namesTwoHosts(incoming)) refuseTwoHosts(outgoing, newId());
    else listener(incoming, outgoing);
  });
  const watchAnswer = limitCallers(server, options);
  return server;
}

/**
 * Makes what closes a server: it listens no more, and resolves when all that was asked is answered. Connections on which
 * nothing was asked yet, as browsers and balancers open them in advance, are ended; Node itself would wait for them.
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
      // It fails when it does not listen, and then there is nothing to wait for either.
      server.close(() => resolve());
      for (const socket of unused) socket.destroy();
    });
}
