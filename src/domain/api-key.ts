import { allows, type KeyActor, type Scope } from './actor.ts';

/** An API key as it is stored: only the SHA-256 of the secret. Times are epoch milliseconds. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the key, lower-case hex. */
  readonly hash: string;
  /** What it may do. */
  readonly scopes: readonly Scope[];
  /** Whom it acts for. */
  readonly client: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export type NewApiKey = Pick<ApiKey, 'name' | 'hash' | 'scopes' | 'client' | 'createdAt' | 'expiresAt'>;

/** A log-in to the operator's pages, by a key or by a link. Times are epoch milliseconds. */
export interface Session {
  /** SHA-256 of the token in the browser's cookie, lower-case hex. */
  readonly hash: string;
  /** The key that logged in, or null. */
  readonly apiKeyId: number | null;
  /** The link that logged in, or null: exactly one of both is there. */
  readonly loginLinkId: number | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A link that logs in once. Times are epoch milliseconds. */
export interface LoginLink {
  readonly id: number;
  /** SHA-256 of the token in the link, lower-case hex. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
}

/** Whether a key may be used at `now`. */
export function isUsable(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Whether a key may be used at `now` by the operator. */
export function isOperatorKey(key: ApiKey, now: number): boolean {
  return isUsable(key, now) && allows(key.scopes, 'operator');
}

/** A key as the actor behind a request. */
export function keyActor(key: ApiKey, requestId: string | null): KeyActor {
  const { id, name, scopes, client } = key;
  return { kind: 'api_key', id, name, scopes, client, requestId };
}
