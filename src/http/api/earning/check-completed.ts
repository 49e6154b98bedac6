import { z } from '@hono/zod-openapi';
import { hasCompleted } from '../../../services/gigs/show/check-completed.ts';
import { defineOperation } from '../define-operation.ts';
import { GIG_MISSING, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';

const GIG_ID = 'gigId must be a positive whole number of at most 15 digits';
const USER =
  'platformUserId must be a user id (a whole number of at most 20 digits) or a handle (1 to 64 letters, digits, _, . or -) on the gig’s platform';

const requestSchema = bodyOf({
  gigId: z
    .union([z.int(GIG_ID), z.string().regex(/^[1-9][0-9]{0,14}$/, GIG_ID)], GIG_ID)
    .transform(Number)
    .refine((id) => id > 0 && id < 1e15, GIG_ID)
    .openapi({ description: 'The id of the gig.' }),
  platformUserId: z
    .union([z.string(), z.int(USER).min(0, USER).transform(String)], USER)
    .refine((text) => /^(?:[0-9]{1,20}|@?[A-Za-z0-9_.-]{1,64})$/.test(text), USER)
    .openapi({ description: 'The id of the account, or its handle.' }),
});

export const CHECK_COMPLETED = defineOperation({
  id: 'checkCompleted',
  method: 'post',
  path: '/api/tasks/check-completed',
  tag: 'Gigs',
  scope: null,
  summary: 'Whether an account has earned from a gig',
  description:
    'An account has completed a gig when it has a tip from it, claimed or not, or did what the gig’s rules count and was not refused.',
  body: jsonBody(requestSchema, 'CheckCompletedRequest', 'A gig and an account.', {
    gigId: 42,
    platformUserId: '8004',
  }),
  answer: {
    status: 200,
    says: 'Whether the account has completed the gig',
    schema: z.object({
      success: z.literal(true).openapi({ description: 'Always true.' }),
      isCompleted: z.boolean().openapi({ description: 'Whether it has.' }),
    }),
  },
  refuses: [{ code: 'validation_failed', details: [GIG_ID] }, GIG_MISSING],
  run: (deps, { body: { gigId, platformUserId: who } }) => hasCompleted(deps, { gigId, who }),
  render: (isCompleted) => ({ success: true as const, isCompleted }),
});
