import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Answer, Node } from './node.ts';
import { type Question, SEND } from './questions.ts';

/** One question on its way to the node. */
export interface Passing {
  readonly question: Question;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Asks the node. Blocks come as the chain is used: one with each transaction, one after each look at the height. */
  deliver(): Promise<Answer>;
  answer(answer: Answer): void;
  /** Answers with something that is no JSON-RPC. */
  http(status: number, answer: { readonly type: string; readonly body: string }): void;
  /** Ends the connection without an answer. */
  drop(): void;
  /** Settles when the one who asked has given up, or has died. */
  readonly left: Promise<unknown>;
}

/** Decides what becomes of a question. */
export type Handler = (passing: Passing) => Promise<void>;

/** Passes a question on, and its answer back. */
export const honest: Handler = async (passing) => passing.answer(await passing.deliver());

/** A JSON-RPC endpoint on loopback, between a process and its node. */
export interface RpcProxy {
  readonly url: string;
  /** Whether transactions are put into blocks as they come. */
  mining: boolean;
  /** Ends that, and waits for blocks under way, which would take in what is sent meanwhile. */
  stopMining(): Promise<void>;
  /** Takes no more questions and waits for those under way. @throws whatever a handler threw */
  close(): Promise<void>;
}

interface Body {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

function refuseBatch(response: ServerResponse): void {
  const error = { code: -32600, message: 'batches are not supported' };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

/** Serves the proxy. `count` hears of each question as it comes. */
export async function serveProxy(
  node: Node,
  count: (method: string) => Question,
  handle: (passing: Passing, proxy: RpcProxy) => Promise<void>,
) {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let mined: Promise<unknown> = Promise.resolve();

  async function deliver({ method, params = [] }: Body): Promise<Answer> {
    const answer = await node.ask(method, params);
    if (proxy.mining && (method === SEND || method === 'eth_blockNumber')) {
      mined = Promise.all([mined, node.mine()]);
      await mined;
    }
    return answer;
  }

  function passing(body: Body, response: ServerResponse): Passing {
    const { id, method, params = [] } = body;
    const write = (status: number, { type, body }: { type: string; body: string }) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    return {
      question: count(method),
      method,
      params,
      http: write,
      deliver: () => deliver(body),
      answer: (answer) =>
        write(200, { type: 'application/json', body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }) }),
      drop: () => response.destroy(),
      left: response.closed ? Promise.resolve() : once(response, 'close'),
    };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: Body | Body[];
    try {
      // The only client is the code under test, which speaks JSON-RPC.
      body = (await json(request)) as Body | Body[];
    } catch {
      // Whoever asked died in the middle of the question.
      return;
    }
    // As some endpoints do: each question has a fate of its own.
    if (Array.isArray(body)) return refuseBatch(response);
    await handle(passing(body, response), proxy);
  }

  const server = createServer((request, response) => {
    const served = serve(request, response)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(served));
    underWay.add(served);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object, never a pipe's name.
  const { port } = server.address() as AddressInfo;
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${port}`,
    mining: true,
    async stopMining() {
      proxy.mining = false;
      await mined;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.all(underWay);
      if (failures.length > 0) throw new AggregateError(failures, 'the proxy failed');
    },
  };
  return proxy;
}
