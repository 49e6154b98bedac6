import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../domain/amount.ts';
import { chainById } from '../domain/chain.ts';
import { type ClaimStatus, type Payout, payoutsOf } from '../domain/claim.ts';
import { AdapterError } from '../domain/errors.ts';
import { checksummed } from '../domain/token.ts';
import { complete, readFields } from '../domain/validation.ts';
import { type ClaimDeps, claimByUrl, waitForClaim } from '../services/claims.ts';
import { MAX_BODY_BYTES, readJson } from './body.ts';
import { HttpError } from './errors.ts';
import { type App, answer } from './exchange.ts';
import { apiErrors, badRequest, errorResponse } from './schema.ts';

const EXAMPLE = { url: 'https://farcaster.xyz/alice/0x9288c1e8' };
/** The longest that a claimant waits for confirmations, and how often the ledger is looked at meanwhile. Milliseconds. */
const PATIENCE = { patienceMs: 20_000, stepMs: 250 };

const ASK_AGAIN_AFTER_MS = 5_000;

const shape = {
  url: z
    .string('url must be the URL of a post on Farcaster or X')
    .min(1, 'url must be the URL of a post on Farcaster or X'),
};

const entry = {
  token_address: z.string(),
  token_symbol: z.string().openapi({ example: 'DEGEN' }),
  amount: z.string().openapi({ description: 'In whole tokens.', example: '12.5' }),
  chain_name: z.string().openapi({ example: 'Base' }),
};

const claimedSchema = z
  .object({
    transactions: z.object({
      successful: z.array(z.object({ ...entry, tx_hash: z.string(), status: z.literal('success') })),
      failed: z.array(z.object({ ...entry, status: z.literal('failed'), reason: z.string() })),
      pending: z.array(z.object({ ...entry, tx_hash: z.string().nullable(), status: z.literal('pending') })),
    }),
    summary: z.object({
      total_transactions: z.int(),
      failed_count: z.int(),
      success_count: z.int(),
      pending_count: z.int(),
      recipient: z.string(),
    }),
  })
  .openapi('Claimed');

const route = createRoute({
  method: 'post',
  path: '/api/claim',
  operationId: 'claimRewards',
  tags: ['Claims'],
  summary: 'Pay the author of a post',
  description:
    'The post’s own text must hold `claim my rewards` once and at most one address; its author is paid. A post is one ' +
    'claim for ever: sending its URL again answers how the claim stands, pays nothing twice, and retries what failed. ' +
    'What is not final after 20 seconds is `pending`; ask again.',
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: z.object(shape).openapi('ClaimRequest', { example: EXAMPLE }) } },
    },
  },
  responses: {
    200: { description: 'How the claim stands', content: { 'application/json': { schema: claimedSchema } } },
    400: badRequest(
      'The post is no claim, or names nobody who can be paid',
      'Message must contain "claim my rewards" with an optional Ethereum address',
      'Invalid Ethereum address provided',
      'Multiple Ethereum addresses found in the cast',
      'No verified address found',
      'The post is older than 24 hours',
    ),
    404: errorResponse('There is no such post, or nothing to claim', 'Cast not found', 'No tips found'),
    413: errorResponse('The body is too large', `Body is larger than ${MAX_BODY_BYTES} bytes`),
    503: errorResponse(
      'The platform cannot be reached, or payments are off; nothing was changed',
      'The service cannot take this right now; send it again later',
      'There are no gig wallets here: the operator has not set GIG_WALLET_MNEMONIC',
    ),
    ...apiErrors,
  },
});

function renderPayout({ token, transfer }: Payout) {
  return {
    token_address: checksummed(token.address),
    token_symbol: token.symbol,
    amount: formatAmount(transfer.amount, token.decimals),
    chain_name: chainById(transfer.chainId)?.name ?? String(transfer.chainId),
  };
}

/** How a claim stands, as published clients know it. */
export function renderClaim(status: ClaimStatus) {
  const payouts = payoutsOf(status);
  const having = (outcome: Payout['outcome']) => payouts.filter((payout) => payout.outcome === outcome);
  const successful = having('success').map((payout) => ({
    ...renderPayout(payout),
    ...{ tx_hash: payout.transfer.hash, status: 'success' },
  }));
  const failed = having('failed').map((payout) => ({
    ...renderPayout(payout),
    ...{ status: 'failed', reason: payout.transfer.reason ?? 'no reason is known' },
  }));
  const pending = having('pending').map((payout) => ({
    ...renderPayout(payout),
    ...{ tx_hash: payout.transfer.forms.at(-1)?.hash ?? null, status: 'pending' },
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

/** The claim behind a URL. @throws HttpError `unavailable` when its platform cannot be asked */
async function askPlatform(deps: ClaimDeps, url: string, requestId: string): Promise<ClaimStatus> {
  try {
    return await claimByUrl(deps, { url, requestId });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const retryAfter = Math.max(1, Math.ceil((error.retryAfterMs ?? ASK_AGAIN_AFTER_MS) / 1000));
    throw new HttpError({ code: 'unavailable', retryAfter }, { cause: error });
  }
}

/** `POST /api/claim`: public. */
export function addClaimingRoute(
  app: App,
  deps: ClaimDeps & { readonly sleep: (ms: number) => Promise<boolean> },
): void {
  app.openAPIRegistry.registerPath(route);
  app.post(route.path, async (c) => {
    const { url } = complete(readFields(shape, await readJson(c, JSON.stringify(EXAMPLE))));
    const status = await askPlatform(deps, url, c.get('exchange').requestId);
    return answer(c, { status: 200, body: renderClaim(await waitForClaim(deps, status, PATIENCE)) });
  });
}
