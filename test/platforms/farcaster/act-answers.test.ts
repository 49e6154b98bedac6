import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { ActKind, Target } from '../../../src/domain/earning/act.ts';
import { openActs } from '../acts.ts';
import { answering, failureOf, openWire, type Wire } from '../setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const OTHER = `0x${'d3'.repeat(20)}`;
const ON_CAST: Target = { kind: 'post', postId: HASH, authorId: '1001' };
const ON_ACCOUNT: Target = { kind: 'account', accountId: '1001' };
const ON_KEYWORD: Target = { kind: 'keyword', keyword: 'degen' };

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

async function open(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  wire = await openWire(answer);
  return openActs(wire.url);
}

const json = (body: unknown) => answering(200, JSON.stringify(body));
const first = { cursor: null };

describe('Neynar’s lists, when they are odd', () => {
  test.each<[string, ActKind, Target, unknown]>([
    ['a reaction', 'like', ON_CAST, { reactions: [{ reaction_type: 'like', user: { fid: 7 } }], next: null }],
    ['a reaction in the plural', 'like', ON_CAST, { reactions: [{ reaction_type: 'likes', user: { fid: 7 } }] }],
    ['a follower', 'follow', ON_ACCOUNT, { users: [{ user: { fid: 7 } }], next: { cursor: '' } }],
    ['a quote', 'quote', ON_CAST, { casts: [{ hash: HASH, author: { fid: 7 } }], next: {} }],
  ])('behavior: %s needs no more than its account', async (_, kind, target, body) => {
    const acts = await open(json(body));
    const page = await acts.readActs({ kind, target, ...first });
    expect(page).toMatchObject({ acts: [{ accountId: '7', username: null, actedAt: null, text: null }], next: null });
  });

  test.each([
    { reaction_timestamp: 'yesterday' },
    { reaction_timestamp: '1999-01-01T00:00:00Z' },
    { reaction_timestamp: 5 },
    { reaction_timestamp: null },
    { user: { fid: 7, username: 'a'.repeat(65) } },
    { user: { fid: 7, username: 4 } },
  ])('behavior: what the sender may choose costs no like: %j', async (odd) => {
    const acts = await open(json({ reactions: [{ reaction_type: 'like', user: { fid: 7 }, ...odd }], next: null }));
    const page = await acts.readActs({ kind: 'like', target: ON_CAST, ...first });
    expect(page?.acts).toMatchObject([{ accountId: '7', username: null, actedAt: null }]);
  });

  const LIKED = { reaction_type: 'like', user: { fid: 7 } };

  test.each([
    { reaction_type: 'like', user: {} },
    { reaction_type: 'heart', user: { fid: 8 } },
    { reaction_type: 'like', user: { fid: -1 } },
    null,
    'like',
  ])(
    'security: an entry that is not understood costs no other, and its page says that it is not whole: %j',
    async (odd) => {
      const acts = await open(json({ reactions: [odd, LIKED], next: { cursor: 'more' } }));
      const page = await acts.readActs({ kind: 'like', target: ON_CAST, ...first });
      expect(page).toMatchObject({ acts: [{ accountId: '7' }], next: 'more', isPartial: true });
    },
  );

  test.each<[ActKind, Target, unknown]>([
    ['follow', ON_ACCOUNT, { users: [{ user: {} }, { user: { fid: 7 } }] }],
    [
      'quote',
      ON_CAST,
      {
        casts: [
          { hash: 'x', author: { fid: 8 } },
          { hash: HASH, author: { fid: 7 } },
        ],
      },
    ],
    [
      'reply',
      ON_CAST,
      { conversation: { cast: { direct_replies: [{}, { hash: OTHER, author: { fid: 7 }, parent_hash: HASH }] } } },
    ],
    ['mention', ON_KEYWORD, { result: { casts: [{}, { hash: HASH, author: { fid: 7 }, text: 'degen' }] } }],
  ])('security: so it is in the list of each %s', async (kind, target, body) => {
    const page = await (await open(json(body))).readActs({ kind, target, ...first });
    expect(page).toMatchObject({ acts: [{ accountId: '7' }], next: null, isPartial: true });
  });

  test.each([{ reactions: null }, { result: { reactions: [] } }, {}])(
    'security: what has no list is no answer, lest a like count as undone: %j',
    async (body) => {
      const acts = await open(json(body));
      const failure = await failureOf(acts.readActs({ kind: 'like', target: ON_CAST, ...first }));
      expect([failure.reason, failure.retry]).toEqual(['bad_response', 'safe']);
    },
  );

  test('behavior: of both kinds of reaction only those that were asked for count', async () => {
    const types = ['like', 'recast'];
    const reactions = types.map((reaction_type, index) => ({ reaction_type, user: { fid: index + 1 } }));
    const acts = await open(json({ reactions }));
    expect((await acts.readActs({ kind: 'recast', target: ON_CAST, ...first }))?.acts).toMatchObject([
      { accountId: '2' },
    ]);
    expect(wire?.requests[0]?.path).toBe(`/v2/farcaster/reactions/cast/?hash=${HASH}&types=recasts&limit=100`);
  });

  test('behavior: a reply to another cast is none', async () => {
    const reply = (parent_hash: unknown) => ({ hash: HASH, author: { fid: 7 }, text: 'x', parent_hash });
    const direct_replies = [reply(OTHER), reply(null), reply(undefined), reply(HASH.toUpperCase().replace('X', 'x'))];
    const acts = await open(json({ conversation: { cast: { direct_replies } } }));
    expect((await acts.readActs({ kind: 'reply', target: ON_CAST, ...first }))?.acts).toHaveLength(1);
    const path = wire?.requests[0]?.path ?? '';
    expect(path).toContain('reply_depth=1&sort_type=desc_chron&limit=50');
    expect(path).not.toContain('fold');
  });

  test('behavior: a mention is one that Neynar resolved; a notification may have lost its cast', async () => {
    const cast = (mentioned_profiles: unknown) => ({
      cast: { hash: HASH, author: { fid: 7 }, text: '@alice', mentioned_profiles },
    });
    const notifications = [
      cast([{ fid: 1001 }]),
      cast([{ fid: 5 }]),
      cast(undefined),
      cast([null, { fid: 'x' }]),
      {},
      { cast: null },
    ];
    const acts = await open(json({ notifications, next: { cursor: 'abc' } }));
    const page = await acts.readActs({ kind: 'mention', target: ON_ACCOUNT, cursor: 'before' });
    expect([page?.acts.length, page?.next]).toEqual([1, 'abc']);
    expect(wire?.requests[0]?.path).toContain('fid=1001&type=mentions&limit=25&cursor=before');
  });

  test.each([
    ['an earlier name', '@olda submit 42 work', { fid: 9001, username: 'olda' }, '@gigclaim submit 42 work'],
    ['words glued to it', '@gigclaimsubmit 42 work', { fid: 9001, username: 'gigclaim' }, '@gigclaim submit 42 work'],
    ['another account of that name', '@gigclaim submit 42', { fid: 7, username: 'gigclaim' }, '@7 submit 42'],
  ])('security: in the text of an act the bot is known by place and id: %s', async (_, text, profile, expected) => {
    const end = 1 + profile.username.length;
    const marks = {
      mentioned_profiles: [profile, { fid: 1001 }],
      mentioned_profiles_ranges: [{ start: 0, end }, null],
    };
    const cast = { hash: HASH, author: { fid: 7 }, text, parent_hash: HASH, ...marks };
    const acts = await open((response, { url = '' }) => {
      const body = url.includes('notifications')
        ? { notifications: [{ cast }] }
        : { conversation: { cast: { direct_replies: [cast] } } };
      answering(200, JSON.stringify(body))(response);
    });
    const mention = await acts.readActs({ kind: 'mention', target: ON_ACCOUNT, ...first });
    const submission = await acts.readActs({ kind: 'submission', target: ON_CAST, ...first });
    expect([mention?.acts[0]?.text, submission?.acts[0]?.text]).toEqual([expected, expected]);
  });

  test('behavior: a cast without text has no keyword, and U+0000 is in none', async () => {
    const casts = [null, undefined, 'degen\0!'].map((text) => ({ hash: HASH, author: { fid: 7 }, text }));
    const acts = await open(json({ result: { casts, next: null } }));
    const page = await acts.readActs({ kind: 'mention', target: ON_KEYWORD, ...first });
    expect(page?.acts.map(({ text }) => text)).toEqual(['degen\ufffd!']);
  });

  test('behavior: with 404 a cast is gone only when it cannot be looked up either', async () => {
    const acts = await open((response, { url = '' }) => {
      const isLookUp = url.startsWith('/v2/farcaster/cast/?');
      answering(isLookUp ? 200 : 404, isLookUp ? JSON.stringify({ cast: {} }) : '{}')(response);
    });
    const failure = await failureOf(acts.readActs({ kind: 'like', target: ON_CAST, ...first }));
    expect(failure.reason).toBe('not_found');
  });

  test('error: an empty list of a cast that cannot be looked up for an outage says nothing', async () => {
    const acts = await open((response, { url = '' }) => {
      const isLookUp = url.startsWith('/v2/farcaster/cast/?');
      answering(isLookUp ? 429 : 200, '{"reactions": [], "next": {"cursor": null}}')(response);
    });
    const failure = await failureOf(acts.readActs({ kind: 'like', target: ON_CAST, ...first }));
    expect(failure.reason).toBe('rate_limited');
  });
});
