import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { NetworkEnv } from './faults.ts';

/** A network's listening server. */
export interface NetworkServer {
  readonly url: string;
  start(port: number): Promise<string>;
  stop(): Promise<void>;
}

/** Serves a network's routes on 127.0.0.1. */
export function createNetworkServer(app: Hono<NetworkEnv>): NetworkServer {
  const server = createAdaptorServer({ fetch: app.fetch });
  let url: string | undefined;

  return {
    get url() {
      if (url === undefined) throw new Error('the network is not started');
      return url;
    },
    start: (port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          const address = server.address();
          if (address === null || typeof address === 'string') {
            reject(new Error('the network has no port'));
            return;
          }
          url = `http://127.0.0.1:${address.port}`;
          resolve(url);
        });
      }),
    stop: () =>
      new Promise((resolve, reject) => {
        if (!server.listening) {
          resolve();
          return;
        }
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
