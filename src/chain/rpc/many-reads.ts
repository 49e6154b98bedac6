import { AdapterError } from '../../domain/errors.ts';
import { inParallel } from '../in-parallel.ts';
import type { Endpoint, ReadQuestion } from './endpoint.ts';
import type { RpcFault } from './fault.ts';
import { hasFailed, isReverted } from './turns.ts';

/** How many requests with one question each are sent at a time; public endpoints refuse many more. */
const AT_ONCE = 16;

/** Answers in the order of the questions; a fault for a simulation that reverts. */
export type ReadMany = <T>(questions: readonly ReadQuestion<T>[]) => Promise<(T | RpcFault)[]>;

/** An endpoint that does not answer in time says nothing about batches. */
function isSilence(error: unknown): boolean {
  return !(error instanceof AdapterError) || error.reason === 'timeout';
}

/**
 * Asks many questions of one caller in few requests, as far as the endpoint takes batches. Reads that fail in a batch are asked
 * again alone. Each request has a deadline of its own, because their number is unbounded.
 */
export function createManyReads(endpoint: Endpoint): ReadMany {
  const { batches } = endpoint;

  async function alone<T>({ read, accept }: ReadQuestion<T>): Promise<T | RpcFault> {
    try {
      return await endpoint.run((rpc) => rpc.alone({ read, accept }));
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
      if (isSilence(error)) throw error;
      return null;
    }
  }

  return async <T>(questions: readonly ReadQuestion<T>[]) => {
    const found: (T | RpcFault)[] = [];
    const known = batches.next();
    let sizes = known;
    while (found.length < questions.length) {
      const [size = AT_ONCE] = sizes;
      const part = questions.slice(found.length, found.length + size);
      const answers = sizes.length === 0 || part.length === 1 ? [] : await together(part);
      if (answers === null) {
        sizes = sizes.filter((each) => each < part.length);
        continue;
      }
      const pairs = part.map((question, index) => ({ question, answer: answers[index] }));
      const settled = await inParallel(pairs, AT_ONCE, async ({ question, answer }) =>
        answer === undefined || hasFailed(answer) ? await alone(question) : answer,
      );
      found.push(...settled);
    }
    if (sizes !== known) batches.keep(sizes);
    return found;
  };
}
