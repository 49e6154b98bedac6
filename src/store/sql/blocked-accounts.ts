import { and, desc, lt, sql } from 'drizzle-orm';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createAccountLookup } from './accounts.ts';
import type { Sql, Tables } from './engine.ts';
import { equals, readEach } from './statements.ts';

function isThis({ blockedAccounts }: Tables) {
  return and(equals(blockedAccounts.platform, 'platform'), equals(blockedAccounts.platformUserId, 'platformUserId'));
}

export function createBlockReads(db: Sql): Pick<StoreReads, 'isBlocked' | 'blockedAccounts'> {
  const { build, prepare, tables } = db;
  const { blockedAccounts } = tables;
  const { id } = blockedAccounts;
  const account = createAccountLookup(db);
  const block = prepare(build.select({ id }).from(blockedAccounts).where(isThis(tables)));
  const older = lt(id, sql.placeholder('before'));
  const page = build.select().from(blockedAccounts).where(older).orderBy(desc(id)).limit(sql.placeholder('limit'));
  const newest = prepare(page);
  return {
    isBlocked: async ({ platform, platformUserId }) => (await block.get({ platform, platformUserId })) !== undefined,
    blockedAccounts: async ({ limit, before = Number.MAX_SAFE_INTEGER }) =>
      await readEach(await newest.all({ limit, before }), async (row) => ({
        ...row,
        username: (await account(row))?.username ?? null,
      })),
  };
}

export function createBlockWrites({ build, prepare, tables }: Sql): Pick<StoreTx, 'blockAccount' | 'unblockAccount'> {
  const { blockedAccounts } = tables;
  const remove = prepare(build.delete(blockedAccounts).where(isThis(tables)));
  return {
    async blockAccount({ platform, platformUserId }, { reason, now }) {
      const row = { platform, platformUserId, blockedAt: now, reason };
      return (await prepare(build.insert(blockedAccounts).values(row).onConflictDoNothing()).run()) === 1;
    },
    unblockAccount: async ({ platform, platformUserId }) => (await remove.run({ platform, platformUserId })) === 1,
  };
}
