import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../../src/http/server.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';

/** A service that answers on a port of this machine, with its front. */
export interface ServedService extends Service {
  readonly origin: string;
  readonly port: number;
}

/** @returns {@link openService}'s service on a real server; `close` ends both */
export async function serveService(options: ServiceOptions = {}): Promise<ServedService> {
  const service = await openService(options);
  const server = createHttpServer({ ...service, newId: randomUUID }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...service,
    origin: `http://127.0.0.1:${port}`,
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await service.close();
    },
  };
}
