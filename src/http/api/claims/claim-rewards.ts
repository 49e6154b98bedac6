import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import { type ClaimStatus, type Payout, payoutsOf } from '../../../domain/claims/claim.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { type Obstacle, type Obstacles, obstacleClause } from '../../../domain/payments/obstacle.ts';
import { listPlatforms, PLATFORMS } from '../../../domain/platforms/platforms.ts';
import {
  CLAIM_PATIENCE,
  findHashesUnderWay,
  findObstacles,
  waitForClaim,
} from '../../../services/claims/claim-progress.ts';
import { createUrlClaims } from '../../../services/claims/claims-by-url.ts';
import { HttpError } from '../../errors/http-error.ts';
import { createClaimLimit } from '../../middleware/rate-limit.ts';
import { defineOperation } from '../define-operation.ts';
import { paidAddressField } from '../fields.ts';
import { jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';

const EXAMPLE = { url: 'https://farcaster.xyz/alice/0x9288c1e8' };
const ASK_AGAIN_AFTER_MS = 5_000;

const URL_OF_A_POST = `url must be the URL of a post on ${listPlatforms('or')}, such as ${EXAMPLE.url}`;

const requestSchema = bodyOf({
  url: z
    .string(URL_OF_A_POST)
    .min(1, URL_OF_A_POST)
    .openapi({ description: 'The URL of the post that claims, as a browser shows it.' }),
});

const entry = {
  token_address: z.string().openapi({ description: 'EIP-55 checksummed.' }),
  token_symbol: z.string().openapi({ description: 'The symbol of the token.', example: 'DEGEN' }),
  amount: z.string().openapi({ description: 'In whole tokens.', example: '12.5' }),
  chain_name: z.string().openapi({ description: 'The name of the chain.', example: 'Base' }),
};

function entriesOf<Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  return z.array(z.object({ ...entry, ...shape })).openapi({ description });
}

const claimedSchema = z
  .object({
    transactions: z
      .object({
        successful: entriesOf('The payments that succeeded.', {
          tx_hash: z.string().openapi({ description: 'The transaction that paid.' }),
          status: z.literal('success').openapi({ description: 'Always `success`.' }),
        }),
        failed: entriesOf('The payments that failed; sending the URL again retries them.', {
          status: z.literal('failed').openapi({ description: 'Always `failed`.' }),
          reason: z.string().openapi({ description: 'Why the payment failed.' }),
        }),
        pending: entriesOf('The payments that are not final yet.', {
          tx_hash: z.string().nullable().openapi({ description: 'The latest transaction; null until there is one.' }),
          status: z.literal('pending').openapi({ description: 'Always `pending`.' }),
          reason: z
            .string()
            .nullable()
            .openapi({
              description: 'The reason for a wait of more than a minute, as on the claim page; else null.',
              example: obstacleClause('gas_tank_empty'),
            }),
        }),
      })
      .openapi({ description: 'One entry for each gig and token.' }),
    summary: z
      .object({
        total_transactions: z.int().openapi({ description: 'The number of entries.' }),
        failed_count: z.int().openapi({ description: 'The number of failed payments.' }),
        success_count: z.int().openapi({ description: 'The number of successful payments.' }),
        pending_count: z.int().openapi({ description: 'The number of pending payments.' }),
        recipient: paidAddressField,
      })
      .openapi({ description: 'The counts and the recipient.' }),
  })
  .openapi('Claimed', { description: 'The state of a claim.' });

function renderPayout({ token, payment }: Payout) {
  return {
    token_address: checksummed(token.address),
    token_symbol: token.symbol,
    amount: formatAmount(payment.amount, token.decimals),
    chain_name: chainById(payment.chainId)?.name ?? String(payment.chainId),
  };
}

function reasonOf(obstacle: Obstacle | undefined): string | null {
  return obstacle === undefined ? null : obstacleClause(obstacle);
}

