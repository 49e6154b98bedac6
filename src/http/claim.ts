import { createRoute, z } from '@hono/zod-openapi';
import { MAX_IDENTIFIERS, parseIdentifiers } from '../domain/account.ts';
import { toFloat } from '../domain/amount.ts';
import type { ClaimableGroup, Tip } from '../domain/tip.ts';
import { checksummed, type Token } from '../domain/token.ts';
import { findClaimable } from '../services/claimable.ts';
import { type App, answer } from './exchange.ts';
import { apiErrors, errorResponse, isoTime } from './schema.ts';

const tokenSchema = z
  .object({
    id: z.int(),
    created_at: isoTime,
    address: z.string().openapi({
      description: 'EIP-55 checksummed; a chain’s native asset is 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE.',
      example: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
    }),
    chain_id: z.int().openapi({ example: 8453 }),
    decimals: z.int().openapi({ example: 18 }),
    image_url: z.string().openapi({ description: 'Empty when there is none.' }),
    name: z.string().openapi({ example: 'Degen' }),
    symbol: z.string().openapi({ example: 'DEGEN' }),
    is_native: z.boolean(),
    coingecko_id: z.string().nullable(),
  })
  .openapi('Token');

const tipSchema = z
  .object({
    id: z.int(),
    created_at: isoTime,
    token_id: z.int(),
    value: z.number().openapi({ description: 'In whole tokens.', example: 12.5 }),
    tx_hash: z.string().nullable(),
    platform_user_id: z.string().openapi({ description: 'A Farcaster FID or an X user id.', example: '8004' }),
    username: z.string().nullable(),
    user_address: z.string().openapi({ description: 'Empty until an address is known.' }),
    claimed_at: isoTime.nullable(),
    status: z.enum(['pending', 'claimed']),
    gig_id: z.int(),
    platform: z.enum(['farcaster', 'twitter']),
    claim_nonce: z.string().nullable().openapi({ description: 'The claim that is paying this tip now.' }),
    claim_started_at: isoTime.nullable(),
    lock_timeout: isoTime.nullable(),
  })
  .openapi('Tip');

const claimSchema = z
  .object({
    data: z
      .record(
        z.string(),
        z
          .object({
            token: tokenSchema,
            totalValue: z.number().openapi({ description: 'The sum of the tips, in whole tokens.' }),
            tips: z.array(tipSchema).openapi({ description: 'Oldest first.' }),
            gigCount: z.int().openapi({ description: 'Distinct gigs behind the tips.' }),
          })
          .openapi('ClaimableGroup'),
      )
      .openapi({
        description:
          'Keyed by token address. Of several chains with one token address the lowest chain id keeps the plain key; ' +
          'the others are keyed `<address>:<chain_id>`.',
      }),
    summary: z.object({ total_tokens: z.int(), total_gigs: z.int() }),
  })
  .openapi('Claimable');

const route = createRoute({
  method: 'get',
  path: '/api/claim',
  operationId: 'findClaimable',
  tags: ['Claims'],
  summary: 'What somebody can claim',
  description: 'The pending tips of all the named accounts, grouped by token. Accounts nobody knows add nothing.',
  request: {
    query: z.object({
      identifiers: z.string().openapi({
        description:
          'Comma-separated, in any mix: Farcaster FIDs (digits) and X usernames. A leading @ makes any item a username. ' +
          `At most ${MAX_IDENTIFIERS}.`,
        example: '8004,alice',
      }),
    }),
  },
  responses: {
    200: { description: 'The claimable tokens', content: { 'application/json': { schema: claimSchema } } },
    400: errorResponse(
      'The identifiers are missing, malformed or too many',
      'identifiers is required: a comma-separated list of Farcaster FIDs and X usernames',
    ),
    ...apiErrors,
  },
});

function iso(time: number): string {
  return new Date(time).toISOString();
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}

function renderToken(token: Token, address: string) {
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

function renderTip(tip: Tip, { decimals }: Token) {
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

function renderGroup({ token, total, tips, gigCount }: ClaimableGroup, address: string) {
  return {
    token: renderToken(token, address),
    totalValue: toFloat(total, token.decimals),
    tips: tips.map((tip) => renderTip(tip, token)),
    gigCount,
  };
}

/** The body of a claim look-up. Groups keep their order; amounts become floats only here. */
export function renderClaimable(groups: readonly ClaimableGroup[]) {
  const lowestChain = new Map<string, number>();
  for (const { token } of groups) {
    lowestChain.set(token.address, Math.min(token.chainId, lowestChain.get(token.address) ?? token.chainId));
  }
  const data: Record<string, ReturnType<typeof renderGroup>> = {};
  const gigs = new Set<number>();
  for (const group of groups) {
    const { token, tips } = group;
    const address = checksummed(token.address);
    const key = lowestChain.get(token.address) === token.chainId ? address : `${address}:${token.chainId}`;
    data[key] = renderGroup(group, address);
    for (const tip of tips) gigs.add(tip.gigId);
  }
  return { data, summary: { total_tokens: groups.length, total_gigs: gigs.size } };
}

/** `GET /api/claim`: public. */
export function addClaimRoutes(app: App, deps: Parameters<typeof findClaimable>[0]): void {
  app.openAPIRegistry.registerPath(route);
  app.get(route.path, async (c) => {
    // A repeated parameter is one longer list: taking only the first would hide tips without a word.
    const identifiers = parseIdentifiers(c.req.queries('identifiers')?.join(','));
    const groups = await findClaimable(deps, { identifiers });
    return answer(c, { status: 200, body: renderClaimable(groups) });
  });
}
