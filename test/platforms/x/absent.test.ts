import { describe, expect, test } from 'vitest';
import newPost from '../../fixtures/twitter/post-new.json' with { type: 'json' };
import newRepost from '../../fixtures/twitter/repost-new.json' with { type: 'json' };
import { byPath, failureOf, json, openTwitter, openWire, type Reaction } from '../setup.ts';

const URL_OF = (id: string) => `https://x.com/OtherUser/status/${id}`;
const ASKED = '2080765813578191303';
const HISTORY = { edit_history_post_ids: [ASKED] };
const POST = { id: ASKED, text: 'claim my rewards', author_id: '2222222222222222222', conversation_id: ASKED };
const NAMED = { entities: { mentions: [{ start: 0, end: 12, id: '1111111111111111111' }] } };
const MENTION = { ...POST, ...HISTORY, ...NAMED, text: '@ExampleUser claims', display_text_range: [0, 19] };

/** X's adapter before a server that reacts so, and the vocabularies that it has spoken. */
async function reacting(reaction: Reaction) {
  const { url, requests } = await openWire(reaction);
  const vocabularyOf = ({ path }: { path: string }) =>
    ['post.fields', 'tweet.fields'].filter((name) => path.includes(`${name}=`)).join('+');
  return { twitter: await openTwitter(url), spoken: () => requests.map(vocabularyOf) };
}

/** The same before a server that answers every request with this body. */
const facing = (body: unknown) => reacting(json(body));

describe('looking up a post', () => {
  test('security: of an edited post, in the new names, only the last version is its author’s word', async () => {
    const { data, includes } = newPost;
    const [first] = data.edit_history_post_ids;
    const older = { ...data, id: first, text: 'the first' };
    const { twitter } = await reacting(
      byPath((path) => ({ data: path.includes(`/tweets/${data.id}`) ? data : older, includes })),
    );
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
    const { twitter, spoken } = await facing(body);
    expect(await failureOf(twitter.lookUpPost(URL_OF(ASKED)))).toMatchObject({
      reason: 'bad_response',
      retry: 'safe',
      message: 'X gave no usable answer to “look up a post”: it lacks edit_history_post_ids (edit_history_tweet_ids)',
    });
    expect(spoken()).toEqual(['post.fields', 'tweet.fields']);
  });

  test('behavior: a post from before posts could be edited has no history', async () => {
    const old = { ...POST, id: '1541815603606036480', conversation_id: '1541815603606036480' };
    const { twitter } = await facing({ data: old });
    expect((await twitter.lookUpPost(URL_OF(old.id)))?.postId).toBe(old.id);
  });

  test('security: without its author it is no answer, whoever came along', async () => {
    const { author_id: _, ...rest } = POST;
    const includes = { users: [{ id: '2222222222222222222', username: 'OtherUser' }] };
    const { twitter } = await facing({ data: { ...rest, ...HISTORY }, includes });
    expect((await failureOf(twitter.lookUpPost(URL_OF(ASKED)))).message).toContain('it lacks author_id');
  });

  test('security: where X does not say how its text begins, nor what thread it is of, it is no answer', async () => {
    const { conversation_id: _, ...rest } = POST;
    const { twitter } = await facing({ data: { ...rest, ...HISTORY } });
    const { message } = await failureOf(twitter.lookUpPost(URL_OF(ASKED)));
    expect(message).toContain('it lacks display_text_range, conversation_id');
  });

  test('security: a repost has no words of its own, by either name of its kind and without any reference', async () => {
    const { data, includes } = newRepost;
    const { referenced_posts: _, ...bare } = data;
    for (const shown of [data, bare, { ...bare, referenced_tweets: [{ type: 'retweeted', id: '5' }] }]) {
      const { twitter } = await facing({ data: shown, includes });
      expect(await twitter.lookUpPost(URL_OF(data.id))).toMatchObject({ authorId: '2222222222222222222', text: '' });
    }
  });

  test('security: a last version by another author, or of another post, is no answer', async () => {
    const last = '2080765813578191399';
    const history = { edit_history_post_ids: [ASKED, last] };
    const mallory = { ...POST, ...history, id: last, author_id: '4444444444444444444' };
    const stray = { ...POST, id: last, edit_history_post_ids: ['5', last] };
    for (const second of [mallory, stray]) {
      const first = { ...POST, ...history };
      const { twitter } = await reacting(
        byPath((path) => ({ data: path.includes(`/tweets/${last}`) ? second : first })),
      );
      const failure = await failureOf(twitter.lookUpPost(URL_OF(ASKED)));
      expect(failure).toMatchObject({ reason: 'bad_response', retry: 'safe' });
    }
  });

  test('behavior: a version that came while it was looked up is looked up, too', async () => {
    const ids = [ASKED, '2080765813578191390', '2080765813578191391'];
    const { twitter } = await reacting(
      byPath((path) => {
        const at = ids.findIndex((id) => path.includes(`/tweets/${id}`));
        return {
          data: { ...POST, id: ids[at], text: `version ${at}`, edit_history_post_ids: ids.slice(0, at + 2) },
        };
      }),
    );
    expect(await twitter.lookUpPost(URL_OF(ASKED))).toMatchObject({ postId: ASKED, text: 'version 2' });
  });
});

