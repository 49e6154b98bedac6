import { AdapterError } from '../../domain/errors.ts';
import { badAnswer, type Call } from '../failure.ts';

/**
 * X's parameter and field names: `post` since August 2026 (`post.fields`, X's OpenAPI 2.167), `tweet` before
 * (`tweet.fields`). X does not reject an unknown parameter, or a value in the wrong one: the field is absent.
 */
export type Vocabulary = 'post' | 'tweet';

type Query = Readonly<Record<string, string>>;

/**
 * The query for a post; without it X returns only id and text. In the new vocabulary author, edit history and
 * references are expansions, not fields.
 */
export const POST_QUERY: Readonly<Record<Vocabulary, Query>> = {
  post: {
    'post.fields': 'conversation_id,created_at,display_text_range,entities,note_post',
    expansions: 'author_id,edit_history_post_ids,referenced_posts',
    'user.fields': 'username',
  },
  tweet: {
    'tweet.fields':
      'author_id,conversation_id,created_at,display_text_range,edit_history_tweet_ids,entities,note_tweet,referenced_tweets',
    expansions: 'author_id',
    'user.fields': 'username',
  },
};

/** The query for the bot's own posts, to see which posts they answer. */
export const OWN_POST_QUERY: Readonly<Record<Vocabulary, Query>> = {
  post: { 'post.fields': 'conversation_id', expansions: 'referenced_posts' },
  tweet: { 'tweet.fields': 'conversation_id,referenced_tweets' },
};

const OTHER: Readonly<Record<Vocabulary, Vocabulary>> = { post: 'tweet', tweet: 'post' };

/** A request to X in either vocabulary. */
export interface Question<T> {
  readonly call: Call;
  read(vocabulary: Vocabulary): Promise<T>;
  /** The names of required fields that are absent. */
  missing(answer: T): readonly string[];
}

/** Sends requests to X in the vocabulary that last worked. */
export interface Interpreter {
  /**
   * Returns a complete answer. When the first lacks fields, or the request is refused as malformed, it is sent in the
   * other vocabulary, which is then kept.
   * @throws AdapterError, `bad_response` with the missing fields when both answers lack some
   */
  ask<T>(question: Question<T>): Promise<T>;
}

type Tried<T> =
  | { readonly refusal: null; readonly answer: T; readonly lacks: readonly string[] }
  | { readonly refusal: AdapterError; readonly lacks: readonly string[] };

async function attempt<T>({ read, missing }: Question<T>, vocabulary: Vocabulary): Promise<Tried<T>> {
  try {
    const answer = await read(vocabulary);
    return { refusal: null, answer, lacks: missing(answer) };
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'rejected') return { refusal: error, lacks: [] };
    throw error;
  }
}

/**
 * Starts with the new vocabulary, although it costs an extra read of each referenced post: X no longer documents the
 * old one and may end it. Never sends both at once: X's behavior then is unknown.
 */
export function createInterpreter(): Interpreter {
  let spoken: Vocabulary = 'post';
  return {
    async ask(question) {
      const first = await attempt(question, spoken);
      if (first.refusal === null && first.lacks.length === 0) return first.answer;
      const other = OTHER[spoken];
      const second = await attempt(question, other);
      if (second.refusal === null && second.lacks.length === 0) {
        spoken = other;
        return second.answer;
      }
      const lacks = first.refusal === null ? first.lacks : second.lacks;
      if (first.refusal !== null && second.refusal !== null) throw first.refusal;
      throw badAnswer(question.call, `it lacks ${lacks.join(', ')}`);
    },
  };
}
