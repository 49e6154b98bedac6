import { inParallel } from '../in-parallel.ts';
import type { Endpoint, ReadQuestion } from './endpoint.ts';
import type { RpcFault } from './fault.ts';
import { isReverted } from './turns.ts';

/** How many questions are asked at a time: as many as share a request at most. */
const AT_ONCE = 100;

/** Answers in the order of the questions; a fault for a simulation that reverts. */
export type ReadMany = <T>(questions: readonly ReadQuestion<T>[]) => Promise<(T | RpcFault)[]>;

/** Asks many questions in few requests. Each question has a deadline of its own, because their number is unbounded. */
export function createManyReads(endpoint: Endpoint): ReadMany {
  return (questions) =>
    inParallel(questions, AT_ONCE, async ({ read, accept }) => {
      try {
        return await endpoint.run((rpc) => rpc.record(read, accept));
      } catch (error) {
        if (isReverted(error)) return error;
        throw error;
      }
    });
}
