import { sql } from 'drizzle-orm';
import { SIGN_IN_WAYS } from '../../../domain/owners/sign-in.ts';
import { isOneOf } from '../checks.ts';
import type { Kit } from '../kit.ts';
import type { MentionTables } from '../mentions/mention-tables.ts';

/** Links that were not ended; the condition of their indices, word for word. */
export const LINK_LIVE = sql.raw('owner_links.ended_at is null');
/** Those of them that are not valid yet. */
export const LINK_WAITS = sql.raw('owner_links.ended_at is null and owner_links.valid_from is null');

/**
 * The wallet of an account. `owner` is the account, as `farcaster:1003`; `valid_from` is null until the reply was sent long enough
 * ago and the post was seen to be there still.
 */
function createOwnerLinks(kit: Kit, { mentions }: MentionTables) {
  return kit.table(
    'owner_links',
    {
      id: kit.rowId('id'),
      owner: kit.text('owner').notNull(),
      wallet: kit.address('wallet').notNull(),
      postId: kit.text('post_id').notNull(),
      mentionId: kit
        .integer('mention_id')
        .notNull()
        .references(() => mentions.id),
      createdAt: kit.integer('created_at').notNull(),
      validFrom: kit.integer('valid_from'),
      endedAt: kit.integer('ended_at'),
    },
    (table) => [
      kit.uniqueIndex('owner_links_live').on(table.owner).where(LINK_LIVE),
      kit.uniqueIndex('owner_links_by_mention').on(table.mentionId),
      kit.index('owner_links_by_wallet').on(table.wallet, table.id).where(LINK_LIVE),
      kit.index('owner_links_valid').on(table.validFrom, table.createdAt).where(LINK_LIVE),
      kit.check('owner_links_owner', kit.isLowerCase('owner')),
      kit.check('owner_links_wallet', kit.isAddress('wallet')),
    ],
  );
}

/** Who may create gigs in the console where only those may whom the operator lists. */
function createAllowedOwners(kit: Kit) {
  return kit.table(
    'allowed_owners',
    {
      id: kit.rowId('id'),
      owner: kit.text('owner').notNull(),
      allowedAt: kit.integer('allowed_at').notNull(),
    },
    (table) => [
      kit.uniqueIndex('allowed_owners_by_owner').on(table.owner),
      kit.check('allowed_owners_owner', kit.isLowerCase('owner')),
    ],
  );
}

/** Sign-ins that have begun. Only hashes are stored: of the nonce, and of the cookie of the browser that was shown it. */
function createSignIns(kit: Kit) {
  return kit.table(
    'sign_ins',
    {
      hash: kit.text('hash').primaryKey(),
      browser: kit.text('browser').notNull(),
      way: kit.text('way', { enum: SIGN_IN_WAYS }).notNull(),
      createdAt: kit.integer('created_at').notNull(),
      expiresAt: kit.integer('expires_at').notNull(),
      usedAt: kit.integer('used_at'),
    },
    (table) => [
      kit.index('sign_ins_by_expiry').on(table.expiresAt),
      kit.check('sign_ins_hash', kit.isSha256('hash')),
      kit.check('sign_ins_browser', kit.isSha256('browser')),
      kit.check('sign_ins_way', isOneOf('way', SIGN_IN_WAYS)),
    ],
  );
}

/** Only the hash of the cookie's token is stored. Apart from operators' sessions, so that no query for one finds the other. */
function createOwnerSessions(kit: Kit) {
  return kit.table(
    'owner_sessions',
    {
      hash: kit.text('hash').primaryKey(),
      owner: kit.text('owner').notNull(),
      label: kit.text('label').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      expiresAt: kit.integer('expires_at').notNull(),
    },
    (table) => [
      kit.index('owner_sessions_by_owner').on(table.owner),
      kit.index('owner_sessions_by_expiry').on(table.expiresAt),
      kit.check('owner_sessions_hash', kit.isSha256('hash')),
    ],
  );
}

/** Who signs in to the pages of owners, and what is theirs. */
export function createOwnerTables(kit: Kit, made: MentionTables) {
  return {
    ownerLinks: createOwnerLinks(kit, made),
    allowedOwners: createAllowedOwners(kit),
    signIns: createSignIns(kit),
    ownerSessions: createOwnerSessions(kit),
  };
}
