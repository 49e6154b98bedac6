import { AdapterError } from '../../domain/errors.ts';
import { badAnswer, type Call } from '../failure.ts';

/**
 * The names that X is asked by and answers in: `post` since August 2026 (`post.fields`, X's OpenAPI 2.167), `tweet` before
 * (`tweet.fields`). An unknown parameter, or a value in the wrong one, is no error: the field is absent.
 */
export type Vocabulary = 'post' | 'tweet';

type Query = Readonly<Record<string, string>>;

/**
 * What a post is asked for with; without it X leaves all but id and text out. In the new vocabulary the author, the
 * edit history and the references are expansions and no fields.
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

/** What the bot's own posts are asked for with, to see which posts they answer. */
export const OWN_POST_QUERY: Readonly<Record<Vocabulary, Query>> = {
  post: { 'post.fields': 'conversation_id', expansions: 'referenced_posts' },
  tweet: { 'tweet.fields': 'conversation_id,referenced_tweets' },
};

const OTHER: Readonly<Record<Vocabulary, Vocabulary>> = { post: 'tweet', tweet: 'post' };

/** One question to X that both vocabularies can put. */
export interface Question<T> {
  readonly call: Call;
  read(vocabulary: Vocabulary): Promise<T>;
  /** The names of the fields that are absent and would have to be there. */
  missing(answer: T): readonly string[];
}

/** Asks X in the vocabulary that it last understood. */
export interface Interpreter {
  /**
   * The answer in which nothing is missing. When the first lacks something, or the question is refused as malformed, it is
   * put in the other vocabulary, which is then kept.
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
 * Begins with the new vocabulary, because X documents the old one nowhere any more, so that it may end on any day; it
 * costs the read of a referenced post more. Never both at once: what X makes of that is not known.
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
