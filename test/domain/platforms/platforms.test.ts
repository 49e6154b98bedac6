import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseProfileUrl, webhookPath } from '../../../src/domain/platforms/platforms.ts';

test('behavior: the path of a webhook is made in one place', () => {
  expect(webhookPath('twitter')).toBe('/webhooks/twitter');
  const makers = globSync('src/**/*.ts').filter((path) => /`[^`]*\/webhooks\/\$\{/.test(readFileSync(path, 'utf8')));
  expect(makers).toEqual(['src/domain/platforms/platforms.ts']);
});

test.each([
  ['https://farcaster.xyz/!1002', { platform: 'farcaster', name: '1002' }],
  ['warpcast.com/!1002/', { platform: 'farcaster', name: '1002' }],
  ['https://farcaster.xyz/~/profiles/1002', { platform: 'farcaster', name: '1002' }],
  ['https://farcaster.xyz/Bob.eth?a=b', { platform: 'farcaster', name: '@Bob.eth' }],
  ['https://x.com/i/user/2222', { platform: 'twitter', name: '2222' }],
  ['https://x.com/@bob', { platform: 'twitter', name: '@bob' }],
  ['https://farcaster.xyz/!bob', null],
  ['https://farcaster.xyz/@!1002', null],
  ['https://x.com/!2222', null],
])('behavior: %s is the URL of a profile, or of none', (url, profile) => {
  expect(parseProfileUrl(url)).toEqual(profile);
});
