import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Answer, JsonRpcServer } from './json-rpc.ts';

/** One request on its way through a proxy. */
export interface PassingCall {
  readonly method: string;
  readonly params: unknown;
  /** How often the method was asked before. */
  readonly times: number;
  /** Delivers it to the node, and answers what the node answered: `result` or `error`. */
  forward(): Promise<Answer>;
}

interface RpcBody {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/**
 * Serves JSON-RPC in front of a node. `intercept` decides what becomes of a request and of its answer; where it answers
 * undefined, the proxy is honest.
 */
export async function serveRpcProxy(
  target: string,
  intercept: (call: PassingCall) => Promise<Answer | undefined> | undefined,
): Promise<JsonRpcServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      // The only client is the code under test, which speaks JSON-RPC.
      const body = (await json(request)) as RpcBody;
      const times = asked.filter((earlier) => earlier === body.method).length;
      asked.push(body.method);
      const forward = async () => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) });
        // The node speaks JSON-RPC too.
        return (await answer.json()) as Answer;
      };
      const answer =
        (await intercept({ method: body.method, params: body.params, times, forward })) ?? (await forward());
      if (typeof answer === 'function') return answer(response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', ...answer, id: body.id }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object, never a pipe's name.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}
