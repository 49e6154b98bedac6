import { DomainError } from '../domain/errors.ts';
import type { StoreReads, StoreTx } from '../store/port/index.ts';
import type { ServiceContext } from './context.ts';
import { makeOrAbandon, type Prepared } from './prepared.ts';

/** Identifies a repeatable request: it has its effect once, and every copy gets the first response. */
export interface IdempotencyKey {
  /** Caller and route: two callers or two routes never share a key. */
  readonly scope: string;
  readonly key: string;
  /** A hash of the request. */
  readonly fingerprint: string;
}

/** A rendered response. */
export interface Rendered {
  /** Of HTTP. */
  readonly status: number;
  readonly body: string;
}

/** The response to a request that may be repeated. */
export interface OnceAnswered extends Rendered {
  /** Whether its operation is committed: false when it repeats the first response under the key. */
  readonly isFirst: boolean;
}

/** The response to the first request under the key, or null. @throws DomainError `key_reused` if that was another */
export async function findFirstResponse(reads: StoreReads, key: IdempotencyKey | null): Promise<OnceAnswered | null> {
  const first = key === null ? null : await reads.findIdempotentResponse(key.scope, key.key);
  if (first === null) return null;
  const { fingerprint, ...response } = first;
  if (fingerprint !== key?.fingerprint) throw new DomainError({ code: 'key_reused' });
  return { ...response, isFirst: false };
}

/** As {@link findFirstResponse}, for a caller who gets it: a read alone may find what is not on disk yet. */
export async function repeatFirstResponse(
  { store }: ServiceContext,
  key: IdempotencyKey | null,
): Promise<OnceAnswered | null> {
  if ((await findFirstResponse(store, key)) === null) return null;
  return await store.transaction((tx) => findFirstResponse(tx, key), { narrow: true });
}

/**
 * Makes a prepared change and saves its rendered response in the same transaction; for a known key it only returns the saved
 * response.
 * @throws DomainError `key_reused`, and what the change throws
 */
export async function withIdempotency<Result>(
  { store, clock }: ServiceContext,
  key: IdempotencyKey | null,
  { prepared, render }: { prepared: Prepared<Result>; render: (result: Result) => Rendered },
): Promise<OnceAnswered> {
  const run = async (tx: StoreTx): Promise<{ answered: OnceAnswered; made?: { result: Result } }> => {
    const first = await findFirstResponse(tx, key);
    if (first !== null) return { answered: first };
    const now = clock();
    const result = await prepared.commit(tx, now);
    const response = render(result);
    if (key !== null) {
      const { scope, key: name, fingerprint } = key;
      await tx.saveIdempotentResponse(scope, name, { fingerprint, ...response, now });
    }
    return { answered: { ...response, isFirst: true }, made: { result } };
  };
  const { answered } = await makeOrAbandon(prepared, () => store.transaction(run));
  return answered;
}
