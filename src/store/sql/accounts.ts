import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { accounts, type LABEL_SOURCES } from './tables.ts';

const isAccount = and(
  eq(accounts.platform, sql.placeholder('platform')),
  eq(accounts.platformUserId, sql.placeholder('platformUserId')),
);

/** The form in which usernames are compared. Only A to Z are lowered: the Kelvin sign, for one, would become a `k`. */
function toHandle(username: string): string {
  return username.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function createAccountReads(
  db: Db,
): Pick<SyncReads, 'account' | 'accountByHandle' | 'hasOptedOut' | 'optedOutAt'> {
  const { username, optedOutAt } = accounts;
  const byKey = prepareRaw<[string | null]>(db, db.select({ username }).from(accounts).where(isAccount));
  const optOut = prepare(db, db.select({ optedOutAt }).from(accounts).where(isAccount));
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
  const byHandle = prepareRaw<[string, string | null]>(db, query);
  return ({ platform, handle }) => {
    const row = byHandle.get({ platform, handle });
    return row === undefined ? null : { platform, platformUserId: row[0], username: row[1] };
  };
}

/** Makes sure that an account has a row to refer to, and leaves an existing row as it is. */
export function createEnsureAccount(db: Db): (key: AccountKey, now: number) => void {
  const insert = prepareRaw(
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

type LabelSource = (typeof LABEL_SOURCES)[number];

/** The label of an account and its source. */
export interface Label {
  readonly username: string | null;
  /** Null for an account without a label. */
  readonly source: LabelSource | null;
}

/** Finds the label of an account; null when the account is not known. */
export function createLabelLookup(db: Db): (key: AccountKey) => Label | null {
  const { username, labelSource } = accounts;
  const query = db.select({ username, labelSource }).from(accounts).where(isAccount);
  const byKey = prepareRaw<[string | null, LabelSource | null]>(db, query);
  return ({ platform, platformUserId }) => {
    const row = byKey.get({ platform, platformUserId });
    return row === undefined ? null : { username: row[0], source: row[1] };
  };
}

/**
 * Whether the platform's answer changes an account's label or its source. An answer without a handle does not mean that
 * the account has none.
 */
export function hasNewUsername(account: Account, known: Label | null): boolean {
  if (known === null) return true;
  return account.username !== null && (account.username !== known.username || known.source !== 'platform');
}

/**
 * Stores an account's current handle and takes it from the account that held it before. Without a username it only
 * makes sure that the row exists.
 */
export function createUsernameWriter(db: Db): (account: Account, said: { now: number; by: LabelSource }) => void {
  const ensure = createEnsureAccount(db);
  const holdsToo = and(
    eq(accounts.platform, sql.placeholder('platform')),
    eq(accounts.handle, sql.placeholder('handle')),
    ne(accounts.platformUserId, sql.placeholder('platformUserId')),
  );
  const nothing = { username: null, handle: null, labelSource: null };
  const release = prepareRaw(db, db.update(accounts).set(nothing).where(holdsToo));
  const label = prepareRaw(
    db,
    db
      .insert(accounts)
      .values({
        platform: sql.placeholder('platform'),
        platformUserId: sql.placeholder('platformUserId'),
        username: sql.placeholder('username'),
        handle: sql.placeholder('handle'),
        labelSource: sql.placeholder('by'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate({
        target: [accounts.platform, accounts.platformUserId],
        set: {
          username: sql`excluded.username`,
          handle: sql`excluded.handle`,
          labelSource: sql`excluded.label_source`,
        },
      }),
  );
  return ({ platform, platformUserId, username }, { now, by }) => {
    if (username === null) {
      ensure({ platform, platformUserId }, now);
      return;
    }
    const account = { platform, platformUserId, username, handle: toHandle(username), by, now };
    release.run(account);
    label.run(account);
  };
}

export function createAccountWrites(db: Db): Pick<SyncWrites, 'setUsername' | 'suggestUsername' | 'setOptedOut'> {
  const ensure = createEnsureAccount(db);
  const label = createUsernameWriter(db);
  const known = createLabelLookup(db);
  const holder = createHandleLookup(db);
  const optOut = prepare(
    db,
    db
      .update(accounts)
      .set({ optedOutAt: sql`${sql.placeholder('now')}` })
      .where(and(isAccount, isNull(accounts.optedOutAt))),
  );
  const optIn = prepare(db, db.update(accounts).set({ optedOutAt: null }).where(isAccount));
  return {
    setUsername(account, now) {
      if (hasNewUsername(account, known(account))) label(account, { now, by: 'platform' });
    },
    suggestUsername(account, now) {
      const { platform, username } = account;
      if (username === null || (known(account)?.username ?? null) !== null) return false;
      if (holder({ platform, handle: toHandle(username) }) !== null) return false;
      label(account, { now, by: 'client' });
      return true;
    },
    setOptedOut(key, optedOut, now) {
      ensure(key, now);
      if (optedOut) optOut.run({ ...key, now });
      else optIn.run({ ...key });
    },
  };
}
