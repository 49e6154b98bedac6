import { createHash, timingSafeEqual } from 'node:crypto';
import { isUsable } from '../domain/api-key.ts';
import type { Store } from '../store/port.ts';
import { authenticateApiKey, hashOf } from './api-keys.ts';

/** How long a log-in lasts at most, whatever is done meanwhile. Milliseconds. */
const SESSION_MS = 12 * 60 * 60 * 1000;

/** Somebody who is logged in. */
export interface LoggedIn {
  /** The name of the key that was typed. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** What every form of theirs must carry, which no other page can know. It follows from the cookie and does not reveal it. */
  readonly formToken: string;
}

/** What a new session puts into the cookie, and until when; the token is nowhere else. */
export interface NewSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface SessionDeps {
  readonly store: Pick<Store, 'transaction' | 'apiKeyByHash' | 'apiKey' | 'sessionByHash'>;
  readonly clock: () => number;
}

function formTokenOf(token: string): string {
  return createHash('sha256').update(`form:${token}`).digest('base64url');
}

/**
 * Logs somebody in who presents a usable API key. The session's token is always new, so that one planted in a browser
 * beforehand opens nothing; the store keeps its SHA-256.
 * @param request.replaces the token of a session that ends with it
 * @throws DomainError `invalid_api_key`
 */
export async function openSession(
  deps: SessionDeps & { readonly randomBytes: (size: number) => Uint8Array },
  request: { key: string; replaces?: string | undefined },
): Promise<NewSession> {
  const key = await authenticateApiKey(deps, request.key);
  const token = Buffer.from(deps.randomBytes(32)).toString('base64url');
  const createdAt = deps.clock();
  const expiresAt = Math.min(createdAt + SESSION_MS, key.expiresAt ?? Number.POSITIVE_INFINITY);
  await deps.store.transaction(async (tx) => {
    if (request.replaces !== undefined) await tx.deleteSession(hashOf(request.replaces));
    await tx.insertSession({ hash: hashOf(token), apiKeyId: key.id, createdAt, expiresAt });
  });
  return { token, expiresAt };
}

/**
 * Who holds this token; null when nobody does, the session is over, or its API key was revoked or has expired.
 * The look-up goes by the token's hash, so its timing tells nothing about the tokens that exist.
 */
export async function findSession({ store, clock }: SessionDeps, token: string | undefined): Promise<LoggedIn | null> {
  const session = token ? await store.sessionByHash(hashOf(token)) : null;
  const now = clock();
  if (!token || session === null || session.expiresAt <= now) return null;
  const key = await store.apiKey(session.apiKeyId);
  if (key === null || !isUsable(key, now)) return null;
  return { name: key.name, expiresAt: session.expiresAt, formToken: formTokenOf(token) };
}

/** Whether a form came from a page that this operator was shown. Constant time. */
export function isOwnForm({ formToken }: LoggedIn, presented: string): boolean {
  const [wanted, got] = [Buffer.from(formToken), Buffer.from(presented)];
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}

/** Ends the session of this token, if there is one. */
export async function closeSession({ store }: Pick<SessionDeps, 'store'>, token: string): Promise<void> {
  await store.transaction((tx) => tx.deleteSession(hashOf(token)));
}
