/** An API key as it is stored: only the SHA-256 of the secret. Times are epoch milliseconds. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** SHA-256 of the key, lower-case hex. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export type NewApiKey = Pick<ApiKey, 'name' | 'hash' | 'createdAt' | 'expiresAt'>;

/** Somebody who logged in to the operator's pages with a key. Times are epoch milliseconds. */
export interface Session {
  /** SHA-256 of the token in their cookie, lower-case hex. */
  readonly hash: string;
  readonly apiKeyId: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Whether a key may be used at `now`. */
export function isUsable(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}
