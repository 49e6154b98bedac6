import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { chainById } from '../../../domain/chains/chain.ts';
import { DRAW_STATES, lineOf } from '../../../domain/earning/payouts/draw.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { findDraw, findEntrants, type ShownDraw } from '../../../services/earning/award/show-draw.ts';
import { gigPath } from '../../middleware/parameters.ts';
import { streamText } from '../../stream-text.ts';
import { defineOperation } from '../define-operation.ts';
import { accountPlatformField, chainKeyField, gigIdField } from '../fields.ts';
import { type Cause, dataOf, GIG_MISSING, iso, isoOrNull, isoTime } from '../schemas.ts';

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' });

const winnerSchema = z
  .object({
    place: z.int().openapi({ description: 'The first is 1.' }),
    platform: accountPlatformField,
    platform_user_id: z.string().openapi({ description: 'Its id.' }),
    line: z.string().openapi({ description: 'Its line among the entrants.', example: 'farcaster:1001' }),
    ticket: sha256.openapi({ description: 'SHA-256 of the bytes of the seed and the line.' }),
  })
  .openapi('DrawWinner', { description: 'An account that was drawn.' });

const blockSchema = z
  .object({
    number: z.string().openapi({ description: 'Decimal text.', example: '36421337' }),
    hash: z.string().openapi({ description: 'Its hash, unknown when the entrants were fixed.' }),
    time: isoTime.openapi({ description: 'Its timestamp.' }),
  })
  .openapi('DrawBlock', { description: 'The block that decides.' });

const drawSchema = z
  .object({
    gig_id: gigIdField,
    state: z.enum(DRAW_STATES).openapi({
      description:
        '`closed`: the entrants no longer change; `fixed`: the hash of the entrants is known; `drawn`: the winners are.',
    }),
    draws_at: isoTime.openapi({ description: 'The draw comes no earlier.' }),
    places: z.int().openapi({ description: 'How many are drawn, if there are so many entrants.' }),
    commitment: sha256.openapi({ description: 'SHA-256 of the secret, known from the start of the gig.' }),
    entrants: z.int().nullable().openapi({ description: 'How many there are; null until they are fixed.' }),
    root: sha256.nullable().openapi({
      description:
        'SHA-256 of the text that `/draw/entrants` answers, byte for byte; null until they are fixed. Note it with the ' +
        'commitment before the block exists: both fix everything that decides.',
    }),
    root_version: z
      .int()
      .nullable()
      .openapi({
        description:
          '2: the root covers gig, chain, places, `not_before` and the entrants. 1, of earlier draws: the entrants ' +
          'alone, so also note `places` and `not_before`. Null until they are fixed.',
        example: 2,
      }),
    fixed_at: isoTime.nullable().openapi({ description: 'When they were fixed.' }),
    not_before: isoTime.nullable().openapi({
      description:
        'The block is the first of the chain with this timestamp or a later one: a minute after the later of `fixed_at` ' +
        'and the newest block of that moment.',
    }),
    chain_id: z.int().openapi({ description: 'The EIP-155 id of the chain.', example: 8453 }),
    chain: chainKeyField.openapi({ example: 'base' }),
    block: blockSchema.nullable().openapi({ description: 'Null before the draw.' }),
    secret: sha256.nullable().openapi({ description: 'Its bytes as hex; null before the draw.' }),
    seed: sha256.nullable().openapi({
      description: 'SHA-256 of the bytes of the secret, the hash of the block and the root; null before the draw.',
    }),
    drawn_at: isoTime.nullable().openapi({ description: 'Null before the draw.' }),
    prize: z
      .string()
      .nullable()
      .openapi({ description: 'The amount for each winner, in whole tokens; null before the draw.' }),
    winners: z
      .array(winnerSchema)
      .openapi({ description: 'By their tickets, the lowest first; none before the draw.' }),
  })
  .openapi('Draw', { description: 'The draw of a raffle, with all that is needed to repeat it.' });

function renderWinners({ winners }: ShownDraw) {
  return winners.map(({ place, platform, platformUserId, ticket }) => ({
    place,
    platform: platformFacts(platform).slug,
    platform_user_id: platformUserId,
    line: lineOf({ platform, platformUserId }),
    ticket,
  }));
}

function renderDraw(draw: ShownDraw) {
  const { gig, state, fixed, lot, prize } = draw;
  const { chainId, decimals } = gig.token;
  return {
    gig_id: gig.id,
    state,
    draws_at: iso(draw.drawsAt),
    places: draw.places,
    commitment: draw.commitment,
    entrants: fixed?.entrants ?? null,
    root: fixed?.root ?? null,
    root_version: fixed?.rootVersion ?? null,
    fixed_at: isoOrNull(fixed?.fixedAt ?? null),
    not_before: isoOrNull(fixed?.notBefore ?? null),
    chain_id: chainId,
    chain: chainById(chainId)?.key ?? String(chainId),
    block: lot && { number: String(lot.block.number), hash: lot.block.hash, time: iso(lot.block.at) },
    secret: draw.secret,
    seed: lot?.seed ?? null,
    drawn_at: isoOrNull(lot?.drawnAt ?? null),
    prize: prize === null ? null : formatAmount(prize, decimals),
    winners: renderWinners(draw),
  };
}

const ofDraw = { tag: 'Gigs', scope: null, method: 'get', params: gigPath } as const;
const refuses: readonly Cause[] = ['Gig 42 is no raffle, so it has no draw.', GIG_MISSING];

export const FIND_DRAW = defineOperation({
  ...ofDraw,
  id: 'findDraw',
  path: '/api/gigs/:id{[0-9]+}/draw',
  summary: 'The draw of a raffle, with its proof',
  description:
    'The hash of the secret from the start of the gig on, the hash of the entrants once they are fixed, and after the draw ' +
    'the secret, the block and the winners. With the entrants anyone can repeat it.',
  answer: { status: 200, says: 'The draw', schema: dataOf(drawSchema) },
  refuses,
  mcp: { place: 6 },
  run: (deps, { params: { id: gigId } }) => findDraw(deps, { gigId }),
  render: (draw) => ({ data: renderDraw(draw) }),
});

export const LIST_ENTRANTS = defineOperation({
  ...ofDraw,
  id: 'listEntrants',
  path: '/api/gigs/:id{[0-9]+}/draw/entrants',
  summary: 'The entrants of a raffle',
  description:
    'A first line `gig chain_id places not_before`, then a line `platform:id` for each entrant, in the order of their ' +
    'bytes. Each line ends with a line feed. SHA-256 of this text, byte for byte, is the `root` of the draw. A draw whose ' +
    '`root_version` is 1 has no first line.',
  answer: { status: 200, says: 'The lines', type: 'text/plain' },
  refuses,
  run: (deps, { params: { id: gigId } }) => findEntrants(deps, { gigId }),
  respond(text, { c }) {
    const headers = { ...c.get('request').headers, 'content-type': 'text/plain; charset=utf-8' };
    return c.body(streamText(text), 200, headers);
  },
});
