import { parseCommand } from '../src/bot/commands/index.ts';
import type { ActKind, Target } from '../src/domain/earning/act.ts';
import { openText } from '../src/domain/earning/text.ts';
import type { NewAct } from './networks/farcaster-perform.ts';
import { BOT, PEOPLE } from './people.ts';
import type { readTargets, WatchedTarget } from './watched-gigs.ts';

const WITH_TEXT = ['quote', 'reply', 'mention'] as const;
const WITHOUT_TEXT = ['like', 'recast', 'follow', 'unlike', 'unrecast', 'unfollow', 'delete'] as const;
/** What a person can do about a gig. */
export const VERBS = [...WITHOUT_TEXT, ...WITH_TEXT] as const;
export type Verb = (typeof VERBS)[number];

/** What a person is to do about which gig. */
export interface Asked {
  readonly who: string;
  readonly verb: Verb;
  /** The text of a quote, a reply or a mention; null for other verbs. */
  readonly text: string | null;
  readonly gigId: number;
}

/** Input that cannot be understood; its message says what would be right. */
export class ActError extends Error {
  override readonly name = 'ActError';
}

const NAMES = PEOPLE.map(({ name }) => name).join(', ');

/** Reads `farcaster alice like gig 5`. @throws ActError */
export function readAsked([network, who, verb, ...rest]: readonly string[]): Asked {
  if (network === 'x') throw new ActError('On X nothing is watched: only acts on farcaster are.');
  if (network !== 'farcaster')
    throw new ActError(`The first word is the network, farcaster; got ${network ?? 'none'}.`);
  if (who === undefined || !PEOPLE.some(({ name }) => name === who)) {
    throw new ActError(`The second word is who acts, one of ${NAMES}; got ${who ?? 'none'}.`);
  }
  const known = VERBS.find((one) => one === verb);
  if (known === undefined) {
    throw new ActError(`The third word is what to do, one of ${VERBS.join(', ')}; got ${verb ?? 'none'}.`);
  }
  const [word, id = ''] = rest.slice(-2);
  if (word !== 'gig' || !/^[1-9][0-9]{0,8}$/.test(id)) {
    throw new ActError(`The last two words are the gig, as in: gig 8; got ${rest.slice(-2).join(' ') || 'none'}.`);
  }
  const text = rest.slice(0, -2).join(' ').trim();
  const needsText = WITH_TEXT.some((one) => one === known);
  if (needsText && text === '')
    throw new ActError(`A ${known} needs a text, as in: ${known} "good morning" gig ${id}.`);
  if (!needsText && text !== '') throw new ActError(`${known} takes no text; leave out ${JSON.stringify(text)}.`);
  return { who, verb: known, text: needsText ? text : null, gigId: Number(id) };
}

/** The watched gig with this id. @throws ActError naming those that there are */
export function findWatchedTarget(gigs: Awaited<ReturnType<typeof readTargets>>, gigId: number): WatchedTarget {
  const found = gigs.find((gig) => gig.gigId === gigId);
  if (found !== undefined && found.target !== null) return found;
  const others = gigs.flatMap((gig) => (gig.target === null ? [] : gig.gigId)).join(', ');
  const right =
    others === '' ? 'no gig has any yet: press “Create a gig that pays likes” on the page' : `these have: ${others}`;
  const isThere = found !== undefined;
  throw new ActError(
    isThere
      ? `Gig ${gigId} has no rules, so the service does not watch it; ${right}.`
      : `There is no gig ${gigId}. What can be acted on has rules; ${right}.`,
  );
}

/** A cast as the door shows one, as far as it matters here. */
export interface ShownCast {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly url: string;
  readonly replyTo: string | null;
  readonly quotes: string | null;
}

/** What there is on Farcaster. */
export interface ActWorld {
  /** Oldest first. */
  readonly casts: readonly ShownCast[];
  readonly users: readonly { readonly id: string; readonly username: string }[];
}

/** A request to the door. */
export type ActRequest =
  | { readonly path: '/acts'; readonly body: NewAct }
  | { readonly path: '/posts'; readonly body: { author: string; text: string; replyTo?: string } };

const ACT_OF: Readonly<Record<Exclude<Verb, 'delete'>, ActKind>> = {
  like: 'like',
  unlike: 'like',
  recast: 'recast',
  unrecast: 'recast',
  quote: 'quote',
  reply: 'reply',
  mention: 'mention',
  follow: 'follow',
  unfollow: 'follow',
};
const RIGHT_VERBS: Readonly<Record<Target['kind'], string>> = {
  post: 'like, recast, quote, reply',
  account: 'follow, mention',
  keyword: 'mention',
};
const NOUNS: Readonly<Record<Target['kind'], string>> = { post: 'a cast', account: 'an account', keyword: 'a keyword' };

function usernameOf(accountId: string, { users }: ActWorld): string {
  return users.find(({ id }) => id === accountId)?.username ?? accountId;
}

