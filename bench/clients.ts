import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { COMMAND_LINE } from '../src/domain/operators/actor.ts';
import { createApiKey } from '../src/services/operators/api-keys.ts';
import { openStore } from '../src/store/open.ts';
import { MIGRATIONS } from './data/sqlite.ts';

/** Adds a key that may do everything to a database, as `openStore` names it. */
export async function addOperatorKey(url: string): Promise<string> {
  const store = await openStore({ url, migrationsFolder: MIGRATIONS });
  try {
    const context = { store, clock: Date.now, randomBytes, actor: COMMAND_LINE };
    const { key } = await createApiKey(context, { name: 'bench', expiresAt: null, scopes: ['operator'] });
    return key;
  } finally {
    await store.close();
  }
}

/** Posts JSON, and settles with the answer. @throws Error for any status but `expected` */
export function createPoster(port: number, expected: number) {
  const agent = new Agent({ keepAlive: true });
  return (path: string, body: string, headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      const all = { 'content-type': 'application/json', ...headers };
      const sent = request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers: all });
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.resume();
        response.once('end', () =>
          response.statusCode === expected ? resolve() : reject(new Error(`${path} answered ${response.statusCode}`)),
        );
      });
      sent.end(body);
    });
}
