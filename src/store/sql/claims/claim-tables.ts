import { sql } from 'drizzle-orm';
import { CLAIM_SOURCES } from '../../../domain/claims/claim.ts';
import type { EnsName } from '../../../domain/names/ens-name.ts';
import { isOneOf } from '../checks.ts';
import type { Kit } from '../kit.ts';
import type { MentionTables } from '../mentions/mention-tables.ts';
import { type AccountTables, isAccount } from './account-tables.ts';

/** Claims whose author has had the reply that payment is on its way; the condition of their index, word for word. */
export const CLAIM_PROMISED = sql.raw('claims.promised_to is not null');

/** `promised_to` is the mention whose author was told that the claim is on its way; null once the outcome is known. */
function createClaims(kit: Kit, made: AccountTables & MentionTables) {
  const { mentions } = made;
  return kit.table(
    'claims',
    {
      id: kit.rowId('id'),
      publicId: kit.text('public_id').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      postId: kit.text('post_id').notNull(),
      recipient: kit.address('recipient').notNull(),
      createdAt: kit.integer('created_at').notNull(),
      source: kit.text('source', { enum: CLAIM_SOURCES }).notNull().default('mention'),
      promisedTo: kit.integer('promised_to').references(() => mentions.id),
    },
    (table) => [
      kit.uniqueIndex('claims_by_public_id').on(table.publicId),
      kit.uniqueIndex('claims_by_post').on(table.platform, table.postId),
      kit.index('claims_by_account').on(table.platform, table.platformUserId),
      kit.index('claims_by_recipient').on(table.recipient),
      kit.index('claims_promised').on(table.id).where(CLAIM_PROMISED),
      isAccount(kit, made, [table.platform, table.platformUserId]),
      kit.check('claims_recipient', kit.isAddress('recipient')),
      kit.check('claims_source', isOneOf('source', CLAIM_SOURCES)),
    ],
  );
}

/** `confirmed_at` is null while the account was only told where the name leads. */
function createNames(kit: Kit, made: AccountTables) {
  return kit.table(
    'names',
    {
      id: kit.rowId('id'),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      name: kit.text('name').notNull().$type<EnsName>(),
      address: kit.address('address').notNull(),
      askedAt: kit.integer('asked_at').notNull(),
      confirmedAt: kit.integer('confirmed_at'),
    },
    (table) => [
      kit.uniqueIndex('names_by_account').on(table.platform, table.platformUserId, table.name),
      isAccount(kit, made, [table.platform, table.platformUserId]),
      kit.check('names_address', kit.isAddress('address')),
    ],
  );
}

/** The claims of tips, and the names to which accounts are paid. */
export function createClaimTables(kit: Kit, made: AccountTables & MentionTables) {
  return { claims: createClaims(kit, made), names: createNames(kit, made) };
}

export type ClaimTables = ReturnType<typeof createClaimTables>;
