import { expect, test } from 'vitest';
import { postKey, type Records } from '../../sandbox/page/records.ts';
import { explainSilence } from '../../sandbox/silence.ts';
import type { MentionRecord, ReplyRecord } from '../../src/domain/mentions/mention.ts';
import { sampleMention } from '../support/store.ts';

const POST = { network: 'x', id: '77', text: '@GigClaim claims' } as const;
const MENTION: MentionRecord = {
  ...sampleMention({ platform: 'twitter', postId: '77', authorId: '2002', authorUsername: 'bob' }),
  id: 5,
  receivedAt: 2,
  source: 'webhook',
  state: 'received',
  attempts: 0,
  ignoreReason: null,
  lastError: null,
};
const REPLY: ReplyRecord = {
  id: 9,
  mentionId: 5,
  kind: 'answer',
  text: 'x',
  worth: 0,
  followUp: false,
  notice: null,
  heldFor: null,
  platform: 'twitter',
  createdAt: 3,
  state: 'queued',
  attempts: 1,
  postId: null,
  sentAt: null,
  lastError: null,
  mention: MENTION,
};

function records(mention: MentionRecord | null, reply: ReplyRecord | null): Pick<Records, 'mentions' | 'replies'> {
  return {
    mentions: new Map(mention === null ? [] : [[postKey('twitter', '77'), mention]]),
    replies: new Map(reply === null ? [] : [[5, reply]]),
  };
}

test.each<[why: string, isFinal: boolean, mention: Partial<MentionRecord> | null, reply: Partial<ReplyRecord> | null]>([
  ['The service has not received the post.', false, null, null],
  ['The post is received: the chain does not answer.', false, { lastError: 'the chain does not answer' }, null],
  ['The post is failed: given up.', true, { state: 'failed', lastError: 'given up' }, null],
  ['The service does not answer the post: its author has said stop.', true, { ignoreReason: 'opted_out' }, null],
  ['The reply is queued.', false, { state: 'answered' }, {}],
  ['The reply is queued, held for its thread.', false, { state: 'answered' }, { heldFor: 'thread' }],
  ['The reply is queued: 429.', false, { state: 'answered' }, { lastError: '429' }],
  ['The reply is failed: 403.', true, { state: 'answered' }, { state: 'failed', lastError: '403' }],
])('behavior: a post without a reply: %s', (why, isFinal, mention, reply) => {
  const found = records(mention && Object.assign({}, MENTION, mention), reply && Object.assign({}, REPLY, reply));
  expect(explainSilence(found, POST)).toEqual({ why, isFinal });
});

test('behavior: a post that does not name the bot is not for it', () => {
  const why = 'The post does not mention @gigclaim, so it is not for the bot.';
  expect(explainSilence(records(null, null), { network: 'x', id: '77', text: 'claims' })).toEqual({
    why,
    isFinal: true,
  });
});
