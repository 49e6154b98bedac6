import { expect, test } from 'vitest';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import event from '../fixtures/twitter/mention.json' with { type: 'json' };
import { failureOf, json, openFarcaster, openTwitter, openWire } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const timestamp = '2026-11-21T11:00:00.000Z';
const cast = { hash: HASH, text: '@gigclaim claims', author: { fid: 1001 }, mentioned_profiles: [{ fid: 9001 }] };
const NOTICED = { most_recent_timestamp: timestamp, cast: { ...cast, timestamp } };
const { payload, includes } = event.data;
const MENTIONED = { data: [payload], includes, meta: { result_count: 1, next_token: 'p2' } };
const down = json({ message: 'down' }, 503);

/** Each platform with a first page that holds one mention and names a second, and a cursor of before. */
const looks = [
  ['Neynar', openFarcaster, { notifications: [NOTICED], next: { cursor: 'p2' } }, '1795258000000', HASH],
  ['X', openTwitter, MENTIONED, '2080765813578190000', payload.id],
] as const;

test.each(looks)(
  'error: %s fails at the second page: what the first held counts, and the cursor stays',
  async (_, open, page, cursor, postId) => {
    const wire = await openWire((response) => (wire.requests.length === 1 ? json(page) : down)(response));
    const platform: SocialPlatform = await open(wire.url);
    const found = await platform.pollEvents({ cursor, since: 0 });
    expect(wire.requests.length).toBe(2);
    expect(found.events.map((mention) => mention.postId)).toEqual([postId]);
    expect(found).toMatchObject({ cursor, brokenOff: { reason: 'server_error', retry: 'safe' } });
  },
);

test.each(looks)('error: %s fails at the first page, which fails the look', async (_, open) => {
  const platform: SocialPlatform = await open((await openWire(down)).url);
  const failure = await failureOf(platform.pollEvents({ cursor: null, since: 0 }));
  expect(failure).toMatchObject({ reason: 'server_error', retry: 'safe' });
});
