import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import newPost from '../../fixtures/twitter/post-new.json' with { type: 'json' };
import newRepost from '../../fixtures/twitter/repost-new.json' with { type: 'json' };
import { answering, failureOf, openTwitter, openWire, type Wire } from '../setup.ts';

let wire: Wire | undefined;
afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

const URL_OF = (id: string) => `https://x.com/OtherUser/status/${id}`;
const ASKED = '2080765813578191303';
const HISTORY = { edit_history_post_ids: [ASKED] };
const POST = { id: ASKED, text: 'claim my rewards', author_id: '2222222222222222222', conversation_id: ASKED };
const NAMED = { entities: { mentions: [{ start: 0, end: 12, id: '1111111111111111111' }] } };
const MENTION = { ...POST, ...HISTORY, ...NAMED, text: '@ExampleUser claims', display_text_range: [0, 19] };

/** X's adapter before a server that answers every request with this body. */
async function facing(body: unknown) {
  wire = await openWire(answering(200, JSON.stringify(body)));
  return await openTwitter(wire.url);
}

/** The same before a server that answers by the parameters of a request. */
async function facingEither(answers: { byNew: unknown; byOld: unknown }, refusal = 200) {
  wire = await openWire((response: ServerResponse, request) => {
    const asksNew = (request.url ?? '').includes('post.fields');
    answering(asksNew ? refusal : 200, JSON.stringify(asksNew ? answers.byNew : answers.byOld))(response);
  });
  return await openTwitter(wire.url);
}

/** Which vocabularies the requests so far were in. */
const spoken = () =>
  (wire?.requests ?? []).map(({ path }) =>
    ['post.fields', 'tweet.fields'].filter((name) => path.includes(`${name}=`)).join('+'),
  );

