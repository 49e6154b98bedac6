import type { Timeline } from './timeline.ts';
import { toPostFacts, toUserObject, type XPostFacts } from './twitter-objects.ts';

/**
 * Which of X's two vocabularies the network understands: that of before August 2026 (`tweet.fields`), the new one
 * (`post.fields`), or both, as X does, whose answers follow the parameter that was sent.
 */
export type Dialect = 'old' | 'new' | 'both';

/** Parameters of a request that choose what is shown of a post. */
export interface FieldQuery {
  readonly 'post.fields'?: string | undefined;
  readonly 'tweet.fields'?: string | undefined;
  readonly expansions?: string | undefined;
}

/** What a request asks to be shown, in the one vocabulary it is answered in. */
export interface Asked {
  readonly names: Names;
  readonly fields: ReadonlySet<string>;
  readonly expansions: ReadonlySet<string>;
}

/** The names of one vocabulary, and what its parameters may hold. */
interface Names {
  readonly history: string;
  readonly references: string;
  /** In `includes`. */
  readonly posts: 'posts' | 'tweets';
  readonly fields: readonly string[];
  readonly expansions: readonly string[];
  /** What shows references: a field before, an expansion since. */
  readonly expandsReferences: string;
}

const SHARED_FIELDS = [
  ...['conversation_id', 'created_at', 'display_text_range', 'entities', 'lang', 'possibly_sensitive'],
  'reply_settings',
];

const OLD: Names = {
  history: 'edit_history_tweet_ids',
  references: 'referenced_tweets',
  posts: 'tweets',
  fields: [...SHARED_FIELDS, 'author_id', 'in_reply_to_user_id', 'referenced_tweets', 'note_tweet'],
  expansions: ['author_id', 'edit_history_tweet_ids', 'in_reply_to_user_id', 'referenced_tweets.id'],
  expandsReferences: 'referenced_tweets.id',
};

const NEW: Names = {
  history: 'edit_history_post_ids',
  references: 'referenced_posts',
  posts: 'posts',
  fields: [...SHARED_FIELDS, 'note_post'],
  expansions: ['author_id', 'edit_history_post_ids', 'in_reply_to_user_id', 'referenced_posts'],
  expandsReferences: 'referenced_posts',
};

function chosen(list: string | undefined, known: readonly string[]): ReadonlySet<string> {
  return new Set((list ?? '').split(',').filter((name) => known.includes(name)));
}

/** What a request asks for, as far as it is understood: an unknown parameter or value is passed over without a word. */
export function askedBy(query: FieldQuery, knows: Dialect): Asked {
  const names = knows === 'new' || (knows === 'both' && query['post.fields'] !== undefined) ? NEW : OLD;
  const fields = names === NEW ? query['post.fields'] : query['tweet.fields'];
  return { names, fields: chosen(fields, names.fields), expansions: chosen(query.expansions, names.expansions) };
}

/** Everything about a post, as X's Activity API shows it. Its documents have the old names still. */
export function eventPayload(post: XPostFacts, knows: Dialect): Record<string, unknown> {
  const { history, references, ...rest } = post;
  const names = knows === 'new' ? NEW : OLD;
  return {
    ...rest,
    [names.history]: history,
    ...(references.length === 0 ? {} : { [names.references]: references }),
  };
}

/** The name under which other posts come along with an event. */
export function postsAlong(knows: Dialect): 'posts' | 'tweets' {
  return (knows === 'new' ? NEW : OLD).posts;
}

/** A post with what was asked for; without it, its id and text, and by the old names its history. */
export function shownPost(post: XPostFacts, { names, fields, expansions }: Asked): Record<string, unknown> {
  const { history, references, ...rest } = post;
  const plain = Object.entries(rest).filter(([name]) => fields.has(name) || expansions.has(name));
  const showsHistory = names === OLD || expansions.has(names.history);
  const showsReferences = fields.has(names.references) || expansions.has(names.expandsReferences);
  return {
    id: post.id,
    text: post.text,
    ...Object.fromEntries(plain),
    ...(showsHistory ? { [names.history]: history } : {}),
    ...(showsReferences && references.length > 0 ? { [names.references]: references } : {}),
  };
}

/** The users and posts that come along with some posts. */
export function shownAlong(
  posts: readonly XPostFacts[],
  asked: Asked,
  timeline: Timeline,
): { includes?: Record<string, unknown> } {
  const { names, expansions } = asked;
  const authors = expansions.has('author_id') ? posts.map((post) => post.author_id) : [];
  const others = posts.flatMap(({ history, references }) => [
    ...(expansions.has(names.history) ? history : []),
    ...(expansions.has(names.expandsReferences) ? references.map(({ id }) => id) : []),
  ]);
  const users = [...new Set(authors)].map(timeline.user).filter((user) => user !== undefined);
  const along = [...new Set(others)].map(timeline.post).filter((post) => post !== undefined);
  if (users.length === 0 && along.length === 0) return {};
  return {
    includes: {
      ...(users.length === 0 ? {} : { users: users.map(toUserObject) }),
      ...(along.length === 0
        ? {}
        : { [names.posts]: along.map((post) => shownPost(toPostFacts(post, timeline), asked)) }),
    },
  };
}
