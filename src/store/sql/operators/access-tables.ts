import { sql } from 'drizzle-orm';
import type { Kit } from '../kit.ts';

function createApiKeys(kit: Kit) {
  return kit.table(
    'api_keys',
    {
      id: kit.rowId('id'),
      name: kit.text('name').notNull(),
      hash: kit.text('hash').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      expiresAt: kit.integer('expires_at'),
      revokedAt: kit.integer('revoked_at'),
      lastUsedAt: kit.integer('last_used_at'),
      scopes: kit.scopeList('scopes').notNull(),
      client: kit.text('client').notNull(),
    },
    (table) => [kit.uniqueIndex('api_keys_by_hash').on(table.hash), kit.check('api_keys_hash', kit.isSha256('hash'))],
  );
}

/** Only the hash of the token is stored. */
function createLoginLinks(kit: Kit) {
  return kit.table(
    'login_links',
    {
      id: kit.rowId('id'),
      hash: kit.text('hash').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      expiresAt: kit.integer('expires_at').notNull(),
      usedAt: kit.integer('used_at'),
    },
    (table) => [
      kit.uniqueIndex('login_links_by_hash').on(table.hash),
      kit.check('login_links_hash', kit.isSha256('hash')),
    ],
  );
}

/** Only the hash of the cookie's token is stored. */
function createSessions(
  kit: Kit,
  made: {
    readonly apiKeys: ReturnType<typeof createApiKeys>;
    readonly loginLinks: ReturnType<typeof createLoginLinks>;
  },
) {
  const { apiKeys, loginLinks } = made;
  return kit.table(
    'sessions',
    {
      hash: kit.text('hash').primaryKey(),
      apiKeyId: kit.integer('api_key_id').references(() => apiKeys.id),
      loginLinkId: kit.integer('login_link_id').references(() => loginLinks.id),
      createdAt: kit.integer('created_at').notNull(),
      expiresAt: kit.integer('expires_at').notNull(),
    },
    () => [
      kit.check('sessions_hash', kit.isSha256('hash')),
      kit.check('sessions_by', sql.raw('(api_key_id is null) <> (login_link_id is null)')),
    ],
  );
}

/** Never deleted. */
function createIdempotencyKeys(kit: Kit) {
  return kit.table(
    'idempotency_keys',
    {
      scope: kit.text('scope').notNull(),
      key: kit.text('key').notNull(),
      fingerprint: kit.text('fingerprint').notNull(),
      body: kit.text('body').notNull(),
      status: kit.integer('status').notNull().default(201),
      createdAt: kit.integer('created_at').notNull(),
    },
    (table) => [kit.primaryKey({ columns: [table.scope, table.key] })],
  );
}

/** Who may call the API and open the pages of the operator, and what was answered. */
export function createAccessTables(kit: Kit) {
  const made = { apiKeys: createApiKeys(kit), loginLinks: createLoginLinks(kit) };
  return { ...made, sessions: createSessions(kit, made), idempotencyKeys: createIdempotencyKeys(kit) };
}

export type AccessTables = ReturnType<typeof createAccessTables>;
