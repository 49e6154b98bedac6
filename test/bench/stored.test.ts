import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { assertStored, EVENTS, storedInSqlite } from '../../bench/checks/stored.ts';
import { startServer, untilAnswers } from '../../bench/processes.ts';
import { freePort } from '../../sandbox/port.ts';
import { temporaryFolder } from '../support/store.ts';

const SAMPLE = { secret: 'secret', botFid: 1, text: '@gigclaim claims' };
const folder = temporaryFolder();
afterAll(() => folder.remove());

async function answering(status: number): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('behavior: a rival that stores what it accepts passes', async () => {
  const port = await freePort(0);
  const path = `${folder.path}/events.db`;
  const script = new URL('../../bench/rivals/one-row.ts', import.meta.url).pathname;
  const rival = startServer(script, { port, path, secret: SAMPLE.secret }, null);
  onTestFinished(() => rival.stop());
  await untilAnswers(`http://127.0.0.1:${port}/health`);
  await expect(assertStored({ name: 'one row', port }, SAMPLE, storedInSqlite(path, EVENTS))).resolves.toBeUndefined();
});

test('error: one that answers 200 and stores only a part is named', async () => {
  const port = await answering(200);
  const stored = assertStored({ name: 'liar', port }, SAMPLE, async (hashes) => new Set(hashes.slice(3)));
  await expect(stored).rejects.toThrow('liar accepted 20 webhooks, of which 3 are not stored');
});

test('error: one that refuses is named with its status', async () => {
  const port = await answering(401);
  const stored = assertStored({ name: 'liar', port }, SAMPLE, async (hashes) => new Set(hashes));
  await expect(stored).rejects.toThrow('liar answers a signed webhook with 401');
});
