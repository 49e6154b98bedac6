import { describe, expect, test } from 'vitest';
import { parseCastUrl } from '../../src/domain/cast-url.ts';
import { parsePostUrl } from '../../src/domain/post-url.ts';
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
  ])('behavior: %s names a post', (url) => {
    expect(parsePostUrl(url)).toBe('1541815603606036480');
  });

  const others = [
    '',
    'not a url',
    'http://x.com/alice/status/1541815603606036480',
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
    'http://farcaster.xyz/alice/0x9288c1',
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
    await wire.close();
  });
});
