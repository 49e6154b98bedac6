import { and, desc, lt, sql } from 'drizzle-orm';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createAccountReads } from './accounts.ts';
import { blockedAccounts } from './earning-tables.ts';
import { equals } from './statements.ts';

const isThis = and(
  equals(blockedAccounts.platform, 'platform'),
  equals(blockedAccounts.platformUserId, 'platformUserId'),
);

export function createBlockReads(db: Db): Pick<SyncReads, 'isBlocked' | 'blockedAccounts'> {
  const { id } = blockedAccounts;
  const { account } = createAccountReads(db);
  const block = prepare(db, db.select({ id }).from(blockedAccounts).where(isThis));
  const older = lt(id, sql.placeholder('before'));
  const page = db.select().from(blockedAccounts).where(older).orderBy(desc(id)).limit(sql.placeholder('limit'));
  const newest = prepare(db, page);
  return {
    isBlocked: ({ platform, platformUserId }) => block.get({ platform, platformUserId }) !== undefined,
    blockedAccounts: ({ limit, before = Number.MAX_SAFE_INTEGER }) =>
      newest.all({ limit, before }).map((row) => ({ ...row, username: account(row)?.username ?? null })),
  };
}

export function createBlockWrites(db: Db): Pick<SyncWrites, 'blockAccount' | 'unblockAccount'> {
  const remove = prepare(db, db.delete(blockedAccounts).where(isThis));
  return {
    blockAccount({ platform, platformUserId }, { reason, now }) {
      const row = { platform, platformUserId, blockedAt: now, reason };
      return db.insert(blockedAccounts).values(row).onConflictDoNothing().run().changes === 1;
    },
    unblockAccount: ({ platform, platformUserId }) => remove.run({ platform, platformUserId }).changes === 1,
  };
}
