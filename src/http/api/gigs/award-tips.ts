import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { addressField, amountField } from '../../../domain/fields.ts';
import { parse } from '../../../domain/validation.ts';
import { commandGig } from '../../../services/gigs/command-gig.ts';
import { awardTips, batchProblems, MAX_TIPS } from '../../../services/gigs/tips/award-tips.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { renderTips, tipSchema } from '../claims/tip-json.ts';
import { defineOperation } from '../define-operation.ts';
import { foundField, remainingField } from '../fields.ts';
import { EXAMPLE_GIG, GIG_MISSING, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';
import { accountShape } from './gig-json.ts';

const TIPS = `tips must be a list of 1 to ${MAX_TIPS} tips`;

const tipRequestSchema = z.object(
  {
    ...accountShape,
    value: amountField('value').describe('In whole tokens; as a string for more digits than a JSON number holds.'),
    user_address: addressField('user_address')
      .nullish()
      .transform((address) => address ?? null)
      .describe('The address of the account, if it is known.'),
  },
  'must be an object',
);

const batchSchema = bodyOf(
  {
    tips: z
      .array(tipRequestSchema, TIPS)
      .min(1, TIPS)
      .max(MAX_TIPS, TIPS)
      .openapi({ description: 'At most one per account.' }),
  },
  TIPS,
);

/** Of a batch in which a tip is malformed. */
function readTips(body: unknown) {
  const tips: unknown = typeof body === 'object' && body !== null && 'tips' in body ? body.tips : null;
  return Array.isArray(tips) && tips.length <= MAX_TIPS
    ? tips.map((tip) => camelKeys(parse(tipRequestSchema, tip).fields))
    : [];
}

export const AWARD_TIPS = defineOperation({
  id: 'awardTips',
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/tips',
  tag: 'Gigs',
  scope: 'tips:write',
  summary: 'Award tips from a live gig',
  description:
    `At most ${MAX_TIPS} tips, at most one per account; either all are awarded or none. The tips of a gig never exceed its reward. ` +
    'A username is only a label, for an account that has none yet; the account is identified by its id. A handle that another account holds is ignored.',
  params: gigPath,
  body: jsonBody(batchSchema, 'AwardTipsRequest', 'The tips to award.', {
    tips: [{ platform: 'farcaster', platform_user_id: '8004', username: 'alice', value: 12.5 }],
  }),
  answer: {
    status: 201,
    says: 'All tips are awarded',
    schema: z.object({ data: foundField(tipSchema), remaining: remainingField }),
  },
  refuses: [
    { code: 'validation_failed', details: [TIPS] },
    { code: 'gig_not_running', gigId: EXAMPLE_GIG, phase: 'created' },
    { code: 'tips_by_rules_only', gigId: EXAMPLE_GIG },
    { code: 'reward_exceeded', gigId: EXAMPLE_GIG, left: '5', symbol: 'DEGEN' },
    GIG_MISSING,
  ],
  mcp: { place: 15, isFinal: true },
  async problems({ store }, { fields: { tips }, sent, actor, c }) {
    const problems = batchProblems(tips?.map(camelKeys) ?? readTips(sent));
    // An unknown gig is refused first: without problems by the transaction that awards.
    if (tips === undefined || problems.length > 0) await commandGig(store, { gigId: gigIdOf(c), actor, act: 'award' });
    return problems;
  },
  prepare(_deps, { params: { id: gigId }, body, actor }) {
    const tips = body.tips.map(camelKeys);
    return {
      async commit(tx, now) {
        const awarded = await awardTips(tx, { gigId, tips }, { actor, now });
        return { ...awarded, rendered: await renderTips(awarded.tips, awarded.gig.token, () => tx.rest()) };
      },
    };
  },
  render: ({ gig, left, rendered }) => ({ data: rendered, remaining: formatAmount(left, gig.token.decimals) }),
});
