import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RootLog } from '../log.ts';
import { SECURITY_HEADERS } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { requestIdOf, writeRequestLine } from './request-log.ts';

/** A request that a lane has taken. */
export interface Taken {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  /** As `performance.now()` has it. */
  readonly startedAt: number;
}

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

/** A front of these lanes; everything else goes to the app. */
export function createFront(lanes: readonly Lane[], { newId }: { newId: () => string }): Front {
  return (pass) => (incoming, outgoing) => {
    const lane = lanes.find((candidate) => candidate.takes(incoming));
    if (lane === undefined) {
      pass(incoming, outgoing);
      return;
    }
    const startedAt = performance.now();
    const requestId = requestIdOf(incoming.headers['x-request-id'], newId);
    lane.take({ incoming, outgoing, requestId, startedAt }, () => pass(incoming, outgoing));
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
    const length = String(Buffer.byteLength(body));
    outgoing.writeHead(200, HEADERS.concat(headers, 'x-request-id', requestId, 'content-length', length));
    outgoing.end(body);
    metrics.answered(labels, (performance.now() - startedAt) / 1000);
    writeRequestLine(log, { requestId, method, path, status: 200, startedAt });
  };
}
