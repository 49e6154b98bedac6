import { retryAfter } from '../domain/time.ts';

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;
const MIN_DELAY_MS = 1000;

type Headers = Readonly<Record<string, unknown>>;

function header(headers: Headers, name: string): string {
  const value = headers[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function resetIn(headers: Headers, window: string, now: number): number | undefined {
  const reset = header(headers, `${window}-reset`);
  return /^[0-9]+$/.test(reset) ? Number(reset) * 1000 - now : undefined;
}

/**
 * Milliseconds until X's limits allow the call: the latest reset of the exhausted windows. X counts 15 minutes and,
 * under other names, 24 hours (docs.x.com, x-api/fundamentals/rate-limits); when the day's limit is used up, the short
 * window's reset does not help. It sends these headers with every answer, so those of windows that are not used up
 * count on a refusal for its limits alone.
 */
function fromRateLimits(headers: Headers, { isLimit, now }: { isLimit: boolean; now: number }): number | undefined {
  const usedUp = ['x-user-limit-24hour', 'x-app-limit-24hour', 'x-rate-limit']
    .filter((window) => header(headers, `${window}-remaining`) === '0')
    .map((window) => resetIn(headers, window, now))
    .filter((delay) => delay !== undefined);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return isLimit ? resetIn(headers, 'x-rate-limit', now) : undefined;
}

/** 420 is an older form of 429. */
export function isRateLimit(status: number): boolean {
  return status === 420 || status === 429;
}

/**
 * How long a refusal asks us to wait, in milliseconds, from a second to a day; undefined when it does not say.
 * Header names are lower case, as Node gives them. `now` is epoch ms.
 */
export function retryAfterMs(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined {
  const delay =
    retryAfter(header(headers, 'retry-after'), now) ?? fromRateLimits(headers, { isLimit: isRateLimit(status), now });
  return delay === undefined ? undefined : Math.min(Math.max(delay, MIN_DELAY_MS), MAX_DELAY_MS);
}
