import { z } from '@hono/zod-openapi';
import type { Account } from '../../../domain/account.ts';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { listOwners, prepareOwner } from '../../../services/gigs/owners.ts';
import { GIG_ID_IN_PATH, gigPath } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { accountIdField, accountPlatformField, foundField } from '../fields.ts';
import { dataOf, GIG_MISSING, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';
import { accountShape } from './gig-json.ts';

const ownerSchema = z
  .object({
    gig_id: z.int().openapi({ description: 'The gig that the account owns.' }),
    platform: accountPlatformField,
    platform_user_id: accountIdField,
    username: z.string().nullable().openapi({ description: 'The handle, if it was given.' }),
  })
  .openapi('GigOwner', { description: 'An account that may command a gig.' });

function renderOwner(gigId: number, { platform, platformUserId, username }: Account) {
  return { gig_id: gigId, platform: platformFacts(platform).slug, platform_user_id: platformUserId, username };
}

export const LIST_GIG_OWNERS = defineOperation({
  id: 'listGigOwners',
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/owners',
  tag: 'Gigs',
  scope: 'gigs:read',
  summary: 'The owners of a gig',
  description: 'In the order in which they were added. Only for gigs of the key’s client.',
  params: gigPath,
  answer: { status: 200, says: 'The owners', schema: dataOf(foundField(ownerSchema)) },
  refuses: [GIG_ID_IN_PATH, GIG_MISSING],
  run: (deps, { params: { id: gigId }, actor }) => listOwners(deps, { gigId, actor }),
  render: (owners, { params: { id } }) => ({ data: owners.map((owner) => renderOwner(id, owner)) }),
});

export const ADD_GIG_OWNER = defineOperation({
  id: 'addGigOwner',
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/owners',
  tag: 'Gigs',
  scope: 'gigs:write',
  summary: 'Let an account command a gig',
  description: 'The account is identified by its id, not by its handle. Adding an owner again changes nothing.',
  params: gigPath,
  body: jsonBody(bodyOf(accountShape), 'AddOwnerRequest', 'The account that becomes an owner.', {
    platform: 'x',
    platform_user_id: '1234567890123456789',
    username: 'alice',
  }),
  answer: { status: 201, says: 'The account owns the gig', schema: dataOf(ownerSchema) },
  refuses: [{ code: 'validation_failed', details: ['platform must be one of farcaster, x, twitter'] }, GIG_MISSING],
  mcp: { place: 14 },
  prepare: (_deps, { params: { id: gigId }, body, actor }) => prepareOwner({ gigId, owner: camelKeys(body), actor }),
  render: (owner, { params: { id } }) => ({ data: renderOwner(id, owner) }),
});
