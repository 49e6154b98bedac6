import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, expect, test } from 'vitest';
import { createGracefulShutdown, createHttpServer } from '../../src/http/server.ts';
import { type ServedService, serveService } from './serve.ts';

let service: ServedService | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.close();
  service = undefined;
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const HEALTH = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';

test('behavior: the limits on a request’s arrival end no connection that is only idle', async () => {
  const patience = {
    headersTimeout: 50,
    requestTimeout: 100,
    connectionsCheckingInterval: 10,
    keepAliveTimeout: 60_000,
  };
  service = await serveService({}, patience);
  const idle = await open(service.port);
  idle.write(HEALTH);
  expect(String(await once(idle, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  // One after the other: the idle connection has waited for longer than both limits when the last one is refused.
  for (let times = 0; times < 3; times += 1) {
    const half = await open(service.port);
    half.write(HEALTH.slice(0, 20));
    expect(String(await once(half, 'data'))).toMatch(/^HTTP\/1\.1 408 /);
  }
  idle.write(HEALTH);
  expect(String(await once(idle, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
});

test('behavior: a stop closes a connection that would be kept as soon as its answer is sent', async () => {
  const gate = Promise.withResolvers<void>();
  const app = new Hono().get('/', async (c) => {
    await gate.promise;
    return c.text('done');
  });
  const server = createHttpServer({ app, newId: randomUUID }, { keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
  const shutDown = createGracefulShutdown(server);
  await once(server, 'listening');
  const socket = await open((server.address() as AddressInfo).port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(server, 'request');
  const stopped = shutDown();
  gate.resolve();
  const [answer] = await Promise.all([once(socket, 'data'), once(socket, 'close'), stopped]);
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/);
});
