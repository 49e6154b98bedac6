import { z } from '@hono/zod-openapi';
import { toFloat } from '../../../domain/amount.ts';
import type { Tip } from '../../../domain/gigs/tip.ts';
import { checksummed, type Token } from '../../../domain/gigs/token.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { accountIdField, tokenChainField, tokenFields } from '../fields.ts';
import { iso, isoOrNull, isoTime } from '../schemas.ts';

/** A token, as interface clients know it. */
export const tokenSchema = z
  .object({
    id: tokenFields.id,
    created_at: isoTime.openapi({ description: 'When the service added it.' }),
    address: z.string().openapi({
      description: 'EIP-55 checksummed; a chain’s native asset is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE.',
      example: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
    }),
    chain_id: tokenChainField.openapi({ example: 8453 }),
    decimals: tokenFields.decimals.openapi({ example: 18 }),
    image_url: tokenFields.image_url,
    name: z.string().openapi({ description: 'Its name, from the contract.', example: 'Degen' }),
    symbol: z.string().openapi({ description: 'Its symbol.', example: 'DEGEN' }),
    is_native: z.boolean().openapi({ description: 'Whether it is the native asset of its chain.' }),
    coingecko_id: tokenFields.coingecko_id,
  })
  .openapi('Token', { description: 'A token, or the native asset of a chain.' });

/** A tip. Its `value` is a float for display; sums use exact integers. */
export const tipSchema = z
  .object({
    id: z.int().openapi({ description: 'The id of the tip.' }),
    created_at: isoTime.openapi({ description: 'When it was awarded.' }),
    token_id: z.int().openapi({ description: 'The id of its token.' }),
    value: z.number().openapi({ description: 'In whole tokens.', example: 12.5 }),
    tx_hash: z.string().nullable().openapi({ description: 'The transaction that paid it; null until then.' }),
    platform_user_id: accountIdField.openapi({ example: '8004' }),
    username: z.string().nullable().openapi({ description: 'The handle that the account holds, if it is known.' }),
    user_address: z.string().openapi({ description: 'The address of the account; empty until one is known.' }),
    claimed_at: isoTime.nullable().openapi({ description: 'When it was paid; null until then.' }),
    status: z.enum(['pending', 'claimed']).openapi({ description: '`claimed` when it is paid.' }),
    gig_id: z.int().openapi({ description: 'The gig that it was earned from.' }),
    platform: z
      .enum(PLATFORMS.map(({ id }) => id))
      .openapi({ description: 'The platform of the account; `twitter` is X.' }),
    claim_nonce: z.string().nullable().openapi({ description: 'The claim that is paying this tip now.' }),
    claim_started_at: isoTime.nullable().openapi({ description: 'When that claim began.' }),
    lock_timeout: isoTime.nullable().openapi({ description: 'When the hold of that claim on the tip ends.' }),
  })
  .openapi('Tip', { description: 'An amount of a token that an account has earned.' });

/** A token with its checksummed address. */
export function renderToken(token: Token, address: string) {
  return {
    id: token.id,
    created_at: iso(token.createdAt),
    address,
    chain_id: token.chainId,
    decimals: token.decimals,
    image_url: token.imageUrl,
    name: token.name,
    symbol: token.symbol,
    is_native: token.isNative,
    coingecko_id: token.coingeckoId,
  };
}

export function renderTip(tip: Tip, { decimals }: Token) {
  return {
    id: tip.id,
    created_at: iso(tip.createdAt),
    token_id: tip.tokenId,
    value: toFloat(tip.amount, decimals),
    tx_hash: tip.txHash,
    platform_user_id: tip.platformUserId,
    username: tip.username,
    user_address: tip.userAddress === null ? '' : checksummed(tip.userAddress),
    claimed_at: isoOrNull(tip.claimedAt),
    status: tip.status,
    gig_id: tip.gigId,
    platform: tip.platform,
    claim_nonce: tip.claimNonce,
    claim_started_at: isoOrNull(tip.claimStartedAt),
    lock_timeout: isoOrNull(tip.lockTimeout),
  };
}

type RenderedTip = ReturnType<typeof renderTip>;

/** How many are rendered before `rest`: the checksum of an address takes long. */
const AT_ONCE = 50;

/** Renders many tips of a token, and calls `rest` now and then, which lets the event loop turn. */
export async function renderTips(
  tips: readonly Tip[],
  token: Token,
  rest: () => Promise<unknown>,
): Promise<RenderedTip[]> {
  const rendered: RenderedTip[] = [];
  for (const [index, tip] of tips.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await rest();
    rendered.push(renderTip(tip, token));
  }
  return rendered;
}
