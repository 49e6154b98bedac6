import { AdapterError } from '../../domain/errors.ts';
import type { BatchSizes } from './batch-sizes.ts';
import type { RpcRequest } from './client.ts';
import { OtherChain, RpcFault } from './fault.ts';

/** How many requests with one read each are sent at a time; public endpoints refuse many more. */
const AT_ONCE = 16;
/** Reads a result; undefined when it is not usable. */
export type Accept<T> = (result: unknown) => T | undefined;

/** A read, and what its result has to be. */
export interface RpcQuestion<T> {
  readonly read: RpcRequest;
  readonly accept: Accept<T>;
}

/** How an endpoint is asked. */
export interface Ways {
  readonly batches: BatchSizes;
  /** Asks in a request of its own. @throws AdapterError */
  alone<T>(question: RpcQuestion<T>, deadline: AbortSignal): Promise<T>;
  /**
   * Asks several in one request, and answers in their order; an error in place of each that has no usable answer.
   * @throws AdapterError when they are refused as a whole
   */
  together(questions: readonly RpcQuestion<unknown>[], givenUp: AbortSignal): Promise<unknown[]>;
  /** The fault of a read whose time is up. */
  late(read: RpcRequest): AdapterError;
}

interface Waiting {
  readonly question: RpcQuestion<unknown>;
  readonly deadline: AbortSignal;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Whether a contract has ended a simulation, which is an answer. */
export function isReverted(answer: unknown): answer is RpcFault {
  return answer instanceof RpcFault && answer.reverted;
}

/** Whether a read has no answer. */
export function hasFailed(answer: unknown): answer is AdapterError {
  return answer instanceof AdapterError && !isReverted(answer);
}

/** Whether it would have none alone either: what is too long stays so. */
function isFinal(answer: AdapterError): boolean {
  return answer.retry === 'never' && !(answer instanceof RpcFault);
}

/** The fault of an endpoint that may be slow with one read, or ends connections at batches: each is asked alone. */
function isSilence({ reason }: AdapterError): boolean {
  return reason === 'timeout' || reason === 'unreachable';
}

/** Whether an error says that the endpoint fails whatever it is asked; a read may take too long by itself. */
function isOutage(error: unknown): boolean {
  return error instanceof AdapterError && !(error instanceof RpcFault) && error.reason !== 'timeout';
}

/**
 * Asks each alone. After a number of outages without any answer the others fail without being asked.
 * @returns how many have no answer
 */
async function askEach(all: readonly Waiting[], { alone }: Ways): Promise<number> {
  const rest = [...all];
  let answers = 0;
  let outages = 0;
  let fault: unknown = null;

  async function ask({ question, deadline, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await alone(question, deadline));
      answers += 1;
    } catch (error) {
      reject(error);
      fault = error;
      if (isReverted(error)) answers += 1;
      if (isOutage(error)) outages += 1;
    }
  }

  async function lane(): Promise<void> {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      if (outages >= AT_ONCE && answers === 0) next.reject(fault);
      else await ask(next);
    }
  }

  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, lane));
  return all.length - answers;
}

/** Asks several in one request, which is given up when the time of each is up. */
async function askTogether(part: readonly Waiting[], { together }: Ways): Promise<unknown[]> {
  const all = new AbortController();
  let left = part.length;
  const leave = () => {
    left -= 1;
    if (left === 0) all.abort();
  };
  for (const { deadline } of part) deadline.addEventListener('abort', leave);
  try {
    const questions = part.map(({ question }) => question);
    return await together(questions, all.signal);
  } finally {
    for (const { deadline } of part) deadline.removeEventListener('abort', leave);
  }
}

/** Resolves the reads that have an answer, and returns the others. */
function settle(part: readonly Waiting[], answers: readonly unknown[]): Waiting[] {
  return part.filter(({ resolve, reject }, place) => {
    const answer = answers[place];
    if (hasFailed(answer) && !isFinal(answer)) return true;
    if (answer instanceof AdapterError) reject(answer);
    else resolve(answer);
    return false;
  });
}

/** Asks several reads of one turn. */
async function askTurn(all: readonly Waiting[], ways: Ways): Promise<void> {
  const known = ways.batches.next();
  let sizes = known;
  const again: Promise<number>[] = [];
  let rest = all;
  let isSilent = false;
  for (let [size] = sizes; size !== undefined && rest.length > 1; [size] = sizes) {
    const part = rest.slice(0, size);
    const answers = await askTogether(part, ways).catch((error: unknown) => error);
    if (Array.isArray(answers) && !answers.every(hasFailed)) {
      const failed = settle(part, answers);
      if (failed.length > 0) again.push(askEach(failed, ways));
      rest = rest.slice(part.length);
    } else if (answers instanceof AdapterError && isSilence(answers)) {
      sizes = sizes.slice(1);
      isSilent = true;
      break;
    } else if (Array.isArray(answers) || (answers instanceof AdapterError && !(answers instanceof OtherChain))) {
      sizes = sizes.filter((each) => each < part.length);
    } else {
      for (const { reject } of rest) reject(answers);
      return;
    }
  }
  const [unanswered, ...others] = await Promise.all([askEach(rest, ways), ...again]);
  const isKnown = isSilent ? unanswered < rest.length : [unanswered, ...others].every((count) => count === 0);
  if (isKnown && sizes !== known) ways.batches.keep(sizes);
}

/**
 * Asks what is asked in one turn of the event loop in one request, as far as the endpoint takes batches. Reads that fail in a
 * batch are asked again alone, so that none fails because of another.
 */
export function createTurns(ways: Ways): <T>(question: RpcQuestion<T>, deadline: AbortSignal) => Promise<T> {
  let waiting: Waiting[] = [];

  function ask(): void {
    const all = waiting.filter(({ deadline }) => !deadline.aborted);
    waiting = [];
    void (all.length < 2 ? askEach(all, ways) : askTurn(all, ways));
  }

  return async <T>(question: RpcQuestion<T>, deadline: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const giveUp = () => reject(ways.late(question.read));
    if (deadline.aborted) giveUp();
    deadline.addEventListener('abort', giveUp);
    if (waiting.length === 0) setImmediate(ask);
    waiting.push({ question, deadline, resolve, reject });
    try {
      // Only what the question accepts resolves it.
      return (await promise) as T;
    } finally {
      deadline.removeEventListener('abort', giveUp);
    }
  };
}
