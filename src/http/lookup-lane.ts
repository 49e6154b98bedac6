import { setImmediate } from 'node:timers';
import type { RootLog } from '../log.ts';
import { createLaneEnd, type Lane } from './front.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { OPEN_HEADERS } from './middleware/cors.ts';
import type { Metrics } from './middleware/metrics.ts';
import type { RateLimit, RateLimitStatus } from './middleware/rate-limit.ts';
import type { Taken } from './taken.ts';

const PATH = '/api/claim';
const START = `${PATH}?`;
const HEADERS: readonly string[] = Object.entries(OPEN_HEADERS).flat();

/** A look-up that waits for the end of this turn of the event loop. */
interface Waiting {
  readonly request: Taken;
  readonly query: string;
  readonly standing: RateLimitStatus;
  /** Hands it on to the app, which counts it itself. */
  readonly pass: () => void;
}

/**
 * Claim look-ups, of which what was answered before is answered again for as long as nothing was committed. Those of one
 * turn of the event loop are answered at its end, so that the store's version is asked for once, and after all of them
 * had come.
 */
export function createLookupLane(deps: {
  kept: KeptAnswers;
  /** What is kept holds for as long as this stays the same; see `Store.version`. */
  version: () => number;
  /** The body of the answer to a query; rejects when the answer is an error. */
  lookUp: (query: string) => Promise<string>;
  limit: RateLimit;
  metrics: Pick<Metrics, 'answered'>;
  log: RootLog;
}): Lane {
  const { kept, version, lookUp, limit } = deps;
  const end = createLaneEnd(deps, { method: 'GET', path: PATH });
  let waiting: Waiting[] = [];

  /** Null while the store cannot be asked; then nothing that is kept is known to hold. */
  function versionNow(): number | null {
    try {
      return version();
    } catch {
      // The look-ups themselves meet the same fault of the store, and the app tells of it.
      return null;
    }
  }

  function answer({ request, standing }: Waiting, body: string): void {
    const headers = HEADERS.slice();
    limit.tell(standing, (name, value) => headers.push(name, value));
    end(request, { body, headers });
  }

  async function answerAnew(one: Waiting, readUnder: number | null): Promise<void> {
    const body = await lookUp(one.query).catch(() => null);
    if (body === null) {
      one.pass();
      return;
    }
    if (readUnder !== null) kept.keep(one.query, body, readUnder);
    answer(one, body);
  }

  function answerAll(): void {
    const turn = waiting;
    waiting = [];
    const now = versionNow();
    for (const one of turn) {
      const body = now === null ? undefined : kept.find(one.query, now);
      if (body === undefined) void answerAnew(one, now);
      else answer(one, body);
    }
  }

  return {
    takes({ method, url = '', headers }) {
      if (method !== 'GET' || !url.startsWith(START)) return false;
      // A body that nobody asked for is the app's business.
      return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
    },
    take(request, pass) {
      const { url = '', headers, socket } = request.incoming;
      // Counted before it is looked at, and while the socket still says whose it is.
      const origin = { forwardedFor: headers['x-forwarded-for'], address: socket.remoteAddress };
      const standing = limit.count(origin);
      if (standing.exceeded) {
        pass();
        return;
      }
      const passOn = () => {
        if (!socket.destroyed) limit.takeBack(origin);
        pass();
      };
      if (waiting.push({ request, query: url.slice(PATH.length), standing, pass: passOn }) === 1) {
        setImmediate(answerAll);
      }
    },
  };
}
