import { sql } from 'drizzle-orm';
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

/** The owners of gigs who use the console. */
export function createOwnerTables(kit: Kit, made: MentionTables) {
  return { ownerLinks: createOwnerLinks(kit, made), allowedOwners: createAllowedOwners(kit) };
}
