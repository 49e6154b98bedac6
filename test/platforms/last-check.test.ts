import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { createLastCheck } from '../../src/platforms/last-check.ts';
import { createXPlatform } from '../../src/platforms/x/adapter.ts';
import { FARCASTER, failureOf, json, NOW, openWire, type Reaction, replyTo, TWITTER } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const NOT_AFTER = NOW + 45_000;

interface Where {
  readonly baseUrl: string;
  readonly clock: () => number;
}

const openX = (where: Where) => createXPlatform({ ...TWITTER, ...where });
const platforms = [
  ['Neynar', async (where: Where) => createFarcaster({ ...FARCASTER, ...where }), HASH],
  ['X', openX, '2080765813578191303'],
] as const;

describe.each(platforms)('%s, asked to reply', (name, openAt, postId) => {
  const reply = replyTo(postId, { notAfter: NOT_AFTER });
  const posted =
    name === 'X'
      ? json({ data: { id: '5', text: 'hello' } }, 201)
      : json({ success: true, cast: { hash: HASH, author: { fid: 1 }, text: 'hello' } });

  /** The platform before a server that reacts so, in a process that can be stopped for a while. */
  async function open(reaction: Reaction = posted) {
    let now = NOW;
    const stopFor = (ms: number) => {
      now += ms;
    };
    const { url, requests } = await openWire(reaction);
    return { platform: await openAt({ baseUrl: url, clock: () => now }), stopFor, requests };
  }

  test('behavior: within the time it posts', async () => {
    const { platform, stopFor, requests } = await open();
    stopFor(1_000);
    expect((await platform.reply(reply)).postId).toBe(name === 'X' ? '5' : HASH);
    expect(requests).toHaveLength(1);
  });

  test('security: when its time is over nothing leaves, and it may be sent again', async () => {
    const { platform, stopFor, requests } = await open();
    stopFor(45_000);
    const what = name === 'X' ? 'post a reply' : 'publish a cast';
    const message = `${name} was not called for “${what}”: the deadline had passed`;
    expect(await failureOf(platform.reply(reply))).toMatchObject({ reason: 'too_late', retry: 'safe', message });
    expect(requests).toEqual([]);
  });

  test('security: a process that is stopped after the call began, while the SDK prepares the request, sends nothing', async () => {
    const { platform, stopFor, requests } = await open();
    const sent = failureOf(platform.reply(reply));
    stopFor(45_000);
    expect((await sent).reason).toBe('too_late');
    expect(requests).toEqual([]);
  });

  test('behavior: what only reads has no such time', async () => {
    const { platform, stopFor, requests } = await open(json({}, 404));
    stopFor(45_000);
    const failure = await failureOf(platform.pollEvents({ cursor: null, since: 0 }));
    expect(failure.reason).toBe('not_found');
    expect(requests).toHaveLength(1);
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
  const reply = replyTo('1', { notAfter: NOT_AFTER });

  /** A server that takes connections, and tells of the bytes that come. */
  async function listen() {
    const bytes: Buffer[] = [];
    const closed = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.on('data', (chunk) => bytes.push(chunk));
      socket.on('error', () => undefined);
      socket.on('close', () => closed.resolve());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    // A TCP server's address is an object, never a pipe's name.
    return { port: (server.address() as AddressInfo).port, bytes, closed: closed.promise };
  }

  test('security: a process that is stopped meanwhile writes nothing once the connection stands', async () => {
    const { bytes, port, closed } = await listen();
    let looks = 0;
    // The first look is at how much time is left, the second right before the request, the third when the connection stands.
    const clock = () => {
      looks += 1;
      return looks <= 2 ? NOW : NOW + 45_000;
    };
    const twitter = await openX({ baseUrl: `http://127.0.0.1:${port}`, clock });
    expect(await failureOf(twitter.reply(reply))).toMatchObject({ reason: 'too_late', retry: 'safe' });
    await closed;
    expect(Buffer.concat(bytes).toString()).toBe('');
  });

  test('error: a connection that never stands ends with the call', async () => {
    const { port, closed } = await listen();
    const options = { ...TWITTER, baseUrl: `https://127.0.0.1:${port}`, clock: () => NOW, timeoutMs: 100 };
    const twitter = await createXPlatform(options);
    const failure = await failureOf(twitter.reply(reply));
    expect(failure.reason).toBe('timeout');
    await closed;
  });

  test('error: nobody there is told as it was, and nothing was sent', async () => {
    const twitter = await openX({ baseUrl: 'http://127.0.0.1:9', clock: () => NOW });
    expect(await failureOf(twitter.reply(reply))).toMatchObject({ reason: 'unreachable', retry: 'safe' });
  });
});