describe('looking up a post', () => {
  test('security: of an edited post, in the new names, only the last version is its author’s word', async () => {
    const { data, includes } = newPost;
    const [first] = data.edit_history_post_ids;
    wire = await openWire((response, request) => {
      const asked = (request.url ?? '').includes(`/tweets/${data.id}`)
        ? data
        : { ...data, id: first, text: 'the first' };
      answering(200, JSON.stringify({ data: asked, includes }))(response);
    });
    const twitter = await openTwitter(wire.url);
    expect(await twitter.lookUpPost(URL_OF(first ?? ''))).toEqual({
      platform: 'twitter',
      postId: '2080765813578191303',
      authorId: '2222222222222222222',
      authorUsername: 'OtherUser',
      text: 'claim my rewards 0x00000000000000000000000000000000000000a1',
      plainText: 'claim my rewards 0x00000000000000000000000000000000000000a1',
      postedAt: 1_784_928_300_000,
    });
  });

  test.each([
    ['no edit history', { data: POST }],
    ['an empty one', { data: { ...POST, edit_history_post_ids: [] } }],
    ['an empty text in it', { data: { ...POST, edit_history_tweet_ids: [''] } }],
    ['one of another post', { data: { ...POST, edit_history_post_ids: ['7'] } }],
  ])('security: with %s it may be an edited post, and is no answer', async (_name, body) => {
    const twitter = await facing(body);
    const failure = await failureOf(twitter.lookUpPost(URL_OF(ASKED)));
    expect([failure.reason, failure.retry, failure.message]).toEqual([
      'bad_response',
      'safe',
      'X gave no usable answer to “look up a post”: it lacks edit_history_post_ids (edit_history_tweet_ids)',
    ]);
    expect(spoken()).toEqual(['post.fields', 'tweet.fields']);
  });

  test('behavior: a post from before posts could be edited has no history', async () => {
    const old = { ...POST, id: '1541815603606036480', conversation_id: '1541815603606036480' };
    const twitter = await facing({ data: old });
    expect((await twitter.lookUpPost(URL_OF(old.id)))?.postId).toBe(old.id);
  });

  test('security: without its author it is no answer, whoever came along', async () => {
    const { author_id: _, ...rest } = POST;
    const includes = { users: [{ id: '2222222222222222222', username: 'OtherUser' }] };
    const twitter = await facing({ data: { ...rest, ...HISTORY }, includes });
    expect((await failureOf(twitter.lookUpPost(URL_OF(ASKED)))).message).toContain('it lacks author_id');
  });

  test('security: where X does not say how its text begins, nor what thread it is of, it is no answer', async () => {
    const { conversation_id: _, ...rest } = POST;
    const twitter = await facing({ data: { ...rest, ...HISTORY } });
    const { message } = await failureOf(twitter.lookUpPost(URL_OF(ASKED)));
    expect(message).toContain('it lacks display_text_range, conversation_id');
  });

  test('security: a repost has no words of its own, by either name of its kind and without any reference', async () => {
    const { data, includes } = newRepost;
    const { referenced_posts: _, ...bare } = data;
    for (const shown of [data, bare, { ...bare, referenced_tweets: [{ type: 'retweeted', id: '5' }] }]) {
      const twitter = await facing({ data: shown, includes });
      expect(await twitter.lookUpPost(URL_OF(data.id))).toMatchObject({ authorId: '2222222222222222222', text: '' });
      await wire?.close();
    }
  });

  test('security: a last version by another author, or of another post, is no answer', async () => {
    const last = '2080765813578191399';
    const history = { edit_history_post_ids: [ASKED, last] };
    const mallory = { ...POST, ...history, id: last, author_id: '4444444444444444444' };
    const stray = { ...POST, id: last, edit_history_post_ids: ['5', last] };
    for (const second of [mallory, stray]) {
      wire = await openWire((response, request) => {
        const data = (request.url ?? '').includes(`/tweets/${last}`) ? second : { ...POST, ...history };
        answering(200, JSON.stringify({ data }))(response);
      });
      const failure = await failureOf((await openTwitter(wire.url)).lookUpPost(URL_OF(ASKED)));
      expect([failure.reason, failure.retry]).toEqual(['bad_response', 'safe']);
      await wire.close();
    }
  });

  test('behavior: a version that came while it was looked up is looked up, too', async () => {
    const ids = [ASKED, '2080765813578191390', '2080765813578191391'];
    wire = await openWire((response, request) => {
      const at = ids.findIndex((id) => (request.url ?? '').includes(`/tweets/${id}`));
      const data = { ...POST, id: ids[at], text: `version ${at}`, edit_history_post_ids: ids.slice(0, at + 2) };
      answering(200, JSON.stringify({ data }))(response);
    });
    const found = await (await openTwitter(wire.url)).lookUpPost(URL_OF(ASKED));
    expect([found?.postId, found?.text]).toEqual([ASKED, 'version 2']);
  });
});

describe('the vocabulary', () => {
  const { edit_history_post_ids: _, ...bare } = { ...POST, ...HISTORY };
  const byOld = { data: { ...bare, edit_history_tweet_ids: [ASKED] } };

  test('behavior: begins with the new names, falls back to the old, keeps those, and never sends both at once', async () => {
    const twitter = await facingEither({ byNew: { data: bare }, byOld });
    for (let times = 0; times < 3; times++) expect((await twitter.lookUpPost(URL_OF(ASKED)))?.postId).toBe(ASKED);
    expect(spoken()).toEqual(['post.fields', 'tweet.fields', 'tweet.fields', 'tweet.fields']);
  });

  test('behavior: a server that refuses the new parameters is asked by the old', async () => {
    const twitter = await facingEither({ byNew: { code: 400, message: 'unknown parameter' }, byOld }, 400);
    expect((await twitter.lookUpPost(URL_OF(ASKED)))?.postId).toBe(ASKED);
  });

  test('error: what is refused by both is refused', async () => {
    wire = await openWire(answering(400, '{"code":400,"message":"no such thing"}'));
    const failure = await failureOf((await openTwitter(wire.url)).lookUpPost(URL_OF(ASKED)));
    expect([failure.reason, failure.message]).toEqual([
      'rejected',
      'X answered 400 to “look up a post”: no such thing',
    ]);
  });

  test('behavior: a post that is not there is asked for once', async () => {
    const type = 'https://api.x.com/2/problems/resource-not-found';
    const twitter = await facing({ errors: [{ title: 'Not Found Error', type }] });
    expect(await twitter.lookUpPost(URL_OF(ASKED))).toBeNull();
    expect(spoken()).toEqual(['post.fields']);
  });
});

