import { beforeEach, describe, expect, test } from 'vitest';
import type { FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { failureOf, json, NOW, openFarcaster, openWire, replyTo, startFarcaster } from '../setup.ts';

const HOUR = 3_600_000;
const GONE = `0x${'ab'.repeat(20)}`;

describe('Farcaster, on a network', () => {
  let network: FarcasterNetwork;
  let farcaster: SocialPlatform;
  let time = NOW;

  beforeEach(async () => {
    time = NOW;
    network = await startFarcaster({ clock: () => time });
    network.addUser({ id: '1001', username: 'alice' });
    network.addUser({ id: '1002', username: 'bob.eth' });
    farcaster = openFarcaster(network.url);
  });

  const ask = (text = '@gigclaim claims') => network.post({ author: 'alice', text });

  test('behavior: posts a reply under the cast, once for each idem', async () => {
    const cast = ask();
    const first = await farcaster.reply(replyTo(cast.id));
    expect(await farcaster.reply(replyTo(cast.id))).toEqual(first);
    expect(network.repliesTo(cast.id)).toEqual([{ id: first.postId, text: 'You have 150 DEGEN', author: 'gigclaim' }]);
  });

  test('behavior: a reply embeds the URL that it shows as a card, and another none', async () => {
    const embed = 'https://gigclaim.test/gigs/1';
    await farcaster.reply(replyTo(ask().id, { embed, idem: 'a' }));
    await farcaster.reply(replyTo(ask().id, { idem: 'b' }));
    const replies = network.posts().filter(({ author }) => author.username === 'gigclaim');
    expect(replies.map(({ embeds }) => embeds)).toEqual([[embed], undefined]);
  });

  test('behavior: finds its own reply on a later page of the conversation', async () => {
    const cast = ask();
    for (let index = 0; index < 60; index++) network.post({ author: 'bob.eth', text: `${index}`, replyTo: cast.id });
    const query = { replyTo: cast.id, threadId: cast.threadId };
    expect(await farcaster.findReply(query)).toBeNull();
    const { postId } = await farcaster.reply(replyTo(cast.id));
    expect(await farcaster.findReply(query)).toBe(postId);
  });

  test('security: of two replies under a cast it finds the one that is not known yet', async () => {
    const cast = ask();
    const query = { replyTo: cast.id, threadId: cast.threadId };
    const first = await farcaster.reply(replyTo(cast.id, { text: 'On its way', idem: 'a' }));
    expect(await farcaster.findReply({ ...query, others: [first.postId] })).toBeNull();
    const second = await farcaster.reply(replyTo(cast.id, { text: 'Not paid', idem: 'b' }));
    expect(await farcaster.findReply({ ...query, others: [first.postId] })).toBe(second.postId);
    expect(await farcaster.findReply({ ...query, others: [second.postId] })).toBe(first.postId);
  });

  test('behavior: finds no reply under a cast that is gone', async () => {
    expect(await farcaster.findReply({ replyTo: GONE, threadId: GONE })).toBeNull();
  });

  test('security: a conversation that is refused, of a cast that is there, proves no absence', async () => {
    const found = json({ cast: { hash: GONE, text: 'claims', author: { fid: 1001 } } });
    const refusal = json({ message: 'try again' }, 400);
    const wire = await openWire((response, { url }) =>
      (url?.includes('/conversation') === true ? refusal : found)(response),
    );
    const search = openFarcaster(wire.url).findReply({ replyTo: GONE, threadId: GONE });
    expect(await failureOf(search)).toMatchObject({
      reason: 'rejected',
      message: 'Neynar answered 400 to “read a conversation”: try again',
    });
  });

  test('error: a reply to a cast that is gone is never tried again', async () => {
    expect(await failureOf(farcaster.reply(replyTo(GONE)))).toMatchObject({ reason: 'not_found', retry: 'never' });
  });

  test('behavior: polls mentions and replies over all pages, each once, and nothing else', async () => {
    const asked = Array.from({ length: 60 }, (_, index) => {
      time = NOW - HOUR + index * 1000;
      return ask(`@gigclaim gig ${index}`).id;
    });
    const own = network.post({ author: 'gigclaim', text: '@gigclaim is me' });
    const answer = network.post({ author: 'alice', text: 'thanks @gigclaim', replyTo: own.id });
    network.post({ author: 'alice', text: 'nothing to do with the bot' });
    const found = await farcaster.pollEvents({ cursor: null, since: NOW - 2 * HOUR });
    expect(found.events.map(({ postId }) => postId)).toEqual([answer.id, ...asked.reverse()]);
    expect(found.cursor).toBe(String(NOW - HOUR + 59_000));
  });

  test('behavior: a look goes back ten minutes before the last one, and never before since', async () => {
    for (const minutes of [50, 31, 29, 20, 5]) {
      time = NOW - minutes * 60_000;
      ask(`@gigclaim gig ${minutes}`);
    }
    for (let index = 0; index < 30; index++) {
      time = NOW - 60_000 + index;
      ask('@gigclaim claims');
    }
    const cursor = String(NOW - 20 * 60_000);
    const texts = async (since: number) => {
      const { events: mentions } = await farcaster.pollEvents({ cursor, since });
      return mentions.map(({ text }) => text).filter((text) => text !== '@gigclaim claims');
    };
    expect(await texts(NOW - 30 * 60_000)).toEqual(['@gigclaim gig 5', '@gigclaim gig 20', '@gigclaim gig 29']);
    expect(await texts(NOW - 10 * 60_000)).toEqual(['@gigclaim gig 5']);
  });

  test('behavior: a cast from the future does not move the cursor beyond now', async () => {
    time = NOW + HOUR;
    ask();
    expect((await farcaster.pollEvents({ cursor: null, since: NOW - HOUR })).cursor).toBe(String(NOW));
  });

  test('behavior: an empty look keeps the cursor', async () => {
    expect(await farcaster.pollEvents({ cursor: null, since: 0 })).toEqual({ events: [], cursor: null });
    expect((await farcaster.pollEvents({ cursor: '1700000000000', since: 0 })).cursor).toBe('1700000000000');
  });

  test('error: a first page that fails fails the whole look', async () => {
    for (let index = 0; index < 30; index++) ask();
    Object.assign(network.faults, { api: 'server_error', remaining: 1 });
    const failure = await failureOf(farcaster.pollEvents({ cursor: null, since: 0 }));
    expect(failure).toMatchObject({ reason: 'server_error', retry: 'safe' });
    expect((await farcaster.pollEvents({ cursor: null, since: 0 })).events).toHaveLength(30);
  });

  test('behavior: looks a cast up by its short URL, on either host, and by its whole hash', async () => {
    const cast = network.post({ author: 'bob.eth', text: 'claim my rewards' });
    const expected = {
      platform: 'farcaster',
      postId: cast.id,
      authorId: '1002',
      authorUsername: 'bob.eth',
      text: 'claim my rewards',
      plainText: 'claim my rewards',
      postedAt: NOW,
    };
    const short = cast.id.slice(0, 10);
    for (const url of [
      cast.url,
      `https://warpcast.com/bob.eth/${short}`,
      `https://www.farcaster.xyz/bob.eth/${short}?utm=1#top`,
      `https://farcaster.xyz/~/conversations/${cast.id}`,
      `https://farcaster.xyz/somebody-else/${cast.id}`,
    ]) {
      expect(await farcaster.lookUpPost(url)).toEqual(expected);
    }
    expect(await farcaster.lookUpPost('https://farcaster.xyz/bob.eth/0x00000000')).toBeNull();
  });

  test('behavior: resolves accounts by id and by handle', async () => {
    const bob = { platform: 'farcaster', platformUserId: '1002', username: 'bob.eth' };
    expect(await farcaster.resolveAccount({ id: '1002' })).toEqual(bob);
    expect(await farcaster.resolveAccount({ username: '@Bob.eth' })).toEqual(bob);
    expect(await farcaster.resolveAccount({ id: '4' })).toBeNull();
    expect(await farcaster.resolveAccount({ id: '99999999999999999999' })).toBeNull();
    expect(await farcaster.resolveAccount({ username: 'nobody' })).toBeNull();
    expect(await farcaster.resolveAccount({ username: '../signer' })).toBeNull();
  });

  test('behavior: checks the signer and the webhook', async () => {
    const url = 'https://bot.example.invalid/webhooks/farcaster';
    network.setWebhook(url);
    expect(await farcaster.check(url)).toEqual([
      { name: 'farcaster credentials', ok: true, detail: 'The signer is approved for FID 9001', remedy: '' },
      { name: 'farcaster webhook', ok: true, detail: `The webhook for ${url} is active`, remedy: '' },
    ]);
  });

  test('error: a check says what is missing and what to do', async () => {
    const [, webhook] = await farcaster.check('https://bot.example.invalid/webhooks/farcaster');
    expect(webhook).toMatchObject({
      ok: false,
      detail: 'No webhook delivers to https://bot.example.invalid/webhooks/farcaster',
      remedy: expect.stringContaining('9001 in mentioned_fids'),
    });
    network.faults.api = 'unauthorized';
    const [credentials] = await farcaster.check('https://bot.example.invalid/');
    expect(credentials).toEqual({
      name: 'farcaster credentials',
      ok: false,
      detail: 'Neynar answered 401 to “look up the signer”: Invalid API key',
      remedy: 'Check NEYNAR_API_KEY and NEYNAR_SIGNER_UUID: a signer works only with the API key that created it.',
    });
  });

  test('behavior: measures UTF-8 bytes, up to 320', async () => {
    expect([farcaster.measure('abc'), farcaster.measure('é漢🎉'), farcaster.replyLimit]).toEqual([3, 9, 320]);
  });
});
