import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answering, openWire } from '../../platforms/setup.ts';
import { openWorld, type World } from '../../support/world.ts';
import { anvil, doctor, useDoctor } from './setup.ts';

useDoctor();

const includes = { users: [{ id: '1', username: 'alice' }] };

describe('doctor, with platforms', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld({ env: { RPC_URL_31337: anvil.url } });
  });
  afterEach(() => world.close());

  /** By the clock of the service. */
  const beside = (more: Record<string, string> = {}) => doctor({ ...world.env, ...more }, { clock: Date.now });

  /** What is said of the posts of X. */
  const posts = async (more: Record<string, string> = {}) => (await beside(more)).check('x posts');

  /** What is said of the posts of an X that answers so. */
  async function postsOf(
    answer: (url: string) => ReturnType<typeof answering>,
  ): Promise<Awaited<ReturnType<typeof posts>>> {
    const wire = await openWire((response, { url = '' }) => answer(url)(response));
    const said = await posts({ X_BASE_URL: wire.url });
    await wire.close();
    return said;
  }

  test('behavior: all is well while the service runs and its webhooks are registered', async () => {
    const { code, failed, report } = await beside();
    expect([code, failed]).toEqual([0, {}]);
    expect(report.checks.slice(-10).map(({ name }) => name)).toEqual([
      'public url',
      'console',
      'cards',
      'spam labels',
      'farcaster credentials',
      'farcaster webhook',
      'x credentials',
      'x webhook',
      'x subscriptions',
      'x posts',
    ]);
  });

  test('error: webhooks that are missing and credentials that are refused', async () => {
    world.farcaster.setWebhook(null);
    world.x.setWebhook(null);
    const { code, failed, check } = await beside({ X_ACCESS_TOKEN: 'fake-token-of-old' });
    expect(code).toBe(1);
    expect(failed).toEqual({
      'farcaster webhook': `No webhook delivers to ${world.url}/webhooks/farcaster`,
      'x credentials': 'X answered 401 to “look up the bot”: Unauthorized',
      'x webhook': `No webhook delivers to ${world.url}/webhooks/twitter`,
      'x subscriptions': `X has no subscription that delivers post.mention.create and post.reply.create of the bot to ${world.url}/webhooks/twitter`,
      'x posts': "X answered 401 to “list the bot's mentions”: Unauthorized",
    });
    for (const name of ['farcaster webhook', 'x webhook']) {
      expect(check(name)?.remedy).toContain('npm run admin -- webhooks register');
    }
  });

  test('behavior: a post is fetched from X, and said is by which names its fields come', async () => {
    const { id } = world.x.post({ author: 'alice', text: '@gigclaim gig 1' });
    expect(await posts()).toEqual({
      name: 'x posts',
      ok: true,
      mark: 'passed',
      detail: `X returns all expected fields of post ${id} under their new names`,
      remedy: '',
    });
    world.x.manners.dialect = 'old';
    expect(await posts()).toEqual({
      name: 'x posts',
      ok: true,
      mark: 'passed',
      detail: `X returns all expected fields of post ${id} under their old names, which are used; under their new names (post.fields) X omits conversation_id, display_text_range, created_at, entities`,
      remedy: '',
    });
  });

  test('behavior: an X that refuses the new parameters, and gives all by the old ones, is well', async () => {
    const id = '2080765813578191303';
    const data = {
      id,
      text: 'hello',
      author_id: '1',
      conversation_id: id,
      created_at: '2026-11-21T09:29:00.000Z',
      display_text_range: [0, 5],
      edit_history_tweet_ids: [id],
    };
    const said = await postsOf((url) => {
      if (url.includes('post.fields')) return answering(400, '{"code":400,"message":"unknown"}');
      return answering(200, JSON.stringify(url.includes('tweet.fields') ? { data, includes } : { data: [{ id }] }));
    });
    expect(said).toMatchObject({
      ok: true,
      detail: `X returns all expected fields of post ${id} under their old names, which are used; under their new names (post.fields) X omits every field, because it rejects the request`,
    });
  });

  test.each([
    // Where the author's text begins is known without it: a first post, and a reply, whose handles come first.
    ['the range of a first post', {}, 'passed', null],
    ['the range of a reply', { referenced_posts: [{ type: 'replied_to', id: '7' }] }, 'passed', null],
    [
      'the time, which its id has, too',
      { created_at: undefined },
      'warning',
      'Posts without these fields are still paid and answered.',
    ],
    [
      'its edit history',
      { edit_history_post_ids: undefined },
      'failed',
      'Posts without these fields are neither paid nor answered.',
    ],
  ])('error: a post that lacks %s is not said to be lost unless it is', async (_name, change, mark, remedy) => {
    const id = '2080765813578191303';
    const data = {
      id,
      text: '@gigclaim claims',
      author_id: '1',
      conversation_id: id,
      created_at: '2026-11-21T09:29:00.000Z',
      edit_history_post_ids: [id],
      entities: { mentions: [{ start: 0, end: 9, username: 'gigclaim' }] },
      ...change,
    };
    const said = await postsOf((url) =>
      answering(200, JSON.stringify(url.includes('/mentions') ? { data: [data] } : { data, includes })),
    );
    expect(said).toMatchObject({ ok: mark !== 'failed', mark, remedy: expect.stringContaining(remedy ?? '') });
  });

  test('error: fields that X gives by neither name are named, with the remedy', async () => {
    const data = { id: '2080765813578191303', text: '@gigclaim claims', author_id: '1' };
    const said = await postsOf((url) =>
      answering(200, JSON.stringify({ data: url.includes('/mentions') ? [data] : data })),
    );
    const lost =
      'edit_history_post_ids (edit_history_tweet_ids), conversation_id, display_text_range, created_at, entities, username (of the author, in includes.users)';
    expect(said).toEqual({
      name: 'x posts',
      ok: false,
      mark: 'failed',
      detail: `Of the fields of post 2080765813578191303, under their new names (post.fields) X omits ${lost}, and under their old ones (tweet.fields) ${lost}`,
      remedy:
        'Posts without these fields are neither paid nor answered. Check docs.x.com/x-api for their current names, and update this service.',
    });
  });
});
