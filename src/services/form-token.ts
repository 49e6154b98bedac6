import { createHash, timingSafeEqual } from 'node:crypto';

/** The CSRF token of a session's forms, derived from the session token, which it does not reveal. */
export function formTokenOf(token: string): string {
  return createHash('sha256').update(`form:${token}`).digest('base64url');
}

/** Whether a form carries the CSRF token of a session, compared in constant time. */
export function isOwnForm({ formToken }: { readonly formToken: string }, presented: string): boolean {
  const [wanted, got] = [Buffer.from(formToken), Buffer.from(presented)];
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}