describe('the vocabulary', () => {
  const { edit_history_post_ids: _, ...bare } = { ...POST, ...HISTORY };
  const byOld = { data: { ...bare, edit_history_tweet_ids: [ASKED] } };

  test('behavior: begins with the new names, falls back to the old, keeps those, and never sends both at once', async () => {
    const { twitter, spoken } = await reacting(
      byPath((path) => (path.includes('post.fields') ? { data: bare } : byOld)),
    );
    for (let times = 0; times < 3; times++) expect((await twitter.lookUpPost(URL_OF(ASKED)))?.postId).toBe(ASKED);
    expect(spoken()).toEqual(['post.fields', 'tweet.fields', 'tweet.fields', 'tweet.fields']);
  });

  test('behavior: a server that refuses the new parameters is asked by the old', async () => {
    const refusal = json({ code: 400, message: 'unknown parameter' }, 400);
    const { twitter } = await reacting((response, { url }) =>
      (url?.includes('post.fields') === true ? refusal : json(byOld))(response),
    );
    expect((await twitter.lookUpPost(URL_OF(ASKED)))?.postId).toBe(ASKED);
  });

  test('error: what is refused by both is refused', async () => {
    const { twitter } = await reacting(json({ code: 400, message: 'no such thing' }, 400));
    expect(await failureOf(twitter.lookUpPost(URL_OF(ASKED)))).toMatchObject({
      reason: 'rejected',
      message: 'X answered 400 to “look up a post”: no such thing',
    });
  });

  test('behavior: a post that is not there is asked for once', async () => {
    const type = 'https://api.x.com/2/problems/resource-not-found';
    const { twitter, spoken } = await facing({ errors: [{ title: 'Not Found Error', type }] });
    expect(await twitter.lookUpPost(URL_OF(ASKED))).toBeNull();
    expect(spoken()).toEqual(['post.fields']);
  });
});

const page = (...data: unknown[]) => ({ data, meta: { result_count: data.length } });

describe('looking for the bot’s own reply', () => {
  const query = { replyTo: ASKED, threadId: ASKED };
  const OWN = { id: '2080765813578199999', text: 'You have 150 DEGEN' };

  test.each([
    ['a post without references in a thread of others', { ...OWN, conversation_id: ASKED }],
    ['a post of which only the text is shown', OWN],
    ['references that cannot be read', { ...OWN, referenced_posts: [{ kind: 'replied_to' }] }],
    ['a quote in their thread', { ...OWN, conversation_id: ASKED, referenced_posts: [{ type: 'quoted', id: '5' }] }],
  ])('security: %s may be the reply, so that none is denied', async (_name, post) => {
    const { twitter, spoken } = await facing(page(post));
    expect(await failureOf(twitter.findReply(query))).toMatchObject({
      reason: 'bad_response',
      message: "X gave no usable answer to “list the bot's own posts”: it lacks referenced_posts (referenced_tweets)",
    });
    expect(spoken()).toEqual(['post.fields', 'tweet.fields']);
  });

  test('security: posts that are counted and not shown prove nothing', async () => {
    const { twitter } = await facing({ meta: { result_count: 3 } });
    expect((await failureOf(twitter.findReply(query))).reason).toBe('bad_response');
  });

  test('behavior: a post that begins a thread, a repost, and a reply to another are not the reply', async () => {
    const root = { ...OWN, conversation_id: OWN.id };
    const repost = { ...OWN, conversation_id: '5', referenced_posts: [{ type: 'reposted', id: '5' }] };
    const elsewhere = { ...OWN, id: '2080765813578199998', referenced_posts: [{ type: 'replied_to', id: '5' }] };
    const { twitter } = await facing(page(root, repost, elsewhere));
    expect(await twitter.findReply(query)).toBeNull();
  });

  test.each(['referenced_posts', 'referenced_tweets'])('behavior: it is found by %s', async (name) => {
    const reply = { ...OWN, [name]: [{ type: 'replied_to', id: ASKED }] };
    const { twitter } = await facing(page({ ...OWN, id: '2080765813578199990', conversation_id: '5' }, reply));
    expect(await twitter.findReply(query)).toBe(OWN.id);
  });
});

describe('polling', () => {
  const poll = (body: unknown) => facing(body).then(({ twitter }) => twitter.pollEvents({ cursor: null, since: 0 }));

  test.each([
    ['their authors', 'author_id', 'author_id'],
    ['their edit history', 'edit_history_post_ids', 'edit_history_post_ids (edit_history_tweet_ids)'],
    ['whom they name', 'entities', 'entities'],
  ])('error: mentions without %s are a failure that is seen, and no silence', async (_name, field, named) => {
    const { twitter, spoken } = await facing(page({ ...MENTION, [field]: undefined }));
    expect(await failureOf(twitter.pollEvents({ cursor: null, since: 0 }))).toMatchObject({
      reason: 'bad_response',
      message: `X gave no usable answer to “list the bot's mentions”: it lacks ${named}`,
    });
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
