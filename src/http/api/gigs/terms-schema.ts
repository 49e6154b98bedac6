import { z } from '@hono/zod-openapi';
import type { Platform } from '../../../domain/account.ts';
import { criteriaField } from '../../../domain/earning/rules-field.ts';
import {
  addressField,
  amountField,
  countField,
  freeText,
  oneOf,
  platformField,
  userIdField,
  usernameField,
} from '../../../domain/fields.ts';
import { GIG_TYPES } from '../../../domain/gig.ts';
import { MAX_AWARD_DAYS } from '../../../domain/gig-end.ts';
import { FARCASTER } from '../../../domain/platforms.ts';
import { DURATIONS } from '../../../domain/terms.ts';

const CHAIN = 'chain must be the key of a chain, such as base';
const START_TIME = 'start_time must be an ISO 8601 time with its zone, such as 2027-03-01T15:00:00Z';

/** A time to the minute, which the schema's format does not know. */
const WITHOUT_SECONDS = /(T[0-9]{2}:[0-9]{2})(Z|[+-][0-9]{2}:[0-9]{2})$/;
/** An earlier start is a mistake, such as seconds that were taken for milliseconds. */
const FIRST_START = Date.UTC(2020, 0, 1);

const durationNames = Object.keys(DURATIONS) as (keyof typeof DURATIONS)[]; // exactly the keys of a literal

/** The terms of a gig as clients give them. */
export const termsShape = {
  chain: z.string(CHAIN).min(1, CHAIN).describe('The key of a chain that is enabled here.'),
  token_address: addressField('token_address').describe(
    'The contract of an ERC-20 token, or 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native asset of the chain.',
  ),
  amount: amountField('amount').describe(
    'The reward, in whole tokens; as a string for more digits than a JSON number holds.',
  ),
  start_time: z
    .string(START_TIME)
    .overwrite((text) => text.replace(WITHOUT_SECONDS, '$1:00$2'))
    .check(z.iso.datetime({ offset: true, error: START_TIME }))
    .transform((text) => Date.parse(text))
    .refine((time) => time >= FIRST_START, 'start_time must not be before the year 2020')
    .openapi({ format: 'date-time' })
    .describe('When earning begins; if the gig is started later, the time of its start.'),
  duration: oneOf('duration', ['1day', ...durationNames.slice(1)])
    .transform((name) => DURATIONS[name])
    .describe('How long tips can be earned; a month is 30 days.'),
  gig_type: oneOf('gig_type', GIG_TYPES).describe('What earns tips from the gig.'),
  how_to_earn: freeText('how_to_earn', 2_000).describe('What to do; the text of the gig type when absent.'),
  earning_criteria: criteriaField('earning_criteria').describe(
    'Who earns: words for people, or rules by which the service itself watches and awards, as an object or its JSON text. ' +
      'Without it a gig that can be watched has the default rules; `{"rule":{"type":"manual"}}` has none.',
  ),
  // The parsed URL, without the tabs and line breaks that URL parsers skip.
  url: freeText('url', 500)
    .transform((text) => (text === null ? null : (URL.parse(text)?.href ?? text)))
    .describe(
      'What the gig is about on its platform: a post, or for follow and mention gigs a profile; stored in its canonical ' +
        'form, without query and fragment.',
    ),
  // No `default`: generated clients would then have to send the field.
  platform: platformField('platform')
    .optional()
    .transform((platform): Platform => platform ?? FARCASTER.id)
    .describe('The platform on which it is earned; Farcaster when absent.'),
  verifier: freeText('verifier', 500).describe('Who or what checks a custom bounty.'),
  refund_address: addressField('refund_address')
    .nullish()
    .transform((address) => address ?? null)
    .describe(
      'The wallet to which what is left of the gig returns after its end, or all that it holds when it is cancelled. It ' +
        'cannot be changed once the wallet of the gig holds something.',
    ),
  award_days: countField('award_days', { least: 0, most: MAX_AWARD_DAYS }).describe(
    'For how many days after its end tips by request and decisions are taken; 14 by default for bounties and for gigs that ' +
      'are awarded by request, else 0.',
  ),
  keyword: freeText('keyword', 33).describe(
    'The word that a mention gig without url watches: 2 to 32 letters or digits; `$` and the symbol of the token when absent.',
  ),
};

/** An account, as clients name it. */
export const accountShape = {
  platform: platformField('platform').describe('The platform of the account; `x` and `twitter` mean the same.'),
  platform_user_id: userIdField.describe('A Farcaster FID or an X user id; as a string if it has more than 15 digits.'),
  username: usernameField.describe('The handle, which is only a label.'),
};
