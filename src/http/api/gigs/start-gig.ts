import { z } from '@hono/zod-openapi';
import { DomainError } from '../../../domain/errors.ts';
import { prepareStart } from '../../../services/gigs/start-gig.ts';
import { defineOperation } from '../define-operation.ts';
import { gigIdField } from '../fields.ts';
import { CHAIN_AWAY, EXAMPLE_GIG, GIG_IN_PROGRESS, GIG_MISSING, NOT_FUNDED } from '../schemas.ts';

const SAMPLE = '{"gig_id": 123}';
const GIG_ID = `gig_id must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, as a JSON number`;

const startRequestSchema = z
  .object(
    { gig_id: z.int(GIG_ID).positive(GIG_ID).openapi({ description: 'The id of the gig.', example: 123 }) },
    `Body must be an object: send ${SAMPLE}`,
  )
  .openapi('StartGigRequest', { description: 'The gig to start.' });

const startedSchema = z
  .object({
    data: z
      .object({
        message: z.string().openapi({ description: 'A fixed text.', example: 'Gig started successfully' }),
        gig_id: gigIdField.openapi({ example: 123 }),
      })
      .openapi({ description: 'The result.' }),
  })
  .openapi('GigStarted', { description: 'The gig is live.' });

/** Answers `gig_already_live` for a gig that has ended, as the API is published. */
function asPublished(error: unknown): never {
  if (!(error instanceof DomainError) || error.refusal.code !== 'gig_ended') throw error;
  throw new DomainError({ ...error.refusal, code: 'gig_already_live' });
}

export const START_GIG = defineOperation({
  id: 'startGig',
  method: 'post',
  path: '/api/gigs/start',
  tag: 'Gigs',
  scope: 'gigs:write',
  summary: 'Start a funded gig',
  description:
    'Makes a created gig live once its wallet holds exactly its reward plus the platform fee. A start time that has ' +
    'passed becomes now, and the end moves with it.',
  body: { schema: startRequestSchema, sample: SAMPLE },
  inOneSentence: true,
  answer: { status: 200, says: 'The gig is live', schema: startedSchema },
  refuses: [
    GIG_ID,
    NOT_FUNDED,
    { code: 'gig_already_live', gigId: EXAMPLE_GIG },
    GIG_MISSING,
    GIG_IN_PROGRESS,
    CHAIN_AWAY,
  ],
  mcp: { place: 10, isFinal: true },
  async prepare(deps, { body: { gig_id: gigId }, actor, c }) {
    // Never the request id, which callers may choose: two equal ones would share the lock.
    const prepared = await prepareStart(deps, { gigId, holder: deps.newId(), actor }).catch(asPublished);
    return {
      ...prepared,
      commit: (tx, now) => prepared.commit(tx, now).catch(asPublished),
      done: () => c.get('request').log().info({ gigId, apiKeyId: actor.id }, 'gig started'),
    };
  },
  render: ({ id }) => ({ data: { message: 'Gig started successfully', gig_id: id } }),
});
