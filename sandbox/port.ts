import { createServer } from 'node:net';

/** The preferred port on loopback, or another free one when it is taken. */
export async function freePort(preferred: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () => (preferred === 0 ? reject(new Error('no free port')) : resolve(freePort(0))));
    server.listen(preferred, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : preferred;
      server.close(() => resolve(port));
    });
  });
}
