import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { SECURITY_HEADERS } from './exchange.ts';
import type { Front } from './front.ts';

/** For HTTP/1.0, whose requests need not name the host that they are for. */
const UNNAMED = 'localhost';

/** Answers what does not even make a URL, and so never comes to the app. */
function refuse(error: unknown, requestId: string): Response {
  if (!(error instanceof RequestError)) throw error;
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', 'x-request-id': requestId };
  const message = 'The request line or the Host header is malformed: send a path, and the host alone';
  return new Response(JSON.stringify({ error: message }), { status: 400, headers });
}

/**
 * A request that announces no body is complete once its head is read. Node otherwise opens, ends and closes an empty stream
 * for each of them: a tenth of what a claim look-up costs. Node since 24.12; earlier ones ignore it.
 */
const NO_STREAM_WITHOUT_BODY = { optimizeEmptyRequests: true };

/** A server of the app with the front before it; it listens nowhere yet. */
export function createHttpServer(
  { app, front, newId }: { app: Hono; front: Front; newId: () => string },
  options: ServerOptions = {},
): Server {
  const errorHandler = (error: unknown) => refuse(error, newId());
  const listener = front(getRequestListener(app.fetch, { hostname: UNNAMED, errorHandler }));
  const server = createServer({ ...NO_STREAM_WITHOUT_BODY, ...options }, (incoming, outgoing) => {
    // Once it listens no more, callers that go on asking on a connection they have would keep it open for ever.
    if (!server.listening) outgoing.setHeader('connection', 'close');
    listener(incoming, outgoing);
  });
  return server;
}

/**
 * Makes what closes a server: it listens no more, and resolves when all that was asked is answered. Connections on which
 * nothing was asked yet, as browsers and balancers open them in advance, are ended; Node itself would wait for them.
 */
export function createClosing(server: Server): () => Promise<void> {
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
