import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createHttpServer, type Patience } from '../../src/http/server.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';

/** A service that answers on a port of this machine. */
export interface ServedService extends Service {
  readonly origin: string;
  readonly port: number;
  readonly server: Server;
  /** How many connections the server has now. */
  readonly connections: () => Promise<number>;
}

/**
 * @param patience how long callers may take; Node's own limits when absent
 * @returns {@link openService}'s service on a real server; `close` ends both
 */
export async function serveService(options: ServiceOptions = {}, patience: Patience = {}): Promise<ServedService> {
  const service = await openService(options);
  const { app } = service;
  const server = createHttpServer({ app, newId: randomUUID }, patience).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...service,
    origin: `http://127.0.0.1:${port}`,
    port,
    server,
    connections: promisify(server.getConnections.bind(server)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await service.close();
    },
  };
}

/** The service of the test that runs, in a file that uses {@link useServed} or {@link shareServed}. */
export let service: ServedService;

/** Opens it, in a test that {@link useServed} opens none for. */
export async function serve(...options: Parameters<typeof serveService>): Promise<void> {
  service = await serveService(...options);
}

/** Gives each test of a file a service on a port. */
export function useServed(options: ServiceOptions | (() => Promise<ServiceOptions>) = {}): void {
  beforeEach(async () => await serve(typeof options === 'function' ? await options() : options));
  afterEach(() => service.close());
}

/** Gives all tests of a file one service on a port. */
export function shareServed(options: ServiceOptions = {}): void {
  beforeAll(() => serve(options));
  afterAll(() => service.close());
}
