import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import { createEnsureAccount } from '../claims/accounts.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, givenRows, prepareChange } from '../statements.ts';
import { byAuthor, nothing } from '../subjects.ts';

/** Which of some accounts are told nothing: they want no notifications, or no replies. */
function createQuietRead(db: Sql) {
  const { build, prepare, tables } = db;
  const { platform, platformUserId } = tables.accounts;
  const { rows, given } = givenRows(db, 'accounts', { platform, platformUserId });
  const key = { platform: sql<string>`${given.platform}`, platformUserId: sql<string>`${given.platformUserId}` };
  // No join: SQLite would prepare it anew for every run.
  const isQuiet = sql`exists (select 1 from accounts as known where known.platform = ${given.platform}
    and known.platform_user_id = ${given.platformUserId}
    and (known.opted_out_at is not null or known.notifications_off_at is not null))`;
  const quiet = prepare(build.select(key).from(rows).where(isQuiet));
  return (accounts: readonly AccountKey[]): Promise<AccountKey[]> => quiet.all({ accounts });
}

/** Who wants notifications. */
export const notificationWishes = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const { platform, platformUserId, notificationsOffAt } = accounts;
  const ensure = createEnsureAccount(db);
  const isTheirs = and(equals(platform, 'platform'), equals(platformUserId, 'platformUserId'));
  const isOff = and(isTheirs, isNotNull(notificationsOffAt));
  const off = prepare(build.select({ platformUserId }).from(accounts).where(isOff));
  const isOn = and(isTheirs, isNull(notificationsOffAt));
  const turnOff = prepareChange(db, accounts, { notificationsOffAt: bound('now') }, isOn);
  const turnOn = prepareChange(db, accounts, { notificationsOffAt: null }, isOff);
  return {
    reads: {
      /** Whether the account has turned notifications off. */
      hasNotificationsOff: locked(
        byAuthor,
        async ({ platform, platformUserId }: AccountKey): Promise<boolean> =>
          (await off.get({ platform, platformUserId })) !== undefined,
      ),
      /** Those of these accounts that are told nothing. */
      quietAccounts: locked(nothing, createQuietRead(db)),
    },
    writes: {
      /** Turns notifications to an account off or on; false when they are so already. */
      setNotificationsOff: locked(
        byAuthor,
        async ({ platform, platformUserId }: AccountKey, isOff: boolean, now: number): Promise<boolean> => {
          const account = { platform, platformUserId };
          await ensure(account, now);
          return isOff ? await turnOff({ ...account, now }) : await turnOn(account);
        },
      ),
    },
  };
});
