import { expect, test } from 'vitest';
import cast from '../fixtures/farcaster/cast-created.json' with { type: 'json' };
import post from '../fixtures/twitter/mention-new.json' with { type: 'json' };
import { json, NOW, openFarcaster, openTwitter, openWire } from './setup.ts';

const HASH = `0x${'c2'.repeat(20)}`;
const CAST = {
  hash: HASH,
  text: 'cla\0ims',
  author: { fid: 1001, username: 'al\0ice' },
  timestamp: '2026-11-21T11:59:00.000Z',
  mentioned_profiles: [{ fid: 9001 }],
};
const { payload } = post.data;
const POST = { ...payload, text: 'hey @ExampleUser cla\0ims' };
const INCLUDES = { users: [{ id: payload.author_id, username: 'Other\0User' }] };

const facing = async (body: unknown) => (await openWire(json(body))).url;
const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
const NAMED_CAST = { text: 'cla\ufffdims', authorUsername: 'al\ufffdice' };
const NAMED_ACT = { text: 'cla\ufffdims', username: 'al\ufffdice' };
const NAMED_REPLY = { kind: 'act', act: { ...NAMED_ACT, kind: 'reply' } };
const NAMED_MENTION = { kind: 'act', act: { ...NAMED_ACT, kind: 'mention' } };
const NAMED_POST = { text: 'hey @ExampleUser cla\ufffdims', authorUsername: 'Other\ufffdUser' };

test('behavior: U+0000 in a cast and a handle is replaced, delivered, polled or looked up', async () => {
  const url = await facing({ cast: CAST, notifications: [{ cast: CAST }], users: [CAST.author], user: CAST.author });
  const farcaster = openFarcaster(url);
  const delivered = { ...cast, data: { ...cast.data, ...CAST } };
  expect(farcaster.parse(bytes(delivered))).toMatchObject([NAMED_CAST, NAMED_REPLY, NAMED_MENTION]);
  const { events: mentions } = await farcaster.pollEvents({ cursor: null, since: NOW - 3_600_000 });
  expect(mentions).toMatchObject([NAMED_CAST]);
  expect(await farcaster.lookUpPost(`https://farcaster.xyz/alice/${HASH.slice(0, 10)}`)).toMatchObject(NAMED_CAST);
  const account = { platform: 'farcaster', platformUserId: '1001', username: 'al\ufffdice' };
  expect(await farcaster.resolveAccount({ id: '1001' })).toEqual(account);
  expect(await farcaster.resolveAccount({ username: 'alice' })).toEqual(account);
});

test('behavior: U+0000 in a post on X and a handle is replaced, delivered, polled or looked up', async () => {
  const twitter = await openTwitter(await facing({ data: [POST], includes: INCLUDES, meta: { result_count: 1 } }));
  const delivered = { data: { ...post.data, payload: POST, includes: INCLUDES } };
  expect(twitter.parse(bytes(delivered))).toMatchObject([NAMED_POST]);
  expect((await twitter.pollEvents({ cursor: null, since: 0 })).events).toMatchObject([NAMED_POST]);
  const one = await openTwitter(await facing({ data: POST, includes: INCLUDES }));
  expect(await one.lookUpPost(`https://x.com/OtherUser/status/${POST.id}`)).toMatchObject(NAMED_POST);
  const user = await openTwitter(await facing({ data: INCLUDES.users[0] }));
  expect(await user.resolveAccount({ username: 'OtherUser' })).toEqual({
    platform: 'twitter',
    platformUserId: payload.author_id,
    username: 'Other\ufffdUser',
  });
});
