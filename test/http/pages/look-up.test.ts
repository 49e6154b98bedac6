import { expect, test } from 'vitest';
import { service, shareService } from '../service.ts';
import { open, openScene } from './scene.ts';

shareService(openScene);

test.each([
  ['/claim?platform=x&id=b%C3%B3b', 'bób', 'x'],
  ['/claim/x/b%C3%B3b', 'bób', 'x'],
  ['/claim/twitter/b%C3%B3b', 'bób', 'x'],
  ['/claim/farcaster/no%20one', 'no one', 'farcaster'],
  ['/claim?platform=farcaster&id=https%3A%2F%2Fevil.example%2Fbob', 'https://evil.example/bob', 'farcaster'],
  ['/claim?platform=x&id=https%3A%2F%2Fx.com%2Fbob%2Fstatus%2F1', 'https://x.com/bob/status/1', 'x'],
  ['/claim?platform=farcaster&id=%22%3E%3Cb%3E', '&quot;&gt;&lt;b&gt;', 'farcaster'],
])('error: a name that is none is asked for again, as it was typed: %s', async (path, typed, network) => {
  const { status, text, page } = await open(service, path);
  expect(status).toBe(400);
  expect(text).toMatch(/^Invalid name /);
  expect(page).toContain('<form class="look-up" action="/claim" method="get">');
  expect(page).toContain(`<input id="account" name="id" value="${typed}"`);
  expect(page).toContain(`<option value="${network}" selected>`);
});

test('error: what is wrong besides the name is said without the form', async () => {
  const { text, page } = await open(service, '/claim/farcaster/1001?before=x');
  expect(text).toBe('Invalid request before must be a positive whole number of at most 15 digits');
  expect(page).not.toContain('<form');
});

test.each([
  ['https://x.com/bob', '/claim/x/%40bob'],
  ['https://x.com/bob?s=21&t=abc', '/claim/x/%40bob'],
  ['http://www.twitter.com/Bob/', '/claim/x/%40bob'],
  ['mobile.twitter.com/@bob', '/claim/x/%40bob'],
  ['https://x.com/2002', '/claim/x/%402002'],
  ['https://x.com/i/user/2002', '/claim/x/2002'],
  ['https://farcaster.xyz/alice.eth', '/claim/farcaster/%40alice.eth'],
  ['warpcast.com/alice', '/claim/farcaster/%40alice'],
  ['https://farcaster.xyz/~/profiles/1001', '/claim/farcaster/1001'],
  ['@bob', '/claim/farcaster/%40bob'],
])('behavior: the form takes %s, whose network counts more than the one that was chosen', async (typed, location) => {
  for (const spaces of ['', ' ']) {
    const query = new URLSearchParams({ platform: 'farcaster', id: `${spaces}${typed}${spaces}` });
    const response = await service.app.request(`/claim?${query}`);
    expect([response.status, response.headers.get('location')]).toEqual([303, location]);
  }
});

test.each([
  'https://x.com/',
  'https://x.com/home/bob',
  'https://x.com.evil.example/bob',
  'https://evil.example/x.com/bob',
  'ftp://x.com/bob',
  'https://farcaster.xyz/i/user/1001',
  'https://farcaster.xyz/alice/0x1234abcd',
  'https://x.com/a-name-too-long-for-it',
])('error: the form does not take %s', async (typed) => {
  const response = await service.app.request(`/claim?${new URLSearchParams({ platform: 'x', id: typed })}`);
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
});
