import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';

/** One address for several servers on this machine. */
export interface Proxy {
  start(port: number): Promise<void>;
  stop(): Promise<void>;
}

function isRefused(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNREFUSED';
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(502, { 'content-type': 'text/plain' }).end('The service did not answer.\n');
}

/**
 * Hands a request to the first of the servers that takes a connection. Only then its body is read, so the next one gets
 * all of it; one that was handed over is never handed to another, because nobody knows what became of it.
 */
function forward(request: IncomingMessage, response: ServerResponse, [server, ...rest]: readonly string[]): void {
  if (server === undefined) {
    refuse(response);
    return;
  }
  // A connection for each request: one that is kept may be closed by the server just as it is used.
  const headers = { ...request.headers, connection: 'close' };
  const handed = send(new URL(request.url ?? '/', server), { method: request.method, headers, agent: false });
  handed.once('socket', (socket) => socket.once('connect', () => request.pipe(handed)));
  handed.once('response', (answer) => {
    const { connection: _, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, kept);
    answer.once('error', () => response.destroy());
    answer.pipe(response);
  });
  handed.on('error', (error) => {
    if (isRefused(error)) forward(request, response, rest);
    else refuse(response);
  });
  response.once('close', () => handed.destroy());
}

/**
 * Passes requests to servers in turn, and past those that take no connection.
 * @param servers their addresses, such as `http://127.0.0.1:3001`
 */
export function createProxy(servers: readonly string[]): Proxy {
  let turn = 0;
  const proxy = createServer((request, response) => {
    const first = turn % servers.length;
    turn += 1;
    forward(request, response, [...servers.slice(first), ...servers.slice(0, first)]);
  });
  return {
    start: async (port) => {
      proxy.listen(port, '127.0.0.1');
      await once(proxy, 'listening');
    },
    stop: async () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
