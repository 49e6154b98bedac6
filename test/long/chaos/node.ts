/** What a node answers to a question. */
export type Answer = { readonly result: unknown } | { readonly error: unknown };

/** A local node whose blocks are made by hand. */
export interface Node {
  /** Asks, and answers whatever the node said. */
  ask(method: string, params: readonly unknown[]): Promise<Answer>;
  /** The result of a question. @throws Error when the node answers with an error */
  result(method: string, params: readonly unknown[]): Promise<unknown>;
  /** The result of a question whose answer is a number. */
  quantity(method: string, params: readonly unknown[]): Promise<bigint>;
  /** Makes one block of everything that waits. */
  mine(): Promise<void>;
  /** Has it tell the right time, which it puts back with its chain. */
  setClock(): Promise<void>;
}

/** The node at `url`. */
export function createNode(url: string): Node {
  async function ask(method: string, params: readonly unknown[]): Promise<Answer> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    // Anvil speaks JSON-RPC; it leaves a result out where there is none.
    const { result = null, error } = (await response.json()) as { result?: unknown; error?: unknown };
    return error === undefined ? { result } : { error };
  }

  async function result(method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await ask(method, params);
    if ('error' in answer) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  return {
    ask,
    result,
    quantity: async (method, params) => BigInt(String(await result(method, params))),
    mine: async () => void (await result('evm_mine', [])),
    setClock: async () => void (await result('evm_setTime', [Math.floor(Date.now() / 1_000)])),
  };
}
