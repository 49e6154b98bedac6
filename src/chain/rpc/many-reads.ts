import { AdapterError } from '../../domain/errors.ts';
import { inParallel } from '../in-parallel.ts';
import type { Endpoint, ReadQuestion } from './endpoint.ts';
import { RpcFault } from './fault.ts';

/** How many questions share one request. Many public endpoints take ten at most, and some take no batches. */
const SIZES: readonly number[] = [100, 10];
/** How many requests with one question each are sent at a time; public endpoints refuse many more. */
const AT_ONCE = 16;
/** After so many uses what was refused is tried again, because one great answer may have been the reason. */
const USES = 100;

/** Answers in the order of the questions; a fault for a simulation that reverts. */
export type ReadMany = <T>(questions: readonly ReadQuestion<T>[]) => Promise<(T | RpcFault)[]>;

function isReverted(answer: unknown): answer is RpcFault {
  return answer instanceof RpcFault && answer.reverted;
}

function hasFailed(answer: unknown): answer is AdapterError {
  return answer instanceof AdapterError && !isReverted(answer);
}

/** An endpoint that fails altogether says nothing about batches. */
function isOutage(error: unknown): boolean {
  return !(error instanceof AdapterError) || error.reason === 'timeout' || error.reason === 'unreachable';
}

/**
 * Asks many questions in few requests, as far as the endpoint takes batches; what it refuses is remembered for a while. Reads that fail
 * in a batch are asked again alone. Each request has a deadline of its own, because their number is unbounded.
 */
export function createManyReads(endpoint: Endpoint): ReadMany {
  let tried = SIZES;
  let uses = 0;

  async function alone<T>({ read, accept }: ReadQuestion<T>): Promise<T | RpcFault> {
    try {
      return await endpoint.run((rpc) => rpc.record(read, accept));
    } catch (error) {
      if (isReverted(error)) return error;
      throw error;
    }
  }

  /** Null when the endpoint takes no batch of this size. */
  async function together<T>(questions: readonly ReadQuestion<T>[]): Promise<(T | AdapterError)[] | null> {
    try {
      const answers = await endpoint.run((rpc) => rpc.batch(questions));
      return answers.every(hasFailed) ? null : answers;
    } catch (error) {
      if (isOutage(error)) throw error;
      return null;
    }
  }

  return async <T>(questions: readonly ReadQuestion<T>[]) => {
    const found: (T | RpcFault)[] = [];
    uses += 1;
    let sizes = uses % USES === 0 ? SIZES : tried;
    while (found.length < questions.length) {
      const [size = AT_ONCE] = sizes;
      const part = questions.slice(found.length, found.length + size);
      const answers = sizes.length === 0 || part.length === 1 ? [] : await together(part);
      if (answers === null) {
        sizes = sizes.slice(1);
        continue;
      }
      const pairs = part.map((question, index) => ({ question, answer: answers[index] }));
      const settled = await inParallel(pairs, AT_ONCE, async ({ question, answer }) =>
        answer === undefined || hasFailed(answer) ? await alone(question) : answer,
      );
      found.push(...settled);
    }
    // Only now: a request alone may have failed as well, and then the fault was not the batch.
    tried = sizes;
    return found;
  };
}
