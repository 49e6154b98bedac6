import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { type AccountName, accountNameText, type Platform } from '../../domain/account.ts';
import { atMost } from '../../domain/at-most.ts';
import type { EngineStatus } from '../port/status.ts';
import { explainFault } from './errors.ts';

const MAX_NAMES = 10_000;

/** Temporary triggers of this connection, so not part of the schema. A tip never moves to another account. */
const TRIGGERS = `
  create temp trigger tip_added after insert on main.tips begin
    select account_changed(new.platform, new.platform_user_id, (select handle from main.accounts
      where platform = new.platform and platform_user_id = new.platform_user_id)); end;
  create temp trigger tip_changed after update on main.tips begin
    select account_changed(new.platform, new.platform_user_id, (select handle from main.accounts
      where platform = new.platform and platform_user_id = new.platform_user_id)); end;
  create temp trigger tip_removed after delete on main.tips begin
    select account_changed(old.platform, old.platform_user_id, (select handle from main.accounts
      where platform = old.platform and platform_user_id = old.platform_user_id)); end;
  create temp trigger account_added after insert on main.accounts begin
    select account_changed(new.platform, new.platform_user_id, new.handle); end;
  create temp trigger account_renamed after update of username, handle on main.accounts begin
    select account_changed(old.platform, old.platform_user_id, old.handle);
    select account_changed(new.platform, new.platform_user_id, new.handle); end;
  create temp trigger account_removed after delete on main.accounts begin
    select account_changed(old.platform, old.platform_user_id, old.handle); end;`;

export interface ChangedAccounts {
  committed(): void;
  rolledBack(): void;
  /** Called right before a snapshot is opened; `asOf` names what it contains. */
  look(): void;
  /** Names the state of the last look. */
  asOf(): string;
  /** Whether the tips and the name of an account are the same in the last look as in the state that `asOf` named then. */
  isSame(name: AccountName, asOf: string): boolean;
}

/**
 * Remembers when the tips or names of accounts changed last, counted in changes. Triggers report each row that the writing
 * connection changes, so no statement can be missed; a commit of another connection may have changed any account.
 */
export function createChangedAccounts(connection: Database, path: string): ChangedAccounts {
  let changes = 0;
  let open: AccountName[] = [];
  /** The last change of all that are not remembered. */
  let othersChangedAt = 0;
  /** Forgets the oldest change first, because nothing else is touched. */
  const changedAt = new LRUCache<string, number>({
    ...atMost(MAX_NAMES),
    dispose(at, _name, reason) {
      if (reason === 'evict') othersChangedAt = at;
    },
  });
  connection.function('account_changed', (platform: Platform, platformUserId: string, handle: string | null) => {
    open.push({ platform, platformUserId });
    if (handle !== null) open.push({ platform, handle });
    return null;
  });
  connection.exec(TRIGGERS);
  // On the writing connection the version changes only when another connection commits.
  const othersVersion = createVersion(connection, path);
  let seen = othersVersion();
  let looked = 0;

  return {
    committed() {
      if (open.length > 0) changes += 1;
      for (const name of open) changedAt.set(accountNameText(name), changes);
      open = [];
    },
    rolledBack() {
      open = [];
    },
    look() {
      const version = othersVersion();
      if (version !== seen) {
        changes += 1;
        changedAt.clear();
        othersChangedAt = changes;
        seen = version;
      }
      looked = changes;
    },
    asOf: () => String(looked),
    isSame: (name, asOf) => (changedAt.peek(accountNameText(name)) ?? othersChangedAt) <= Number(asOf),
  };
}

/**
 * Reads the version of a connection's view, which changes with each commit of any other connection, in any process. The
 * connection must not write: its own commits do not change the version. 2.8 µs.
 */
export function createVersion(connection: Database, path: string): () => string {
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  return () => {
    try {
      const found = version.get();
      if (found === undefined) throw new Error('SQLite did not tell its data version');
      return String(found);
    } catch (error) {
      throw explainFault(error, path);
    }
  };
}

/** The library that reads the file. */
export function readEngine(connection: Database): EngineStatus {
  const version = connection.prepare<[], string>('select sqlite_version()').pluck().get();
  return { engine: 'sqlite', version: version ?? 'of no version', server: null };
}
