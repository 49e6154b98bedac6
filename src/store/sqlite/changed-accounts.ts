import type { Database } from 'better-sqlite3';
import type { AccountName, Platform } from '../../domain/account.ts';
import { createVersion } from './version.ts';

/** More changes than one commit makes; a reader that is further behind starts over. */
const MAX_CHANGED = 10_000;

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
  /** Notes whether another connection has committed; called right before a snapshot is opened. */
  look(): void;
  /** The accounts that changed since the last call; null when another connection had committed at the last look. */
  take(): readonly AccountName[] | null;
}

/**
 * Collects the accounts whose tips or names the writing connection has changed. Triggers report each row, so no
 * statement can be missed.
 */
export function createChangedAccounts(connection: Database, path: string): ChangedAccounts {
  let open: AccountName[] = [];
  let committed: AccountName[] = [];
  connection.function('account_changed', (platform: Platform, platformUserId: string, handle: string | null) => {
    open.push({ platform, platformUserId });
    if (handle !== null) open.push({ platform, handle });
    return null;
  });
  connection.exec(TRIGGERS);
  // On the writing connection the version changes only when another connection commits.
  const othersVersion = createVersion(connection, path);
  let latest = othersVersion();
  let seen = latest;
  return {
    committed() {
      if (committed.length < MAX_CHANGED) committed = committed.length === 0 ? open : committed.concat(open);
      open = [];
    },
    rolledBack() {
      open = [];
    },
    look() {
      latest = othersVersion();
    },
    take() {
      const changed = latest === seen && committed.length < MAX_CHANGED ? committed : null;
      seen = latest;
      committed = [];
      return changed;
    },
  };
}
