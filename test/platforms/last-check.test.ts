import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createLastCheck } from '../../src/platforms/last-check.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { answering, FARCASTER, failureOf, NOW, openWire, TWITTER, type Wire } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const NOT_AFTER = NOW + 45_000;

let wire: Wire | undefined;
let server: Server | undefined;
afterEach(async () => {
  await wire?.close();
  server?.close();
  wire = undefined;
  server = undefined;
});

/** A clock that stands still until it is told to go on. */
function createClock() {
  let now = NOW;
  return {
    clock: () => now,
    stopFor: (ms: number) => {
      now += ms;
    },
  };
}

const platforms = [
  ['Neynar', async (baseUrl: string, clock: () => number) => createFarcaster({ ...FARCASTER, baseUrl, clock }), HASH],
  [
    'X',
    (baseUrl: string, clock: () => number) => createXPlatform({ ...TWITTER, baseUrl, clock }),
    '2080765813578191303',
  ],
] as const;

describe.each(platforms)('%s, asked to reply', (name, open, replyTo) => {
  const reply = { replyTo, authorId: '1001', text: 'hello', idem: '0123456789abcdef', notAfter: NOT_AFTER };
  const posted =
    name === 'X'
      ? answering(201, '{"data":{"id":"5","text":"hello"}}')
      : answering(200, JSON.stringify({ success: true, cast: { hash: HASH, author: { fid: 1 }, text: 'hello' } }));

  test('behavior: within the time it posts', async () => {
    wire = await openWire(posted);
    const { clock, stopFor } = createClock();
    stopFor(1_000);
    const platform = await open(wire.url, clock);
    expect((await platform.reply(reply)).postId).toBe(name === 'X' ? '5' : HASH);
    expect(wire.requests).toHaveLength(1);
  });

  test('security: when its time is over nothing leaves, and it may be sent again', async () => {
    wire = await openWire(posted);
    const { clock, stopFor } = createClock();
    const platform = await open(wire.url, clock);
    stopFor(45_000);
    const failure = await failureOf(platform.reply(reply));
    expect([failure.reason, failure.retry]).toEqual(['too_late', 'safe']);
    expect(failure.message).toBe(
      `${name} was not called for “${name === 'X' ? 'post a reply' : 'publish a cast'}”: the deadline had passed`,
    );
    expect(wire.requests).toEqual([]);
  });

  test('security: a process that is stopped after the call began, while the SDK prepares the request, sends nothing', async () => {
    wire = await openWire(posted);
    const { clock, stopFor } = createClock();
    const platform = await open(wire.url, clock);
    const sent = failureOf(platform.reply(reply));
    stopFor(45_000);
    expect((await sent).reason).toBe('too_late');
    expect(wire.requests).toEqual([]);
  });

  test('behavior: what only reads has no such time', async () => {
    wire = await openWire(answering(404, '{}'));
    const { clock, stopFor } = createClock();
    const platform = await open(wire.url, clock);
    stopFor(45_000);
    const failure = await failureOf(platform.pollEvents({ cursor: null, since: 0 }));
    expect(failure.reason).toBe('not_found');
    expect(wire.requests).toHaveLength(1);
  });
});

describe('the time in which something may be sent', () => {
  test('behavior: is over at its end, by the clock or by the time that went by', () => {
    let now = NOW;
    let up = 7;
    const isOver = createLastCheck({ notAfter: NOT_AFTER, clock: () => now }, () => up);
    now = NOT_AFTER - 1;
    up = 7 + (NOT_AFTER - NOW) - 1;
    expect(isOver()).toBe(false);
    now = NOT_AFTER;
    expect(isOver()).toBe(true);
  });

  test('security: a clock that is set back meanwhile makes it no longer', () => {
    let now = NOW;
    let up = 0;
    const isOver = createLastCheck({ notAfter: NOT_AFTER, clock: () => now }, () => up);
    now = NOW - 3_600_000;
    up = NOT_AFTER - NOW;
    expect(isOver()).toBe(true);
  });
});

describe('X, while it connects', () => {
  const reply = { replyTo: '1', authorId: '1', text: 'hello', idem: '', notAfter: NOT_AFTER };

  /** A server that takes connections, tells of each, and of the bytes that come. */
  async function listen(connected: (socket: Socket) => void) {
    const bytes: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    server = createTcpServer((socket) => {
      socket.on('data', (chunk) => bytes.push(chunk));
      socket.on('error', () => undefined);
      socket.on('close', () => closed.resolve());
      connected(socket);
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return { port: address.port, bytes, closed: closed.promise };
  }

  test('security: a process that is stopped meanwhile writes nothing once the connection stands', async () => {
    const { bytes, port, closed } = await listen(() => undefined);
    let looks = 0;
    // The first look is at how much time is left, the second right before the request, the third when the connection stands.
    const clock = () => {
      looks += 1;
      return looks <= 2 ? NOW : NOW + 45_000;
    };
    const twitter = await createXPlatform({ ...TWITTER, baseUrl: `http://127.0.0.1:${port}`, clock });
    const failure = await failureOf(twitter.reply(reply));
    expect([failure.reason, failure.retry]).toEqual(['too_late', 'safe']);
    await closed;
    expect(Buffer.concat(bytes).toString()).toBe('');
  });

  test('error: a connection that never stands ends with the call', async () => {
    const { port, closed } = await listen(() => undefined);
    const options = { ...TWITTER, baseUrl: `https://127.0.0.1:${port}`, clock: () => NOW, timeoutMs: 100 };
    const twitter = await createXPlatform(options);
    const failure = await failureOf(twitter.reply(reply));
    expect(failure.reason).toBe('timeout');
    await closed;
  });

  test('error: nobody there is told as it was, and nothing was sent', async () => {
    const twitter = await createXPlatform({ ...TWITTER, baseUrl: 'http://127.0.0.1:9', clock: () => NOW });
    const failure = await failureOf(twitter.reply(reply));
    expect([failure.reason, failure.retry]).toEqual(['unreachable', 'safe']);
  });
});
