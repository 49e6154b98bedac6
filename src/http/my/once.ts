import { invalidRequest } from '../../domain/errors.ts';
import type { Prepared } from '../../services/prepared.ts';
import { fingerprint, keyProblem } from '../middleware/idempotency.ts';
import type { OwnerVisit } from './context.ts';

/** A form that has its effect once. */
interface OnceSent<Result> {
  /** The path that the key belongs to. */
  readonly path: string;
  /** The one-time key of the form. */
  readonly key: string;
  /** What makes two requests the same. */
  readonly fields: Readonly<Record<string, string | null>>;
  readonly prepare: () => Prepared<Result> | Promise<Prepared<Result>>;
  /** Where to go then, below the root. */
  readonly goTo: (result: Result) => string;
}

/**
 * Makes the change of a form once: a reload or a second click has no second effect, and goes where the first one went. The key
 * belongs to the owner and to one path.
 * @throws DomainError `invalid_request` for a form without a key, `key_reused`, and what the change throws
 */
export async function changeOnce<Result>(
  { deps, session }: OwnerVisit,
  { path, key, fields, prepare, goTo }: OnceSent<Result>,
): Promise<string> {
  if (keyProblem(key) !== null) throw invalidRequest('This form has no key: load its page again.');
  const request = { scope: `${session.client} POST ${path}`, key, fingerprint: fingerprint(fields) };
  const { body } = await deps.once(request, (result) => ({ status: 201, body: goTo(result) }), prepare);
  // Earlier releases kept other answers than a path.
  return body.startsWith('/') ? body : '/my';
}
