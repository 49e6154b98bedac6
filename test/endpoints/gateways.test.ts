import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateways } from '../../src/endpoints/gateways.ts';
import { type Listening, listen } from '../support/listen.ts';

const SENDER = '0xEeEEEEEeE14D718C2b47D9923dEab1335E144Eee';
const PATIENT = new AbortController().signal;
const ANSWER = { data: '0xABcd' };

const opened: Listening[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function serve(answer: RequestListener): Promise<string> {
  const server = await listen(createServer(answer));
  opened.push(server);
  return server.url;
}

function asking(options: Partial<Parameters<typeof createGateways>[0]> = {}) {
  const ask = createGateways({ allowPrivate: true, timeoutMs: 2_000, ...options });
  return (urls: readonly string[], stop = PATIENT) => ask({ sender: SENDER, data: '0x1234', urls }, stop);
}

const json =
  (body: unknown): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify(body));

describe('a server that keeps names', () => {
  test('behavior: is asked by GET where its URL has a place for the data, else by POST', async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        seen.push([request.method, request.url, request.headers['content-type'] ?? '', body].join(' ').trim());
        response.end(JSON.stringify(ANSWER));
      });
    });
    const ask = asking();
    expect(await ask([`${url}/{sender}/{data}.json`])).toBe('0xABcd');
    expect(await ask([`${url}/{sender}`])).toBe('0xABcd');
    const sender = SENDER.toLowerCase();
    expect(seen).toEqual([
      `GET /${sender}/0x1234.json`,
      `POST /${sender} application/json {"data":"0x1234","sender":"${SENDER}"}`,
    ]);
  });

  test('behavior: the next URL is asked when one does not answer, three at most', async () => {
    let asked = 0;
    const broken = await serve((_, response) => {
      asked += 1;
      response.writeHead(500).end();
    });
    const good = await serve(json(ANSWER));
    expect(await asking()([broken, broken, good])).toBe('0xABcd');
    await expect(asking()([broken, broken, broken, good])).rejects.toThrow('answered with status 500');
    expect(asked).toBe(5);
    await expect(asking()([])).rejects.toThrow('has no URL');
  });

  test.each([
    ['https://127.0.0.1/{data}', 'is not at a public address'],
    ['https://10.0.0.8:8443/{data}', 'is not at a public address'],
    ['https://[::1]/{data}', 'is not at a public address'],
    ['https://169.254.169.254/latest/meta-data', 'is not at a public address'],
    ['https://2130706433/{data}', 'is not at a public address'],
    ['http://example.com/{data}', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['data:application/json,{"data":"0x"}', 'must begin with https://'],
    ['https://user:pass@example.com/', 'must name no user'],
    ['https://example.com:22/', 'must have port 443, or one from 1024 on'],
    ['x-batch-gateway:true', 'must begin with https://'],
    ['{data}', 'is not a URL'],
    [`https://example.com/${'a'.repeat(8_000)}`, 'is asked too much'],
  ])('security: %s is not asked', async (url, why) => {
    await expect(asking({ allowPrivate: false })([url])).rejects.toMatchObject({
      message: `the server of a name ${why}`,
      reason: 'forbidden',
    });
  });

  test('security: a name that leads to a private address is not asked, also when the first of its addresses is public', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.end(JSON.stringify(ANSWER));
    });
    const { port } = new URL(url);
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1']]) {
      const found = addresses.map((address) => ({ address, family: 4 }));
      const ask = asking({ allowPrivate: false, lookUp: (_host, _options, tell) => tell(null, found) });
      await expect(ask([`https://names.example:${port}/`])).rejects.toThrow('is not at a public address');
    }
    expect(asked).toBe(0);
  });

  test('security: a redirect is not followed', async () => {
    let asked = 0;
    const inside = await serve((_, response) => {
      asked += 1;
      response.end(JSON.stringify(ANSWER));
    });
    const url = await serve((_, response) => void response.writeHead(302, { location: inside }).end());
    await expect(asking()([url])).rejects.toThrow('answered with status 302');
    expect(asked).toBe(0);
  });

  test('security: of an answer without end no more is read than the limit', async () => {
    let sent = 0;
    const url = await serve((_, response) => {
      const more = (): void => {
        sent += 65_536;
        if (sent < 1024 ** 3 && !response.destroyed) response.write(Buffer.alloc(65_536, 'a'), more);
      };
      more();
    });
    await expect(asking()([url])).rejects.toThrow('answered too much');
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });

  test('security: no connection stays open after an answer, whatever the server asks for', async () => {
    const open = new Set<Socket>();
    const server = createServer((_, response) => {
      response.setHeader('keep-alive', 'timeout=600');
      response.end(JSON.stringify(ANSWER));
    });
    server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    const listening = await listen(server);
    opened.push(listening);
    const ask = asking();
    for (let times = 0; times < 3; times += 1) expect(await ask([`${listening.url}/{data}`])).toBe('0xABcd');
    await expect.poll(() => open.size).toBe(0);
  });

  test('security: one that hangs is given up, and so is the whole question', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_, response) => void response.write('{"data":"0x'));
    await expect(asking({ timeoutMs: 50 })([silent])).rejects.toThrow('did not answer within 50 ms');
    await expect(asking({ timeoutMs: 50 })([slow])).rejects.toThrow('did not answer within 50 ms');
    const stopped = AbortSignal.timeout(50);
    await expect(asking({ timeoutMs: 60_000 })([silent, silent, silent], stopped)).rejects.toThrow('did not answer');
  });

  test.each(['', 'nothing', 'null', '[]', '{}', '{"data":1}', '{"data":"0x1"}', '{"data":"0xzz"}', '{"data":"1234"}'])(
    'error: %j is no answer',
    async (text) => {
      const url = await serve((_, response) => void response.end(text));
      await expect(asking()([url])).rejects.toThrow('gave no valid answer');
    },
  );
});
