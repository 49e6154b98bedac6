import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_FAULTS } from '../../../sandbox/networks/faults.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';

/** A service that says that it is ready, and counts who asks. */
const asked: string[] = [];
const service = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ready: true, platforms: [], data: {} }));
});

let served: Listening;
let page: Awaited<ReturnType<typeof openSandboxPage>>;

beforeAll(async () => {
  served = await listen(service);
  page = await openSandboxPage({ service: served.url });
});

afterAll(async () => {
  await page.close();
  await served.close();
});

function post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${page.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: page.url, accept: 'application/json', ...headers },
    redirect: 'manual',
  });
}

const CLAIMS = { author: 'alice', text: '@gigclaim claims' };

describe('the time', () => {
  test('behavior: is moved on by a button, which the page and its story show', async () => {
    const moved = (await (await post('/time', { by: '13h' })).json()) as { ok: boolean; message: string };
    expect(moved).toMatchObject({ ok: true, message: expect.stringMatching(/^It is 13 h later: .* UTC\.$/) });
    const shown = await (await fetch(page.url)).text();
    expect(shown).toContain('<dt>Time</dt><dd>13 h ahead</dd>');
    expect(shown).toContain('moved the time on by 13 h, to ');
  });

  test('error: is not moved by what is no span', async () => {
    for (const by of ['soon', '-1h', ''])
      expect(await (await post('/time', { by })).json()).toMatchObject({ ok: false });
  });

  test('security: is not moved by another site', async () => {
    expect((await post('/time', { by: '13h' }, { origin: 'https://example.org' })).status).toBe(403);
  });
});

describe('who may use the page', () => {
  test.each(['https://example.org', 'null', 'http://127.0.0.1:1', ''])(
    'security: a post from the origin %j is refused',
    async (origin) => {
      const before = page.farcaster.posts().length;
      const answer = await post('/posts/farcaster', CLAIMS, { origin });
      expect(answer.status).toBe(403);
      expect(page.farcaster.posts()).toHaveLength(before);
    },
  );

  test('security: a post that the browser calls cross-site is refused, whatever origin it names', async () => {
    const before = page.farcaster.posts().length;
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await post('/posts/farcaster', CLAIMS, { 'sec-fetch-site': site })).status, site).toBe(403);
    }
    expect(page.farcaster.posts()).toHaveLength(before);
  });

  test('security: a name of somebody else’s that leads here is refused, also for reading', async () => {
    const request = get(page.url, { headers: { host: 'evil.example:4000' } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(421);
  });

  test('security: its pages run nothing but its own files, in no frame, and are not kept', async () => {
    const { headers } = await fetch(page.url);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'; script-src 'self'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('security: only files of the two asset folders are served', async () => {
    expect((await fetch(`${page.url}/assets/live.js`)).headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    );
    expect((await fetch(`${page.url}/assets/style.css`)).status).toBe(200);
    for (const name of ['..%2Fserver.ts', '%2e%2e%2fpage.ts', 'nothing.js']) {
      expect((await fetch(`${page.url}/assets/${name}`)).status).toBe(404);
    }
  });
});

describe('what its forms answer', () => {
  test('behavior: a post is made, and where it shows is answered', async () => {
    const answer = await post('/posts/farcaster', CLAIMS);
    const { id, author, text } = page.farcaster.posts().at(-1) ?? { id: '', author: { username: '' }, text: '' };
    expect([author.username, text]).toEqual(['alice', '@gigclaim claims']);
    const show = `post-farcaster-${id}`;
    expect(await answer.json()).toEqual({ ok: true, message: 'Posted as alice on Farcaster.', show });
  });

  test('behavior: without script the browser is led back to where it shows', async () => {
    const answer = await post('/posts/x', CLAIMS, { accept: 'text/html' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`/#post-x-${page.x.posts().at(-1)?.id}`);
  });

  test.each([
    ['an empty post', '/posts/farcaster', { author: 'alice', text: ' ' }, 'There is nothing to post.'],
    ['a post without end', '/posts/x', { author: 'alice', text: 'a'.repeat(1001) }, 'That is too long to post.'],
    ['a post as the bot', '/posts/x', { author: 'gigclaim', text: 'hello' }, 'There is no user with that name.'],
    ['an unknown network', '/posts/mastodon', CLAIMS, 'There is no such network.'],
    ['an unknown gig', '/gigs/77/fund', { funding: 'exact' }, 'There is no gig 77.'],
    ['an unknown funding', '/gigs/1/fund', { funding: 'all' }, 'There is no such funding.'],
    ['an unknown fault', '/faults/x', { api: 'earthquake', webhook: 'normal' }, 'There is no such fault.'],
    ['an unknown step', '/steps/nothing', {}, 'There is no such step.'],
    ['killing a service that is down', '/kill', {}, 'The service is down already.'],
  ])('error: %s is refused in words', async (_, path, fields, message) => {
    expect(await (await post(path, fields)).json()).toMatchObject({ ok: false, message });
  });

  test('behavior: faults are set, for replies only, and for one of them when asked', async () => {
    await post('/faults/x', { api: 'hang', webhook: 'twice', once: 'on' });
    expect(page.x.faults).toEqual({ ...NO_FAULTS, api: 'hang', webhook: 'twice', route: 'reply', remaining: 1 });
    // The story has the words of the switches.
    const told = await (await fetch(page.url)).text();
    expect(told).toContain('its API is set to Time-out, for the next reply only; events come: Twice.');
    await post('/faults/x', { api: 'none', webhook: 'normal', once: 'on' });
    expect(page.x.faults).toEqual({ ...NO_FAULTS, route: 'reply' });
  });
});

describe('its stream', () => {
  test('behavior: brings every part at first, then what changed, and asks nothing when nobody listens', async () => {
    const leave = new AbortController();
    const stream = await fetch(`${page.url}/events`, { signal: leave.signal });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (words: string) => {
      while (!text.includes(words)) text += (await reader?.read())?.value ?? '';
    };
    await readUntil('"faults-x"');
    expect(text).toContain('"timeline-farcaster"');
    await readUntil('\n\n');
    text = '';
    await post('/posts/farcaster', { author: 'carol', text: 'good morning' });
    await readUntil('good morning');
    expect(text).not.toContain('"faults-x"');
    leave.abort();
    // What was under way when the listener left may still come; after that there is silence.
    await wait(500);
    const before = asked.length;
    await wait(1_500);
    expect(asked.length).toBe(before);
  });
});
