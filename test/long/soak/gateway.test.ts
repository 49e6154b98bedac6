import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../support/listen.ts';
import { createChance } from './chance.ts';
import { openGateway } from './gateway.ts';

/** A way to a server that answers with what it was sent, and chance that always draws the same. */
async function open(drawn: number) {
  const delivered: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      delivered.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(201, { 'content-type': 'text/plain', 'x-told': request.headers['x-ask'] ?? '' }).end('done');
    });
  });
  const { url, close } = await listen(server);
  const chance = { ...createChance(1), next: () => drawn / 1_000, between: () => 1 };
  const gateway = await openGateway(url, chance);
  onTestFinished(async () => {
    await gateway.close();
    await close();
  });
  const ask = () =>
    fetch(`${gateway.url}/a?b=1`, {
      method: 'POST',
      body: 'hello',
      headers: { 'x-ask': 'why' },
      signal: AbortSignal.timeout(1_000),
    });
  return { gateway, delivered, ask };
}

test('behavior: passes everything on, both ways, until it fails', async () => {
  const { delivered, ask } = await open(0);
  const answer = await ask();
  expect([answer.status, answer.headers.get('x-told'), await answer.text()]).toEqual([201, 'why', 'done']);
  expect(delivered).toEqual(['POST /a?b=1 hello']);
});

test.each([
  ['nothing', 500, 201, 1],
  ['slow', 10, 201, 1],
  ['rate_limited', 30, 429, 0],
  ['server_error', 36, 500, 0],
  ['server_error_after', 44, 500, 1],
  ['html', 50, 502, 0],
  ['html_after', 56, 502, 1],
  ['dropped', 62, null, 0],
  ['dropped_after', 70, null, 1],
  ['hangs', 73.5, null, 1],
] as const)('behavior: %s', async (mishap, drawn, status, deliveries) => {
  const { gateway, delivered, ask } = await open(drawn);
  gateway.failing = true;
  const answer = await ask().catch(() => null);
  expect(answer?.status ?? null).toBe(status);
  expect(delivered).toHaveLength(deliveries);
  expect(Object.entries(gateway.counts).filter(([, count]) => count > 0)).toEqual(
    mishap === 'nothing' ? [] : [[mishap, 1]],
  );
});

test('behavior: a limit says when it ends, in the words of both networks', async () => {
  const { gateway, ask } = await open(30);
  gateway.failing = true;
  const { headers } = await ask();
  expect([headers.get('retry-after'), headers.get('x-rate-limit-remaining')]).toEqual(['1', '0']);
  expect(Number(headers.get('x-rate-limit-reset')) * 1_000).toBeGreaterThan(Date.now());
});
