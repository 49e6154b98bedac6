import { z } from '@hono/zod-openapi';
import { PLATFORMS, type Platform } from '../domain/account.ts';
import { formatAmount } from '../domain/amount.ts';
import { CHAINS, chainById } from '../domain/chain.ts';
import { GIG_TYPES, type Gig, gigPhase } from '../domain/gig.ts';
import { GIG_TYPE_DISPLAY } from '../domain/gig-type.ts';
import { checksummed } from '../domain/token.ts';
import { iso } from './iso-time.ts';
import { isoTime } from './schema.ts';

/** How gig records name the networks; tips say `twitter`. */
export const RECORD_PLATFORMS = ['farcaster', 'x'] as const;

/** A network as gig records name it. */
export function recordPlatform(platform: Platform): (typeof RECORD_PLATFORMS)[number] {
  return platform === 'twitter' ? 'x' : platform;
}

/** The network a client names: `x` and `twitter` are the same. */
export function parsePlatform(name: string): Platform | undefined {
  return name === 'x' ? 'twitter' : PLATFORMS.find((platform) => platform === name);
}

const decimal = z.string().openapi({ description: 'Decimal text, in whole tokens.', example: '100' });
const milliseconds = z.int().openapi({ description: 'Milliseconds.' });

const displaySchema = z
  .object({
    icon: z.string(),
    label: z.string(),
    filter_id: z.string(),
    with_input: z.boolean(),
    how_to_earn: z.string(),
    earning_criteria: z.string(),
    input_placeholder: z.string(),
  })
  .openapi('GigTypeDisplay');

/** A gig, as published clients know it. */
export const gigSchema = z
  .object({
    id: z.int(),
    created_at: isoTime,
    start_time_ms: milliseconds,
    end_time_ms: milliseconds,
    duration_ms: milliseconds,
    amount: decimal,
    payout_interval_ms: milliseconds.nullable().openapi({ description: 'Null: tips are paid when they are claimed.' }),
    how_to_earn: z.string(),
    earning_criteria: z.string(),
    ticker: z.string(),
    gigbot_transactions_id: z.int().nullable().openapi({ description: 'The transaction its start recorded.' }),
    platform: z.enum(RECORD_PLATFORMS),
    external_url: z.string().nullable(),
    gig_address: z.string(),
    total_balance: decimal.openapi({ description: 'The reward that is not awarded yet, in whole tokens.' }),
    status: z.enum(['created', 'live', 'ended']).openapi({ description: 'Live gigs may still wait for their window.' }),
    token: z.object({
      id: z.int(),
      image_url: z.string(),
      symbol: z.string(),
      coingecko_id: z.string().nullable(),
      address: z.string(),
      decimals: z.int(),
    }),
    chain: z.object({
      id: z.int(),
      name: z.enum(CHAINS.map(({ key }) => key)).openapi({ description: 'The key of the chain.' }),
      image_url: z.string(),
      chain_id: z.int(),
    }),
    gig_type: z.object({
      id: z.enum(GIG_TYPES),
      display: z.object({ x: displaySchema, farcaster: displaySchema }),
    }),
    action_params: z.record(z.string(), z.string()),
  })
  .openapi('Gig');

function renderToken({ token }: Gig) {
  const { id, imageUrl, symbol, coingeckoId, address, decimals } = token;
  return { id, image_url: imageUrl, symbol, coingecko_id: coingeckoId, address: checksummed(address), decimals };
}

function renderChain({ token: { chainId } }: Gig) {
  return { id: chainId, name: chainById(chainId)?.key ?? String(chainId), image_url: '', chain_id: chainId };
}

/** A gig's record at `now`; what it does not say of itself, its type says. */
export function renderGig(gig: Gig, now: number) {
  const { decimals, symbol } = gig.token;
  const platform = recordPlatform(gig.platform);
  const phase = gigPhase(gig, now);
  const display = GIG_TYPE_DISPLAY[gig.gigType];
  return {
    id: gig.id,
    created_at: iso(gig.createdAt),
    start_time_ms: gig.startTime,
    end_time_ms: gig.endTime,
    duration_ms: gig.duration,
    amount: formatAmount(gig.rewardAmount, decimals),
    payout_interval_ms: null,
    how_to_earn: gig.howToEarn ?? display[platform].how_to_earn,
    earning_criteria: gig.earningCriteria ?? display[platform].earning_criteria,
    ticker: symbol,
    gigbot_transactions_id: gig.transactionId,
    platform,
    external_url: gig.externalUrl,
    gig_address: checksummed(gig.walletAddress),
    total_balance: formatAmount(gig.rewardAmount - gig.awardedAmount, decimals),
    status: phase === 'scheduled' ? 'live' : phase,
    token: renderToken(gig),
    chain: renderChain(gig),
    gig_type: { id: gig.gigType, display },
    action_params: gig.verifier === null ? {} : { verifier: gig.verifier },
  };
}
