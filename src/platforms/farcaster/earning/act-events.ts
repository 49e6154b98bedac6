import { z } from 'zod';
import type { Act, ActEvent, ActKind } from '../../../domain/earning/act.ts';
import { FARCASTER } from '../../../domain/platforms/platforms.ts';
import { entriesOf, lenient } from '../../payload.ts';
import { castHash, type FarcasterBot, fid } from '../payload.ts';
import { type ActCast, account, actCast, castAct, claimedTime } from './act-lists.ts';

type Towards = ActEvent['towards'];

// The shapes of Neynar's events: SDK, build/types/webhooks.d.ts. Of a reaction 1 is a like and 2 a recast.
/** Neynar has announced to end `cast` in favor of `target`, which it has sent beside it since September 2025. */
const reactedTo = lenient(z.object({ hash: castHash }));
const reactionEvent = z.object({
  type: z.literal('reaction.created'),
  data: z.object({
    reaction_type: z.literal([1, 2]),
    user: account,
    target: reactedTo,
    cast: reactedTo,
    timestamp: lenient(z.string()),
  }),
});
const followEvent = z.object({
  type: z.enum(['follow.created', 'follow.deleted']),
  data: z.object({ user: account, target_user: z.object({ fid }), timestamp: lenient(z.string()) }),
});
const quotedCast = lenient(z.object({ hash: castHash }));
/** The hash of a quoted cast; undefined for any other embed, such as a link: most are one, and a caught error takes 2 µs. */
const embed = z
  .object({ cast_id: quotedCast, cast: quotedCast })
  .transform(({ cast_id, cast }) => cast_id?.hash ?? cast?.hash);
const castEvent = z.object({
  type: z.literal('cast.created'),
  data: actCast.extend({ embeds: lenient(entriesOf(embed)) }),
});
const event = z.discriminatedUnion('type', [reactionEvent, followEvent, castEvent]);

function toEvent(act: Act, towards: Towards, isUndone = false): ActEvent {
  return { kind: 'act', platform: FARCASTER.id, act, isUndone, towards };
}

function toAct(
  kind: ActKind,
  { user, timestamp }: { user: z.infer<typeof account>; timestamp?: string | undefined },
): Act {
  const { fid: id, username = null } = user;
  return { kind, accountId: String(id), username, objectId: '', actedAt: claimedTime(timestamp), text: null };
}

const toPosts = (ids: readonly string[]): Towards => ids.map((id) => ({ kind: 'post', id }));

/** One cast may be a reply, a quote and a mention at once. */
function castEvents(cast: ActCast & { embeds?: readonly string[] | undefined }, bot: FarcasterBot): ActEvent[] {
  const { parent_hash, embeds = [], mentioned_profiles = [] } = cast;
  const quoted = toPosts(embeds);
  const named: Towards = mentioned_profiles.flatMap((user) =>
    user === undefined ? [] : [{ kind: 'account', id: String(user.fid) }],
  );
  const act = castAct('mention', cast, bot);
  return [
    ...(parent_hash === undefined ? [] : [toEvent({ ...act, kind: 'reply' }, toPosts([parent_hash]))]),
    ...(quoted.length === 0 ? [] : [toEvent({ ...act, kind: 'quote' }, quoted)]),
    toEvent(act, named),
  ];
}

/**
 * The acts that a webhook's body reports; empty for every other event. That a reaction or cast was deleted is not
 * asked for: a sweep finds it, and only an unfollow refuses by itself.
 */
export function parseActEvents(body: unknown, bot: FarcasterBot): ActEvent[] {
  const told = event.safeParse(body).data;
  switch (told?.type) {
    case 'reaction.created': {
      const { data } = told;
      const hash = (data.target ?? data.cast)?.hash;
      if (hash === undefined) return [];
      return [toEvent(toAct(data.reaction_type === 1 ? 'like' : 'recast', data), toPosts([hash]))];
    }
    case 'follow.created':
    case 'follow.deleted': {
      const followed = [{ kind: 'account', id: String(told.data.target_user.fid) }] as const;
      return [toEvent(toAct('follow', told.data), followed, told.type === 'follow.deleted')];
    }
    case 'cast.created':
      return castEvents(told.data, bot);
    case undefined:
      return [];
  }
}
