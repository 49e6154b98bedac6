import { createRoute, z } from '@hono/zod-openapi';
import { encodeFunctionData, erc20Abi } from 'viem';
import { formatDecimal } from '../domain/amount.ts';
import { type Gig, requiredFunds } from '../domain/gig.ts';
import { checksummed } from '../domain/token.ts';
import { type CreateGigDeps, createGig, createGigShape } from '../services/create-gig.ts';
import { type ApiKeyDeps, requireApiKey } from './api-key.ts';
import { MAX_BODY_BYTES, readJson } from './body.ts';
import { type App, answerText } from './exchange.ts';
import { idempotencyHeader, readOnce } from './idempotency.ts';
import { apiErrors, badRequest, errorResponse } from './schema.ts';

const EXAMPLE = {
  chain: 'base',
  token_address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
  amount: 10,
  start_time: '2027-03-01T15:00:00Z',
  duration: '1week',
  gig_type: 'mention',
  platform: 'farcaster',
};

const decimal = z.string().openapi({ description: 'In whole tokens.', example: '10.0' });

const route = createRoute({
  method: 'post',
  path: '/api/gigs/create',
  operationId: 'createGig',
  tags: ['Gigs'],
  summary: 'Create a gig',
  description:
    'The gig gets a wallet of its own. Send it exactly `total_amount`, for instance with `tx_data` as the data of a ' +
    'transaction to the token, and then start it. The fee is rounded down to the smallest unit of the token.',
  security: [{ apiKey: [] }],
  request: {
    headers: idempotencyHeader,
    body: {
      required: true,
      content: {
        'application/json': { schema: z.object(createGigShape).openapi('CreateGigRequest', { example: EXAMPLE }) },
      },
    },
  },
  responses: {
    201: {
      description: 'The gig is created',
      content: {
        'application/json': {
          schema: z
            .object({
              gig_id: z.int(),
              gig_wallet_address: z.string(),
              gig_token_address: z.string(),
              gig_chain_id: z.int(),
              gig_balance: decimal.openapi({ description: 'The reward, in whole tokens.' }),
              platform_fee: decimal,
              total_amount: decimal.openapi({ description: 'Reward and fee: what the wallet must hold.' }),
              tx_data: z.string().openapi({ description: 'Calldata of the transfer; `0x` for a native asset.' }),
            })
            .openapi('GigCreated'),
        },
      },
    },
    400: badRequest('The terms are not usable', 'Body is not valid JSON'),
    401: errorResponse('The API key is missing, unknown, revoked or expired', 'Invalid API key'),
    404: errorResponse(
      'The chain or the token is not known',
      'Chain not found',
      'Token with address 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed not found on chain base',
    ),
    409: errorResponse(
      'The key came before with another body',
      'This Idempotency-Key was used before with another request',
    ),
    413: errorResponse('The body is too large', `Body is larger than ${MAX_BODY_BYTES} bytes`),
    503: errorResponse(
      'There is no mnemonic, or the chain does not answer; nothing was created',
      'Gigs cannot be created here: the operator has not set GIG_WALLET_MNEMONIC',
    ),
    ...apiErrors,
  },
});

/** What a funder has to send, as the data of a transaction to the token: nothing but value for a native asset. */
function fundingData(gig: Gig): string {
  if (gig.token.isNative) return '0x';
  return encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [gig.walletAddress, requiredFunds(gig)],
  });
}

function renderCreated(gig: Gig) {
  const { decimals, address, chainId } = gig.token;
  return {
    gig_id: gig.id,
    gig_wallet_address: checksummed(gig.walletAddress),
    gig_token_address: checksummed(address),
    gig_chain_id: chainId,
    gig_balance: formatDecimal(gig.rewardAmount, decimals),
    platform_fee: formatDecimal(gig.feeAmount, decimals),
    total_amount: formatDecimal(requiredFunds(gig), decimals),
    tx_data: fundingData(gig),
  };
}

/** `POST /api/gigs/create`: needs an API key; may carry an `Idempotency-Key`. */
export function addCreateRoute(app: App, deps: ApiKeyDeps & CreateGigDeps): void {
  app.openAPIRegistry.registerPath(route);
  app.post(route.path, requireApiKey(deps), async (c) => {
    const body = await readJson(c, JSON.stringify(EXAMPLE));
    const created = await createGig(deps, { body, once: readOnce(c, body), render: renderCreated });
    return answerText(c, { status: 201, body: created });
  });
}
