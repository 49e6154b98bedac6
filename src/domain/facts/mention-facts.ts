import { authorOf, MENTION_STATES, type MentionRecord, type MentionState, mentionFault } from '../mentions/mention.ts';
import { isoText } from '../time.ts';
import { type Fact, fact } from './fact.ts';

const STATES: Readonly<Record<MentionState, string>> = {
  received: 'waiting for an answer',
  answered: 'carried out, and its reply is sent or waits in the list of replies',
  ignored: 'not answered, by rule',
  failed: 'could not be answered',
};

/** What the states of mentions are, by the names that a list of them shows. */
export function mentionStateWords(nameOf: (state: MentionState) => string): string {
  return MENTION_STATES.map((state) => `${nameOf(state)}: ${STATES[state]}`).join('; ');
}

/** The facts of a mention, without its state. */
export const MENTION_FACTS: readonly Fact<MentionRecord>[] = [
  fact('from', (mention) => ({ account: { ...authorOf(mention), username: mention.authorUsername } }), {
    json: ({ authorId, authorUsername }) => ({ author_id: authorId, author_username: authorUsername }),
  }),
  fact('text', ({ text }) => ({ text }), { json: 'text' }),
  fact('platform', ({ platform }) => ({ platform }), { json: 'platform' }),
  fact('post', ({ postId }) => ({ whole: postId }), { json: 'post_id' }),
  fact('posted', ({ postedAt }) => ({ moment: postedAt }), { json: 'posted_at' }),
  fact('received', ({ receivedAt, source }) => [{ moment: receivedAt }, `, by ${source}`], {
    json: ({ receivedAt, source }) => ({ received_at: isoText(receivedAt), source }),
  }),
  fact('attempts', ({ attempts }) => String(attempts), { json: ({ attempts }) => ({ attempts }) }),
  fact(
    'error',
    (mention) => {
      const fault = mentionFault(mention);
      return fault === null ? null : { problem: { foreign: fault } };
    },
    { json: ({ lastError }) => ({ last_error: lastError }) },
  ),
];
