import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Answers, type Operation, PATIENCE_MS } from './answers.ts';

/** One request. */
export interface Ask {
  readonly path: string;
  /** A POST when there is one. */
  readonly body?: object;
  readonly apiKey?: string;
  readonly idempotencyKey?: string;
}

/** The service's clients. */
export interface Client {
  /** Asks once, and notes what came of it. Never throws. */
  ask(operation: Operation, ask: Ask): Promise<Answer>;
  /** Asks again and again, as a client that wants something done, until `isDone`; null when it has given up. */
  insist(operation: Operation, ask: Ask, isDone: (answer: Answer) => boolean): Promise<Answer | null>;
  close(): void;
}

const AGAIN_AFTER_MS = 400;
/** After this long something is wrong with what is insisted on. */
const PERSISTENCE_MS = 400_000;
const LONGEST_ANSWER = 300;

/** The connection broke before there was an answer. */
class Broken extends Error {
  override readonly name = 'Broken';
  /** Whether it had served a request before. */
  readonly wasKept: boolean;

  constructor(wasKept: boolean, options: { cause: unknown }) {
    super('the connection broke', options);
    this.wasKept = wasKept;
  }
}

/** Clients of the service at `url`, over kept connections. */
export function createClient(url: string, answers: Answers): Client {
  const agent = new Agent({ keepAlive: true });

  function send(what: Ask): Promise<{ status: number; body: string }> {
    return attempt(what).catch((error: unknown) => {
      // The server may close a kept connection while a request is on its way to it; every client tries that once more.
      if (error instanceof Broken && error.wasKept) return attempt(what);
      throw error;
    });
  }

  function attempt({ path, body, apiKey, idempotencyKey }: Ask): Promise<{ status: number; body: string }> {
    const json = body === undefined ? '' : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, url), {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        timeout: PATIENCE_MS.client,
        headers: {
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
          ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      });
      call.once('error', (cause) => reject(new Broken(call.reusedSocket, { cause })));
      call.once('timeout', () => call.destroy(new Error('no answer in time')));
      call.once('response', (response) => {
        text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
      });
      call.end(json);
    });
  }

  async function ask(operation: Operation, what: Ask): Promise<Answer> {
    const startedAt = Date.now();
    // Whether a connection may break at this moment is for the verdict to say.
    const got = await send(what).catch(() => ({ status: 0, body: '' }));
    const answer = { ...got, startedAt, at: Date.now() };
    answers.note(operation, answer);
    return answer;
  }

  return {
    ask,
    insist: async (operation, what, isDone) => {
      const deadline = Date.now() + PERSISTENCE_MS;
      for (;;) {
        const answer = await ask(operation, what);
        if (isDone(answer)) return answer;
        if (Date.now() > deadline) {
          const last = `${answer.status} ${answer.body.slice(0, LONGEST_ANSWER)}`;
          answers.complain(
            `“${operation}” was not done within ${PERSISTENCE_MS / 1_000} s; the last answer was ${last}`,
          );
          return null;
        }
        await wait(AGAIN_AFTER_MS);
      }
    },
    close: () => agent.destroy(),
  };
}
