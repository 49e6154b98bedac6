import { expect, test } from 'vitest';
import { parseClaim } from '../../src/domain/claims/claim.ts';
import { toPost } from '../../src/platforms/x/payload.ts';
import { readPost } from '../../src/platforms/x/post.ts';

const ADDRESS = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const COMMAND = `claim my rewards ${ADDRESS}`;

/** What a post on X, with these fields, claims. */
function claimOf(fields: Record<string, unknown>) {
  const id = '2080765813578191303';
  const post = { id, author_id: '2002', text: COMMAND, conversation_id: id, edit_history_post_ids: [id] };
  const read = readPost({ ...post, ...fields });
  const claimed = read === null ? null : toPost(read, undefined);
  if (claimed === null) throw new TypeError('no post');
  return parseClaim(claimed.text);
}

const note = (text: string) => ({ note_tweet: { text } });
const reply = { conversation_id: '1', referenced_tweets: [{ type: 'replied_to', id: '1' }] };

test('behavior: the command alone is a claim, also behind the handles that X puts before a reply', () => {
  expect(claimOf({})).toEqual({ address: ADDRESS });
  expect(claimOf(note(COMMAND))).toEqual({ address: ADDRESS });
  expect(claimOf({ ...reply, text: `@carol @mallory ${COMMAND}` })).toEqual({ address: ADDRESS });
  expect(claimOf({ ...reply, text: `@carol ${COMMAND}`, display_text_range: [7, 67] })).toEqual({ address: ADDRESS });
});

test.each([
  ['in the rest of a long post', note(`${COMMAND}\n\nis what a bot told me to post. Never do that!`)],
  ['quoted in a long post', note(`"${COMMAND}" is a scam`)],
  ['in a long post, of which X shows the beginning', { text: `${COMMAND}\n\n… https://t.co/abc` }],
  ['under somebody else’s words', { text: `carol says:\n${COMMAND}` }],
  ['with a link to what it quotes', { text: `${COMMAND} https://t.co/abc` }],
  ['after the handles of a reply and a quotation mark', { ...reply, text: `@carol > ${COMMAND}` }],
  ['in somebody else’s post that was reposted', { referenced_tweets: [{ type: 'retweeted', id: '1' }] }],
])('security: an address %s is paid nothing', (_, fields) => {
  expect(claimOf(fields)).toBe('not_a_claim');
});
