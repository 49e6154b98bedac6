import { createOracle, fetchDocument, type OpenApi, type Operation } from './oracle.ts';
import { exchange } from './wire.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 20_000;

function targets({ operations }: OpenApi): Operation[] {
  return operations.filter(({ path }) => path.startsWith('/api/'));
}

/**
 * Uses up what one client may ask in a minute, from a service with a small limit, and then asks every operation below
 * `/api`: all refuse as documented, whoever the client says it is, while what machines ask goes on.
 * @returns how many requests were let through and how many were refused
 * @throws Error with the first answer that is not as it should be
 */
export async function exceedLimit(world: World, { limit }: { limit: number }) {
  const document = await fetchDocument(world.url);
  const oracle = createOracle(document);
  const operations = targets(document);
  let passed = 1;
  let refused = 0;

  async function ask({ method, path }: Operation, client: number): Promise<number> {
    const target = path.replace('{id}', '1');
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: gigclaim.test', `X-Forwarded-For: 203.0.113.${client % 250}`];
    const bytes = Buffer.from([...lines, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'));
    const answer = await exchange(world.port, bytes, { method, patienceMs: PATIENCE_MS });
    const problem = oracle.judge({ method, path: target, proper: true }, answer);
    if (problem !== null) throw new Error(`${method} ${target}: ${problem}`);
    if ('reason' in answer) return 0;
    const { headers } = answer;
    if (answer.status === 429 && !(Number(headers['retry-after']) >= 1 && headers['ratelimit-remaining'] === '0')) {
      throw new Error(`${method} ${target}: 429 with ${JSON.stringify(headers)}`);
    }
    return answer.status;
  }

  for (let round = 0; refused < 3 * operations.length; round += 1) {
    const operation = operations[round % operations.length];
    if (operation === undefined) throw new Error('the document has no operation below /api');
    if ((await ask(operation, round)) === 429) refused += 1;
    else passed += 1;
    if (passed > limit) throw new Error(`${passed} requests were let through, and ${limit} are allowed`);
  }
  for (const { method, path } of document.operations.filter((operation) => !operation.path.startsWith('/api/'))) {
    const answer = await fetch(`${world.url}${path}`, { method });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} while a client is held back`);
  }
  return { passed, refused };
}
