import { invalidRequest } from '../../domain/errors.ts';
import type { IdempotencyKey } from '../../services/idempotency.ts';
import type { SignedIn } from '../../services/owners/sessions.ts';
import { fingerprint, keyProblem } from '../middleware/idempotency.ts';

/**
 * The one-time key of a form, by which a reload or a second click has no second effect. It belongs to the owner and to one path.
 * @param form.fields those that make two requests the same
 * @throws DomainError `invalid_request` when it has none
 */
export function formKey(request: {
  readonly owner: SignedIn;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly fields: readonly string[];
}): IdempotencyKey {
  const { owner, path, form, fields } = request;
  const key = form.get('key') ?? '';
  if (keyProblem(key) !== null) throw invalidRequest('This form has no key: load its page again.');
  const sent = Object.fromEntries(fields.map((name) => [name, form.get(name)]));
  return { scope: `${owner.client} POST ${path}`, key, fingerprint: fingerprint(sent) };
}
