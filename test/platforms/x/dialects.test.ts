import { beforeEach, describe, expect, test } from 'vitest';
import type { TwitterNetwork } from '../../../sandbox/networks/twitter.ts';
import { NOW, openReceiver, openTwitter, replyTo, startTwitter } from '../setup.ts';

const HOUR = 3_600_000;

describe.each(['old', 'new', 'both'] as const)('X that understands the vocabulary: %s', (dialect) => {
  let network: TwitterNetwork;
  let twitter: Awaited<ReturnType<typeof openTwitter>>;

  beforeEach(async () => {
    network = await startTwitter();
    network.manners.dialect = dialect;
    network.addUser({ id: '2222222222222222222', username: 'OtherUser' });
    network.addUser({ id: '3333333333333333333', username: 'third' });
    twitter = await openTwitter(network.url);
  });

  const ask = (text = '@ExampleUser claims') => network.post({ author: 'OtherUser', text });

  test('security: a reply that was posted is found, and none is found where none was', async () => {
    const [post, other] = [ask(), ask('@ExampleUser gig 1')];
    await twitter.reply(replyTo(other.id));
    network.post({ author: 'ExampleUser', text: 'news' });
    expect(await twitter.findReply({ replyTo: post.id, threadId: post.threadId })).toBeNull();
    const { postId } = await twitter.reply(replyTo(post.id));
    expect(await twitter.findReply({ replyTo: post.id, threadId: post.threadId })).toBe(postId);
  });

  test('security: of an edited post the last version is looked up, under the key of the first', async () => {
    const first = ask('claim my rewards 0xb2');
    const second = network.post({ author: 'OtherUser', text: 'claim my rewards 0xa1', editOf: first.id });
    for (const { url } of [first, second]) {
      expect(await twitter.lookUpPost(url)).toEqual({
        platform: 'twitter',
        postId: first.id,
        authorId: '2222222222222222222',
        authorUsername: 'OtherUser',
        text: 'claim my rewards 0xa1',
        plainText: 'claim my rewards 0xa1',
        postedAt: NOW,
      });
    }
  });

  test('behavior: polling finds explicit mentions alone, with their authors, and an edit under its first id', async () => {
    const first = ask('@ExampleUser claism');
    const second = network.post({ author: 'OtherUser', text: '@ExampleUser claims', editOf: first.id });
    const own = network.post({ author: 'ExampleUser', text: 'hello' });
    network.post({ author: 'third', text: 'thanks', replyTo: own.id });
    const explicit = network.post({ author: 'third', text: '@exampleuser gig 1', replyTo: own.id });
    const { events: mentions } = await twitter.pollEvents({ cursor: null, since: NOW - HOUR });
    expect(
      mentions.map(({ postId, replyTo, authorUsername, text }) => [postId, replyTo, authorUsername, text]),
    ).toEqual([
      [explicit.id, explicit.id, 'third', '@exampleuser gig 1'],
      [first.id, second.id, 'OtherUser', '@ExampleUser claims'],
    ]);
  });

  test('security: a delivered mention and its edit have one key', async () => {
    const receiver = await openReceiver();
    network.setWebhook(receiver.url);
    const first = ask('@ExampleUser claism');
    const second = network.post({ author: 'OtherUser', text: '@ExampleUser claims', editOf: first.id });
    await network.settled();
    const mentions = receiver.received.flatMap(({ body }) => twitter.parse(body));
    expect(mentions.map(({ postId }) => postId)).toEqual([first.id, first.id]);
    expect(mentions.map(({ replyTo }) => replyTo).sort()).toEqual([first.id, second.id].sort());
    const shown = receiver.received.map(({ body }) => body.toString()).join();
    expect(shown.includes('edit_history_post_ids')).toBe(dialect === 'new');
  });

  test('behavior: a service that has spoken one vocabulary goes on when X knows the other alone', async () => {
    const post = ask();
    for (const knows of ['new', 'old', 'new'] as const) {
      network.manners.dialect = knows;
      expect((await twitter.lookUpPost(post.url))?.postId).toBe(post.id);
      expect((await twitter.pollEvents({ cursor: null, since: NOW - HOUR })).events).toHaveLength(1);
      expect(await twitter.findReply({ replyTo: post.id, threadId: post.threadId })).toBeNull();
    }
  });
});
