import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from './listen.ts';
import { createMessageReader } from './wire.ts';

/**
 * What happens to a COMMIT: it never arrives, it arrives and its answer does not, or it arrives when the client has long
 * given up.
 */
export type Cut = 'undelivered' | 'unanswered' | 'late';

const LATE_MS = 300;

/** A proxy between clients and a PostgreSQL server that cuts connections at COMMIT. */
export interface CuttingProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** How many connections it has cut. */
  readonly cuts: () => number;
  close(): Promise<void>;
}

/** Cuts one connection at its COMMIT. */
async function cutAt(commit: Buffer, how: Cut, { client, server }: { client: Socket; server: Socket }): Promise<void> {
  server.unpipe(client);
  if (how === 'late') {
    client.destroy();
    await wait(LATE_MS);
  }
  if (how !== 'undelivered') {
    const answered = once(server, 'data');
    server.resume();
    server.write(commit);
    await answered;
  }
  client.destroy();
  server.destroy();
}

/**
 * @param url the database's, without the proxy
 * @param decide what happens to the next COMMIT; null: it is answered
 */
export async function startCuttingProxy(url: string, decide: () => Cut | null): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // A socket that breaks is what this is about; the other end closes by itself.
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let isCut = false;
    upstream.pipe(client);
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      if (!isCut) upstream.destroy();
    });
    const read = createMessageReader(({ bytes, query }) => {
      if (isCut) return;
      const how = query === 'commit' ? decide() : null;
      if (how === null) {
        upstream.write(bytes);
        return;
      }
      isCut = true;
      cuts += 1;
      void cutAt(bytes, how, { client, server: upstream });
    });
    client.on('data', read);
  });
  const { port, close } = await listen(server);
  const own = new URL(url);
  own.port = String(port);
  return {
    url: own.href,
    cuts: () => cuts,
    async close() {
      const closed = close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
