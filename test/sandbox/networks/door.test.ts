import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { NO_FAULTS } from '../../../sandbox/networks/faults.ts';
import { FARCASTER, NOW } from '../../platforms/setup.ts';
import { send } from './receiver.ts';

describe('the control door of a network', () => {
  let network: FarcasterNetwork;

  beforeEach(async () => {
    network = createFarcasterNetwork({ ...FARCASTER, clock: () => NOW });
    network.addUser({ id: '1001', username: 'alice' });
    await network.start();
  });
  afterEach(() => network.stop());

  const door = (method: string, path: string, body?: unknown) => send(method, `${network.url}/sandbox${path}`, body);

  test.each([
    ['another site’s origin', { origin: 'https://example.org' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['no origin at all, as a sandboxed frame has', { origin: 'null' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
  ])('security: a post from %s is refused', async (_, headers) => {
    // Such a body needs no preflight, so a browser sends it from any page.
    const body = JSON.stringify({ author: 'alice', text: 'hello' });
    const plain = { 'content-type': 'text/plain', ...headers };
    const answer = await fetch(`${network.url}/sandbox/posts`, { method: 'POST', headers: plain, body });
    expect(answer.status).toBe(403);
    expect(network.posts()).toEqual([]);
    const faults = await fetch(`${network.url}/sandbox/faults`, { method: 'PUT', headers: plain, body: '{}' });
    expect(faults.status).toBe(403);
  });

  test('security: another name that leads to this machine is refused, also for reading', async () => {
    const request = get(`${network.url}/sandbox/posts`, { headers: { host: 'evil.example:4001' } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(421);
  });

  test('behavior: posts as somebody and shows the timeline', async () => {
    const made = await door('POST', '/posts', { author: 'alice', text: '@gigclaim claims' });
    const [post] = network.posts();
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: post?.id,
        author: 'alice',
        text: '@gigclaim claims',
        replyTo: null,
        quotes: null,
        threadId: post?.id,
        createdAt: '2026-11-21T12:00:00.000Z',
        url: `https://farcaster.xyz/alice/${post?.id.slice(0, 10)}`,
      },
    ]);
    expect((await door('GET', '/posts')).json).toEqual({ posts: [made.json] });
    const answer = await door('POST', '/posts', { author: '1001', text: 'more', replyTo: post?.id });
    expect(answer.json).toMatchObject({ replyTo: post?.id, threadId: post?.id });
  });

  test('error: an unknown author is told who there is, and a broken body what was expected', async () => {
    const unknown = await door('POST', '/posts', { author: 'eve', text: 'hello' });
    expect([unknown.status, unknown.json]).toEqual([
      404,
      { error: 'There is no user eve. The users are gigclaim, alice.', users: ['gigclaim', 'alice'] },
    ]);
    expect((await door('POST', '/posts', { author: 'alice', text: 'hello', replyTo: '0x1' })).status).toBe(404);
    expect((await door('POST', '/posts', { author: 'alice' })).status).toBe(400);
  });

  test('behavior: waits for the bot’s answer, and for nobody else’s', async () => {
    const { id } = network.post({ author: 'alice', text: '@gigclaim claims' });
    const waiting = door('GET', `/posts/${id}/reply?wait=20000`);
    network.post({ author: 'alice', text: 'anyone?', replyTo: id });
    const answer = network.post({ author: 'gigclaim', text: 'here', replyTo: id });
    expect((await waiting).json).toEqual({ reply: { id: answer.id, text: 'here' } });
  });

  test('behavior: says null when no answer came in time', async () => {
    const { id } = network.post({ author: 'alice', text: '@gigclaim claims' });
    expect((await door('GET', `/posts/${id}/reply?wait=10`)).json).toEqual({ reply: null });
    expect((await door('GET', `/posts/${id}/reply`)).json).toEqual({ reply: null });
    expect((await door('GET', `/posts/${id}/reply?wait=soon`)).status).toBe(400);
  });

  test('behavior: sets faults, which leave the door itself alone', async () => {
    const set = await door('PUT', '/faults', { api: 'unauthorized', route: 'any', webhook: 'twice' });
    const expected = { ...NO_FAULTS, api: 'unauthorized', route: 'any', webhook: 'twice' };
    expect(set.json).toEqual(expected);
    expect(network.faults).toEqual(expected);
    expect((await door('PUT', '/faults', { api: 'explode' })).status).toBe(400);
    expect((await door('PUT', '/faults', {})).json).toMatchObject({ api: 'none', webhook: 'normal' });
  });

  test('behavior: lists who there is', async () => {
    expect((await door('GET', '/users')).json).toEqual({
      users: [
        { id: '9001', username: 'gigclaim' },
        { id: '1001', username: 'alice' },
      ],
    });
  });
});
