import { sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { isOneOf } from '../checks.ts';
import type { Kit } from '../kit.ts';
import { createValueTables, type ValueTables } from '../value-tables.ts';

/** The source of an account's label: its platform, or an API client, which cannot move a handle between accounts. */
export const LABEL_SOURCES = ['platform', 'client'] as const;

/** A column for the platform of a row. A column belongs to one table, so each table calls for its own. */
export function ofPlatform(kit: Kit, { platforms }: ValueTables) {
  return kit
    .text('platform')
    .notNull()
    .references(() => platforms.id);
}

/**
 * `handle` is `username` in lower case: used by look-ups, unique per platform. `label_seen_at` is when the platform last
 * showed the label; null for a client's.
 */
function createAccounts(kit: Kit, made: ValueTables) {
  return kit.table(
    'accounts',
    {
      platform: ofPlatform(kit, made),
      platformUserId: kit.text('platform_user_id').notNull(),
      username: kit.text('username'),
      handle: kit.text('handle'),
      createdAt: kit.integer('created_at').notNull(),
      optedOutAt: kit.integer('opted_out_at'),
      labelSource: kit.text('label_source', { enum: LABEL_SOURCES }),
      labelSeenAt: kit.integer('label_seen_at'),
      /** Since when it wants no notifications of the mini app; null when it does. */
      notificationsOffAt: kit.integer('notifications_off_at'),
    },
    (table) => [
      kit.primaryKey({ columns: [table.platform, table.platformUserId] }),
      kit.withoutNulls(kit.uniqueIndex('accounts_by_handle').on(table.platform, table.handle), 'accounts.handle'),
      kit.check('accounts_user_id', kit.isUserId('platform_user_id')),
      kit.check('accounts_handle', sql`(username is null) = (handle is null) and ${kit.isLowerCase('handle')}`),
      kit.check('accounts_label_source', isOneOf('label_source', LABEL_SOURCES)),
    ],
  );
}

/** The key of an account, which must be stored. */
export function isAccount(
  kit: Kit,
  { accounts }: { readonly accounts: ReturnType<typeof createAccounts> },
  columns: [platform: AnyPgColumn, platformUserId: AnyPgColumn],
) {
  const foreignColumns: [AnyPgColumn, AnyPgColumn] = [accounts.platform, accounts.platformUserId];
  return kit.foreignKey({ columns, foreignColumns });
}

function createBlockedAccounts(kit: Kit, made: ValueTables) {
  return kit.table(
    'blocked_accounts',
    {
      id: kit.rowId('id'),
      platform: ofPlatform(kit, made),
      platformUserId: kit.text('platform_user_id').notNull(),
      blockedAt: kit.integer('blocked_at').notNull(),
      reason: kit.text('reason').notNull(),
    },
    (table) => [
      kit.uniqueIndex('blocked_accounts_by_account').on(table.platform, table.platformUserId),
      kit.check('blocked_accounts_user_id', kit.isUserId('platform_user_id')),
    ],
  );
}

/** The accounts of platforms, and the values to which these and other tables refer. */
export function createAccountTables(kit: Kit) {
  const values = createValueTables(kit);
  return { ...values, accounts: createAccounts(kit, values), blockedAccounts: createBlockedAccounts(kit, values) };
}

export type AccountTables = ReturnType<typeof createAccountTables>;
