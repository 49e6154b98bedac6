import { and, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { accounts, type LABEL_SOURCES } from './tables.ts';

const isAccount = and(equals(accounts.platform, 'platform'), equals(accounts.platformUserId, 'platformUserId'));

/** The form in which usernames are compared. Only A to Z are lowered: the Kelvin sign, for one, would become a `k`. */
function toHandle(username: string): string {
  return username.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function createAccountReads(db: Db) {
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
  } satisfies Partial<SyncReads>;
}

/** Finds the account that holds a handle (lower case) now, or null. */
export function createHandleLookup(db: Db): (held: { platform: Platform; handle: string }) => Account | null {
  const { platformUserId, username } = accounts;
  const holds = and(equals(accounts.platform, 'platform'), equals(accounts.handle, 'handle'));
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

/** Who says that an account has a label; a platform says it of a time, epoch milliseconds. */
type Said = { readonly now: number } & (
  | { readonly by: 'platform'; readonly seenAt: number }
  | { readonly by: 'client'; readonly seenAt: null }
);

/** Notes that the platform showed an account's label again. */
export function createLabelSighting(db: Db): (key: AccountKey, seenAt: number) => void {
  const isOlder = or(isNull(accounts.labelSeenAt), lt(accounts.labelSeenAt, sql.placeholder('seenAt')));
  const note = prepareChange(db, accounts, { labelSeenAt: bound('seenAt') }, and(isAccount, isOlder));
  return ({ platform, platformUserId }, seenAt) => {
    note({ platform, platformUserId, seenAt });
  };
}

/**
 * Stores an account's current handle and takes it from the account that held it before. It only makes sure that the row
 * exists without a username, and when the account's label, or another account with the handle, was seen later.
 */
export function createUsernameWriter(db: Db): (account: Account, said: Said) => void {
  const ensure = createEnsureAccount(db);
  const holdsToo = and(
    equals(accounts.platform, 'platform'),
    equals(accounts.handle, 'handle'),
    ne(accounts.platformUserId, sql.placeholder('platformUserId')),
  );
  const nothing = { username: null, handle: null, labelSource: null, labelSeenAt: null };
  const release = prepareRaw(db, db.update(accounts).set(nothing).where(holdsToo));
  // Each part has its index; with the platform outside, SQLite would search all accounts of the platform.
  const holds = and(equals(accounts.platform, 'platform'), equals(accounts.handle, 'handle'));
  const newer = prepareRaw<[string]>(
    db,
    db
      .select({ id: accounts.platformUserId })
      .from(accounts)
      .where(and(or(isAccount, holds), gt(accounts.labelSeenAt, sql.placeholder('seenAt')))),
  );
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
        labelSeenAt: sql.placeholder('seenAt'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate({
        target: [accounts.platform, accounts.platformUserId],
        set: {
          username: sql`excluded.username`,
          handle: sql`excluded.handle`,
          labelSource: sql`excluded.label_source`,
          labelSeenAt: sql`excluded.label_seen_at`,
        },
      }),
  );
  return ({ platform, platformUserId, username }, { now, by, seenAt }) => {
    const handle = username === null ? null : toHandle(username);
    const account = { platform, platformUserId, username, handle, by, seenAt, now };
    if (username === null || newer.get(account) !== undefined) {
      ensure({ platform, platformUserId }, now);
      return;
    }
    release.run(account);
    label.run(account);
  };
}

export function createAccountWrites(db: Db): Pick<SyncWrites, 'setUsername' | 'suggestUsername' | 'setOptedOut'> {
  const ensure = createEnsureAccount(db);
  const label = createUsernameWriter(db);
  const known = createLabelLookup(db);
  const sight = createLabelSighting(db);
  const holder = createHandleLookup(db);
  const optOut = prepareChange(db, accounts, { optedOutAt: bound('now') }, and(isAccount, isNull(accounts.optedOutAt)));
  const optIn = prepareChange(db, accounts, { optedOutAt: null }, isAccount);
  return {
    setUsername(account, now) {
      if (hasNewUsername(account, known(account))) label(account, { now, by: 'platform', seenAt: now });
      else if (account.username !== null) sight(account, now);
    },
    suggestUsername(account, now) {
      const { platform, username } = account;
      if (username === null || (known(account)?.username ?? null) !== null) return false;
      if (holder({ platform, handle: toHandle(username) }) !== null) return false;
      label(account, { now, by: 'client', seenAt: null });
      return true;
    },
    setOptedOut(key, optedOut, now) {
      ensure(key, now);
      if (optedOut) optOut({ ...key, now });
      else optIn({ ...key });
    },
  };
}
