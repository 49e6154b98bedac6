import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { EVENT_TYPES } from '../../domain/events/event.ts';
import { platformNamed, platformSlugs } from '../../domain/platforms/platforms.ts';
import { parseOrThrow } from '../../domain/validation.ts';
import { GIG_PHASES } from '../../services/gigs/find-gigs.ts';
import type { AppEnv } from './context.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100;

const ID = /^[1-9][0-9]{0,14}$/;
export const GIG_ID_IN_PATH = 'The gig id in the path must be a positive whole number of at most 15 digits';
const STATUS = `status must be one of ${GIG_PHASES.join(', ')}`;
const PLATFORM_LIST = platformSlugs().join(', ');
const PLATFORMS = `platforms must be a comma-separated list of ${PLATFORM_LIST}`;
const ONE_PLATFORM = `platform must be one of ${PLATFORM_LIST}`;
const HANDLE = 'username must be a handle: 1 to 64 letters, digits, _, . or -';
const LIMIT = `limit must be a whole number from 1 to ${MAX_LIMIT}`;
export const CURSOR = 'cursor must be the next_cursor of the previous page';

/** The id of a gig in a path or a query. */
export const gigIdText = z.string().regex(ID, GIG_ID_IN_PATH).transform(Number);

/** The path parameter of every route about one gig. */
export const gigPath = z.object({
  id: gigIdText.openapi({ description: 'The id of the gig.', example: '1', pattern: ID.source }),
});

export const WEBHOOK_ID_IN_PATH = 'The webhook id in the path must be a positive whole number of at most 15 digits';

/** The path parameter of every route about one webhook. */
export const endpointPath = z.object({
  id: z
    .string()
    .regex(ID, WEBHOOK_ID_IN_PATH)
    .transform(Number)
    .openapi({ description: 'The id of the webhook.', example: '1', pattern: ID.source }),
});

/** The gig id in a path. @throws DomainError `invalid_request` when it is invalid */
export function gigIdOf(c: Context<AppEnv>): number {
  return parseOrThrow(gigPath, c.req.param()).id;
}

/** The `cursor` of a page's list; undefined on its first page. @throws DomainError `invalid_request` when it is invalid */
export function listCursor(c: Context<AppEnv>): number | undefined {
  return parseOrThrow(z.object({ cursor: cursorField }), c.req.query()).cursor;
}

/** The first value counts when the parameter is repeated. */
function once<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (Array.isArray(value) ? value[0] : value), schema);
}

export const cursorField = once(
  z
    .string()
    .refine((text) => ID.test(text), CURSOR)
    .optional()
    .transform((text) => (text === undefined ? undefined : Number(text))),
).openapi({ description: 'The next_cursor of the previous page.' });

/** The phase filter; the active gigs by default. */
export const phaseField = once(
  z
    .enum(GIG_PHASES, STATUS)
    .optional()
    .transform((phase) => phase ?? 'active'),
).openapi({
  description:
    '`active` (the default) is live and inside its window; `live` is started and not ended; `cancelled` never started, and `created` can still be.',
});

const TIP_STATUSES = ['pending', 'paid', 'void'] as const;

export const tipStatusField = once(
  z.enum(TIP_STATUSES, `status must be one of ${TIP_STATUSES.join(', ')}`).optional(),
).openapi({ description: 'Tips of this status alone.' });

/** One platform by any of its names. */
export const platformParameter = once(
  z.string(ONE_PLATFORM).transform((name, context) => {
    const platform = platformNamed(name);
    if (platform === undefined) context.addIssue({ code: 'custom', message: ONE_PLATFORM });
    return platform ?? z.NEVER;
  }),
).openapi({ type: 'string', description: `One of ${PLATFORM_LIST}.`, example: 'farcaster' });

/** A handle, without the `@` when parsed. */
export const handleField = once(
  z
    .string(HANDLE)
    .regex(/^@?[A-Za-z0-9_.-]{1,64}$/, HANDLE)
    .transform((name) => name.replace(/^@/, '')),
).openapi({ type: 'string', description: 'The handle, with or without an `@`.', example: 'alice' });

/** The platforms in a comma-separated list; undefined when absent. */
export const platformsField = once(
  z
    .string()
    .optional()
    .transform((text, context) => {
      const platforms = text?.split(',').map((name) => platformNamed(name.trim()));
      if (platforms?.includes(undefined) === true) context.addIssue({ code: 'custom', message: PLATFORMS });
      return platforms?.filter((platform) => platform !== undefined);
    }),
).openapi({
  description: `Comma-separated: ${PLATFORM_LIST}. All when absent.`,
  example: 'x,farcaster',
});

const limitField = once(
  z
    .string()
    .optional()
    .transform((text) => (text === undefined ? DEFAULT_LIMIT : /^[0-9]{1,3}$/.test(text) ? Number(text) : 0))
    .refine((limit) => limit >= 1 && limit <= MAX_LIMIT, LIMIT),
).openapi({
  type: 'integer',
  minimum: 1,
  maximum: MAX_LIMIT,
  description: `${DEFAULT_LIMIT} when absent.`,
  example: 20,
});

const GIG_ID = 'gig_id must be a positive whole number of at most 15 digits';
const TYPES = `types must be a comma-separated list of ${EVENT_TYPES.join(', ')}`;
const MAX_WAIT_SECONDS = 25;
const WAIT = `wait must be a whole number from 0 to ${MAX_WAIT_SECONDS}`;

export const eventQuery = z.object({
  after: once(
    z
      .string()
      .optional()
      .transform((text) => text ?? '0'),
  ).openapi({
    type: 'string',
    description:
      'The `next_after` of the previous answer. `0`, the default, is the beginning, and `latest` what comes from now on.',
  }),
  types: once(
    z
      .string()
      .optional()
      .transform((text, context) => {
        const named = text?.split(',').map((name) => name.trim()) ?? [];
        const types = EVENT_TYPES.filter((type) => named.includes(type));
        const isKnown = named.every((name) => types.some((type) => type === name));
        if (!isKnown) context.addIssue({ code: 'custom', message: TYPES });
        return types;
      }),
  ).openapi({ type: 'string', description: 'Comma-separated types. All when absent.', example: 'tips.awarded' }),
  gig_id: once(
    z
      .string()
      .refine((text) => ID.test(text), GIG_ID)
      .optional()
      .transform((text) => (text === undefined ? null : Number(text))),
  ).openapi({ type: 'integer', minimum: 1, description: 'Events of this gig alone.' }),
  limit: limitField,
  wait: once(
    z
      .string()
      .optional()
      .transform((text) => (text === undefined ? 0 : /^[0-9]{1,2}$/.test(text) ? Number(text) : -1))
      .refine((seconds) => seconds >= 0 && seconds <= MAX_WAIT_SECONDS, WAIT),
  ).openapi({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    description: 'For how many seconds the answer is held while there is no event. A client may hold two.',
  }),
});

export const pageQuery = z.object({
  limit: limitField,
  cursor: cursorField,
});
