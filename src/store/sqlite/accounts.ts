import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import type { Db } from './connection.ts';
import { prepareLean } from './lean.ts';
import type { SyncReads, SyncWrites } from './methods.ts';
import { accounts } from './schema.ts';

const isAccount = and(
  eq(accounts.platform, sql.placeholder('platform')),
  eq(accounts.platformUserId, sql.placeholder('platformUserId')),
);

/** What is compared of a username. Only A to Z have a lower case here: the Kelvin sign, for one, would become a `k`. */
function toHandle(username: string): string {
  return username.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function createAccountReads(
  db: Db,
): Pick<SyncReads, 'account' | 'accountByHandle' | 'hasOptedOut' | 'optedOutAt'> {
  const { username, optedOutAt } = accounts;
  const byKey = prepareLean<[string | null]>(db, db.select({ username }).from(accounts).where(isAccount));
  const optOut = db.select({ optedOutAt }).from(accounts).where(isAccount).prepare();
  const holder = createHandleLookup(db);
  return {
    account({ platform, platformUserId }) {
      const row = byKey.get({ platform, platformUserId });
      return row === undefined ? null : { platform, platformUserId, username: row[0] };
    },
    accountByHandle: (platform, handle) => holder({ platform, handle: toHandle(handle) }),
    optedOutAt: (key) => optOut.get({ ...key })?.optedOutAt ?? null,
    hasOptedOut: (key) => (optOut.get({ ...key })?.optedOutAt ?? null) !== null,
  };
}

/** Finds the account that holds a handle (lower case) now, or null. */
export function createHandleLookup(db: Db): (held: { platform: Platform; handle: string }) => Account | null {
  const { platformUserId, username } = accounts;
  const holds = and(eq(accounts.platform, sql.placeholder('platform')), eq(accounts.handle, sql.placeholder('handle')));
  const query = db.select({ platformUserId, username }).from(accounts).where(holds);
  const byHandle = prepareLean<[string, string | null]>(db, query);
  return ({ platform, handle }) => {
    const row = byHandle.get({ platform, handle });
    return row === undefined ? null : { platform, platformUserId: row[0], username: row[1] };
  };
}

/** Makes sure that an account has a row for others to refer to; what is known of it stays. */
export function createAccountKeeper(db: Db): (key: AccountKey, now: number) => void {
  const insert = prepareLean(
    db,
    db
      .insert(accounts)
      .values({
        platform: sql.placeholder('platform'),
        platformUserId: sql.placeholder('platformUserId'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoNothing({ target: [accounts.platform, accounts.platformUserId] }),
  );
  return ({ platform, platformUserId }, now) => {
    insert.run({ platform, platformUserId, now });
  };
}

/** Whether writing the account would tell the store anything new. A platform that names no handle has not said that there is none. */
export function isNews(account: Account, known: Account | null): boolean {
  return known === null || (account.username !== null && account.username !== known.username);
}

/**
 * Remembers an account under the handle it holds now, which nobody else holds then; without a username it only makes sure
 * that there is a row.
 */
export function createLabeler(db: Db): (account: Account, now: number) => void {
  const ensure = createAccountKeeper(db);
  const holdsToo = and(
    eq(accounts.platform, sql.placeholder('platform')),
    eq(accounts.handle, sql.placeholder('handle')),
    ne(accounts.platformUserId, sql.placeholder('platformUserId')),
  );
  const release = prepareLean(db, db.update(accounts).set({ username: null, handle: null }).where(holdsToo));
  const label = prepareLean(
    db,
    db
      .insert(accounts)
      .values({
        platform: sql.placeholder('platform'),
        platformUserId: sql.placeholder('platformUserId'),
        username: sql.placeholder('username'),
        handle: sql.placeholder('handle'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate({
        target: [accounts.platform, accounts.platformUserId],
        set: { username: sql`excluded.username`, handle: sql`excluded.handle` },
      }),
  );
  return ({ platform, platformUserId, username }, now) => {
    if (username === null) {
      ensure({ platform, platformUserId }, now);
      return;
    }
    const account = { platform, platformUserId, username, handle: toHandle(username), now };
    release.run(account);
    label.run(account);
  };
}

export function createAccountWrites(db: Db): Pick<SyncWrites, 'labelAccount' | 'setOptedOut'> {
  const ensure = createAccountKeeper(db);
  const label = createLabeler(db);
  const { account: known } = createAccountReads(db);
  const optOut = db
    .update(accounts)
    .set({ optedOutAt: sql`${sql.placeholder('now')}` })
    .where(and(isAccount, isNull(accounts.optedOutAt)))
    .prepare();
  const optIn = db.update(accounts).set({ optedOutAt: null }).where(isAccount).prepare();
  return {
    labelAccount(account, now) {
      if (isNews(account, known(account))) label(account, now);
    },
    setOptedOut(key, optedOut, now) {
      ensure(key, now);
      if (optedOut) optOut.run({ ...key, now });
      else optIn.run({ ...key });
    },
  };
}
