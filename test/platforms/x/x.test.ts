import { beforeEach, describe, expect, test } from 'vitest';
import type { NetworkPost } from '../../../sandbox/networks/network.ts';
import type { TwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import type { SocialPlatform } from '../../../src/domain/mentions/mention.ts';
import { failureOf, NOW, openTwitter, replyTo, startTwitter } from '../setup.ts';

const HOUR = 3_600_000;

describe('X, on a network', () => {
  let network: TwitterNetwork;
  let twitter: SocialPlatform;
  let time = NOW;

  beforeEach(async () => {
    time = NOW;
    network = await startTwitter({ clock: () => time });
    network.addUser({ id: '2222222222222222222', username: 'OtherUser' });
    network.addUser({ id: '3333333333333333333', username: 'third' });
    twitter = await openTwitter(network.url);
  });

  const ask = (text = '@ExampleUser claims', author = 'OtherUser') => network.post({ author, text });
  const newsOfTheBot = () => {
    for (let index = 0; index < 230; index++) network.post({ author: 'ExampleUser', text: `news ${index}` });
  };
  const find = ({ id, threadId }: NetworkPost, query: { others?: string[]; earlier?: boolean } = {}) =>
    twitter.findReply({ replyTo: id, threadId, ...query });

  test('behavior: posts a reply under the post that asked', async () => {
    const post = ask();
    const { postId } = await twitter.reply(replyTo(post.id));
    expect(network.repliesTo(post.id)).toEqual([{ id: postId, text: 'You have 150 DEGEN', author: 'ExampleUser' }]);
  });

  test('error: a reply to someone who did not name the bot is never tried again', async () => {
    const post = ask('nothing to do with it');
    expect(await failureOf(twitter.reply(replyTo(post.id)))).toMatchObject({ reason: 'not_engaged', retry: 'never' });
  });

  test('error: duplicate content means look first', async () => {
    const post = ask();
    await twitter.reply(replyTo(post.id));
    expect(await failureOf(twitter.reply(replyTo(post.id)))).toMatchObject({ reason: 'duplicate', retry: 'unknown' });
    expect(network.repliesTo(post.id)).toHaveLength(1);
  });

  test('error: a reply to a post that is gone is never tried again', async () => {
    expect(await failureOf(twitter.reply(replyTo('123')))).toMatchObject({ reason: 'not_found', retry: 'never' });
  });

  test('behavior: finds its own reply among hundreds of posts, and no other', async () => {
    const post = ask();
    const other = ask('@ExampleUser gig 1', 'third');
    await twitter.reply(replyTo(other.id));
    network.post({ author: 'third', text: 'me too', replyTo: post.id });
    expect(await find(post)).toBeNull();
    const { postId } = await twitter.reply(replyTo(post.id));
    newsOfTheBot();
    expect(await find(post)).toBe(postId);
  });

  test('security: of two replies under a post it finds the one that is not known yet', async () => {
    const post = ask();
    const first = await twitter.reply(replyTo(post.id));
    expect(await find(post, { others: [first.postId] })).toBeNull();
    const second = await twitter.reply(replyTo(post.id, { text: 'Not paid: 1 DEGEN.' }));
    expect(await find(post, { others: [first.postId] })).toBe(second.postId);
    expect(await find(post, { others: [second.postId] })).toBe(first.postId);
  });

  test('security: one listing of its earlier posts answers every later look-up that it reaches', async () => {
    const older = ask();
    time += HOUR;
    const answered = Array.from({ length: 3 }, () => ask());
    const replies = [];
    for (const { id } of answered) replies.push((await twitter.reply(replyTo(id, { text: `for ${id}` }))).postId);
    newsOfTheBot();
    const findEarlier = (post: NetworkPost, others: string[] = []) => find(post, { others, earlier: true });
    // Lanes that ask at the same time share the pages.
    expect(await Promise.all(answered.map((post) => findEarlier(post)))).toEqual(replies);
    expect(await findEarlier(older)).toBeNull();
    await network.stop();
    for (const [index, post] of answered.entries()) {
      expect(await findEarlier(post)).toBe(replies[index]);
      expect(await findEarlier(post, [replies[index] ?? ''])).toBeNull();
    }
    expect(await findEarlier(older)).toBeNull();
  });

  test('security: a listing is read no further back than the look-up needs, and a failed page ends no look-up in null', async () => {
    const older = ask();
    const { postId } = await twitter.reply(replyTo(older.id));
    time += HOUR;
    newsOfTheBot();
    time += HOUR;
    const newer = ask();
    const findEarlier = (post: NetworkPost) => find(post, { earlier: true });
    expect(await findEarlier(newer)).toBeNull();
    Object.assign(network.faults, { api: 'server_error', remaining: 1, route: 'any' });
    expect(await findEarlier(newer)).toBeNull();
    expect((await failureOf(findEarlier(older))).reason).toBe('server_error');
    expect(await findEarlier(older)).toBe(postId);
  });

  test('behavior: a reply whose answer was cut off is of unknown outcome, and is found', async () => {
    const post = ask();
    Object.assign(network.faults, { api: 'drop_answer', route: 'reply', remaining: 1 });
    expect(await failureOf(twitter.reply(replyTo(post.id)))).toMatchObject({ reason: 'unreachable', retry: 'unknown' });
    expect(await find(post)).toBe(network.repliesTo(post.id)[0]?.id);
  });

  test('behavior: polls explicit mentions over all pages with their authors, and nothing else', async () => {
    const asked = Array.from({ length: 230 }, (_, index) => {
      time = NOW - HOUR + index;
      return ask(`@ExampleUser gig ${index}`).id;
    });
    const own = network.post({ author: 'ExampleUser', text: 'hello' });
    network.post({ author: 'third', text: 'thanks', replyTo: own.id });
    const explicit = network.post({ author: 'third', text: '@exampleuser claims', replyTo: own.id });
    const found = await twitter.pollEvents({ cursor: null, since: NOW - 2 * HOUR });
    expect(found.events.map(({ postId }) => postId)).toEqual([explicit.id, ...asked.reverse()]);
    expect(found.events[0]).toEqual({
      kind: 'mention',
      version: 1,
      platform: 'twitter',
      postId: explicit.id,
      replyTo: explicit.id,
      threadId: own.id,
      authorId: '3333333333333333333',
      authorUsername: 'third',
      text: '@exampleuser claims',
      postedAt: NOW - HOUR + 229,
    });
    expect(found.cursor).toBe(explicit.id);
  });

  test('behavior: a look goes back ten minutes before the last one, and never before since', async () => {
    const ids = [50, 29, 20, 5].map((minutes) => {
      time = NOW - minutes * 60_000;
      return ask(`@ExampleUser gig ${minutes}`).id;
    });
    const texts = async (since: number) =>
      (await twitter.pollEvents({ cursor: ids[2] ?? null, since })).events.map(({ text }) => text);
    expect(await texts(NOW - HOUR)).toEqual(['@ExampleUser gig 5', '@ExampleUser gig 20', '@ExampleUser gig 29']);
    expect(await texts(NOW - 5 * 60_000)).toEqual(['@ExampleUser gig 5']);
  });

  test('behavior: an empty look keeps the cursor', async () => {
    expect(await twitter.pollEvents({ cursor: null, since: NOW })).toEqual({ events: [], cursor: null });
    const cursor = '2080765813578191303';
    expect((await twitter.pollEvents({ cursor, since: NOW })).cursor).toBe(cursor);
  });

  test('behavior: an edited post keeps its key and is answered at its newest version', async () => {
    const first = ask('@ExampleUser claism');
    const second = network.post({ author: 'OtherUser', text: '@ExampleUser claims', editOf: first.id });
    const { events: mentions } = await twitter.pollEvents({ cursor: null, since: NOW - HOUR });
    expect(mentions).toMatchObject([{ postId: first.id, replyTo: second.id, text: '@ExampleUser claims' }]);
    for (const url of [first.url, second.url]) {
      // The first version stays reachable under its own id.
      expect(await twitter.lookUpPost(url)).toMatchObject({ postId: first.id, text: '@ExampleUser claims' });
    }
  });

  test('behavior: looks a post up under any handle and takes the author from X', async () => {
    const post = ask('claim my rewards 0xabc', 'third');
    for (const url of [
      `https://x.com/third/status/${post.id}`,
      `https://twitter.com/OtherUser/status/${post.id}/photo/1?s=20`,
      `https://mobile.twitter.com/i/web/status/${post.id}`,
      `https://www.x.com/i/status/${post.id}`,
    ]) {
      expect(await twitter.lookUpPost(url)).toEqual({
        platform: 'twitter',
        postId: post.id,
        authorId: '3333333333333333333',
        authorUsername: 'third',
        text: 'claim my rewards 0xabc',
        plainText: 'claim my rewards 0xabc',
        postedAt: NOW,
      });
    }
  });

  test('behavior: a post that is not there, a 200 without data, is null', async () => {
    expect(await twitter.lookUpPost('https://x.com/third/status/12345')).toBeNull();
  });

  test('behavior: resolves accounts by id and by handle', async () => {
    const other = { platform: 'twitter', platformUserId: '2222222222222222222', username: 'OtherUser' };
    expect(await twitter.resolveAccount({ id: '2222222222222222222' })).toEqual(other);
    expect(await twitter.resolveAccount({ username: '@otheruser' })).toEqual(other);
    expect(await twitter.resolveAccount({ id: '4' })).toBeNull();
    expect(await twitter.resolveAccount({ username: 'nobody' })).toBeNull();
    expect(await twitter.resolveAccount({ username: '../me' })).toBeNull();
  });

  test('behavior: checks the account and the webhook', async () => {
    const url = 'https://bot.example.invalid/webhooks/twitter';
    network.setWebhook(url);
    const ok = { ok: true, remedy: '' };
    const subscribed = 'Subscribed to post.mention.create and post.reply.create of the bot';
    const noPosts = 'Not checked: the bot has no posts yet';
    expect(await twitter.check(url)).toEqual([
      { ...ok, name: 'x credentials', detail: 'The access token belongs to @ExampleUser' },
      { ...ok, name: 'x webhook', detail: `The webhook for ${url} is valid` },
      { ...ok, name: 'x subscriptions', detail: subscribed },
      { ...ok, name: 'x posts', detail: noPosts, mark: 'warning' },
    ]);
    const [, missing] = await twitter.check('https://elsewhere.example.invalid/');
    expect(missing?.detail).toBe('No webhook delivers to https://elsewhere.example.invalid/');
  });

  test('error: a check with the wrong credentials fails and shows none of them', async () => {
    const { url } = await startTwitter({ accessToken: 'another', appSecret: 'another' });
    const checks = await (await openTwitter(url)).check('https://bot.example.invalid/');
    expect(checks.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    expect(JSON.stringify(checks)).not.toContain('fake-');
  });

  test('behavior: measures weighted characters, up to 280', async () => {
    expect(twitter.measure('abc')).toBe(3);
    expect(twitter.measure('漢字🎉')).toBe(6);
    expect(twitter.measure('see farcaster.xyz')).toBe(27);
    expect(['see farcaster.xyz', 'alice.com.eth', 'alice.base.eth'].map((text) => twitter.hasLink?.(text))).toEqual([
      true,
      true,
      false,
    ]);
    expect([twitter.replyLimit, twitter.idempotent]).toEqual([280, false]);
  });
});
