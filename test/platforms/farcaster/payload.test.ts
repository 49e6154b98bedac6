import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFarcasterEvents } from '../../../src/platforms/farcaster/payload.ts';
import event from '../../fixtures/farcaster/cast-created.json' with { type: 'json' };
import { failureOf, NOW, openFarcaster } from '../setup.ts';

const BOT = { fid: 9001, now: NOW };
const HASH = '0xc293c32e8c1abfd2d72ce56001de955b46465103';

function withCast(change: Record<string, unknown>, envelope: Record<string, unknown> = {}) {
  return { ...event, ...envelope, data: { ...event.data, ...change } };
}

describe('a Farcaster event', () => {
  test('behavior: a cast that names the bot is a mention', () => {
    expect(parseFarcasterEvents(event, BOT)).toEqual([
      {
        kind: 'mention',
        version: 1,
        platform: 'farcaster',
        postId: HASH,
        replyTo: HASH,
        threadId: '0xa100000000000000000000000000000000000001',
        authorId: '242188',
        authorUsername: 'alice',
        text: '@gigclaim claims, and hello @nobody.',
        postedAt: 1_726_442_096_000,
      },
    ]);
  });

  test('behavior: a direct reply to the bot is one too, without its name', () => {
    const reply = withCast({ mentioned_profiles: [], parent_author: { fid: 9001 }, text: 'claims' });
    expect(parseFarcasterEvents(reply, BOT).map(({ text }) => text)).toEqual(['claims']);
  });

  test('behavior: a name in the text alone is none: Neynar has to know it', () => {
    expect(parseFarcasterEvents(withCast({ mentioned_profiles: [] }), BOT)).toEqual([]);
  });

  test('behavior: hash, text and author are all it takes', () => {
    const bare = {
      type: 'cast.created',
      data: { hash: HASH, text: 'x', author: { fid: 5 }, parent_author: { fid: 9001 } },
    };
    expect(parseFarcasterEvents(bare, BOT)).toEqual([
      {
        kind: 'mention',
        version: 1,
        platform: 'farcaster',
        postId: HASH,
        replyTo: HASH,
        threadId: HASH,
        authorId: '5',
        authorUsername: null,
        text: 'x',
        postedAt: NOW,
      },
    ]);
  });

  test.each([
    { thread_hash: 7 },
    { author: { fid: 242188, username: 12 } },
    { author: { fid: 242188, username: 'a'.repeat(65) } },
    { parent_author: 'nobody' },
    { parent_author: null },
    { mentioned_profiles: [null, { fid: 'x' }, { fid: 9001 }] },
    { timestamp: 'yesterday', event_timestamp: 4 },
    { embeds: 'none', reactions: null, channel: 4 },
  ])('behavior: an optional part that is odd, %j, costs no mention', (change) => {
    expect(parseFarcasterEvents(withCast(change), BOT)).toHaveLength(1);
  });

  test('behavior: the time is the cast’s, then the event’s, then the envelope’s in seconds', () => {
    const at = (change: Record<string, unknown>, envelope = {}) =>
      parseFarcasterEvents(withCast(change, envelope), BOT)[0]?.postedAt;
    expect(at({ timestamp: undefined })).toBe(1_726_442_095_916);
    expect(at({ timestamp: undefined, event_timestamp: undefined })).toBe(1_726_442_095_000);
    expect(at({ timestamp: undefined, event_timestamp: undefined }, { created_at: 'x' })).toBe(NOW);
  });

  test('security: a handle of more than 64 characters counts as missing', () => {
    const named = (username: string) =>
      parseFarcasterEvents(withCast({ author: { fid: 242188, username } }), BOT)[0]?.authorUsername;
    expect(named('a'.repeat(64))).toBe('a'.repeat(64));
    expect(named('a'.repeat(65))).toBeNull();
    expect(named('a'.repeat(50_000))).toBeNull();
  });

  test.each([1e300, 1e12, -1, 1_726_442_095.0001, 0, null])(
    'error: an envelope of the time %j, which is none of a post, counts as one without a time',
    (created_at) => {
      const odd = withCast({ timestamp: '+200000-01-01T00:00:00Z', event_timestamp: undefined }, { created_at });
      expect(parseFarcasterEvents(odd, BOT)[0]?.postedAt).toBe(NOW);
    },
  );

  test.each([
    ['the bot’s own cast', withCast({ author: { fid: 9001 } })],
    ['a deleted cast', { ...event, type: 'cast.deleted' }],
    ['another event', { created_at: 1, type: 'user.updated', data: { fid: 9001 } }],
    ['a cast without a hash', withCast({ hash: undefined })],
    ['a cast without a text', withCast({ text: null })],
    ['a cast without an author', withCast({ author: {} })],
    ['a fraction of an author', withCast({ author: { fid: 1.5 } })],
    ['an author beyond what a number holds', withCast({ author: { fid: 2 ** 60 } })],
    ['nothing', null],
    ['a list', []],
    ['a text', 'cast.created'],
  ])('behavior: %s is of no interest', (_name, body) => {
    expect(parseFarcasterEvents(body, BOT)).toEqual([]);
  });

  test('behavior: no JSON value makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, part) => {
        expect(parseFarcasterEvents({ type: 'cast.created', data }, BOT)).toEqual([]);
        parseFarcasterEvents(withCast({ mentioned_profiles: part, parent_author: part, thread_hash: part }), BOT);
      }),
    );
  });

  test('error: a body that is not JSON is a bad response', async () => {
    const farcaster = await openFarcaster('http://127.0.0.1:9');
    const failure = await failureOf((async () => farcaster.parse(Buffer.from('{"type":')))());
    expect([failure.reason, failure.retry]).toEqual(['bad_response', 'never']);
    const [first, ...acts] = farcaster.parse(Buffer.from(JSON.stringify(event)));
    expect([first?.kind, ...new Set(acts.map(({ kind }) => kind))]).toEqual(['mention', 'act']);
  });
});
