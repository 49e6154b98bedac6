import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to servers without a port: Linux begins at 32,768. */
const OWN_CHOICE = [15_000, 32_000] as const;

/**
 * The preferred port on loopback, or another free one when it is taken or 0. That one is chosen at random where the system
 * chooses none, so that no connection gets it before its server listens.
 */
export async function freePort(preferred: number): Promise<number> {
  return await new Promise((resolve) => {
    const server = createServer();
    const port = preferred === 0 ? randomInt(...OWN_CHOICE) : preferred;
    server.once('error', () => resolve(freePort(0)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
