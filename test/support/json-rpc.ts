import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** What a faulty endpoint does with one request: a JSON-RPC body, or whatever it writes itself. */
export type Answer = { readonly result: unknown } | { readonly error: unknown } | ((response: ServerResponse) => void);

/** A JSON-RPC endpoint on loopback that answers as a test says. */
export interface JsonRpcServer {
  readonly url: string;
  /** The methods asked so far, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface RpcBody {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Serves JSON-RPC over HTTP; `answer` sees the method and how often it was asked before. Each read of a batch has an answer of
 * its own; one that writes the response ends them all.
 */
export async function serveJsonRpc(
  answer: (method: string, times: number, params: readonly unknown[]) => Answer,
): Promise<JsonRpcServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      // The only client is the code under test, which speaks JSON-RPC.
      const body = (await json(request)) as RpcBody | RpcBody[];
      const answers: object[] = [];
      for (const { id, method, params = [] } of [body].flat()) {
        const reaction = answer(method, asked.filter((earlier) => earlier === method).length, params);
        asked.push(method);
        if (typeof reaction === 'function') return reaction(response);
        answers.push({ jsonrpc: '2.0', id, ...reaction });
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
    })();
  });
  const { url, close } = await listen(server);
  return {
    url,
    asked,
    close,
  };
}
