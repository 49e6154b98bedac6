import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Answer, JsonRpcServer } from './json-rpc.ts';
import { listen } from './listen.ts';

/** One request on its way through a proxy. */
export interface PassingCall {
  readonly method: string;
  readonly params: unknown;
  /** How often the method was asked before. */
  readonly times: number;
  /** How many calls share its HTTP request. */
  readonly together: number;
  /** Delivers it to the node, and answers what the node answered: `result` or `error`. */
  forward(): Promise<Answer>;
  /** Asks the node something else. */
  ask(method: string, params: unknown): Promise<Answer>;
}

/** A proxy, and what each HTTP request so far asked. */
export interface RpcProxyServer extends JsonRpcServer {
  readonly sizes: readonly number[];
  readonly requests: readonly (readonly string[])[];
}

interface RpcBody {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/**
 * Serves JSON-RPC in front of a node. `intercept` decides what becomes of a request and of its answer; where it answers
 * undefined, the proxy is honest. Each call of a batch is intercepted by itself; one that writes the response ends them all.
 */
export async function serveRpcProxy(
  target: string,
  intercept: (call: PassingCall) => Promise<Answer | undefined> | undefined,
): Promise<RpcProxyServer> {
  const asked: string[] = [];
  const sizes: number[] = [];
  const requests: string[][] = [];

  async function reactionTo(body: RpcBody, together: number): Promise<Answer> {
    const { method, params } = body;
    const times = asked.filter((earlier) => earlier === method).length;
    asked.push(method);
    const post = async (sent: object) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(sent) });
      // The node speaks JSON-RPC too.
      return (await answer.json()) as Answer;
    };
    const forward = () => post(body);
    const ask = (other: string, given: unknown) => post({ ...body, method: other, params: given });
    return (await intercept({ method, params, times, together, forward, ask })) ?? (await forward());
  }

  // As nodes keep connections: a test on a busy machine may ask nothing for longer than the five seconds of Node's default.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void (async () => {
      // The only client is the code under test, which speaks JSON-RPC.
      const body = (await json(request)) as RpcBody | RpcBody[];
      const bodies = Array.isArray(body) ? body : [body];
      sizes.push(bodies.length);
      requests.push(bodies.map(({ method }) => method));
      const answers: object[] = [];
      for (const each of bodies) {
        const answer = await reactionTo(each, bodies.length);
        if (typeof answer === 'function') return answer(response);
        answers.push({ jsonrpc: '2.0', ...answer, id: each.id });
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? answers.toReversed() : answers[0]));
    })();
  });
  const { url, close } = await listen(server);
  return {
    url,
    asked,
    sizes,
    requests,
    close,
  };
}
