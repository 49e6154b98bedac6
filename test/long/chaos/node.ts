import type { Pace } from './clocks.ts';

/** What a node answers to a question. */
export type Answer = { readonly result: unknown } | { readonly error: unknown };

/** A local node whose blocks are made by hand. */
export interface Node {
  readonly url: string;
  /** Asks, and answers whatever the node said. */
  ask(method: string, params: readonly unknown[]): Promise<Answer>;
  /** The result of a question. @throws Error when the node answers with an error */
  result(method: string, params: readonly unknown[]): Promise<unknown>;
  /** The result of a question whose answer is a number. */
  quantity(method: string, params: readonly unknown[]): Promise<bigint>;
  /** Makes one block of everything that waits. */
  mine(): Promise<void>;
  /** Has it tell the time, which it puts back with its chain. */
  setClock(): Promise<void>;
  /** How the time of its blocks goes from now on. */
  setPace(pace: Pace): void;
}

const LAG_SECONDS = 600;
const JUMP_SECONDS = 300;
const JUMP_BLOCKS = 4;

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

  let pace: Pace = 'even';
  async function setClock(): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    await result('evm_setTime', [pace === 'lagging' ? now - LAG_SECONDS : now]);
  }

  /** Sets the time of the next block, where that does not go by itself. */
  async function keepPace(): Promise<void> {
    if (pace === 'even') return;
    if (pace === 'lagging') return await setClock();
    // Anvil knows its newest block.
    const newest = (await result('eth_getBlockByNumber', ['latest', false])) as { number: string; timestamp: string };
    const jumps = pace === 'jumping' && Number(newest.number) % JUMP_BLOCKS === 0;
    const time = Number(newest.timestamp);
    // Anvil refuses a time before the one that it tells, which is a later one when blocks were taken back.
    await result('evm_setTime', [time]);
    await result('evm_setNextBlockTimestamp', [time + (jumps ? JUMP_SECONDS : 0)]);
  }

  async function mineNext(): Promise<void> {
    await keepPace();
    await result('evm_mine', []);
  }

  let mined: Promise<void> = Promise.resolve();
  return {
    url,
    ask,
    result,
    quantity: async (method, params) => BigInt(String(await result(method, params))),
    mine() {
      // One after the other: between the look at the newest block and the next one's time no other may come.
      mined = mined.then(mineNext, mineNext);
      return mined;
    },
    setClock,
    setPace(next) {
      pace = next;
    },
  };
}
