import type { IncomingMessage, RequestListener } from 'node:http';
import type { RootLog } from '../log.ts';
import { SECURITY_HEADERS } from './middleware/context.ts';
import type { Metrics } from './middleware/metrics.ts';
import { requestIdOf, writeRequestLine } from './middleware/request-log.ts';
import { rememberTaken, type Taken } from './taken.ts';

/**
 * A short way for one kind of request, on Node's own requests: frameworks cost more than such an answer does. It answers
 * only what ends well; whatever else a request comes to, the app meets it again from its beginning, and tells of it. What
 * the app's middleware does for every request, a lane does too.
 */
export interface Lane {
  /** Whether this request is its own, by its line and headers alone. */
  takes(incoming: IncomingMessage): boolean;
  /** Answers a request, or hands it on with `pass`. */
  take(request: Taken, pass: () => void): void;
}

/** Stands before the app, whose listener `pass` is. */
export type Front = (pass: RequestListener) => RequestListener;

/** Hosts that were looked at before; clients mostly name the same few. */
const MAX_HOSTS = 64;

/** Makes what tells whether a Host header is written as a URL has it; what to say of any other is the app's business. */
function createHostCheck(): (host: string | undefined) => boolean {
  const known = new Map<string, boolean>();
  return (host) => {
    if (host === undefined) return false;
    const before = known.get(host);
    if (before !== undefined) return before;
    const url = `http://${host}`;
    const plain = URL.canParse(url) && new URL(url).host === host.toLowerCase();
    if (known.size === MAX_HOSTS) known.clear();
    known.set(host, plain);
    return plain;
  };
}

/** A front of these lanes; everything else goes to the app. */
export function createFront(lanes: readonly Lane[], { newId }: { newId: () => string }): Front {
  const isHost = createHostCheck();
  return (pass) => (incoming, outgoing) => {
    const lane = isHost(incoming.headers.host) ? lanes.find((candidate) => candidate.takes(incoming)) : undefined;
    if (lane === undefined) {
      pass(incoming, outgoing);
      return;
    }
    const startedAt = performance.now();
    const requestId = requestIdOf(incoming.headers['x-request-id'], newId);
    const request: Taken = { incoming, outgoing, requestId, startedAt };
    lane.take(request, () => {
      rememberTaken(request);
      pass(incoming, outgoing);
    });
  };
}

/** The answer of a lane: always a 200. */
export interface LaneAnswer {
  /** JSON text. */
  readonly body: string;
  /** Names and values in turn, besides those of every answer. */
  readonly headers: readonly string[];
}

const HEADERS: readonly string[] = Object.entries({ ...SECURITY_HEADERS, 'content-type': 'application/json' }).flat();

/** Makes what writes the answers of one route, measures and logs them. */
export function createLaneEnd(
  { metrics, log }: { metrics: Pick<Metrics, 'answered'>; log: RootLog },
  { method, path }: { method: string; path: string },
): (request: Taken, answer: LaneAnswer) => void {
  const labels = { method, route: path, status: 200 };
  return ({ outgoing, requestId, startedAt }, { body, headers }) => {
    const length = Buffer.byteLength(body);
    outgoing.writeHead(200, HEADERS.concat(headers, 'x-request-id', requestId, 'content-length', String(length)));
    // Node writes head and body as one text, and copies one that is all ASCII faster than it encodes it.
    outgoing.end(body, length === body.length ? 'latin1' : 'utf8');
    metrics.answered(labels, (performance.now() - startedAt) / 1000);
    writeRequestLine(log, { requestId, method, path, status: 200, startedAt });
  };
}
