import type { ApiKey, LoginLink, NewApiKey, Session } from '../../domain/api-key.ts';

/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse {
  /** What tells one request from another: a hash of its body. */
  readonly fingerprint: string;
  /** The body that was answered, as it was sent. */
  readonly body: string;
}

/** What can be read of API keys, log-ins and idempotency keys. */
export interface AccessReads {
  /** What was answered to the first request that came under this key. */
  findIdempotentResponse(scope: string, key: string): Promise<IdempotentResponse | null>;
  apiKeyByHash(hash: string): Promise<ApiKey | null>;
  apiKey(id: number): Promise<ApiKey | null>;
  apiKeys(): Promise<ApiKey[]>;
  /** The log-in under the hash of its token, also one that is over. */
  sessionByHash(hash: string): Promise<Session | null>;
}

/** What can be changed of API keys, log-ins and idempotency keys, inside a transaction. */
export interface AccessWrites {
  /** Keeps the first answer under a key; a second one for the same key breaks the store's constraint and throws. */
  saveIdempotentResponse(scope: string, key: string, answer: IdempotentResponse & { now: number }): Promise<void>;
  insertApiKey(key: NewApiKey): Promise<ApiKey>;
  revokeApiKey(id: number, now: number): Promise<boolean>;
  /** Lets a key expire at `at`, unless it does so earlier; false when there is none, or it was revoked. */
  endApiKey(id: number, at: number): Promise<boolean>;
  touchApiKey(id: number, now: number): Promise<void>;
  /** Keeps a log-in, and forgets those that were over when it was made. */
  insertSession(session: Session): Promise<void>;
  /** False when there is none under this hash. */
  deleteSession(hash: string): Promise<boolean>;
  /** Keeps a log-in link; its id. */
  insertLoginLink(link: Pick<LoginLink, 'hash' | 'createdAt' | 'expiresAt'>): Promise<number>;
  /** Uses a log-in link up; its id, or null when there is none that is unused and not over. */
  takeLoginLink(hash: string, now: number): Promise<number | null>;
}
