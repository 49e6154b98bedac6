import { and, gt, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { LABEL_SOURCES } from './account-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

function isAccount({ accounts }: Tables) {
  return and(equals(accounts.platform, 'platform'), equals(accounts.platformUserId, 'platformUserId'));
}

/** The form in which usernames are compared. Only A to Z are lowered: the Kelvin sign, for one, would become a `k`. */
export function toHandle(username: string): string {
  return username.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Finds an account by its id, or null. */
export function createAccountLookup({ build, prepare, tables }: Sql): StoreReads['account'] {
  const { accounts } = tables;
  const byKey = prepare(build.select({ username: accounts.username }).from(accounts).where(isAccount(tables)));
  return async ({ platform, platformUserId }) => {
    const row = await byKey.get({ platform, platformUserId });
    return row === undefined ? null : { platform, platformUserId, username: row.username };
  };
}

export function createAccountReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const optOut = prepare(build.select({ optedOutAt: accounts.optedOutAt }).from(accounts).where(isAccount(tables)));
  const holder = createHandleLookup(db);
  const optedOutAt = async (key: AccountKey) => (await optOut.get({ ...key }))?.optedOutAt ?? null;
  return {
    account: createAccountLookup(db),
    accountByHandle: (platform, handle) => holder({ platform, handle: toHandle(handle) }),
    optedOutAt,
    hasOptedOut: async (key) => (await optedOutAt(key)) !== null,
  } satisfies Partial<StoreReads>;
}

/** Finds the account that holds a handle (lower case) now, or null. */
export function createHandleLookup({
  build,
  prepare,
  tables,
}: Sql): (held: { platform: Platform; handle: string }) => Promise<Account | null> {
  const { accounts } = tables;
  const { platformUserId, username } = accounts;
  const holds = and(equals(accounts.platform, 'platform'), equals(accounts.handle, 'handle'));
  const byHandle = prepare(build.select({ platformUserId, username }).from(accounts).where(holds));
  return async ({ platform, handle }) => {
    const row = await byHandle.get({ platform, handle });
    return row === undefined ? null : { platform, ...row };
  };
}

/** Makes sure that an account has a row to refer to, and leaves an existing row as it is. */
export function createEnsureAccount({ build, prepare, tables }: Sql): (key: AccountKey, now: number) => Promise<void> {
  const { accounts } = tables;
  const insert = prepare(
    build
      .insert(accounts)
      .values({
        platform: sql.placeholder('platform'),
        platformUserId: sql.placeholder('platformUserId'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoNothing({ target: [accounts.platform, accounts.platformUserId] }),
  );
  return async ({ platform, platformUserId }, now) => {
    await insert.run({ platform, platformUserId, now });
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
export function createLabelLookup({ build, prepare, tables }: Sql): (key: AccountKey) => Promise<Label | null> {
  const { accounts } = tables;
  const { username, labelSource: source } = accounts;
  const byKey = prepare(build.select({ username, source }).from(accounts).where(isAccount(tables)));
  return async ({ platform, platformUserId }) => (await byKey.get({ platform, platformUserId })) ?? null;
}

/**
 * Whether the platform's answer changes an account's label or its source. An answer without a handle does not mean that
 * the account has none.
 */
export function hasNewUsername(account: Account, known: Label | null): boolean {
  if (known === null) return true;
  return account.username !== null && (account.username !== known.username || known.source !== 'platform');
}

/** A platform says which label an account has, at a time in epoch milliseconds. */
type Said = { readonly now: number; readonly by: 'platform'; readonly seenAt: number };

/** Notes that the platform showed an account's label again. */
export function createLabelSighting(db: Sql): (key: AccountKey, seenAt: number) => Promise<void> {
  const { accounts } = db.tables;
  const isOlder = or(isNull(accounts.labelSeenAt), lt(accounts.labelSeenAt, sql.placeholder('seenAt')));
  const note = prepareChange(db, accounts, { labelSeenAt: bound('seenAt') }, and(isAccount(db.tables), isOlder));
  return async ({ platform, platformUserId }, seenAt) => {
    await note({ platform, platformUserId, seenAt });
  };
}

/**
 * Adds an account with a label, or labels the one that is there.
 * @param setWhere which of those that are there; all when absent
 */
function createLabelUpsert({ build, prepare, tables }: Sql, setWhere?: SQL) {
  const { accounts } = tables;
  return prepare(
    build
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
        ...(setWhere && { setWhere }),
      }),
  );
}

/**
 * Stores an account's current handle and takes it from the account that held it before. It only makes sure that the row
 * exists without a username, and when the account's label, or another account with the handle, was seen later.
 */
export function createUsernameWriter(db: Sql): (account: Account, said: Said) => Promise<void> {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const ensure = createEnsureAccount(db);
  const holdsToo = and(
    equals(accounts.platform, 'platform'),
    equals(accounts.handle, 'handle'),
    ne(accounts.platformUserId, sql.placeholder('platformUserId')),
  );
  const nothing = { username: null, handle: null, labelSource: null, labelSeenAt: null };
  const release = prepare(build.update(accounts).set(nothing).where(holdsToo));
  // Each part has its index; with the platform outside, SQLite would search all accounts of the platform.
  const holds = and(equals(accounts.platform, 'platform'), equals(accounts.handle, 'handle'));
  const newer = prepare(
    build
      .select({ id: accounts.platformUserId })
      .from(accounts)
      .where(and(or(isAccount(tables), holds), gt(accounts.labelSeenAt, sql.placeholder('seenAt')))),
  );
  const label = createLabelUpsert(db);
  return async ({ platform, platformUserId, username }, { now, by, seenAt }) => {
    const handle = username === null ? null : toHandle(username);
    const account = { platform, platformUserId, username, handle, by, seenAt, now };
    if (username === null || (await newer.get(account)) !== undefined) {
      await ensure({ platform, platformUserId }, now);
      return;
    }
    await release.run(account);
    await label.run(account);
  };
}

export function createAccountWrites(db: Sql): Pick<StoreTx, 'setUsername' | 'suggestUsername' | 'setOptedOut'> {
  const { accounts } = db.tables;
  const ensure = createEnsureAccount(db);
  const label = createUsernameWriter(db);
  const known = createLabelLookup(db);
  const sight = createLabelSighting(db);
  const holder = createHandleLookup(db);
  // On a server another transaction may have labelled the account meanwhile; of two with one handle the second runs again.
  const suggest = createLabelUpsert(db, isNull(accounts.username));
  const isTheirs = isAccount(db.tables);
  const optOut = prepareChange(db, accounts, { optedOutAt: bound('now') }, and(isTheirs, isNull(accounts.optedOutAt)));
  const optIn = prepareChange(db, accounts, { optedOutAt: null }, isTheirs);
  return {
    async setUsername(account, now) {
      if (hasNewUsername(account, await known(account))) await label(account, { now, by: 'platform', seenAt: now });
      else if (account.username !== null) await sight(account, now);
    },
    async suggestUsername(account, now) {
      const { platform, username } = account;
      if (username === null || ((await known(account))?.username ?? null) !== null) return false;
      const handle = toHandle(username);
      if ((await holder({ platform, handle })) !== null) return false;
      return (await suggest.run({ ...account, handle, by: 'client', seenAt: null, now })) === 1;
    },
    async setOptedOut(key, optedOut, now) {
      await ensure(key, now);
      if (optedOut) await optOut({ ...key, now });
      else await optIn({ ...key });
    },
  };
}
