import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that a lane has taken, before or instead of the app. */
export interface Taken {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  /** As `performance.now()` has it. */
  readonly startedAt: number;
  /** What kept the lane from storing what the request brought: the app tells of it and does not try the same again. */
  fault?: unknown;
}

const taken = new WeakMap<object, Taken>();

/** Keeps what a lane knows of a request for the app, which may get it after all. */
export function rememberTaken(request: Taken): void {
  taken.set(request.incoming, request);
}

/** What a lane knows of one of Node's requests, if one had it. */
export function takenOf(incoming: object | undefined): Taken | undefined {
  return incoming === undefined ? undefined : taken.get(incoming);
}
