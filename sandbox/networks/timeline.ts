import type { NetworkPost, NetworkUser, NewPost } from './network.ts';
import { UnknownUserError } from './network.ts';

const HANDLE = /(?<![A-Za-z0-9_.@])@([A-Za-z0-9_][A-Za-z0-9_.-]*[A-Za-z0-9_]|[A-Za-z0-9_])/g;

/** A handle in a text, with its place in UTF-16 units, the `@` included. */
export interface Handle {
  readonly user: NetworkUser;
  readonly start: number;
  readonly end: number;
}

/** The people and posts of one network, in memory. */
export interface Timeline {
  addUser(user: NetworkUser): void;
  users(): readonly NetworkUser[];
  /** By id or, without case, by username. */
  user(who: string): NetworkUser | undefined;
  add(post: NewPost): NetworkPost;
  posts(): readonly NetworkPost[];
  post(id: string): NetworkPost | undefined;
  /** Whose post it is or, once it is deleted, was. */
  authorOf(id: string): NetworkUser | undefined;
  /** Direct replies, in the order in which they came. */
  repliesTo(id: string): NetworkPost[];
  /** Posts that embed this one, in the order in which they came. */
  quotesOf(id: string): NetworkPost[];
  /** Deletes a post; what answers or quotes it stays. @returns whether it was there */
  remove(id: string): boolean;
  /** Deletes an account with all its posts. */
  removeUser(id: string): void;
  /** The handles of known people in a text. */
  handles(text: string): Handle[];
  waitForReply(query: { to: string; by: string }, ms: number): Promise<NetworkPost | null>;
  /** Ends every wait. */
  close(): void;
}

/** An empty network. `newId` and `urlOf` are the platform's own. */
export function createTimeline(options: {
  clock: () => number;
  newId: (now: number) => string;
  urlOf: (post: { id: string; author: NetworkUser }) => string;
}): Timeline {
  const people = new Map<string, NetworkUser>();
  const posts = new Map<string, NetworkPost>();
  // By what they answer: a busy timeline has thousands of posts, and its replies are counted with each one shown.
  const replies = new Map<string, NetworkPost[]>();
  const quotes = new Map<string, NetworkPost[]>();
  const authors = new Map<string, NetworkUser>();
  const waiting = new Set<() => void>();

  function user(who: string): NetworkUser | undefined {
    const name = who.toLowerCase();
    return people.get(who) ?? [...people.values()].find((other) => other.username.toLowerCase() === name);
  }

  /** The ids of all versions, by each of them. */
  const histories = new Map<string, string[]>();

  function find(id: string): NetworkPost {
    const found = posts.get(id);
    if (found === undefined) throw new RangeError(`there is no post ${id}`);
    return found;
  }

  function add(post: NewPost): NetworkPost {
    const author = user(post.author);
    if (author === undefined)
      throw new UnknownUserError(
        post.author,
        [...people.values()].map(({ username }) => username),
      );
    const earlier = post.editOf === undefined ? null : find(post.editOf);
    const parentId = post.replyTo ?? earlier?.replyTo ?? null;
    const parent = parentId === null ? null : find(parentId);
    const quoted = post.quotes === undefined ? null : find(post.quotes).id;
    const now = options.clock();
    const id = options.newId(now);
    // All versions of a post share their history: X tells of the later ones under every id.
    const versions = histories.get(earlier?.id ?? '') ?? [];
    versions.push(id);
    histories.set(id, versions);
    const made: NetworkPost = {
      id,
      author,
      text: post.text,
      replyTo: parent?.id ?? null,
      quotes: quoted,
      ...(post.embeds !== undefined && post.embeds.length > 0 && { embeds: post.embeds }),
      threadId: parent?.threadId ?? earlier?.threadId ?? id,
      createdAt: post.at ?? now,
      versions,
      url: options.urlOf({ id, author }),
    };
    posts.set(id, made);
    authors.set(id, author);
    if (made.replyTo !== null) replies.set(made.replyTo, [...(replies.get(made.replyTo) ?? []), made]);
    if (quoted !== null) quotes.set(quoted, [...(quotes.get(quoted) ?? []), made]);
    for (const wake of [...waiting]) wake();
    return made;
  }

  function repliesTo(id: string): NetworkPost[] {
    return [...(replies.get(id) ?? [])];
  }

  function remove(id: string): boolean {
    const removed = posts.get(id);
    if (removed === undefined) return false;
    posts.delete(id);
    const without = (all: Map<string, NetworkPost[]>, key: string | null) => {
      if (key !== null)
        all.set(
          key,
          (all.get(key) ?? []).filter((post) => post.id !== id),
        );
    };
    without(replies, removed.replyTo);
    without(quotes, removed.quotes);
    return true;
  }

  return {
    addUser: (added) => {
      people.set(added.id, added);
    },
    users: () => [...people.values()],
    user,
    add,
    posts: () => [...posts.values()],
    post: (id) => posts.get(id),
    authorOf: (id) => authors.get(id),
    repliesTo,
    quotesOf: (id) => [...(quotes.get(id) ?? [])],
    remove,
    removeUser: (id) => {
      for (const post of [...posts.values()]) if (post.author.id === id) remove(post.id);
      people.delete(id);
    },
    handles: (text) =>
      [...text.matchAll(HANDLE)].flatMap((match) => {
        const named = user(match[1] ?? '');
        return named === undefined ? [] : [{ user: named, start: match.index, end: match.index + match[0].length }];
      }),
    waitForReply: ({ to, by }, ms) => {
      const look = () => repliesTo(to).find((post) => post.author.id === by) ?? null;
      return new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve(look());
        };
        const wake = () => {
          if (look() !== null) finish();
        };
        const timer = setTimeout(finish, ms);
        waiting.add(wake);
        wake();
      });
    },
    close: () => {
      for (const wake of [...waiting]) wake();
    },
  };
}
