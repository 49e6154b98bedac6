import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { decode, verify } from '@farcaster/jfs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appKeyOf } from '../../../sandbox/owners/app-keys.ts';
import { person } from '../../../sandbox/people.ts';
import { type Listening, listen } from '../../support/listen.ts';
import { type Pressed, press } from '../../support/sandbox.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';

const CARD_TYPE = 'application/vnd.farcaster.snap+json';

let served: Listening;
let page: Awaited<ReturnType<typeof openSandboxPage>>;
/** The bodies of the taps that the service got. */
const taps: string[] = [];
const looks: IncomingMessage[] = [];
/** How the service answers a tap. */
let answerTap: (response: ServerResponse) => void;

/** A card that says one thing and has the buttons. */
function card(content: string, buttons: Record<string, object> = {}): string {
  const say = { type: 'text', props: { content } };
  const named = Object.entries(buttons).map(([label, on]) => [label, { type: 'button', props: { label }, on }]);
  const root = { type: 'stack', props: {}, children: ['say', ...Object.keys(buttons)] };
  return JSON.stringify({
    version: '2.0',
    ui: { root: 'root', elements: { root, say, ...Object.fromEntries(named) } },
  });
}

function answer(response: ServerResponse, status: number, body: string, type = CARD_TYPE): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

const submit = (target: string) => ({ press: { action: 'submit', params: { target } } });

const service = createServer(async (request, response) => {
  if (request.method === 'POST') {
    taps.push(await textOf(request));
    answerTap(response);
  } else if (request.url === '/gigs/1') {
    looks.push(request);
    const share = {
      press: { action: 'compose_cast', params: { text: 'Look here', embeds: [`${served.url}/gigs/1`] } },
    };
    const elsewhere = submit('https://elsewhere.example/tap');
    const body = card('Gig 1', { Claim: submit(`${served.url}/tap/claim`), Share: share, Elsewhere: elsewhere });
    answer(response, 200, body);
  } else answer(response, 200, '{}', 'application/json');
});

beforeAll(async () => {
  served = await listen(service);
  page = await openSandboxPage({ service: served.url });
});

afterAll(async () => {
  await page.close();
  await served.close();
});

beforeEach(() => {
  taps.length = 0;
  answerTap = (response) => answer(response, 200, card('You can claim 100 DEGEN'));
});

/** What the feed shows to a person. */
async function shown(as = 'alice'): Promise<string> {
  return await (await fetch(`${page.url}/feed?as=${as}`)).text();
}

/** A new cast with the card of gig 1, and what a form about it has as fields. */
function castGig(text = 'Earn here') {
  const { id } = page.farcaster.post({ author: 'acme', text, embeds: [`${served.url}/gigs/1`] });
  return { as: 'alice', cast: id, url: `${served.url}/gigs/1` };
}

const tap = (fields: Record<string, string>): Promise<Pressed> => press(page.url, '/feed/tap', fields);

describe('the feed', () => {
  test('behavior: shows casts and replies, and a card for a URL of the service', async () => {
    const { cast } = castGig();
    const reply = page.farcaster.post({ author: 'bob', text: `see ${served.url}/gigs/1.`, replyTo: cast });
    page.farcaster.post({ author: 'carol', text: 'https://elsewhere.example/gigs/1' });
    const text = await shown();
    expect(text.match(/<article class="embed stack"/g)).toHaveLength(2);
    expect(text).toContain('<p class="text md normal left">Gig 1</p>');
    expect(text).toMatch(new RegExp(`id="cast-${cast}">.*class="plain replies">.*id="cast-${reply.id}"`, 's'));
    expect(text).toContain('<a href="https://elsewhere.example/gigs/1">elsewhere.example/gigs/1</a>');
  });

  test('behavior: asks for a card without saying who looks, and keeps it', async () => {
    looks.length = 0;
    castGig();
    for (const as of ['alice', 'bob', 'carol']) await shown(as);
    expect(looks.length).toBeLessThanOrEqual(1);
    for (const { headers } of looks) {
      expect(headers.accept).toBe(CARD_TYPE);
      expect(headers['x-snap-payload']).toBeUndefined();
    }
  });

  test('behavior: is seen as one of the users, and casts as that user', async () => {
    expect(await shown('nobody')).toContain('<a href="/feed?as=alice" aria-current="page">alice</a>');
    expect(await shown('bob')).toContain('<a href="/feed?as=bob" aria-current="page">bob</a>');
    expect(await press(page.url, '/feed/say', { as: 'bob', text: 'good morning' })).toMatchObject({
      ok: true,
      message: 'Cast as bob.',
    });
    expect(page.farcaster.posts().at(-1)).toMatchObject({ text: 'good morning', author: { username: 'bob' } });
    expect(await press(page.url, '/feed/say', { as: 'bob', text: ' ' })).toMatchObject({
      ok: false,
      message: 'There is nothing to post.',
    });
  });

  test('behavior: shows what the chosen user was notified of', async () => {
    const send = (fid: number) =>
      fetch(`${page.farcaster.url}/v2/farcaster/frame/notifications`, {
        method: 'POST',
        headers: { 'x-api-key': 'sandbox-neynar-api-key', 'content-type': 'application/json' },
        body: JSON.stringify({
          target_fids: [fid],
          notification: { title: 'You earned', body: '<b> 2 USDC', target_url: 'http://127.0.0.1:3000/claim' },
        }),
      });
    await page.farcaster.start(0);
    expect((await send(person('carol').fid)).status).toBe(200);
    expect(await shown('carol')).toContain('&lt;b&gt; 2 USDC');
    expect(await shown('alice')).toContain('alice has none yet.');
    await page.farcaster.stop();
  });

  test('security: is for this machine alone, and takes nothing from another site', async () => {
    const { headers } = await fetch(`${page.url}/feed`);
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    const body = new URLSearchParams({ as: 'alice', text: 'hi' });
    const sent = await fetch(`${page.url}/feed/say`, {
      method: 'POST',
      body,
      headers: { origin: 'https://a.example' },
    });
    expect(sent.status).toBe(403);
  });
});

