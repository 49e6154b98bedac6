import { createHook } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEndpointFetch, type LookUp, NOT_PUBLIC } from '../../src/endpoints/connections.ts';
import { isPublicAddress } from '../../src/endpoints/public-address.ts';
import { createEventSender } from '../../src/endpoints/sender.ts';
import { requestOnce } from '../../src/outbound.ts';
import { newSigningKey } from '../services/events/world.ts';

const signingKey = newSigningKey();
const strict = createEventSender({ signingKey, allowPrivate: false, clock: Date.now });
const lax = createEventSender({ signingKey, allowPrivate: true, clock: Date.now });

describe('addresses', () => {
  test.each([
    ...['1.1.1.1', '8.8.8.8', '93.184.215.14', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0'],
    ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    ...['2a00:1450:4001:831::200e', '2001:200::1', '3ffe:ffff::1'],
  ])('behavior: %s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.1.2.3'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.31.196.1', '192.52.193.1'],
    ...['192.88.99.1', '192.168.1.1', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1'],
    ...['64:ff9b::808:808', '64:ff9b:1::1', '100::1', '100:0:0:1::1', '2001::1', '2001:1::1', '2001:2::1'],
    ...[
      '2001:10::1',
      '2001:20::1',
      '2001:db8::1',
      '2002:7f00:1::1',
      '2620:4f:8000::1',
      '3fff::1',
      '5f00::1',
      'fc00::1',
      'fd12::1',
    ],
    ...['fe80::1', 'fe80::1%lo', 'fec0::1', 'ff02::1', 'localhost', ''],
  ])('security: %s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('URLs', () => {
  test.each([
    ['https://shop.example/hook?a=b', null],
    ['https://shop.example:8443/', null],
    ['https://shop.example:443/', null],
    ['https://93.184.215.14/', null],
    ['http://shop.example/', 'must begin with https://'],
    ['ftp://shop.example/', 'must begin with https://'],
    ['https://shop.example:22/', 'must have port 443, or one from 1024 on'],
    ['https://shop.example:80/', 'must have port 443, or one from 1024 on'],
    ['https://a:b@shop.example/', 'must name no user'],
    ['https://a@shop.example/', 'must name no user'],
    ['https://shop.example/#x', 'must have no fragment'],
    ['shop.example', 'is not a URL'],
  ])('behavior: %s', (url, problem) => {
    expect(strict?.urlProblem(url)).toBe(problem);
  });

  test.each([
    ...['https://127.0.0.1/', 'https://127.1/', 'https://0x7f.1/', 'https://0177.0.0.1/', 'https://2130706433/'],
    ...['https://0x7f000001/', 'https://127.0.0.1./', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::]/'],
    ...['https://[64:ff9b::7f00:1]/', 'https://169.254.169.254/latest', 'https://0/', 'https://①②⑦.0.0.1/'],
  ])('security: the literal %s is refused however it is written', (url) => {
    expect(strict?.urlProblem(url)).toBe(NOT_PUBLIC);
    expect(lax?.urlProblem(url)).toBeNull();
  });
});

/** A server that reacts so until the test ends, and how many requests came. */
async function listen(react: (response: ServerResponse) => void = (response) => response.end()) {
  const requests: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    react(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, local: `http://localhost:${port}/`, requests };
}

/** A look-up that gives these answers, one after another; the last one again and again. */
function answering(...answers: readonly (readonly string[])[]): { lookUp: LookUp; asked: () => number } {
  let asked = 0;
  const lookUp: LookUp = (_host, _options, found) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    found(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookUp, asked: () => asked };
}

const QUESTION = { who: 'it', headers: {}, body: '{}', timeoutMs: 500, maxBytes: 1_000 };
const post = (url: string, lookUp: LookUp, allowPrivate = false) =>
  requestOnce(url, { ...QUESTION, fetch: createEndpointFetch({ allowPrivate, lookUp }) }, (status) => status === 200);
/** Where the operator allows private addresses, and no look-up is needed. */
const postLocally = (url: string) => post(url, answering([]).lookUp, true);

describe('connections', () => {
  test('security: a name that resolves to an address which is not public is not connected to', async () => {
    const { port, requests } = await listen();
    for (const addresses of [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['10.0.0.1']]) {
      const { lookUp } = answering(addresses);
      await expect(post(`http://shop.example:${port}/`, lookUp)).rejects.toThrow(/^it is not at a public address$/);
    }
    expect(requests).toEqual([]);
  });

  test('security: a name that nobody knows is told like one that is private, so tests map no network', async () => {
    const unknown: LookUp = (host, _options, found) =>
      found(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
    const tell = (lookUp: LookUp) =>
      post('https://shop.example/', lookUp).catch(({ message, reason, status }) => ({ message, reason, status }));
    const told = await tell(answering(['10.0.0.1']).lookUp);
    expect(told).toEqual({ message: 'it is not at a public address', reason: 'forbidden', status: undefined });
    for (const lookUp of [unknown, answering([]).lookUp, answering(['1.1.1.1', '10.0.0.1']).lookUp]) {
      expect(await tell(lookUp)).toEqual(told);
    }
  });

  test('security: a host whose name servers are silent holds up no other look-up: it takes none of their threads', async () => {
    const resources: string[] = [];
    const hook = createHook({ init: (_id, type) => void resources.push(type) }).enable();
    const send = createEndpointFetch({ allowPrivate: false });
    const asked = requestOnce('https://shop.invalid/', { ...QUESTION, fetch: send }, () => true);
    await expect(asked).rejects.toThrow(/^it /);
    hook.disable();
    const lookUps = new Set(resources.filter((type) => ['QUERYWRAP', 'GETADDRINFOREQWRAP'].includes(type)));
    expect([...lookUps]).toEqual(['QUERYWRAP']);
  });

  test('security: what is connected to is what was checked, also when the name changes between two look-ups', async () => {
    const { port, requests } = await listen();
    const { lookUp, asked } = answering(['192.0.2.7'], ['127.0.0.1']);
    await expect(post(`http://shop.example:${port}/`, lookUp)).rejects.toThrow('it is not at a public address');
    const first = asked();
    await expect(post(`http://shop.example:${port}/`, lookUp)).rejects.toThrow('it is not at a public address');
    // Each connection has one look-up, whose answer it uses.
    expect([first, asked(), requests]).toEqual([1, 2, []]);
  });

  test('security: a literal is checked where no look-up happens', async () => {
    const { lookUp, asked } = answering(['1.1.1.1']);
    const { port } = await listen();
    for (const host of ['127.0.0.1', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]']) {
      await expect(post(`http://${host}:${port}/`, lookUp)).rejects.toThrow('it is not at a public address');
    }
    expect(asked()).toBe(0);
  });

  test('behavior: private addresses are reached where the operator allows them', async () => {
    const { local } = await listen((response) => response.end('yes'));
    expect(await postLocally(local)).toEqual({ status: 200, text: 'yes' });
  });

  test('security: a redirect is not followed', async () => {
    const { local, requests } = await listen((response) => response.writeHead(307, { location: '/inside' }).end());
    await expect(postLocally(local)).rejects.toThrow('it answered with status 307');
    expect(requests).toEqual(['/']);
  });

  test('security: an answer without an end, or that does not come, costs its time and no more', async () => {
    const endless = await listen((response) => {
      response.writeHead(200);
      const send = () => {
        if (!response.destroyed && response.write('x'.repeat(600))) setImmediate(send);
      };
      send();
    });
    await expect(postLocally(endless.local)).rejects.toThrow('it answered too much');
    const slow = await listen((response) => response.writeHead(200).write('a'));
    await expect(postLocally(slow.local)).rejects.toThrow('it did not answer within 500 ms');
    const silent = await listen(() => undefined);
    await expect(postLocally(silent.local)).rejects.toThrow('it did not answer within 500 ms');
  });

  test('error: a failure says neither the URL nor the address', async () => {
    const { lookUp } = answering(['10.1.2.3']);
    const failure = await post('http://shop.example:9/secret', lookUp).catch((error: Error) => error);
    expect(String(failure)).not.toMatch(/shop|secret|10\.1/);
  });
});
