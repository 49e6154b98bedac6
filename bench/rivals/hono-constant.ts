import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** A bare Hono server that answers the same bytes to everybody: what the framework and Node leave to be had. */
const { port, body } = JSON.parse(process.argv[2] ?? '{}') as { port: number; body: string };
const app = new Hono();
app.get('/api/claim', (c) => c.body(body, 200, { 'content-type': 'application/json' }));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port });
