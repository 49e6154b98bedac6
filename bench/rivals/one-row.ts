import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import SqliteDatabase from 'better-sqlite3';

/**
 * The least that keeps an event once and for good: on bare `node:http`, the signature, one row under the event's own id, and
 * a commit for all that came in one turn of the event loop. No author, no state, no order, no log.
 */
const { port, secret, path } = JSON.parse(process.argv[2] ?? '{}') as { port: number; secret: string; path: string };
const database = new SqliteDatabase(path);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('create table bare_events (id integer primary key, hash text not null unique, event text not null)');
const insert = database.prepare('insert into bare_events (hash, event) values (?, ?) on conflict do nothing');
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');

let waiting: { hash: string; event: string; response: ServerResponse }[] = [];

function answer(response: ServerResponse, status: number): void {
  const text = JSON.stringify({ received: status === 200 });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function storeAll(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { hash, event } of batch) insert.run(hash, event);
  commit.run();
  for (const { response } of batch) answer(response, 200);
}

function keep(hash: string, event: string, response: ServerResponse): void {
  if (waiting.push({ hash, event, response }) === 1) setImmediate(storeAll);
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
    keep(hash, JSON.stringify({ text, fid: author.fid, username: author.username, timestamp }), response);
  });
}).listen(port, '127.0.0.1');
