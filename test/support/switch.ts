import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** A fixed address in front of a server that may be replaced by another one, as a load balancer has. */
export interface Switch {
  /** The server's URL, by way of the switch. */
  readonly url: string;
  readonly port: number;
  /** Hands new connections to another server, and ends those to the one before. */
  switchTo(port: number): void;
  close(): Promise<void>;
}

/** @param url a server's on loopback */
export async function startSwitch(url: string): Promise<Switch> {
  let port = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const pair = [client, upstream];
    for (const socket of pair) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // One end that breaks ends the other.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        for (const end of pair) end.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  const { port: own, close } = await listen(server);
  const named = new URL(url);
  named.port = String(own);
  return {
    url: named.href,
    port: own,
    switchTo(next) {
      port = next;
      endAll();
    },
    async close() {
      const closed = close();
      endAll();
      await closed;
    },
  };
}
