import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Where a server listens. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Has a server listen on a free port of loopback; `close` also cuts the connections of one that speaks HTTP. */
export async function listen(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object, never a pipe's name.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      if (server instanceof HttpServer) server.closeAllConnections();
      await closed;
    },
  };
}
