import { afterEach, expect, test } from 'vitest';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import event from '../fixtures/twitter/mention.json' with { type: 'json' };
import { answering, failureOf, openFarcaster, openTwitter, openWire, type Wire } from './setup.ts';

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

const HASH = `0x${'c2'.repeat(20)}`;
const NOTICED = {
  most_recent_timestamp: '2026-11-21T11:00:00.000Z',
  cast: {
    hash: HASH,
    text: '@gigclaim claims',
    author: { fid: 1001 },
    timestamp: '2026-11-21T11:00:00.000Z',
    mentioned_profiles: [{ fid: 9001 }],
  },
};
const { payload, includes } = event.data;

/** Each platform with a first page that holds one mention and names a second, and a cursor of before. */
const looks = [
  ['Neynar', openFarcaster, { notifications: [NOTICED], next: { cursor: 'p2' } }, '1795258000000', HASH],
  [
    'X',
    openTwitter,
    { data: [payload], includes, meta: { result_count: 1, next_token: 'p2' } },
    '2080765813578190000',
    payload.id,
  ],
] as const;

test.each(looks)(
  'error: %s fails at the second page: what the first held counts, and the cursor stays',
  async (_, open, page, cursor, postId) => {
    const first = answering(200, JSON.stringify(page));
    const down = answering(503, '{"message":"down"}');
    wire = await openWire((response) => (wire?.requests.length === 1 ? first : down)(response));
    const platform: SocialPlatform = await open(wire.url);
    const found = await platform.pollEvents({ cursor, since: 0 });
    expect(wire.requests.length).toBe(2);
    expect(found.events.map((mention) => mention.postId)).toEqual([postId]);
    expect(found.cursor).toBe(cursor);
    expect(found.brokenOff).toMatchObject({ reason: 'server_error', retry: 'safe' });
  },
);

test.each(looks)('error: %s fails at the first page, which fails the look', async (_, open) => {
  wire = await openWire(answering(503, '{"message":"down"}'));
  const platform: SocialPlatform = await open(wire.url);
  const failure = await failureOf(platform.pollEvents({ cursor: null, since: 0 }));
  expect([failure.reason, failure.retry]).toEqual(['server_error', 'safe']);
});
