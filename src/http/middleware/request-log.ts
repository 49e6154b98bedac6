import type { MiddlewareHandler } from 'hono';
import type { RootLog } from '../../log.ts';
import { takenOf } from '../taken.ts';
import { type AppEnv, createExchange } from './context.ts';

const SANE_ID = /^[A-Za-z0-9._:=-]{1,128}$/;
const MAX_PATH = 200;

/** Asked for every few seconds by machines. */
const QUIET: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** The name of a request: the caller's own when it is sane, otherwise a new one. */
export function requestIdOf(asked: string | string[] | undefined, newId: () => string): string {
  return typeof asked === 'string' && SANE_ID.test(asked) ? asked : newId();
}

/** An answered request, for its line. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** As `performance.now()` has it. */
  readonly startedAt: number;
}

/** Writes the line of an answered request: with its path but without its query, which may carry tokens. */
export function writeRequestLine(log: RootLog, request: AnsweredRequest): void {
  const { requestId, method, status } = request;
  const path = request.path.slice(0, MAX_PATH);
  const durationMs = Math.round((performance.now() - request.startedAt) * 10) / 10;
  // A page that looks whether it has changed asks every few seconds, and mostly it has not.
  if (QUIET.has(path) || status === 304) {
    log.debug({ requestId, method, path, status, durationMs }, 'request');
    return;
  }
  const names = `"requestId":${JSON.stringify(requestId)},"method":${JSON.stringify(method)},"path":${JSON.stringify(path)}`;
  log.infoText(`${names},"status":${status},"durationMs":${durationMs}`, 'request');
}

/**
 * Opens the exchange of every request and writes one line when it is answered. A caller may name the request with
 * `X-Request-Id`; the name is answered back.
 */
export function logRequests({ log, newId }: { log: RootLog; newId: () => string }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const taken = takenOf(c.env?.incoming);
    const startedAt = taken?.startedAt ?? performance.now();
    const requestId = taken?.requestId ?? requestIdOf(c.req.header('x-request-id'), newId);
    c.set('exchange', createExchange(requestId, log));
    await next();
    const { method, path } = c.req;
    writeRequestLine(log, { requestId, method, path, status: c.res.status, startedAt });
  };
}
