import { describe, expect, test } from 'vitest';
import type { ActKind, Target } from '../../../src/domain/earning/act.ts';
import { openActs } from '../acts.ts';
import { byPath, failureOf, json, openWire, type Reaction } from '../setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const OTHER = `0x${'d3'.repeat(20)}`;
const ON_CAST: Target = { kind: 'post', postId: HASH, authorId: '1001' };
const ON_ACCOUNT: Target = { kind: 'account', accountId: '1001' };
const ON_KEYWORD: Target = { kind: 'keyword', keyword: 'degen' };

/** Reads a page of acts, the first one unless said otherwise, of a Neynar that reacts so. */
async function pageOf(reaction: Reaction, kind: ActKind, target: Target, cursor: string | null = null) {
  return await openActs((await openWire(reaction)).url).readActs({ kind, target, cursor });
}

const author = { fid: 7 };
const QUOTE = { hash: HASH, author };
const LIKED = { reaction_type: 'like', user: author };

describe('Neynar’s lists, when they are odd', () => {
  test.each<[string, ActKind, Target, unknown]>([
    ['a reaction', 'like', ON_CAST, { reactions: [{ reaction_type: 'like', user: author }], next: null }],
    ['a reaction in the plural', 'like', ON_CAST, { reactions: [{ reaction_type: 'likes', user: author }] }],
    ['a follower', 'follow', ON_ACCOUNT, { users: [{ user: author }], next: { cursor: '' } }],
    ['a quote', 'quote', ON_CAST, { casts: [QUOTE], next: {} }],
  ])('behavior: %s needs no more than its account', async (_, kind, target, body) => {
    expect(await pageOf(json(body), kind, target)).toMatchObject({
      acts: [{ accountId: '7', username: null, actedAt: null, text: null }],
      next: null,
    });
  });

  test.each([
    { reaction_timestamp: 'yesterday' },
    { reaction_timestamp: '1999-01-01T00:00:00Z' },
    { reaction_timestamp: 5 },
    { reaction_timestamp: null },
    { user: { fid: 7, username: 'a'.repeat(65) } },
    { user: { fid: 7, username: 4 } },
  ])('behavior: what the sender may choose costs no like: %j', async (odd) => {
    const page = await pageOf(json({ reactions: [{ ...LIKED, ...odd }], next: null }), 'like', ON_CAST);
    expect(page?.acts).toMatchObject([{ accountId: '7', username: null, actedAt: null }]);
  });

  test.each([
    { reaction_type: 'like', user: {} },
    { reaction_type: 'heart', user: { fid: 8 } },
    { reaction_type: 'like', user: { fid: -1 } },
    null,
    'like',
  ])(
    'security: an entry that is not understood costs no other, and its page says that it is not whole: %j',
    async (odd) => {
      const page = await pageOf(json({ reactions: [odd, LIKED], next: { cursor: 'more' } }), 'like', ON_CAST);
      expect(page).toMatchObject({ acts: [{ accountId: '7' }], next: 'more', isPartial: true });
    },
  );

  const conversation = (direct_replies: unknown[]) => ({ conversation: { cast: { direct_replies } } });

  test.each<[ActKind, Target, unknown]>([
    ['follow', ON_ACCOUNT, { users: [{ user: {} }, { user: author }] }],
    ['quote', ON_CAST, { casts: [{ ...QUOTE, hash: 'x' }, QUOTE] }],
    ['reply', ON_CAST, conversation([{}, { hash: OTHER, author, parent_hash: HASH }])],
    ['mention', ON_KEYWORD, { result: { casts: [{}, { hash: HASH, author, text: 'degen' }] } }],
  ])('security: so it is in the list of each %s', async (kind, target, body) => {
    expect(await pageOf(json(body), kind, target)).toMatchObject({
      acts: [{ accountId: '7' }],
      next: null,
      isPartial: true,
    });
  });

  test.each([{ reactions: null }, { result: { reactions: [] } }, {}])(
    'security: what has no list is no answer, lest a like count as undone: %j',
    async (body) => {
      const failure = await failureOf(pageOf(json(body), 'like', ON_CAST));
      expect(failure).toMatchObject({ reason: 'bad_response', retry: 'safe' });
    },
  );

  test('behavior: of both kinds of reaction only those that were asked for count', async () => {
    const types = ['like', 'recast'];
    const reactions = types.map((reaction_type, index) => ({ reaction_type, user: { fid: index + 1 } }));
    const { url, requests } = await openWire(json({ reactions }));
    const page = await openActs(url).readActs({ kind: 'recast', target: ON_CAST, cursor: null });
    expect(page?.acts).toMatchObject([{ accountId: '2' }]);
    expect(requests[0]?.path).toBe(`/v2/farcaster/reactions/cast/?hash=${HASH}&types=recasts&limit=100`);
  });

  test('behavior: a reply to another cast is none', async () => {
    const replies = [OTHER, null, undefined, HASH.toUpperCase().replace('X', 'x')].map((parent_hash) => {
      return { hash: HASH, author, text: 'x', parent_hash };
    });
    const { url, requests } = await openWire(json(conversation(replies)));
    const page = await openActs(url).readActs({ kind: 'reply', target: ON_CAST, cursor: null });
    expect(page?.acts).toHaveLength(1);
    expect(requests[0]?.path).toContain('reply_depth=1&sort_type=desc_chron&limit=50');
    expect(requests[0]?.path).not.toContain('fold');
  });

  test('behavior: a mention is one that Neynar resolved; a notification may have lost its cast', async () => {
    const casts = [[{ fid: 1001 }], [{ fid: 5 }], undefined, [null, { fid: 'x' }]].map((mentioned_profiles) => {
      return { cast: { hash: HASH, author, text: '@alice', mentioned_profiles } };
    });
    const notifications = [...casts, {}, { cast: null }];
    const { url, requests } = await openWire(json({ notifications, next: { cursor: 'abc' } }));
    const page = await openActs(url).readActs({ kind: 'mention', target: ON_ACCOUNT, cursor: 'before' });
    expect([page?.acts.length, page?.next]).toEqual([1, 'abc']);
    expect(requests[0]?.path).toContain('fid=1001&type=mentions&limit=25&cursor=before');
  });

  test.each([
    ['an earlier name', '@olda submit 42 work', { fid: 9001, username: 'olda' }, '@gigclaim submit 42 work'],
    ['words glued to it', '@gigclaimsubmit 42 work', { fid: 9001, username: 'gigclaim' }, '@gigclaim submit 42 work'],
    ['another account of that name', '@gigclaim submit 42', { fid: 7, username: 'gigclaim' }, '@7 submit 42'],
  ])('security: in the text of an act the bot is known by place and id: %s', async (_, text, profile, expected) => {
    const ranges = [{ start: 0, end: 1 + profile.username.length }, null];
    const marks = { mentioned_profiles: [profile, { fid: 1001 }], mentioned_profiles_ranges: ranges };
    const cast = { hash: HASH, author, text, parent_hash: HASH, ...marks };
    const both = byPath((path) => (path.includes('notif') ? { notifications: [{ cast }] } : conversation([cast])));
    const mention = await pageOf(both, 'mention', ON_ACCOUNT);
    const submission = await pageOf(both, 'submission', ON_CAST);
    expect([mention?.acts[0]?.text, submission?.acts[0]?.text]).toEqual([expected, expected]);
  });

  test('behavior: a cast without text has no keyword, and U+0000 is in none', async () => {
    const casts = [null, undefined, 'degen\0!'].map((text) => ({ hash: HASH, author, text }));
    const page = await pageOf(json({ result: { casts, next: null } }), 'mention', ON_KEYWORD);
    expect(page?.acts.map(({ text }) => text)).toEqual(['degen\ufffd!']);
  });

  const NO_LIKES = { reactions: [], next: { cursor: null } };

  test.each([
    [
      'behavior: with 404 a cast is gone only when it cannot be looked up',
      json({ cast: {} }),
      json({}, 404),
      'not_found',
    ],
    ['error: no likes of a cast that cannot be looked up say nothing', json({}, 429), json(NO_LIKES), 'rate_limited'],
  ])('%s', async (_, lookUp, list, reason) => {
    const likes = pageOf(
      (response, { url = '' }) => (url.startsWith('/v2/farcaster/cast/?') ? lookUp : list)(response),
      'like',
      ON_CAST,
    );
    expect(await failureOf(likes)).toMatchObject({ reason });
  });
});
