import { z } from '@hono/zod-openapi';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { amountProblem } from '../../../domain/fields.ts';
import { TERMS } from '../../../domain/gigs/terms.ts';
import { changeGig, changeProblems, findChangeableGig } from '../../../services/gigs/change-gig.ts';
import { findGigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { CHAIN_AWAY, EXAMPLE_GIG, GIG_IN_PROGRESS, GIG_MISSING, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';
import { gigSchema, renderGig } from './gig-json.ts';

/** Every term is optional: an absent one stays. */
const changeSchema = bodyOf(TERMS).partial();
const TERM_NAMES = Object.keys(TERMS).join(', ');

/** Parsing fills absent fields with the defaults of a new gig. */
function namedIn<Fields extends object>(body: object, fields: Fields) {
  const named = Object.entries(fields).filter(([name]) => Object.hasOwn(body, name));
  // JSON has no undefined.
  return Object.fromEntries(named) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

function nameProblems(body: object): string[] {
  const names = Object.keys(body);
  const unknown = names.filter((name) => !Object.hasOwn(TERMS, name));
  return [
    ...unknown.map(
      (name) => `${JSON.stringify(name.slice(0, 40))} is not a term of a gig; the terms are ${TERM_NAMES}`,
    ),
    ...(names.length === 0 ? [`the body must name at least one term to change: ${TERM_NAMES}`] : []),
  ];
}

export const CHANGE_GIG = defineOperation({
  id: 'changeGig',
  method: 'patch',
  path: '/api/gigs/:id{[0-9]+}',
  tag: 'Gigs',
  scope: 'gigs:write',
  summary: 'Change the terms of a gig that is not live',
  description: 'Only the given terms change; all terms are validated as for a new gig.',
  params: gigPath,
  body: jsonBody(changeSchema, 'ChangeGigRequest', 'The terms to change.', { amount: 20, duration: '2weeks' }),
  answer: {
    status: 200,
    says: 'The changed gig, and the funding that it needs',
    schema: z.object({ data: gigSchema, funding: fundingSchema }),
  },
  refuses: [
    { code: 'validation_failed', details: [amountProblem('amount')] },
    { code: 'gig_already_live', gigId: EXAMPLE_GIG },
    { code: 'gig_ended', gigId: EXAMPLE_GIG },
    GIG_MISSING,
    { code: 'chain_not_found' },
    { code: 'token_not_found', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', chainKey: 'base' },
    GIG_IN_PROGRESS,
    CHAIN_AWAY,
    { code: 'platform_unreachable', platform: 'farcaster', retryAfter: 5 },
  ],
  mcp: { place: 9 },
  async problems(deps, { fields, sent, actor, c }) {
    // An unknown or live gig is refused first.
    const gig = await findChangeableGig(deps, { gigId: gigIdOf(c), actor });
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return [];
    return [...nameProblems(sent), ...changeProblems(deps, gig, camelKeys(namedIn(sent, fields)))];
  },
  async run(deps, { params: { id: gigId }, body, actor, c }) {
    const changes = camelKeys(namedIn(await c.req.json(), body));
    const gig = await changeGig(deps, { gigId, changes, actor });
    return { gig, earning: await findGigEarning(deps, gig), now: deps.clock() };
  },
  render: ({ gig, ...shown }) => ({ data: renderGig(gig, shown), funding: renderFunding(gig) }),
});
