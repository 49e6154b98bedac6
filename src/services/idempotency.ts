import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import type { StoreTx } from '../store/port/index.ts';

/** A request that may come again: under the same key it has its effect once, and every copy gets the first answer. */
export interface IdempotencyKey {
  /** Whose keys these are, and for what: two callers or two routes never share a key. */
  readonly scope: string;
  readonly key: string;
  /** A hash of the request; see {@link fingerprint}. */
  readonly fingerprint: string;
}

/** Far deeper than any request; each level takes a piece of the stack. */
const MAX_DEPTH = 100;

function canonical(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH)
    throw new DomainError({ code: 'invalid_request', message: `Body is nested more than ${MAX_DEPTH} levels deep` });
  if (Array.isArray(value)) return value.map((item) => canonical(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner, depth + 1)]));
}

/**
 * What tells one JSON body from another, whatever the order of its keys.
 * @throws DomainError `invalid_request` when it is nested too deeply
 */
export function fingerprint(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical(body)))
    .digest('hex');
}

/** The answer a request got when it came first, or null. @throws DomainError `key_reused` when that was another request */
export async function firstAnswer(
  reads: Pick<StoreTx, 'findIdempotentResponse'>,
  once: IdempotencyKey | null,
): Promise<string | null> {
  const kept = once === null ? null : await reads.findIdempotentResponse(once.scope, once.key);
  if (kept === null) return null;
  if (kept.fingerprint !== once?.fingerprint) throw new DomainError({ code: 'key_reused' });
  return kept.body;
}

/**
 * Runs an effect and keeps its answer in the same transaction, or gives the answer that was kept before.
 * @returns the body to answer
 */
export async function withIdempotency(
  tx: StoreTx,
  once: IdempotencyKey | null,
  options: { now: number; effect: () => Promise<object> },
): Promise<string> {
  const known = await firstAnswer(tx, once);
  if (known !== null) return known;
  const body = JSON.stringify(await options.effect());
  if (once !== null) {
    await tx.saveIdempotentResponse(once.scope, once.key, { fingerprint: once.fingerprint, body, now: options.now });
  }
  return body;
}
