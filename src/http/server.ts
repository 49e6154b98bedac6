import { createServer, type Server, type ServerOptions } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Front } from './front.ts';

/** For HTTP/1.0, whose requests need not name the host that they are for. */
const UNNAMED = 'localhost';

/** A server of the app with the front before it; it listens nowhere yet. */
export function createHttpServer({ app, front }: { app: Hono; front: Front }, options: ServerOptions = {}): Server {
  return createServer(options, front(getRequestListener(app.fetch, { hostname: UNNAMED })));
}
