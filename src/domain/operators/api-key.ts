import { allows, type KeyActor, type Scope } from './actor.ts';

/** An API key as it is stored: only the SHA-256 of the secret. Times are epoch milliseconds. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the key, lower-case hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly client: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export type NewApiKey = Omit<ApiKey, 'id' | 'revokedAt' | 'lastUsedAt'>;

/** A session on the operator's pages, opened by a key or a link. Times are epoch milliseconds. */
export interface Session {
  /** SHA-256 of the token in the browser's cookie, lower-case hex. */
  readonly hash: string;
  readonly apiKeyId: number | null;
  /** The link that logged in; exactly one of this and `apiKeyId` is null. */
  readonly loginLinkId: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A log-in link that works once. Times are epoch milliseconds. */
export interface LoginLink {
  readonly id: number;
  /** SHA-256 of the token in the link, lower-case hex. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

export function isUsable(
  key: { readonly expiresAt: number | null; readonly revokedAt: number | null },
  now: number,
): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Whether a key may be used at `now` with the scope `operator`. */
export function isOperatorKey(key: ApiKey, now: number): boolean {
  return isUsable(key, now) && allows(key.scopes, 'operator');
}

export function keyActor(key: ApiKey, requestId: string | null): KeyActor {
  const { id, name, scopes, client } = key;
  return { kind: 'api_key', id, name, scopes, client, requestId };
}
