import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import type { RootLog } from '../log.ts';
import { OPEN_HEADERS } from './cors.ts';
import { SECURITY_HEADERS } from './exchange.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Metrics } from './metrics.ts';
import type { RateLimit } from './rate-limit.ts';
import { requestIdOf, writeRequestLine } from './request-log.ts';

/** Stands before the app: answers what it can by itself and passes everything else on. */
export type Front = (pass: RequestListener) => RequestListener;

export interface FrontDeps {
  readonly kept: KeptAnswers;
  /** What is kept holds for as long as this stays the same; see `Store.version`. */
  readonly version: () => number;
  /** The body of the answer to a query; rejects when the answer is an error. */
  readonly lookUp: (query: string) => Promise<string>;
  readonly limit: RateLimit;
  readonly metrics: Pick<Metrics, 'answered'>;
  readonly log: RootLog;
  readonly newId: () => string;
}

/** A look-up that waits for the end of this turn of the event loop. */
interface Asked {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly query: string;
  /** As `performance.now()` has it. */
  readonly startedAt: number;
}

const CLAIM_PATH = '/api/claim';
const CLAIM_QUERY = `${CLAIM_PATH}?`;
const HEADERS: readonly string[] = Object.entries({
  ...SECURITY_HEADERS,
  ...OPEN_HEADERS,
  'content-type': 'application/json',
}).flat();
const LABELS = { method: 'GET', route: CLAIM_PATH, status: 200 } as const;

function isLookup({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !url.startsWith(CLAIM_QUERY)) return false;
  // A body that nobody asked for is the app's business.
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/**
 * The door before the app, on Node's own requests, for claim look-ups that end well: frameworks cost more than the answer
 * does. The look-ups of one turn of the event loop are answered at its end, so that the store's version is asked for once,
 * and after all of them had come. Whatever else a look-up comes to, the app meets it again and tells of it. What the app's
 * middleware does for every request is done here too: it is named, counted against the limit, measured and logged.
 */
export function createFront(deps: FrontDeps): Front {
  const { kept, version, lookUp, limit, metrics, log, newId } = deps;

  /** Null while the store cannot be asked; then nothing that is kept is known to hold. */
  function versionNow(): number | null {
    try {
      return version();
    } catch {
      // The look-ups themselves meet the same fault of the store, and the app tells of it.
      return null;
    }
  }

  function answer({ incoming, outgoing, startedAt }: Asked, body: string): boolean {
    const standing = limit.count(incoming);
    if (standing.exceeded) return false;
    const requestId = requestIdOf(incoming.headers['x-request-id'], newId);
    const headers = HEADERS.concat('x-request-id', requestId, 'content-length', String(Buffer.byteLength(body)));
    limit.tell(standing, (name, value) => headers.push(name, value));
    outgoing.writeHead(200, headers);
    outgoing.end(body);
    metrics.answered(LABELS, (performance.now() - startedAt) / 1000);
    writeRequestLine(log, { requestId, method: 'GET', path: CLAIM_PATH, status: 200, startedAt });
    return true;
  }

  return (pass) => {
    let waiting: Asked[] = [];

    async function answerAnew(asked: Asked, readUnder: number | null): Promise<void> {
      // The app meets the same error, and tells of it.
      const body = await lookUp(asked.query).catch(() => null);
      if (body !== null && readUnder !== null) kept.keep(asked.query, body, readUnder);
      if (body === null || !answer(asked, body)) pass(asked.incoming, asked.outgoing);
    }

    function answerAll(): void {
      const turn = waiting;
      waiting = [];
      const now = versionNow();
      for (const asked of turn) {
        const body = now === null ? undefined : kept.find(asked.query, now);
        if (body === undefined) void answerAnew(asked, now);
        else if (!answer(asked, body)) pass(asked.incoming, asked.outgoing);
      }
    }

    return (incoming, outgoing) => {
      if (!isLookup(incoming)) {
        pass(incoming, outgoing);
        return;
      }
      const query = (incoming.url ?? '').slice(CLAIM_PATH.length);
      if (waiting.push({ incoming, outgoing, query, startedAt: performance.now() }) === 1) setImmediate(answerAll);
    };
  };
}
