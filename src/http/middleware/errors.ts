import type { Context } from 'hono';
import { AdapterError, DomainError, StoreAway, StoreMoved } from '../../domain/errors.ts';
import { summarizeError } from '../../log.ts';
import type { AllowedAt } from '../errors/allowed-methods.ts';
import { type ApiError, errorForPeople, errorResult } from '../errors/error-words.ts';
import { HttpError } from '../errors/http-error.ts';
import type { HttpFault } from '../errors/http-faults.ts';
import { type App, type AppEnv, answer } from './context.ts';

/** How soon a request may succeed that a network has kept from it. */
const ASK_AGAIN_AFTER_SECONDS = 5;
/** How soon a request may succeed while the database is away. */
const STORE_AWAY_SECONDS = 2;
/** How soon another instance may answer a request in place of one whose store was moved. */
export const STORE_MOVED_SECONDS = 10;

/** Has the error of a path that nothing serves rendered as a page, if a browser asked for one. */
export type ShowMissingPage = (c: Context<AppEnv>) => void;

function ofAdapterError({ platform, retry, retryAfterMs }: AdapterError): HttpFault {
  const wait = Math.max(1, Math.ceil((retryAfterMs ?? ASK_AGAIN_AFTER_SECONDS * 1000) / 1000));
  const retryAfter = retry === 'never' ? null : wait;
  return platform === undefined
    ? { code: 'chain_unreachable', retryAfter }
    : { code: 'platform_unreachable', platform, retryAfter };
}

function tell(c: Context<AppEnv>, error: ApiError): Response | Promise<Response> {
  return c.get('errorPage')?.(errorForPeople(error)) ?? answer(c, errorResult(error, c.get('request').requestId));
}

/** Whether the client left before its body had arrived, as Node's HTTP server reports it to whatever reads the body. */
function isCutOff(error: Error): boolean {
  return error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';
}

/**
 * Answers every error of this app, and logs defects and upstream failures. Unknown errors get a fixed sentence, because
 * their message may hold secrets.
 */
export function installErrorHandler(
  app: App,
  { showMissingPage, allowedAt }: { readonly showMissingPage: ShowMissingPage; readonly allowedAt: AllowedAt },
): void {
  app.notFound((c) => {
    if (c.get('errorPage') === undefined) showMissingPage(c);
    const allowed = allowedAt(c.req.path);
    // A route that takes the method has found nothing.
    const isMissing = allowed.length === 0 || allowed.includes(c.req.method);
    return tell(c, isMissing ? { code: 'route_not_found' } : { code: 'method_not_allowed', allowed });
  });
  app.onError((error, c) => {
    if (error instanceof DomainError) return tell(c, error.refusal);
    const log = c.get('request').log();
    if (error instanceof HttpError) {
      if (error.cause !== undefined)
        log.error({ error: summarizeError(error.cause) }, 'request could not be processed');
      if (error.fault.code === 'route_not_found') showMissingPage(c);
      return tell(c, error.fault);
    }
    if (error instanceof AdapterError) {
      log.warn({ reason: error.reason, error: summarizeError(error) }, 'upstream request failed');
      return tell(c, ofAdapterError(error));
    }
    if (error instanceof StoreAway) {
      log.error({ error: summarizeError(error) }, 'database cannot be reached');
      return tell(c, { code: 'unavailable', retryAfter: STORE_AWAY_SECONDS });
    }
    if (error instanceof StoreMoved) {
      log.error({ error: summarizeError(error) }, 'database was moved');
      return tell(c, { code: 'unavailable', retryAfter: STORE_MOVED_SECONDS });
    }
    if (isCutOff(error)) {
      log.info({ reason: String(error) }, 'request body was cut off');
      return tell(c, { code: 'body_unreadable' });
    }
    log.error({ error: summarizeError(error) }, 'request failed');
    return tell(c, { code: 'internal' });
  });
}
