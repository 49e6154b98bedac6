import type { Context, MiddlewareHandler } from 'hono';
import type { AppEnv } from './middleware/context.ts';

/** Runs before a request's route and throws to refuse it. It returns a promise only when it has to wait. */
export type RequestCheck = (c: Context<AppEnv>) => Promise<void> | undefined;

/** Runs checks in order as one middleware, because each middleware of Hono's costs a request about 2 µs. */
export function runChecks(checks: readonly RequestCheck[]): MiddlewareHandler<AppEnv> {
  async function goOn(c: Context<AppEnv>, waiting: Promise<void>, rest: readonly RequestCheck[]): Promise<void> {
    await waiting;
    for (const check of rest) await check(c);
  }
  return (c, next) => {
    for (const [place, check] of checks.entries()) {
      const waiting = check(c);
      if (waiting !== undefined) return goOn(c, waiting, checks.slice(place + 1)).then(next);
    }
    return next();
  };
}
