import { and, desc, lt, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { BlockedAccount } from '../../port/earning.ts';
import type { Page } from '../../port/page.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { boundTo, equals, readEach } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createAccountLookup } from './accounts.ts';

function isThis({ blockedAccounts }: Tables) {
  return and(equals(blockedAccounts.platform, 'platform'), equals(blockedAccounts.platformUserId, 'platformUserId'));
}

/** Tells whether an account is blocked. */
export function createBlockCheck({ build, prepare, tables }: Sql): (account: AccountKey) => Promise<boolean> {
  const { blockedAccounts } = tables;
  const block = prepare(build.select({ id: blockedAccounts.id }).from(blockedAccounts).where(isThis(tables)));
  return async ({ platform, platformUserId }) => (await block.get({ platform, platformUserId })) !== undefined;
}

export const blockedAccounts = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { blockedAccounts } = tables;
  const { id } = blockedAccounts;
  const account = createAccountLookup(db);
  const older = lt(id, sql.placeholder('before'));
  const page = build.select().from(blockedAccounts).where(older).orderBy(desc(id)).limit(sql.placeholder('limit'));
  const newest = prepare(page);
  const row = boundTo(blockedAccounts, 'platform', 'platformUserId', 'blockedAt', 'reason');
  const block = prepare(build.insert(blockedAccounts).values(row).onConflictDoNothing());
  const remove = prepare(build.delete(blockedAccounts).where(isThis(tables)));
  return {
    reads: {
      // What is accepted before a block is committed stays, so nothing waits for it.
      isBlocked: locked(nothing, createBlockCheck(db)),
      /** Newest block first. */
      blockedAccounts: locked(
        nothing,
        async ({ limit, before = Number.MAX_SAFE_INTEGER }: Page): Promise<BlockedAccount[]> =>
          await readEach(await newest.all({ limit, before }), async (row) => ({
            ...row,
            username: (await account(row))?.username ?? null,
          })),
      ),
    },
    writes: {
      /** Blocks an account for every gig; false when it is blocked already. */
      blockAccount: locked(
        nothing,
        async (
          { platform, platformUserId }: AccountKey,
          { reason, now }: { reason: string; now: number },
        ): Promise<boolean> => {
          return (await block.run({ platform, platformUserId, blockedAt: now, reason })) === 1;
        },
      ),
      unblockAccount: locked(
        nothing,
        async ({ platform, platformUserId }: AccountKey): Promise<boolean> =>
          (await remove.run({ platform, platformUserId })) === 1,
      ),
    },
  };
});
