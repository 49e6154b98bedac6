import type { ApiKey, LoginLink, NewApiKey, Session } from '../../domain/api-key.ts';

/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse {
  /** A hash of the request body, to tell requests apart. */
  readonly fingerprint: string;
  /** The response body, as it was sent. */
  readonly body: string;
}

/** Reads of API keys, sessions and idempotency keys. */
export interface AccessReads {
  /** The response to the first request under this key. */
  findIdempotentResponse(scope: string, key: string): Promise<IdempotentResponse | null>;
  apiKeyByHash(hash: string): Promise<ApiKey | null>;
  apiKey(id: number): Promise<ApiKey | null>;
  apiKeys(): Promise<ApiKey[]>;
  /** The session under the hash of its token, expired or not. */
  sessionByHash(hash: string): Promise<Session | null>;
}

/** Changes of API keys, sessions and idempotency keys, inside a transaction. */
export interface AccessWrites {
  /** Saves the first response under a key; a second one for the same key breaks the store's constraint and throws. */
  saveIdempotentResponse(scope: string, key: string, answer: IdempotentResponse & { now: number }): Promise<void>;
  insertApiKey(key: NewApiKey): Promise<ApiKey>;
  revokeApiKey(id: number, now: number): Promise<boolean>;
  /** Lets a key expire at `at`, unless it expires earlier; false when there is none, or it was revoked. */
  endApiKey(id: number, at: number): Promise<boolean>;
  touchApiKey(id: number, now: number): Promise<void>;
  /** Stores a session, and deletes those that had expired when it was made. */
  insertSession(session: Session): Promise<void>;
  /** False when there is none under this hash. */
  deleteSession(hash: string): Promise<boolean>;
  /** Stores a log-in link and returns its id. */
  insertLoginLink(link: Pick<LoginLink, 'hash' | 'createdAt' | 'expiresAt'>): Promise<number>;
  /** Consumes a log-in link and returns its id, or null when it is unknown, used or expired. */
  takeLoginLink(hash: string, now: number): Promise<number | null>;
}
