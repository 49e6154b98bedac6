import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FarcasterSignIn } from '../../src/domain/owners/sign-in.ts';
import { createFarcasterSignIn } from '../../src/sign-in/farcaster.ts';
import { siteOf } from '../../src/sign-in/site.ts';

/** A relay that answers as a test says, and keeps what it was asked. */
let reply: { readonly status: number; readonly text: string };
let asked: { readonly url: string; readonly token: string | undefined; readonly body: unknown }[];
let signIn: FarcasterSignIn;

beforeAll(async () => {
  const relay = createServer((request, response) => {
    void text(request).then((sent) => {
      const body = sent === '' ? null : JSON.parse(sent);
      asked.push({ url: `${request.method} ${request.url}`, token: request.headers.authorization, body });
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  const site = siteOf('https://gigs.example');
  signIn = createFarcasterSignIn({ site, relayUrl: `http://127.0.0.1:${port}`, rpcUrls: ['http://127.0.0.1:1'] });
  return () => {
    relay.closeAllConnections();
    relay.close();
  };
});
beforeEach(() => {
  asked = [];
});

const says = (json: unknown, status = 200): void => {
  reply = { status, text: typeof json === 'string' ? json : JSON.stringify(json) };
};
const URL_ = 'https://farcaster.xyz/~/siwf?channelToken=abc';
const unusable = (what: string) => {
  return { retry: 'safe', reason: 'bad_response', message: `the Farcaster relay gave no usable ${what}` };
};
const STATUS = 'GET /v1/channel/status';

describe('a channel of the relay', () => {
  test('behavior: is opened for a nonce, this site and a time', async () => {
    says({ channelToken: 'Ab_-9', url: URL_ }, 201);
    expect(await signIn.open('nonce0001', Date.UTC(2026, 0, 2))).toEqual({ token: 'Ab_-9', url: URL_ });
    const body = {
      siweUri: 'https://gigs.example/my/sign-in',
      domain: 'gigs.example',
      nonce: 'nonce0001',
      expirationTime: '2026-01-02T00:00:00.000Z',
      acceptAuthAddress: true,
    };
    expect(asked).toEqual([{ url: 'POST /v1/channel', token: undefined, body }]);
  });

  test.each([{ url: URL_ }, { channelToken: 7, url: URL_ }, { channelToken: '', url: URL_ }, null, [], 'no JSON'])(
    'error: is none when the relay answers %j',
    async (answer) => {
      says(answer);
      await expect(signIn.open('nonce0001', 0)).rejects.toMatchObject(unusable('channel'));
    },
  );

  test.each(['a b', 'a/../b', 'x'.repeat(201), 'é'])('security: has no token like %j', async (channelToken) => {
    says({ channelToken, url: URL_ });
    await expect(signIn.open('nonce0001', 0)).rejects.toMatchObject(unusable('channel'));
    expect(asked).toHaveLength(1);
    expect(await signIn.status(channelToken)).toBeNull();
    expect(asked).toHaveLength(1);
  });

  const longUrl = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;

  test.each([undefined, 7, 'farcaster://siwf', 'javascript:alert(1)', 'no url', longUrl(2_001)])(
    'security: opens no app by the link %j',
    async (url) => {
      says({ channelToken: 'abc', url });
      await expect(signIn.open('nonce0001', 0)).rejects.toMatchObject(unusable('link'));
    },
  );

  test.each(['http://a.example/', longUrl(2_000)])('behavior: may open %j', async (url) => {
    says({ channelToken: 'x'.repeat(200), url });
    expect(await signIn.open('nonce0001', 0)).toEqual({ token: 'x'.repeat(200), url });
  });
});

describe('the status of a channel', () => {
  test('behavior: waits for an answer, and then has it', async () => {
    says({ state: 'pending', url: URL_, message: 'm', signature: 's' }, 202);
    expect(await signIn.status('abc')).toEqual({ url: URL_, answer: null });
    expect(asked).toEqual([{ url: STATUS, token: 'Bearer abc', body: null }]);
    says({ state: 'completed', url: URL_, message: 'm', signature: 's' });
    expect(await signIn.status('abc')).toEqual({ url: URL_, answer: { message: 'm', signature: 's' } });
  });

  test.each([401, 404])('behavior: is none when the relay answers %i', async (status) => {
    says({}, status);
    expect(await signIn.status('abc')).toBeNull();
  });

  test.each([
    { message: 'm' },
    { signature: 's' },
    { message: 1, signature: 's' },
    { message: 'm', signature: null },
    {},
  ])('error: is a failure when an answer holds %j', async (answer) => {
    says({ state: 'completed', url: URL_, ...answer });
    await expect(signIn.status('abc')).rejects.toMatchObject(unusable('answer'));
  });

  test.each([400, 403, 500])('error: is a failure when the relay answers %i', async (status) => {
    says({}, status);
    await expect(signIn.status('abc')).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
  });
});

test('behavior: the relay answers when it refuses a question without a channel', async () => {
  for (const status of [400, 401]) {
    says({}, status);
    await signIn.askRelay();
  }
  expect(asked[0]).toEqual({ url: STATUS, token: undefined, body: null });
  says({}, 200);
  const message = 'the Farcaster relay answered with status 200';
  await expect(signIn.askRelay()).rejects.toMatchObject({ reason: 'server_error', message });
  says({}, 404);
  await expect(signIn.askRelay()).rejects.toMatchObject({ name: 'AdapterError' });
});

test('security: a signature that is none, and a message that is too long, are verified by nobody', async () => {
  expect(await signIn.verify({ message: 'm', signature: 'zz' }, 'n')).toBeNull();
  expect(await signIn.verify({ message: 'x'.repeat(4_001), signature: '0xab12' }, 'n')).toBeNull();
});
