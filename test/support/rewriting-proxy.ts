import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';
import { createMessageReader } from './wire.ts';

/**
 * A proxy in front of a PostgreSQL server, until the test ends, that changes the statements of its clients: what answers in
 * the server's place does not do all that it does.
 * @param url the database's, without the proxy
 * @returns its URL through the proxy
 */
export async function openRewritingProxy(url: string, rewrite: (statement: string) => string): Promise<string> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // One end that breaks ends the other.
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    upstream.pipe(client);
    client.on(
      'data',
      createMessageReader((message) => void upstream.write(message.rewritten(rewrite))),
    );
  });
  const { port, close } = await listen(server);
  onTestFinished(async () => {
    const closed = close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const own = new URL(url);
  own.port = String(port);
  return own.href;
}