/** A claim's state, as published clients know it; `underWay` has the transactions of payments that are sent. */
export function renderClaim(
  status: ClaimStatus,
  { underWay, obstacles }: { underWay: ReadonlyMap<number, string>; obstacles: Obstacles },
) {
  const payouts = payoutsOf(status);
  const having = (outcome: Payout['outcome']) => payouts.filter((payout) => payout.outcome === outcome);
  const successful = having('success').map((payout) => ({
    ...renderPayout(payout),
    // A confirmed payment has a hash.
    tx_hash: payout.payment.hash ?? '',
    status: 'success' as const,
  }));
  const failed = having('failed').map((payout) => ({
    ...renderPayout(payout),
    status: 'failed' as const,
    reason: payout.payment.reason ?? 'unknown',
  }));
  const pending = having('pending').map((payout) => ({
    ...renderPayout(payout),
    tx_hash: underWay.get(payout.payment.id) ?? null,
    status: 'pending' as const,
    reason: reasonOf(obstacles.get(payout.payment.id)),
  }));
  return {
    transactions: { successful, failed, pending },
    summary: {
      total_transactions: payouts.length,
      failed_count: failed.length,
      success_count: successful.length,
      pending_count: pending.length,
      recipient: checksummed(status.claim.recipient),
    },
  };
}

/** @throws HttpError `unavailable` when the platform cannot be reached */
async function askPlatform(
  claim: (url: string, requestId: string) => Promise<ClaimStatus>,
  url: string,
  requestId: string,
): Promise<ClaimStatus> {
  try {
    return await claim(url, requestId);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const retryAfter = Math.max(1, Math.ceil((error.retryAfterMs ?? ASK_AGAIN_AFTER_MS) / 1000));
    throw new HttpError({ code: 'unavailable', retryAfter }, { cause: error });
  }
}

export const CLAIM_REWARDS = defineOperation({
  id: 'claimRewards',
  method: 'post',
  path: '/api/claim',
  tag: 'Claims',
  scope: null,
  limit: ({ config, clock }) =>
    createClaimLimit({ limits: config.claimLimits, trustedProxies: config.trustedProxies, clock }),
  summary: 'Pay the author of a post',
  description:
    'Pays the author of the post. A post that names an address must contain only `claim my rewards 0x…`, optionally ' +
    'between handles and with an end mark; its author is paid at that address. A post on Farcaster without an address ' +
    'must contain `claim my rewards` once; its author is paid at the verified address of the account. Such a post is ' +
    'refused if it names a destination in another way, such as a name with a dot, a chain, or the word `to` after the ' +
    'command, and if it denies the command (`not`, `never`, `don’t`). A post is one claim, permanently: sending its URL again returns the state of the claim, pays nothing twice, and retries failed ' +
    'payments. The response waits up to 20 seconds for confirmations; payments that are not final by then are ' +
    '`pending`, so send the URL again. It does not wait when all remaining payments are held up for longer; their ' +
    '`reason` says by what, such as a frozen gig, an empty gas tank or a used up gas budget. A missing post is not looked up again for a minute. These requests have ' +
    'their own rate limits, for one client and for all clients together.',
  body: jsonBody(requestSchema, 'ClaimRequest', 'The post that claims.', EXAMPLE),
  answer: { status: 200, says: 'The state of the claim', schema: claimedSchema },
  refuses: [
    { code: 'validation_failed', details: [URL_OF_A_POST] },
    { code: 'not_a_claim' },
    { code: 'invalid_address' },
    { code: 'several_addresses' },
    { code: 'no_verified_address' },
    { code: 'post_too_old' },
    ...PLATFORMS.map(({ id: platform }) => ({ code: 'post_not_found', platform }) as const),
    { code: 'no_tips' },
    { code: 'unavailable', retryAfter: 5 },
    { code: 'platform_off', platform: 'farcaster' },
    { code: 'wallets_off' },
  ],
  createRun(deps) {
    const claim = createUrlClaims(deps);
    return async ({ body: { url }, c }) => {
      const status = await askPlatform(claim, url, c.get('request').requestId);
      const current = await waitForClaim(deps, status, CLAIM_PATIENCE);
      const underWay = await findHashesUnderWay(deps, current);
      return { current, underWay, obstacles: await findObstacles(deps, current) };
    };
  },
  render: ({ current, ...known }) => renderClaim(current, known),
});
