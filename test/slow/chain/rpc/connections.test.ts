import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { post } from '../../../../src/chain/rpc/connections.ts';
import { listen } from '../../../support/listen.ts';

/** A little more than the time between two looks at a chain. */
const BETWEEN_LOOKS_MS = 5_500;

/** Asks twice, with the pause between two looks. @returns how many connections that took */
async function askTwice(keepAlive: string | null): Promise<number> {
  let connections = 0;
  const server = createServer((_request, response) => {
    // Node's own header would name the limit of its server.
    response.setHeader('connection', 'keep-alive');
    if (keepAlive !== null) response.setHeader('keep-alive', keepAlive);
    response.end('{}');
  }).on('connection', () => {
    connections += 1;
  });
  server.keepAliveTimeout = 60_000;
  const { url, close } = await listen(server);
  onTestFinished(close);
  for (const pause of [0, BETWEEN_LOOKS_MS]) {
    await wait(pause);
    await post({
      origin: new URL(url).origin,
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(10_000),
      onStatus: () => undefined,
    });
  }
  return connections;
}

test('behavior: a connection to an endpoint is kept from one look at the chain to the next', async () => {
  expect(await askTwice(null)).toBe(1);
});

test('behavior: where the endpoint says that it ends connections earlier, the next look opens another', async () => {
  expect(await askTwice('timeout=3')).toBe(2);
});
