import { sql } from 'drizzle-orm';
import type { Kit } from '../kit.ts';

function createTokens(kit: Kit) {
  return kit.table(
    'tokens',
    {
      id: kit.rowId('id'),
      createdAt: kit.integer('created_at').notNull(),
      address: kit.address('address').notNull(),
      chainId: kit.integer('chain_id').notNull(),
      decimals: kit.integer('decimals').notNull(),
      name: kit.text('name').notNull(),
      symbol: kit.text('symbol').notNull(),
      imageUrl: kit.text('image_url').notNull(),
      isNative: kit.flag('is_native').notNull(),
      coingeckoId: kit.text('coingecko_id'),
      /** Whether the operator allows its payments to take more gas than others. */
      allowed: kit.flag('allowed').notNull().default(false),
      /** Whether owners may choose it for gigs that they create in the console. */
      offered: kit.flag('offered').notNull().default(false),
    },
    (table) => [
      kit.uniqueIndex('tokens_by_address').on(table.chainId, table.address),
      kit.index('tokens_on_all_chains').on(table.address),
      kit.check('tokens_address', kit.isAddress('address')),
      kit.check('tokens_decimals', sql.raw('decimals between 0 and 255')),
      kit.check('tokens_is_native', kit.isBoolean('is_native')),
      kit.check('tokens_allowed', kit.isBoolean('allowed')),
      kit.index('tokens_offered').on(table.chainId, table.symbol).where(kit.isTrue('tokens.offered')),
      kit.check('tokens_offered', kit.isBoolean('offered')),
    ],
  );
}

/** A column for the token of a row. */
export function ofToken(kit: Kit, { tokens }: TokenTables) {
  return kit
    .integer('token_id')
    .notNull()
    .references(() => tokens.id);
}

/** The tokens that gigs pay. */
export function createTokenTables(kit: Kit) {
  return { tokens: createTokens(kit) };
}

export type TokenTables = ReturnType<typeof createTokenTables>;
