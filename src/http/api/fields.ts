import { z } from '@hono/zod-openapi';
import { USER_ID_NOUNS } from '../../domain/fields.ts';
import { capitalized } from '../../domain/gigs/gig-type.ts';
import { platformSlugs } from '../../domain/platforms/platforms.ts';

// Fields that several answers have, each described once.

export const nextCursorField = z
  .string()
  .nullable()
  .openapi({ description: 'Leads to the next page as `cursor`; null on the last page.', example: null });

/** What the next page is found by. */
export function cursorText(next: number | null): string | null {
  return next === null ? null : String(next);
}

/** What a list answers. */
export function foundField<Item extends z.ZodType>(item: Item) {
  return z.array(item).openapi({ description: 'The items found.' });
}

export const gigIdField = z.int().openapi({ description: 'The id of the gig.' });
export const accountPlatformField = z.enum(platformSlugs()).openapi({ description: 'The platform of the account.' });
export const accountIdField = z.string().openapi({ description: `${capitalized(USER_ID_NOUNS)}.` });
export const lastHandleField = z.string().nullable().openapi({ description: 'Its last known handle.' });
export const chainKeyField = z.string().openapi({ description: 'The key of the chain.' });
export const tokenChainField = z.int().openapi({ description: 'The chain of the token.' });
export const paidAddressField = z.string().openapi({ description: 'The address that is paid, EIP-55 checksummed.' });
export const paidByField = z
  .string()
  .nullable()
  .openapi({ description: 'The transaction that paid it; null before that.' });
export const remainingField = z.string().openapi({ description: 'The rest of the reward, in whole tokens.' });

/** Facts of a token. */
export const tokenFields = {
  id: z.int().openapi({ description: 'The id of the token in this service.' }),
  image_url: z.string().openapi({ description: 'The URL of an image; empty when there is none.' }),
  coingecko_id: z.string().nullable().openapi({ description: 'Its id at CoinGecko, if it is known.' }),
  decimals: z.int().openapi({ description: 'The number of decimals.' }),
};

/** The name by which the refund address of a gig was given. */
export const refundNameField = z.string().optional().openapi({
  description: 'The name that was given as `refund_address`, and resolved once; absent where an address was given.',
  example: 'alice.eth',
});
