import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { CHAINS, chainById } from '../../../domain/chains/chain.ts';
import { writeRules } from '../../../domain/earning/terms/rules-json.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn } from '../../../domain/earning/words/sentence.ts';
import { platformField, USER_ID_NOUNS, userIdFieldWith, usernameField } from '../../../domain/fields.ts';
import { awardableOf, GIG_STARTS, GIG_TYPES, type Gig, gigPhase } from '../../../domain/gigs/gig.ts';
import { awardsUntil, refundRecipient } from '../../../domain/gigs/gig-end.ts';
import { capitalized, gigTypeDisplay, gigTypeDisplays } from '../../../domain/gigs/gig-type.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { platformFacts, platformSlugs } from '../../../domain/platforms/platforms.ts';
import type { GigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { earningSchema, renderOverview, roundOf, rulesSchema } from '../earning/earning-json.ts';
import { gigIdField, refundNameField, tokenFields } from '../fields.ts';
import { iso, isoOrNull, isoTime } from '../schemas.ts';

const decimal = z.string().openapi({ description: 'Decimal text, in whole tokens.', example: '100' });
const milliseconds = z.int().openapi({ description: 'Milliseconds.' });

const displaySchema = z
  .object({
    icon: z.string().openapi({ description: 'The name of its icon.' }),
    label: z.string().openapi({ description: 'Its name on the platform.' }),
    filter_id: z.string().openapi({ description: 'The value to filter by.' }),
    with_input: z.boolean().openapi({ description: 'Whether it needs the URL of a post.' }),
    how_to_earn: z.string().openapi({ description: 'The task, if the gig does not say.' }),
    earning_criteria: z.string().openapi({ description: 'The condition for earning, if the gig does not say.' }),
    input_placeholder: z.string().openapi({ description: 'The placeholder of the input for that URL.' }),
  })
  .openapi('GigTypeDisplay', { description: 'How a gig type is shown on one platform.' });

/** A gig, as published clients know it. */
export const gigSchema = z
  .object({
    id: gigIdField,
    created_at: isoTime.openapi({ description: 'When it was created.' }),
    start_time_ms: milliseconds,
    end_time_ms: milliseconds,
    duration_ms: milliseconds,
    amount: decimal,
    payout_interval_ms: milliseconds
      .nullable()
      .openapi({ description: 'How long a round is at whose end its part is divided; null for every other rule.' }),
    title: z
      .string()
      .nullable()
      .openapi({ description: 'Its title, as its terms say; null without one.', example: null }),
    name: z.string().openapi({ description: 'Its name on pages: its title, or the first words of `how_to_earn`.' }),
    how_to_earn: z.string().openapi({ description: 'The task, in words.' }),
    earning_criteria: z
      .string()
      .openapi({ description: 'The condition for earning, in words; made from `earning_rules` if there are any.' }),
    earning_rules: rulesSchema.nullable().openapi({
      description:
        'The rules by which the service itself watches and awards, filled in; null when tips are awarded by request alone.',
    }),
    earning: earningSchema.nullable().openapi({ description: 'The earnings by the rules so far; null without them.' }),
    ticker: z.string().openapi({ description: 'The symbol of its token.' }),
    gigbot_transactions_id: z
      .int()
      .nullable()
      .openapi({ description: 'The transaction that its start recorded; null before the start.' }),
    platform: z.enum(platformSlugs()).openapi({ description: 'The platform on which it is earned.' }),
    external_url: z.string().nullable().openapi({
      description: 'The post that it is about, if any; the last part of the path is the id or hash of the post.',
      example: 'https://x.com/alice/status/1541815603606036480',
    }),
    keyword: z.string().nullable().openapi({
      description:
        'The word that is watched for by the rules of a mention gig, in lower case; null when there is none.',
      example: '$usdc',
    }),
    gig_address: z.string().openapi({ description: 'Its own wallet.' }),
    total_balance: decimal.openapi({ description: 'The reward that is not awarded yet, in whole tokens.' }),
    status: z.enum(['created', 'live', 'ended', 'cancelled']).openapi({
      description: '`live`: started and not ended, also before its window begins. `cancelled`: ended without a start.',
    }),
    start: z.enum(GIG_STARTS).openapi({
      description: 'How it starts: by a request alone, or also by the service itself when it is funded.',
    }),
    start_until: isoTime.nullable().openapi({
      description: 'Until when the service checks its wallet to start it automatically; null when it does not.',
    }),
    start_refusal: z.string().nullable().openapi({
      description: 'The error code of the last try to start it automatically, which is repeated; null without one.',
      example: null,
    }),
    refund_address: z.string().nullable().openapi({
      description: 'The address to which unawarded funds return, EIP-55 checksummed; null when it is not set.',
    }),
    refund_name: refundNameField,
    award_days: z.int().openapi({ description: 'For how many days after its end tips can be awarded.' }),
    awards_until: isoTime
      .nullable()
      .openapi({ description: 'Until when tips can be awarded, by its end as it is now; null before its start.' }),
    owners_may_award: z.boolean().openapi({
      description: 'Whether its owners may also award, decide and change it when they sign in to the pages.',
    }),
    stopped_at: isoTime.nullable().openapi({ description: 'When it was ended before its time; null otherwise.' }),
    settled_at: isoTime
      .nullable()
      .openapi({ description: 'When its books were closed, and nothing is awarded any more; null before.' }),
    cancelled_at: isoTime.nullable().openapi({ description: 'When it was cancelled; null otherwise.' }),
    token: z
      .object({
        id: tokenFields.id,
        image_url: tokenFields.image_url,
        symbol: z.string().openapi({ description: 'Its symbol.' }),
        coingecko_id: tokenFields.coingecko_id,
        address: z.string().openapi({ description: 'EIP-55 checksummed.' }),
        decimals: tokenFields.decimals,
      })
      .openapi({ description: 'The token of the reward.' }),
    chain: z
      .object({
        id: z.int().openapi({ description: 'The chain id.' }),
        name: z.enum(CHAINS.map(({ key }) => key)).openapi({ description: 'The key of the chain.' }),
        image_url: z.string().openapi({ description: 'Always empty.' }),
        chain_id: z.int().openapi({ description: 'The chain id.' }),
      })
      .openapi({ description: 'The chain of the token.' }),
    gig_type: z
      .object({
        id: z.enum(GIG_TYPES).openapi({ description: 'The name of the type.' }),
        display: z
          .object(Object.fromEntries(platformSlugs().map((slug) => [slug, displaySchema])))
          .openapi({ description: 'How it is shown on each platform.' }),
      })
      .openapi({ description: 'The act that earns tips from the gig.' }),
    action_params: z
      .record(z.string(), z.string())
      .openapi({ description: '`verifier`: the party that checks the work, if given.' }),
  })
  .openapi('Gig', { description: 'A campaign with its own wallet.' });

function renderToken({ token }: Gig) {
  const { id, imageUrl, symbol, coingeckoId, address, decimals } = token;
  return { id, image_url: imageUrl, symbol, coingecko_id: coingeckoId, address: checksummed(address), decimals };
}

function renderChain({ token: { chainId } }: Gig) {
  return { id: chainId, name: chainById(chainId)?.key ?? String(chainId), image_url: '', chain_id: chainId };
}

/** A gig's record at `now`; its type supplies the texts that it lacks. `earning` is absent for a manual gig. */
export function renderGig(gig: Gig, { now, earning }: { now: number; earning: GigEarning | null | undefined }) {
  const { decimals, symbol } = gig.token;
  const phase = gigPhase(gig, now);
  const display = gigTypeDisplay(gig.gigType, gig.platform);
  const recipient = refundRecipient(gig);
  return {
    id: gig.id,
    created_at: iso(gig.createdAt),
    start_time_ms: gig.startTime,
    end_time_ms: gig.endTime,
    duration_ms: gig.duration,
    amount: formatAmount(gig.rewardAmount, decimals),
    payout_interval_ms: earning ? roundOf(earning.rules) : null,
    title: gig.title,
    name: gigName(gig, earning?.target ?? null),
    how_to_earn: howToEarn(gig, earning?.target ?? null),
    earning_criteria: gig.earningCriteria ?? display.earning_criteria,
    earning_rules: earning ? writeRules(earning.rules, decimals) : null,
    earning: earning ? renderOverview(earning, decimals) : null,
    ticker: symbol,
    gigbot_transactions_id: gig.transactionId,
    platform: platformFacts(gig.platform).slug,
    external_url: gig.externalUrl,
    keyword: earning?.target.kind === 'keyword' ? earning.target.keyword : null,
    gig_address: checksummed(gig.walletAddress),
    total_balance: formatAmount(awardableOf(gig), decimals),
    status: phase === 'scheduled' ? 'live' : phase,
    start: gig.start,
    start_until: isoOrNull(gig.startUntil),
    start_refusal: gig.startRefusal,
    refund_address: recipient && checksummed(recipient),
    ...(gig.refundName !== null && { refund_name: gig.refundName }),
    award_days: gig.awardDays,
    awards_until: gig.status === 'live' ? iso(awardsUntil(gig)) : null,
    owners_may_award: gig.ownersMayAward,
    stopped_at: isoOrNull(gig.stoppedAt),
    settled_at: isoOrNull(gig.settledAt),
    cancelled_at: isoOrNull(gig.cancelledAt),
    token: renderToken(gig),
    chain: renderChain(gig),
    gig_type: { id: gig.gigType, display: gigTypeDisplays(gig.gigType) },
    action_params: gig.verifier === null ? {} : { verifier: gig.verifier },
  };
}

/** An account, as clients name it. */
export const accountShape = {
  platform: platformField('platform').describe('The platform of the account; `x` and `twitter` mean the same.'),
  platform_user_id: userIdFieldWith('; GET /api/accounts finds the id of a handle').describe(
    `${capitalized(USER_ID_NOUNS)}; as a string if it has more than 15 digits.`,
  ),
  username: usernameField.describe('The handle, which is only a label.'),
};
