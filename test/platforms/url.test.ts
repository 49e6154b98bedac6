import { describe, expect, test } from 'vitest';
import { parseCastUrl, readCast, readXPost } from '../../src/domain/mentions/post-urls.ts';
import { answering, openFarcaster, openTwitter, openWire } from './setup.ts';

const FULL = `0x${'9288c1'.repeat(6)}abcd`;

describe('post URLs', () => {
  test('behavior: a cast by its short hash is asked for on both hosts, its own first', () => {
    expect(parseCastUrl('https://warpcast.com/alice.eth/0x9288C1?x=1')).toEqual({
      kind: 'url',
      urls: ['https://warpcast.com/alice.eth/0x9288c1', 'https://farcaster.xyz/alice.eth/0x9288c1'],
      hashPrefix: '0x9288c1',
    });
  });

  test('behavior: a whole hash needs no URL', () => {
    expect(parseCastUrl(`https://farcaster.xyz/alice/${FULL}`)).toEqual({ kind: 'hash', hash: FULL });
    expect(parseCastUrl(`https://farcaster.xyz/~/conversations/${FULL}`)).toEqual({ kind: 'hash', hash: FULL });
  });

  test.each([
    'https://x.com/alice/status/1541815603606036480',
    'https://x.com/alice/status/1541815603606036480/',
    'https://twitter.com/alice/status/1541815603606036480?s=20&t=abc',
    'https://mobile.twitter.com/alice/status/1541815603606036480/photo/1',
    'https://x.com/i/web/status/1541815603606036480',
    'https://x.com/i/status/1541815603606036480#top',
    'http://x.com/alice/status/1541815603606036480',
    'x.com/alice/status/1541815603606036480?s=46',
    'www.twitter.com/alice/status/1541815603606036480',
    '  HTTPS://X.COM/alice/status/1541815603606036480\n',
    'mobile.x.com/alice/status/1541815603606036480#m',
    'm.twitter.com/alice/status/1541815603606036480',
    'https://x.com/alice/status/1541815603606036480/analytics',
    'https://x.com/alice/status/1541815603606036480/quotes',
    'https://x.com/alice/status/1541815603606036480/history?x=1',
    'https://x.com/a_handle_of_long_ago/status/1541815603606036480/photo/2',
  ])('behavior: %s names a post', (url) => {
    expect(readXPost(url)?.postId).toBe('1541815603606036480');
  });

  test.each([
    ['https://x.com/alice/status/1541815603606036480', 'alice'],
    ['https://x.com/alice/status/1541815603606036480/', 'alice'],
    ['https://www.x.com/Alice_1/status/1541815603606036480?s=20&t=abc', 'Alice_1'],
    ['https://twitter.com/alice/statuses/1541815603606036480#top', 'alice'],
    ['https://mobile.twitter.com/alice/status/1541815603606036480/photo/1', 'alice'],
    ['https://mobile.x.com/alice/status/1541815603606036480/video/2/?s=20', 'alice'],
    ['https://x.com/i/status/1541815603606036480?s=20', 'i'],
    ['https://x.com/i/web/status/1541815603606036480', 'i'],
    ['http://www.x.com/alice/status/1541815603606036480/quotes', 'alice'],
    ['x.com/i/web/status/1541815603606036480/history', 'i'],
    ['https://x.com/al%69ce/status/1541815603606036480', null],
    ['https://x.com/alice/status/0541815603606036480', null],
    ['https://x.com/alice', null],
  ])('behavior: %s in its one form ends with the id', (url, user) => {
    const canonical = readXPost(url)?.canonical ?? null;
    expect(canonical).toBe(user && `https://x.com/${user}/status/1541815603606036480`);
    if (canonical !== null) expect(readXPost(canonical)?.canonical).toBe(canonical);
  });

  test.each([
    ['https://farcaster.xyz/alice/0x9288c1e8', 'alice/0x9288c1e8'],
    ['https://warpcast.com/alice.eth/0x9288C1E8/', 'alice.eth/0x9288c1e8'],
    ['https://www.farcaster.xyz/Alice/0x9288c1e8?utm=1#x', 'alice/0x9288c1e8'],
    ['http://farcaster.xyz/alice/0x9288c1e8', 'alice/0x9288c1e8'],
    ['farcaster.xyz/alice.base.eth/0x9288c1e8?x=1', 'alice.base.eth/0x9288c1e8'],
    ['www.warpcast.com/alice/0x9288c1e8#x', 'alice/0x9288c1e8'],
    ['https://farcaster.xyz/!12345/0x9288c1e8', '!12345/0x9288c1e8'],
    [`farcaster.xyz/~/conversations/${FULL}`, `~/conversations/${FULL}`],
    [`https://farcaster.xyz/alice/${FULL}`, `alice/${FULL}`],
    [`https://warpcast.com/~/conversations/${FULL.toUpperCase().replace('X', 'x')}/`, `~/conversations/${FULL}`],
    ['https://farcaster.xyz/~/conversations/0x9288c1e8', null],
    ['https://farcaster.xyz/alice', null],
  ])('behavior: %s in its one form ends with the hash', (url, path) => {
    const canonical = readCast(url)?.canonical ?? null;
    expect(canonical).toBe(path && `https://farcaster.xyz/${path}`);
    if (canonical !== null) expect(readCast(canonical)?.canonical).toBe(canonical);
  });

  const others = [
    '',
    'not a url',
    'ftp://x.com/alice/status/1541815603606036480',
    'x.com:8443/alice/status/1541815603606036480',
    'x.com@evil.example/alice/status/1541815603606036480',
    'evil@x.com/alice/status/1541815603606036480',
    'https://www.www.x.com/alice/status/1541815603606036480',
    'https://x.com/alice/status/1541815603606036480/photo',
    'https://x.com/alice/status/1541815603606036480/quotes/2',
    'look: x.com/alice/status/1541815603606036480',
    'https://x.com.evil.example/alice/status/1541815603606036480',
    'https://x.com@evil.example/alice/status/1541815603606036480',
    'https://evil@x.com/alice/status/1541815603606036480',
    'https://x.com:8443/alice/status/1541815603606036480',
    'https://evil.example/?u=https://x.com/alice/status/1541815603606036480',
    'https://x.com/alice/status/15418156036060364801',
    'https://x.com/alice/status/1541815603606036480/likes',
    'https://x.com/alice/status/-1',
    'https://x.com/alice',
    `https://x.com/alice/status/1?${'x'.repeat(600)}`,
    'ftp://farcaster.xyz/alice/0x9288c1',
    'https://farcaster.xyz/!!1/0x9288c1',
    'https://farcaster.xyz.evil.example/alice/0x9288c1',
    'https://farcaster.xyz:444/alice/0x9288c1',
    'https://farcaster.xyz/alice/0x92',
    'https://farcaster.xyz/alice/nonsense',
    'https://farcaster.xyz/alice/../0x9288c1',
    'https://farcaster.xyz/~/conversations/0x9288c1',
    `https://farcaster.xyz/alice/${FULL}00`,
    'javascript:alert(1)',
  ];

  test('security: anything else is no post, and is not even asked about', async () => {
    const wire = await openWire(answering(500, '{}'));
    const farcaster = await openFarcaster(wire.url);
    const twitter = await openTwitter(wire.url);
    for (const url of others) {
      expect([url, await farcaster.lookUpPost(url), await twitter.lookUpPost(url)]).toEqual([url, null, null]);
    }
    expect(wire.requests).toEqual([]);
  });
});
