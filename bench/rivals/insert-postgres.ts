import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { PoolConfig } from 'pg';
import { openBareInsert } from './bare-insert.ts';

/**
 * The least that keeps an event on PostgreSQL: on bare `node:http`, the signature, one prepared insert through a pool of ten,
 * and a commit of its own. No author, no state, no order, no log.
 */
const { port, secret, database } = JSON.parse(process.argv[2] ?? '{}') as {
  port: number;
  secret: string;
  database: PoolConfig;
};
const keep = await openBareInsert(database);

function answer(response: ServerResponse, status: number): void {
  const text = JSON.stringify({ received: status === 200 });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'GET') return answer(response, 200);
    const body = Buffer.concat(chunks);
    const expected = createHmac('sha512', secret).update(body).digest();
    const claimed = Buffer.from(String(request.headers['x-neynar-signature'] ?? ''), 'hex');
    if (claimed.length !== expected.length || !timingSafeEqual(claimed, expected)) return answer(response, 401);
    const { data } = JSON.parse(body.toString()) as {
      data: { hash: string; text: string; author: { fid: number; username: string }; timestamp: string };
    };
    const { hash, text, author, timestamp } = data;
    keep({ hash, text, fid: author.fid, username: author.username, timestamp }).then(
      () => answer(response, 200),
      () => answer(response, 500),
    );
  });
}).listen(port, '127.0.0.1');
