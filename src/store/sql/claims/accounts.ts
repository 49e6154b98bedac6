import { and, gt, isNotNull, isNull, lte, max, ne, or, type SQL, sql } from 'drizzle-orm';
import {
  type Account,
  type AccountKey,
  accountKeyText,
  inAccountOrder,
  type Platform,
} from '../../../domain/account.ts';
import type { NounSql, Sql, Tables } from '../engine.ts';
import { REPLY_ANSWERS } from '../mentions/reply-tables.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, changeParts, equals, givenRows, prepareChange, selectGiven } from '../statements.ts';
import { byAuthor, nothing } from '../subjects.ts';
import type { LABEL_SOURCES } from './account-tables.ts';

function isAccount({ accounts }: Tables) {
  return and(equals(accounts.platform, 'platform'), equals(accounts.platformUserId, 'platformUserId'));
}

/** The form in which usernames are compared. Only A to Z are lowered: the Kelvin sign, for one, would become a `k`. */
export function toHandle(username: string): string {
  return username.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Finds an account by its id, or null. */
export function createAccountLookup({ build, prepare, tables }: Sql) {
  const { accounts } = tables;
  const byKey = prepare(build.select({ username: accounts.username }).from(accounts).where(isAccount(tables)));
  return async ({ platform, platformUserId }: AccountKey): Promise<Account | null> => {
    const row = await byKey.get({ platform, platformUserId });
    return row === undefined ? null : { platform, platformUserId, username: row.username };
  };
}

/** Finds the labels of accounts by {@link accountKeyText}; null for an account without one. */
export function createLabelsLookup(db: Sql): (keys: readonly AccountKey[]) => Promise<Map<string, string | null>> {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const { platform, platformUserId } = accounts;
  const { rows, given } = givenRows(db, 'accounts', { platform, platformUserId });
  // No join: SQLite would prepare it anew for every run.
  const username = sql<string | null>`(select known.username from accounts as known
    where known.platform = ${given.platform} and known.platform_user_id = ${given.platformUserId})`;
  const key = { platform: sql<string>`${given.platform}`, platformUserId: sql<string>`${given.platformUserId}` };
  const labels = prepare(build.select({ ...key, username }).from(rows));
  return async (keys) =>
    new Map((await labels.all({ accounts: keys })).map(({ username, ...key }) => [accountKeyText(key), username]));
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

/** Makes sure that accounts have rows to refer to, and leaves existing rows as they are. */
export function createEnsureAccounts(db: Sql): (keys: readonly AccountKey[], now: number) => Promise<void> {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const { platform, platformUserId, createdAt } = accounts;
  const added = givenRows(db, 'accounts', { platform, platformUserId, createdAt });
  const insert = prepare(
    build
      .insert(accounts)
      .select(selectGiven(accounts, added, {}))
      .onConflictDoNothing({ target: [platform, platformUserId] }),
  );
  return async (keys, now) => {
    await insert.run({ accounts: keys.map((key) => ({ ...key, createdAt: now })) });
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
function hasNewUsername(account: Account, known: Label | null): boolean {
  if (known === null) return true;
  return account.username !== null && (account.username !== known.username || known.source !== 'platform');
}

/** Epoch milliseconds. */
type Said = { readonly now: number; readonly seenAt: number };

/** False when the account has another label by now, or none. */
function createLabelSighting(db: Sql): (account: Account, seenAt: number) => Promise<boolean> {
  const { accounts } = db.tables;
  const seenAt = bound('seenAt');
  const labelSeenAt = db.kit.greatest(sql`coalesce(${accounts.labelSeenAt}, ${seenAt})`, seenAt);
  const note = prepareChange(
    db,
    accounts,
    { labelSeenAt },
    and(isAccount(db.tables), equals(accounts.username, 'username')),
  );
  return ({ platform, platformUserId, username }, seenAt) => note({ platform, platformUserId, username, seenAt });
}

/** An account that is there gets the label of the one that would be added, if it meets the condition. */
function labelConflict(accounts: Tables['accounts'], setWhere: SQL | undefined) {
  return {
    target: [accounts.platform, accounts.platformUserId],
    set: {
      username: sql`excluded.username`,
      handle: sql`excluded.handle`,
      labelSource: sql`excluded.label_source`,
      labelSeenAt: sql`excluded.label_seen_at`,
    },
    ...(setWhere && { setWhere }),
  };
}

/**
 * Adds an account with a label, or labels the one that is there.
 * @param setWhere the condition on which an account that is there gets the label
 */
function createLabelUpsert({ build, prepare, tables }: Sql, setWhere: SQL | undefined) {
  const { accounts } = tables;
  return prepare(
    build
      .insert(accounts)
      .values({
        ...boundTo(accounts, 'platform', 'platformUserId', 'username', 'handle'),
        labelSource: sql.placeholder('by'),
        labelSeenAt: sql.placeholder('seenAt'),
        createdAt: sql.placeholder('now'),
      })
      .onConflictDoUpdate(labelConflict(accounts, setWhere)),
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
  // On a server another transaction may have seen a label later since the look. One that stays so has this one run again.
  const isNotNewer = or(isNull(accounts.labelSeenAt), lte(accounts.labelSeenAt, sql.placeholder('seenAt')));
  const release = prepare(build.update(accounts).set(nothing).where(and(holdsToo, isNotNewer)));
  // Each part has its index; with the platform outside, SQLite would search all accounts of the platform.
  const holds = and(equals(accounts.platform, 'platform'), equals(accounts.handle, 'handle'));
  const newer = prepare(
    build
      .select({ id: accounts.platformUserId })
      .from(accounts)
      .where(and(or(isAccount(tables), holds), gt(accounts.labelSeenAt, sql.placeholder('seenAt')))),
  );
  const label = createLabelUpsert(db, isNotNewer);
  return async ({ platform, platformUserId, username }, { now, seenAt }) => {
    const handle = username === null ? null : toHandle(username);
    const account = { platform, platformUserId, username, handle, by: 'platform', seenAt, now };
    if (username === null || (await newer.get(account)) !== undefined) {
      await ensure({ platform, platformUserId }, now);
      return;
    }
    await release.run(account);
    await label.run(account);
  };
}

/**
 * Keeps what the platform says about a known account: a new label, or that it has the old one still. On a server another
 * transaction may have taken the label away since it was looked up: then the account is labelled again.
 */
export function createLabelWriter(db: Sql): (account: Account, known: Label | null, said: Said) => Promise<void> {
  const label = createUsernameWriter(db);
  const sight = createLabelSighting(db);
  return async (account, known, said) => {
    const isNew = hasNewUsername(account, known);
    if (!isNew && (account.username === null || (await sight(account, said.seenAt)))) return;
    await label(account, said);
  };
}

/** On a server another transaction may have labelled an account meanwhile; of two with one handle the second runs again. */
function createSuggestion(db: Sql): (labelled: readonly Account[], now: number) => Promise<number> {
  const { build, prepare, tables } = db;
  const { accounts } = tables;
  const { platform, platformUserId, username, handle, labelSource, createdAt } = accounts;
  const columns = { platform, platformUserId, username, handle, labelSource, createdAt };
  const { rows, given } = givenRows(db, 'accounts', columns);
  const isHeld = sql`exists (select 1 from accounts as holder where holder.platform = ${given.platform} and holder.handle = ${given.handle})`;
  const suggest = prepare(
    build
      .insert(accounts)
      .select(sql`${selectGiven(accounts, { rows, given }, {})} and not ${isHeld}`)
      .onConflictDoUpdate(labelConflict(accounts, isNull(username))),
  );
  return async (labelled, now) =>
    await suggest.run({
      accounts: labelled.map((account) => ({
        ...account,
        handle: toHandle(account.username ?? ''),
        labelSource: 'client',
        createdAt: now,
      })),
    });
}

/** A handle is a label: its index and a second run decide whose it is. */
export const accounts = noun((db: NounSql) => {
  const { build, prepare, tables } = db;
  const { accounts, replies } = tables;
  const isOut = and(isAccount(tables), isNotNull(accounts.optedOutAt));
  const out = prepare(build.select({ id: accounts.platformUserId }).from(accounts).where(isOut));
  // What an account says after it has opted out gets no answer: the last one answers the mention by which it did.
  const isAnswer = and(equals(replies.platform, 'platform'), equals(replies.authorId, 'platformUserId'), REPLY_ANSWERS);
  const answered = prepare(
    build
      .select({ last: max(replies.mentionId) })
      .from(replies)
      .where(isAnswer),
  );
  const holder = createHandleLookup(db);
  const hasOptedOut = async (key: AccountKey): Promise<boolean> => (await out.get({ ...key })) !== undefined;
  const ensure = createEnsureAccount(db);
  const keepLabel = createLabelWriter(db);
  const known = createLabelLookup(db);
  const suggest = createSuggestion(db);
  const isTheirs = isAccount(tables);
  const optOut = prepareChange(db, accounts, { optedOutAt: bound('now') }, and(isTheirs, isNull(accounts.optedOutAt)));
  const optIn = prepareChange(db, accounts, { optedOutAt: null }, isTheirs);
  return {
    reads: {
      account: locked(nothing, createAccountLookup(db)),
      /** The labels of accounts, by their keys as text; null for an account without one. */
      accountLabels: locked(nothing, createLabelsLookup(db)),
      /** The account that holds this handle now; compared without case. */
      accountByHandle: locked(
        nothing,
        (platform: Platform, handle: string): Promise<Account | null> => holder({ platform, handle: toHandle(handle) }),
      ),
      hasOptedOut: locked(byAuthor, hasOptedOut),
      /**
       * Whether the account has opted out of replies by a mention that is stored after this one of its own. The order of
       * mentions decides, because a clock may be set back.
       */
      optedOutAfter: locked(
        // It only gives up what waits, before the limits are looked at.
        nothing,
        async (key: AccountKey, mentionId: number): Promise<boolean> =>
          (await hasOptedOut(key)) && ((await answered.get({ ...key }))?.last ?? 0) > mentionId,
      ),
    },
    writes: {
      /**
       * Stores an account's current handle according to its platform, and takes it from the account that held it before. A
       * `null` username keeps the known handle.
       * @param seenAt when the platform said it, epoch milliseconds, now when absent: what it has said later stays
       */
      setUsername: locked(nothing, async (account: Account, now: number, seenAt: number = now): Promise<void> => {
        await keepLabel(account, await known(account), { now, seenAt: Math.min(seenAt, now) });
      }),
      /**
       * Stores labels from an API client, which cannot move a handle: one counts only for an account without a label, and
       * while no account holds the handle. No two of them may be the same handle.
       * @returns how many counted
       */
      suggestUsernames: locked(nothing, async (labelled: readonly Account[], now: number): Promise<number> => {
        const given = labelled.filter(({ username }) => username !== null).toSorted(inAccountOrder);
        const changed = await changeParts(db, given, async (part) => [await suggest(part, now)]);
        return changed.reduce((sum, each) => sum + each, 0);
      }),
      setOptedOut: locked(byAuthor, async (key: AccountKey, optedOut: boolean, now: number): Promise<void> => {
        await ensure(key, now);
        if (optedOut) await optOut({ ...key, now });
        else await optIn({ ...key });
      }),
    },
  };
});
