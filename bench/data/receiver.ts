import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openStore } from '../../src/store/open.ts';
import { MIGRATIONS } from './sqlite.ts';

/** A webhook that takes the events of all clients. */
export interface BenchReceiver {
  /** What the service needs to send to it. */
  readonly env: Record<string, string>;
  /** How many events it has taken. */
  taken(): number;
  close(): Promise<void>;
}

/** Has a ledger's events sent to this process, which takes each at once. */
export async function receiveEvents(databaseUrl: string): Promise<BenchReceiver> {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      taken += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object, never a pipe's name.
  const { port } = server.address() as AddressInfo;
  const store = await openStore({ url: databaseUrl, migrationsFolder: MIGRATIONS });
  const endpoint = { client: null, url: `http://127.0.0.1:${port}/`, types: [], salt: 'bench', apiKeyId: null };
  await store.transaction((tx) => tx.insertWebhookEndpoint({ ...endpoint, createdAt: Date.now() }));
  await store.close();
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    env: { SIGNING_KEY: key.toString('base64'), WEBHOOK_ALLOW_PRIVATE: 'true' },
    taken: () => taken,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
