import { createHash } from 'node:crypto';
import { type ApiKey, isUsable } from '../domain/api-key.ts';
import { DomainError } from '../domain/errors.ts';
import type { Store } from '../store/port.ts';

const KEY_PREFIX = 'gck_';
const TOUCH_EVERY_MS = 60_000;

interface ApiKeyDeps {
  readonly store: Pick<Store, 'transaction' | 'apiKeyByHash'>;
  readonly clock: () => number;
}

/** What the store keeps of a secret: its SHA-256 in lower-case hex. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Makes a key for an API client. The key itself is returned here and nowhere else; the store keeps its SHA-256.
 * @param request.expiresAt epoch milliseconds, or null for a key that does not expire
 * @throws DomainError `invalid_request` when the name is empty or too long, or the expiry has passed
 */
export async function createApiKey(
  { store, clock, randomBytes }: ApiKeyDeps & { randomBytes: (size: number) => Uint8Array },
  request: { name: string; expiresAt: number | null },
): Promise<{ key: string; record: ApiKey }> {
  const name = request.name.trim();
  if (name === '' || name.length > 100) {
    throw new DomainError({ code: 'invalid_request', message: 'name must have 1 to 100 characters' });
  }
  const now = clock();
  if (request.expiresAt !== null && request.expiresAt <= now) {
    throw new DomainError({ code: 'invalid_request', message: 'the expiry must lie in the future' });
  }
  const key = KEY_PREFIX + Buffer.from(randomBytes(32)).toString('base64url');
  const record = await store.transaction((tx) =>
    tx.insertApiKey({ name, hash: hashOf(key), createdAt: now, expiresAt: request.expiresAt }),
  );
  return { key, record };
}

/**
 * The record of a presented key. Its last use is noted once a minute at most.
 * The look-up goes by the key's hash, so its timing tells nothing about the keys that exist.
 * @throws DomainError `invalid_api_key` when the key is absent, unknown, revoked or expired
 */
export async function authenticateApiKey({ store, clock }: ApiKeyDeps, presented: string | undefined): Promise<ApiKey> {
  const record = presented ? await store.apiKeyByHash(hashOf(presented)) : null;
  const now = clock();
  if (record === null || !isUsable(record, now)) throw new DomainError({ code: 'invalid_api_key' });
  if (record.lastUsedAt === null || now - record.lastUsedAt >= TOUCH_EVERY_MS) {
    await store.transaction((tx) => tx.touchApiKey(record.id, now));
  }
  return record;
}
