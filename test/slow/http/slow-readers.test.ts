import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpServer, type Patience } from '../../../src/http/server.ts';
import { streamText } from '../../../src/http/stream-text.ts';
import { type ServedService, serveService } from '../../http/serve.ts';
import { listen } from '../../support/listen.ts';

let service: ServedService | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.close();
  service = undefined;
});

async function open({ port }: { readonly port: number }): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  // An end that cuts an answer short comes as an error.
  socket.on('error', () => undefined);
  // What the other side sends stays in the system's buffers until it is read.
  socket.pause();
  await once(socket, 'connect');
  return socket;
}

const request = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: a', 'Accept-Encoding: identity', ...headers].join('\r\n')}\r\n\r\n`;
/** 1 MB for each; together more than the system's buffers take. */
const SCRIPT = request('/api/docs/redoc.js').repeat(24);

/** Resolves when the connection is ended from the other side, which a socket that is paused does not see. */
async function ended(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** Resolves when the server has so many connections. */
async function untilConnections(count: () => Promise<number>, wanted: number): Promise<void> {
  while ((await count()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a client that does not read its answer', () => {
  test('security: is ended when nothing has moved for a while', async () => {
    service = await serveService({}, { idleMs: 100 });
    const socket = await open(service);
    socket.write(SCRIPT);
    await untilConnections(service.connections, 1);
    await untilConnections(service.connections, 0);
    await ended(socket);
  });

  const health = request('/health');

  test.each<[string, first: string, meanwhile: (socket: Socket) => void]>([
    ['when its time is over, although it goes on reading a little', SCRIPT, (socket) => socket.read(1)],
    ['although its first answer, which it took at once, was a small one', health + SCRIPT, (socket) => socket.read(1)],
    ['although it goes on asking', SCRIPT, (socket) => socket.write(health)],
  ])('security: is ended %s', async (_, first, meanwhile) => {
    service = await serveService({}, { answerMs: 200, connectionsCheckingInterval: 20 });
    const socket = await open(service);
    socket.write(first);
    const going = setInterval(() => meanwhile(socket), 5);
    try {
      await untilConnections(service.connections, 1);
      await untilConnections(service.connections, 0);
    } finally {
      clearInterval(going);
    }
    await ended(socket);
  });

  test('security: has no memory of its own for a large file', async () => {
    service = await serveService();
    const before = process.memoryUsage().arrayBuffers;
    const readers = 100;
    for (let count = 0; count < readers; count += 1) {
      const socket = await open(service);
      socket.write(SCRIPT);
    }
    // Answered after those above, because all go through the same process.
    for (let asked = 0; asked < 3; asked += 1) expect((await fetch(`${service.origin}/health`)).status).toBe(200);
    // 24 copies of 1 MB for each would be 2,400 MB; the file itself is held in three encodings.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
  });
});

describe('a client that reads', () => {
  test('behavior: asks again and again on one connection for longer than one answer may take', async () => {
    service = await serveService({}, { idleMs: 1_000, answerMs: 60, connectionsCheckingInterval: 10 });
    const socket = await open(service);
    socket.resume();
    let closed = false;
    socket.once('close', () => {
      closed = true;
    });
    for (let count = 0; count < 30; count += 1) {
      socket.write(request('/health'));
      await once(socket, 'data');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(closed).toBe(false);
  });

  test('behavior: has its time for each answer when it asks for several at once', async () => {
    service = await serveService({}, { idleMs: 1_000, answerMs: 60, connectionsCheckingInterval: 10 });
    const socket = await open(service);
    let taken = '';
    socket.on('data', (bytes: Buffer) => {
      taken += bytes.toString('latin1');
    });
    socket.resume();
    const answers = () => taken.split('HTTP/1.1 200 ').length - 1;
    for (let count = 0; count < 30; count += 1) {
      socket.write(request('/health').repeat(3));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await expect.poll(answers).toBe(90);
    expect(socket.closed).toBe(false);
  });
});

describe('a long answer', () => {
  const PART = 'x'.repeat(64 * 1_024);
  const PARTS = 600;
  let made = 0;
  let isOver = false;

  async function* partsOf(): AsyncGenerator<string> {
    try {
      for (made = 0; made < PARTS; made += 1) yield PART;
    } finally {
      isOver = true;
    }
  }

  /** A server of 39 MB, made part by part, and a client that has asked for them. */
  async function serveParts(patience: Patience) {
    [made, isOver] = [0, false];
    const app = new Hono().get('/', (c) => c.body(streamText(partsOf())));
    const served = await listen(createHttpServer({ app, newId: randomUUID }, patience));
    const socket = await open(served);
    socket.write(request('/'));
    return { served, socket };
  }

  test('behavior: reaches a client that reads slowly, however long it takes', async () => {
    const { served, socket } = await serveParts({ answerMs: 1_000, connectionsCheckingInterval: 50 });
    let taken = 0;
    const reading = setInterval(() => socket.resume(), 4);
    socket.on('data', (bytes: Buffer) => {
      taken += bytes.length;
      socket.pause();
    });
    try {
      await expect.poll(() => taken).toBeGreaterThan(PARTS * PART.length);
    } finally {
      clearInterval(reading);
      await served.close();
    }
  });

  test('behavior: is made no further when its client is gone', async () => {
    const { served, socket } = await serveParts({});
    socket.once('data', () => socket.destroy());
    socket.resume();
    try {
      await expect.poll(() => isOver).toBe(true);
      expect(made).toBeLessThan(PARTS);
    } finally {
      await served.close();
    }
  });
});

describe('connections beyond the limit', () => {
  test('security: are closed at once, and there is room again when others end', async () => {
    service = await serveService({}, { maxConnections: 2 });
    const first = await open(service);
    const second = await open(service);
    await untilConnections(service.connections, 2);
    const third = await open(service);
    await ended(third);
    first.destroy();
    await untilConnections(service.connections, 1);
    second.write(request('/health', 'Connection: close'));
    second.resume();
    const [answer] = (await once(second, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    const fourth = await open(service);
    fourth.write(request('/health'));
    fourth.resume();
    await once(fourth, 'data');
  });
});