describe('a tap', () => {
  test('behavior: is signed with the app key of the user, for the service and the cast', async () => {
    const place = castGig();
    expect(await tap({ ...place, as: 'bob', button: 'Claim' })).toMatchObject({
      ok: true,
      message: 'Tapped “Claim” as bob.',
    });
    const [sent = ''] = taps;
    await verify({ data: sent, strict: true, keyTypes: ['app_key'] });
    const { header, payload } = decode<{ timestamp: number }>(sent);
    expect(header).toEqual({ fid: 1002, type: 'app_key', key: appKeyOf(person('bob')) });
    expect(payload).toEqual({
      fid: 1002,
      inputs: {},
      timestamp: expect.any(Number),
      audience: served.url,
      user: { fid: 1002 },
      surface: { type: 'cast', cast: { hash: place.cast, author: { fid: 2001 } } },
    });
    expect(Math.abs(payload.timestamp * 1_000 - Date.now())).toBeLessThan(60_000);
  });

  test('behavior: its answer takes the place of the card for that user alone, until it is put back', async () => {
    const place = castGig('once');
    const about = async (as: string) => {
      const text = await shown(as);
      return text.slice(text.indexOf(`id="cast-${place.cast}"`)).split('</article>')[0] ?? '';
    };
    await tap({ ...place, button: 'Claim' });
    expect(await about('alice')).toContain('You can claim 100 DEGEN');
    expect(await about('bob')).toContain('>Gig 1<');
    await press(page.url, '/feed/first', place);
    expect(await about('alice')).toContain('>Gig 1<');
    await tap({ ...place, as: 'alice', button: 'Claim' });
    expect(taps).toHaveLength(2);
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    [
      'a card with an error status',
      (response) => answer(response, 401, card('The key is not known.')),
      'The service answered 401: The key is not known.',
    ],
    ['no card', (response) => answer(response, 200, 'hello', 'text/plain'), 'The service answered 200: hello'],
    ['nothing at all', (response) => void response.destroy(), 'The service did not answer: it is down or restarting.'],
    ['silence', () => undefined, 'No answer within 5 s. Tap again.'],
  ])('error: %s is said beside the card, which can be tapped again', async (_, answered, problem) => {
    const place = castGig();
    answerTap = answered;
    const { message } = await tap({ ...place, button: 'Claim' });
    expect(message).toContain(problem);
    const text = await shown();
    const after = text.slice(text.indexOf(`id="cast-${place.cast}"`)).split('</article>')[0] ?? '';
    expect(after).toContain(`<p class="notice bad small">${problem}`);
    expect(after).toContain('value="Claim"');
    answerTap = (response) => answer(response, 200, card('Paid'));
    expect(await tap({ ...place, button: 'Claim' })).toMatchObject({ message: 'Tapped “Claim” as alice.' });
  });

  test('behavior: sharing casts as the user, with the card', async () => {
    await tap({ ...castGig(), as: 'carol', button: 'Share' });
    expect(page.farcaster.posts().at(-1)).toMatchObject({
      text: 'Look here',
      author: { username: 'carol' },
      embeds: [`${served.url}/gigs/1`],
    });
    expect(taps).toEqual([]);
  });

  test.each([
    ['a button that is not there', { button: 'Withdraw' }, 'The card has changed. Tap again.'],
    ['what is no button', { button: 'say' }, 'The card has changed. Tap again.'],
    ['a cast that is not there', { cast: '0x00', button: 'Claim' }, 'The cast is gone.'],
    [
      'a card that the cast does not have',
      { url: 'http://127.0.0.1:1/', button: 'Claim' },
      'The cast has no such card.',
    ],
    ['another place', { button: 'Elsewhere' }, 'The button leads to another place: https://elsewhere.example/tap'],
  ])('security: nothing is signed for %s', async (_, fields, message) => {
    expect(await tap({ ...castGig(), ...fields })).toMatchObject({ ok: false, message });
    expect(taps).toEqual([]);
  });

  test('behavior: without script the browser is led back to the card', async () => {
    const place = castGig();
    const sent = await fetch(`${page.url}/feed/tap`, {
      method: 'POST',
      body: new URLSearchParams({ ...place, button: 'Claim' }),
      headers: { origin: page.url },
      redirect: 'manual',
    });
    expect(sent.status).toBe(303);
    expect(sent.headers.get('location')).toBe(`/feed?as=alice#card-${place.cast.slice(2, 14)}-0`);
  });
});

test('behavior: its stream brings what has changed', async () => {
  const leave = new AbortController();
  const stream = await fetch(`${page.url}/feed/events?as=alice`, { signal: leave.signal });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const seen = async (words: string) => {
    while (!text.includes(words)) text += (await reader?.read())?.value ?? '';
  };
  await seen('"told"');
  page.farcaster.post({ author: 'carol', text: 'said a moment ago' });
  await seen('said a moment ago');
  leave.abort();
});
