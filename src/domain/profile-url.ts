import type { Platform } from './account.ts';

const PROFILE =
  /^(?:https?:\/\/)?(?:(?:www|mobile|m)\.)?(x\.com|twitter\.com|farcaster\.xyz|warpcast\.com)\/(i\/user\/[0-9]+|~\/profiles\/[0-9]+|@?[A-Za-z0-9._-]+)\/?(?:[?#].*)?$/i;

const PLATFORMS: Readonly<Record<string, Platform>> = {
  'x.com': 'twitter',
  'twitter.com': 'twitter',
  'farcaster.xyz': 'farcaster',
  'warpcast.com': 'farcaster',
};

/**
 * The account that the URL of a profile names, as its platform's users write it: by its handle with an `@`, or by its id.
 * Null for anything else, posts included. The scheme may be missing.
 */
export function parseProfileUrl(text: string): { platform: Platform; name: string } | null {
  const [, host = '', path = ''] = PROFILE.exec(text) ?? [];
  const platform = PLATFORMS[host.toLowerCase()];
  if (platform === undefined) return null;
  const [, of, id] = /^(i\/user|~\/profiles)\/([0-9]+)$/i.exec(path) ?? [];
  if (id === undefined) return { platform, name: path.startsWith('@') ? path : `@${path}` };
  return (of === '~/profiles') === (platform === 'farcaster') ? { platform, name: id } : null;
}