describe('looking for the bot’s own reply', () => {
  const query = { replyTo: ASKED, threadId: ASKED };
  const page = (...data: unknown[]) => ({ data, meta: { result_count: data.length } });
  const OWN = { id: '2080765813578199999', text: 'You have 150 DEGEN' };

  test.each([
    ['a post without references in a thread of others', { ...OWN, conversation_id: ASKED }],
    ['a post of which only the text is shown', OWN],
    ['references that cannot be read', { ...OWN, referenced_posts: [{ kind: 'replied_to' }] }],
    [
      'a quote in a thread of others',
      { ...OWN, conversation_id: ASKED, referenced_posts: [{ type: 'quoted', id: '5' }] },
    ],
  ])('security: %s may be the reply, so that none is denied', async (_name, post) => {
    const twitter = await facing(page(post));
    const failure = await failureOf(twitter.findReply(query));
    expect([failure.reason, failure.message]).toEqual([
      'bad_response',
      "X gave no usable answer to “list the bot's own posts”: it lacks referenced_posts (referenced_tweets)",
    ]);
    expect(spoken()).toEqual(['post.fields', 'tweet.fields']);
  });

  test('security: posts that are counted and not shown prove nothing', async () => {
    const twitter = await facing({ meta: { result_count: 3 } });
    expect((await failureOf(twitter.findReply(query))).reason).toBe('bad_response');
  });

  test('behavior: a post that begins a thread, a repost, and a reply to another are not the reply', async () => {
    const root = { ...OWN, conversation_id: OWN.id };
    const repost = { ...OWN, conversation_id: '5', referenced_posts: [{ type: 'reposted', id: '5' }] };
    const elsewhere = { ...OWN, id: '2080765813578199998', referenced_posts: [{ type: 'replied_to', id: '5' }] };
    expect(await (await facing(page(root, repost, elsewhere))).findReply(query)).toBeNull();
  });

  test.each(['referenced_posts', 'referenced_tweets'])('behavior: it is found by %s', async (name) => {
    const reply = { ...OWN, [name]: [{ type: 'replied_to', id: ASKED }] };
    const twitter = await facing(page({ ...OWN, id: '2080765813578199990', conversation_id: '5' }, reply));
    expect(await twitter.findReply(query)).toBe(OWN.id);
  });
});

describe('polling', () => {
  const page = (...data: unknown[]) => ({ data, meta: { result_count: data.length } });
  const poll = (body: unknown) => facing(body).then((twitter) => twitter.pollEvents({ cursor: null, since: 0 }));

  test.each([
    ['their authors', 'author_id', 'author_id'],
    ['their edit history', 'edit_history_post_ids', 'edit_history_post_ids (edit_history_tweet_ids)'],
    ['whom they name', 'entities', 'entities'],
  ])('error: mentions without %s are a failure that is seen, and no silence', async (_name, field, named) => {
    const failure = await failureOf(poll(page({ ...MENTION, [field]: undefined })));
    expect([failure.reason, failure.message]).toEqual([
      'bad_response',
      `X gave no usable answer to “list the bot's mentions”: it lacks ${named}`,
    ]);
    expect(spoken()).toEqual(['post.fields', 'tweet.fields']);
  });

  test('error: mentions that are counted and not shown are a failure, too', async () => {
    expect((await failureOf(poll({ meta: { result_count: 2 } }))).message).toContain('it lacks data');
  });

  test('security: one mention without its edit history among others is left out, and holds nothing up', async () => {
    const odd = { ...MENTION, id: '2080765813578191400', edit_history_post_ids: undefined };
    const { events, cursor } = await poll(page(odd, MENTION));
    expect(events.map(({ postId }) => postId)).toEqual([ASKED]);
    expect(cursor).toBe('2080765813578191400');
  });
});
