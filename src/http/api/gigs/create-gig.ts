import { z } from '@hono/zod-openapi';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { TERMS, termsProblems } from '../../../domain/gigs/terms.ts';
import { prepareGig } from '../../../services/gigs/create-gig.ts';
import { defineOperation } from '../define-operation.ts';
import { jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';
import { accountShape } from './gig-json.ts';

const EXAMPLE = {
  chain: 'base',
  token_address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
  amount: 10,
  start_time: '2027-03-01T15:00:00Z',
  duration: '1week',
  gig_type: 'mention',
  platform: 'farcaster',
};

const MAX_OWNERS = 20;

const createSchema = bodyOf({
  ...TERMS,
  owners: z
    .array(
      z.object(accountShape, 'must be an object'),
      'owners must be a list of accounts, each like {"platform":"farcaster","platform_user_id":"1001"}',
    )
    .max(MAX_OWNERS, `owners must be at most ${MAX_OWNERS} accounts`)
    .optional()
    .transform((owners) => owners ?? [])
    .describe('The accounts that may start the gig by mentioning the bot.'),
});

/** What a gig is created with, also one that is paid for in the same call. */
export const CREATE_BODY = jsonBody(createSchema, 'CreateGigRequest', 'The terms of the gig.', EXAMPLE);

export const CREATE_GIG = defineOperation({
  id: 'createGig',
  method: 'post',
  path: '/api/gigs/create',
  tag: 'Gigs',
  scope: 'gigs:write',
  summary: 'Create a gig',
  description:
    'The gig gets its own wallet. Fund it with exactly `total_amount`, then start the gig. For a token, send `tx_data` ' +
    'as the data of a transaction to `gig_token_address`. For a native asset (`tx_data` is `0x`), send `total_amount` ' +
    'as the value of a transaction to `gig_wallet_address`. The fee is rounded down to the smallest unit of the ' +
    'token. `url` is required for like, recast, boost and reply gigs and must be the URL of a post on the platform; ' +
    '`how_to_earn` and `verifier` are required for custom_bounty. `start_time` is at most a year in the future. With ' +
    'rules in `earning_criteria`, or without it, the service itself watches what `url` or `keyword` names on Farcaster ' +
    'and awards the tips.',
  body: CREATE_BODY,
  answer: { status: 201, says: 'The gig is created', schema: fundingSchema },
  refuses: [
    { code: 'validation_failed', details: ['url is required for like gigs'] },
    { code: 'chain_not_found' },
    { code: 'token_not_found', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', chainKey: 'base' },
    { code: 'wallets_off' },
    { code: 'chain_unreachable', retryAfter: 5 },
    { code: 'platform_unreachable', platform: 'farcaster', retryAfter: 5 },
  ],
  mcp: { place: 8 },
  problems: ({ clock, earningOnX }, { fields }) => termsProblems(camelKeys(fields), { now: clock(), earningOnX }),
  prepare: (deps, { body: { owners, ...terms }, actor }) =>
    prepareGig(deps, { terms: camelKeys(terms), owners: owners.map(camelKeys), actor }),
  render: renderFunding,
});