/** Whether a cast answers, quotes or mentions what a gig is about. */
function isAbout(cast: ShownCast, target: Target, world: ActWorld): boolean {
  switch (target.kind) {
    case 'post':
      return cast.id === target.postId || cast.replyTo === target.postId || cast.quotes === target.postId;
    case 'account':
      return cast.text.toLowerCase().includes(`@${usernameOf(target.accountId, world).toLowerCase()}`);
    case 'keyword':
      return openText(cast.text).has(target.keyword);
  }
}

function mentioning(text: string, target: Exclude<Target, { kind: 'post' }>, world: ActWorld): string {
  if (target.kind === 'keyword') return openText(text).has(target.keyword) ? text : `${target.keyword} ${text}`;
  const handle = `@${usernameOf(target.accountId, world)}`;
  return text.toLowerCase().includes(handle.toLowerCase()) ? text : `${handle} ${text}`;
}

/** What to ask of the door, so that somebody does something about what a gig is about. @throws ActError */
export function planAct({ who, verb, text, gigId }: Asked, target: Target, world: ActWorld): ActRequest {
  const wrong = () =>
    new ActError(
      `Gig ${gigId} is about ${NOUNS[target.kind]}, which one can ${RIGHT_VERBS[target.kind]}; not ${verb}.`,
    );
  const words = text ?? '';
  switch (verb) {
    case 'like':
    case 'unlike':
    case 'recast':
    case 'unrecast':
      if (target.kind !== 'post') throw wrong();
      return { path: '/acts', body: { kind: verb, who, post: target.postId } };
    case 'quote':
      if (target.kind !== 'post') throw wrong();
      return { path: '/acts', body: { kind: verb, who, post: target.postId, text: words } };
    case 'reply':
      if (target.kind !== 'post') throw wrong();
      return { path: '/posts', body: { author: who, text: words, replyTo: target.postId } };
    case 'follow':
    case 'unfollow':
      if (target.kind !== 'account') throw wrong();
      return { path: '/acts', body: { kind: verb, who, account: target.accountId } };
    case 'mention':
      if (target.kind === 'post') throw wrong();
      return { path: '/posts', body: { author: who, text: mentioning(words, target, world) } };
    case 'delete': {
      const own = world.casts.findLast((cast) => cast.author === who && isAbout(cast, target, world));
      if (own === undefined) throw new ActError(`${who} has no cast about gig ${gigId} to delete.`);
      return { path: '/acts', body: { kind: 'delete', who, post: own.id } };
    }
  }
}

const UNCHANGED: Readonly<Partial<Record<Verb, string>>> = {
  like: 'likes the cast already',
  unlike: 'does not like the cast',
  recast: 'has recast it already',
  unrecast: 'has not recast it',
  follow: 'follows the account already',
  unfollow: 'does not follow the account',
};
const DONE: Readonly<Record<Verb, string>> = {
  like: 'liked the cast of',
  unlike: 'took back the like of the cast of',
  recast: 'recast the cast of',
  unrecast: 'took back the recast of the cast of',
  quote: 'quoted the cast of',
  reply: 'replied to the cast of',
  mention: 'mentioned what is asked for by',
  follow: 'followed the account of',
  unfollow: 'unfollowed the account of',
  delete: 'deleted the newest cast about',
};

/** The acts as which the service may know it: a direct reply, and what is said to the bot, can be a submission. */
function knownAs({ verb, text, gigId }: Asked, target: Target): readonly ActKind[] {
  if (verb === 'delete') return [];
  const command = parseCommand(text ?? '', BOT);
  const submits = command.name === 'submit' ? command.gigId === gigId : verb === 'reply' && target.kind === 'post';
  return submits ? [ACT_OF[verb], 'submission'] : [ACT_OF[verb]];
}

/** What happened, in a sentence, and a second one when the gig does not count it, or not yet. */
export function describeAct(
  asked: Asked,
  { counts, target, isStarted }: Pick<WatchedTarget, 'counts' | 'target' | 'isStarted'>,
  answer: { readonly changed: boolean; readonly url: string | null },
): string {
  const { who, verb, gigId } = asked;
  if (!answer.changed) return `Nothing changed: ${who} ${UNCHANGED[verb] ?? 'did nothing new'}.`;
  const link = answer.url === null ? '' : ` (${answer.url})`;
  const done = `${who} ${DONE[verb]} gig ${gigId}${link}.`;
  const isCounted = verb === 'delete' || knownAs(asked, target).some((kind) => counts.includes(kind));
  if (isCounted)
    return isStarted || verb === 'delete'
      ? done
      : `${done} Gig ${gigId} is not started: what is done before does not count.`;
  const right = counts.includes('submission') ? `"submit ${gigId} …", said to @${BOT.username}` : counts.join(' and ');
  return `${done} Gig ${gigId} does not count that: it counts ${right}.`;
}
