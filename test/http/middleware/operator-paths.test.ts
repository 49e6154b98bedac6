import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer } from '../../../src/http/server.ts';
import { type ServedService, serveService } from '../serve.ts';

/** The status of a request for exactly this target, which `fetch` would resolve and decode first. */
async function ask(port: number, target: string, ...headers: string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const lines = [`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, 'Connection: close'];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return Number(/^HTTP\/1\.1 ([0-9]+) /.exec(await text(socket))?.[1]);
}

const CANONICAL = ['/metrics', '/ready', '/admin', '/metrics?a=%2e%2e', '/admin?next=/x/../y'];

describe('the operator’s paths at the door for everybody', () => {
  let service: ServedService;
  beforeAll(async () => {
    service = await serveService();
  });
  afterAll(() => service.close());

  test.each(CANONICAL)('behavior: %s is answered', async (target) => {
    // Without a session the operator's pages lead to the log-in.
    expect([200, 303, 401]).toContain(await ask(service.port, target));
  });

  test.each([
    ...['/%6detrics', '/metric%73', '/%6Detrics?x=1', '/%72eady', '/%61dmin', '/admin/%67igs', '/admin/keys%2f..'],
    ...['/x/../admin', '/x/../metrics', '/./metrics', '/x/%2e%2e/admin', '/x/.%2E/ready', '/admin/./keys'],
    ...['/admin/x/../keys', '/metrics/.', '/health/../metrics', '//metrics', '//admin', '/admin//keys'],
    ...['/x//../admin', '\\admin', '/\\admin', '/x\\..\\admin', '/admin\\keys', '/admin#x', 'http://127.0.0.1/admin'],
    ...['http://127.0.0.1/metrics', 'HTTP://127.0.0.1/%6detrics', '/%256detrics', '/metrics/', '/ready/'],
    ...['/metrics%00', '/metrics;x', '/Metrics'],
  ])('security: %s is not', async (target) => {
    expect([400, 404]).toContain(await ask(service.port, target));
  });

  test('behavior: other paths are read as before', async () => {
    expect(await ask(service.port, '/%68ealth')).toBe(200);
    expect(await ask(service.port, '/x/../health')).toBe(200);
    expect(await ask(service.port, '/claim/farcaster/%40alice')).toBe(200);
  });

  test.each(['', '/api/claim?identifiers=1', '/health'])(
    'security: two Host headers are refused on /%s, also when they say the same',
    async (path) => {
      for (const second of ['Host: 127.0.0.1', 'hOsT: evil.example', 'Host:']) {
        expect(await ask(service.port, `/${path.slice(1)}`, second), second).toBe(400);
      }
      expect(await ask(service.port, path === '' ? '/' : path, 'X-Host: evil.example')).toBe(200);
    },
  );
});

describe('the operator’s paths with a port of their own', () => {
  let service: ServedService;
  let operators: Server;
  let adminPort: number;

  beforeAll(async () => {
    service = await serveService({ config: { adminPort: 0 } });
    operators = createHttpServer({ app: service.app, newId: randomUUID, door: 'operators' });
    operators.listen(0, '127.0.0.1');
    await once(operators, 'listening');
    adminPort = (operators.address() as AddressInfo).port;
  });
  afterAll(async () => {
    operators.closeAllConnections();
    operators.close();
    await service.close();
  });

  test.each([...CANONICAL, '/admin/keys', '/%6detrics'])(
    'security: %s is not found at the door for everybody',
    async (path) => {
      expect(await ask(service.port, path)).toBe(404);
    },
  );

  test.each(CANONICAL)('behavior: %s is answered at theirs', async (target) => {
    expect([200, 303, 401]).toContain(await ask(adminPort, target));
  });

  test.each(['/%6detrics', '/x/../admin'])('security: %s is not, at theirs either', async (target) => {
    expect(await ask(adminPort, target)).toBe(404);
  });

  test('behavior: a sign of life is at both, and what the pages load', async () => {
    for (const path of ['/health', '/assets/style.css', '/favicon.ico', '/robots.txt']) {
      expect([await ask(service.port, path), await ask(adminPort, path)], path).toEqual([200, 200]);
    }
  });

  test.each(['/', '/gigs', '/api/gigs', '/api/claim?identifiers=1', '/api/docs', '/webhooks/farcaster'])(
    'security: %s is not found at theirs',
    async (path) => {
      expect(await ask(adminPort, path)).toBe(404);
    },
  );
});
