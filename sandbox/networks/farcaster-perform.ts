import { z } from 'zod';
import type { ActChange, Acts } from './farcaster-acts.ts';
import { findByUrl } from './farcaster-api.ts';
import { type NetworkPost, type NetworkUser, type NewPost, UnknownUserError } from './network.ts';
import type { Timeline } from './timeline.ts';

const who = z.string().min(1);
/** A cast's hash or its URL. */
const post = z.string().min(1);
/** When the sender claims that it happened, epoch ms; now when absent. */
const at = z.int().nonnegative().optional();

/** An act to be done by `who`, a FID or a username. An account deletes its own casts, or itself. */
export const newAct = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['like', 'unlike', 'recast', 'unrecast']), who, post, at }),
  z.strictObject({ kind: z.enum(['follow', 'unfollow']), who, account: who, at }),
  z.strictObject({ kind: z.literal('quote'), who, post, text: z.string(), at }),
  z.strictObject({ kind: z.literal('delete'), who, post: post.optional(), account: who.optional() }),
]);
export type NewAct = z.infer<typeof newAct>;

/** What an act changed, as a webhook may tell it. */
export type NetworkChange =
  | ActChange
  | { readonly type: 'cast.created' | 'cast.deleted'; readonly post: NetworkPost }
  | { readonly type: 'account.deleted'; readonly user: NetworkUser };

/** Does acts on a network. */
export interface Performer {
  /**
   * @returns null when it changed nothing, as a second like
   * @throws UnknownUserError, RangeError for a cast that is not there or that is another's
   */
  act(act: NewAct): NetworkChange | null;
}

const MEANINGS = {
  like: { kind: 'like', undo: false },
  unlike: { kind: 'like', undo: true },
  recast: { kind: 'recast', undo: false },
  unrecast: { kind: 'recast', undo: true },
  follow: { kind: 'follow', undo: false },
  unfollow: { kind: 'follow', undo: true },
} as const;

/** Performs acts on a timeline and a store of acts. */
export function createPerformer(parts: {
  timeline: Timeline;
  acts: Acts;
  clock: () => number;
  publish: (post: NewPost) => NetworkPost;
}): Performer {
  const { timeline, acts, clock, publish } = parts;

  function findUser(name: string): NetworkUser {
    const known = timeline.users().map(({ username }) => username);
    const found = timeline.user(name);
    if (found === undefined) throw new UnknownUserError(name, known);
    return found;
  }

  function findPost(reference: string): NetworkPost {
    const found = timeline.post(reference) ?? findByUrl(timeline, reference);
    if (found === undefined) throw new RangeError(`there is no cast ${reference}`);
    return found;
  }

  function deleteOwn(user: NetworkUser, reference: string): NetworkChange {
    const own = findPost(reference);
    if (own.author.id !== user.id) throw new RangeError(`cast ${own.id} is not ${user.username}'s`);
    timeline.remove(own.id);
    return { type: 'cast.deleted', post: own };
  }

  function deleteAccount(user: NetworkUser, account: string): NetworkChange {
    if (findUser(account).id !== user.id) throw new RangeError(`account ${account} is not ${user.username}'s`);
    timeline.removeUser(user.id);
    acts.removeUser(user.id);
    return { type: 'account.deleted', user };
  }

  function act(made: NewAct): NetworkChange | null {
    const user = findUser(made.who);
    switch (made.kind) {
      case 'quote': {
        const quoted = findPost(made.post).id;
        return {
          type: 'cast.created',
          post: publish({ author: user.id, text: made.text, quotes: quoted, at: made.at }),
        };
      }
      case 'delete':
        if ((made.post === undefined) === (made.account === undefined))
          throw new RangeError('delete a post or an account');
        return made.post === undefined ? deleteAccount(user, made.account ?? '') : deleteOwn(user, made.post);
      default: {
        const { kind, undo } = MEANINGS[made.kind];
        const targetId = 'post' in made ? findPost(made.post).id : findUser(made.account).id;
        const meant = { kind, targetId, userId: user.id, at: made.at ?? clock() };
        return undo ? acts.undo(meant) : acts.add(meant);
      }
    }
  }
  return { act };
}
