import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSearch } from '../../../src/domain/operators/search.ts';

const CAST = `0x${'ab'.repeat(20)}`;
const UPPER_CAST = CAST.toUpperCase().replace('X', 'x');
const HASH = `0x${'1f'.repeat(32)}`;
const byOf = (text: string) => readSearch(text).map(({ by }) => by);

describe('what a text may stand for', () => {
  test('behavior: a number with its noun is that record, in any case and with a sign', () => {
    const record = (noun: string, id: number) => [{ by: 'record', record: noun, id }];
    expect(readSearch('gig 5')).toEqual(record('gig', 5));
    expect(readSearch(' Claim  #7 ')).toEqual(record('claim', 7));
    expect(readSearch('tip 9')).toEqual(record('tip', 9));
    expect(readSearch('gig 0')).toEqual([]);
    expect(readSearch('gig 1234567890123456')).toEqual([]);
  });

  test('behavior: a handle is looked for on each platform that may have it', () => {
    const both = [
      { by: 'account', name: { platform: 'farcaster', handle: 'bob' } },
      { by: 'account', name: { platform: 'twitter', handle: 'bob' } },
    ];
    expect(readSearch('@Bob')).toEqual(both);
    expect(readSearch('@bob.eth')).toEqual([{ by: 'account', name: { platform: 'farcaster', handle: 'bob.eth' } }]);
    expect(readSearch('bob')).toEqual(both);
    expect(readSearch('x:@bob')).toEqual([both[1]]);
  });

  test('behavior: what stands for the post of a claim by button or by tap is looked for on each platform', () => {
    for (const id of [`snap:${'a1'.repeat(16)}`, `page:${'0f'.repeat(16)}`]) {
      const posts = ['farcaster', 'twitter'].map((platform) => ({
        by: 'post',
        post: { platform, url: id, from: id, to: id },
      }));
      expect(readSearch(id.toUpperCase())).toEqual(expect.arrayContaining(posts));
    }
    expect(byOf(`snap:${'a1'.repeat(15)}`)).toEqual(['request']);
  });

  test('behavior: an account goes by any name of its platform, or by the URL of its profile', () => {
    const id = (platform: string, platformUserId: string) => ({ by: 'account', name: { platform, platformUserId } });
    expect(readSearch('farcaster:1002')).toContainEqual(id('farcaster', '1002'));
    for (const text of ['x:2222', 'twitter:2222', 'X:2222'])
      expect(readSearch(text)).toContainEqual(id('twitter', '2222'));
    expect(readSearch('https://x.com/bob')).toEqual([{ by: 'account', name: { platform: 'twitter', handle: 'bob' } }]);
    expect(readSearch('1002')).toContainEqual(id('farcaster', '1002'));
    expect(readSearch('1002')).toContainEqual({ by: 'record', record: 'gig', id: 1002 });
    expect(byOf('threads:5')).toEqual(['request']);
    expect(byOf('threads:alice')).toEqual(['request']);
  });

  test('behavior: a post goes by its URL, by the beginning that a URL has of its id, and by its id', () => {
    const url = `https://farcaster.xyz/~/conversations/${CAST}`;
    const post = { platform: 'farcaster', from: CAST, to: CAST, url };
    expect(readSearch(url)).toEqual([{ by: 'post', post }]);
    expect(readSearch(UPPER_CAST)).toEqual([
      { by: 'address', address: CAST },
      { by: 'post', post },
    ]);
    expect(readSearch('farcaster.xyz/Bob/0xabababab')).toEqual([
      {
        by: 'post',
        post: {
          platform: 'farcaster',
          from: '0xabababab',
          to: '0xabababab~',
          url: 'https://farcaster.xyz/bob/0xabababab',
        },
      },
    ]);
    const onX = { platform: 'twitter', from: '501', to: '501', url: 'https://x.com/bob/status/501' };
    expect(readSearch('https://twitter.com/bob/status/501?s=20')).toEqual([{ by: 'post', post: onX }]);
    expect(byOf('501')).toContain('post');
  });

  test('behavior: hashes, events and requests are told by their form', () => {
    expect(readSearch(HASH.toUpperCase().replace('X', 'x'))).toContainEqual({ by: 'transaction', hash: HASH });
    expect(byOf(`evt_${'0a'.repeat(16)}`)).toContain('event');
    expect(readSearch('6f9619ff-8b86-d011-b42d-00cf4fc964ff')).toContainEqual({
      by: 'request',
      requestId: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    });
  });

  test('behavior: a number with a sign is a gig, and hexadecimal goes without its prefix', () => {
    expect(readSearch(' #42 ')).toEqual([{ by: 'record', record: 'gig', id: 42 }]);
    expect(readSearch(HASH.slice(2))).toContainEqual({ by: 'transaction', hash: HASH });
    expect(readSearch(CAST.slice(2).toUpperCase())).toContainEqual({ by: 'address', address: CAST });
    expect(byOf(CAST.slice(2))).toContain('post');
  });

  test.each([
    [`https://basescan.org/tx/${HASH}`, { by: 'transaction', hash: HASH }],
    [`https://optimistic.etherscan.io/address/${UPPER_CAST}#code`, { by: 'address', address: CAST }],
    [`https://base.blockscout.com/token/${CAST}/holders?a=b`, { by: 'address', address: CAST }],
    ['https://gigs.example/gigs/42', { by: 'record', record: 'gig', id: 42 }],
    ['http://localhost:3000/below/my/gigs/42/award', { by: 'record', record: 'gig', id: 42 }],
    ['https://gigs.example/admin/replies/7?retried', { by: 'record', record: 'reply', id: 7 }],
    ['https://gigs.example/admin/payments/3', { by: 'record', record: 'payment', id: 3 }],
    ['https://gigs.example/claim/x/@Bob', { by: 'account', name: { platform: 'twitter', handle: 'bob' } }],
    [
      'https://gigs.example/claim/farcaster/1001',
      { by: 'account', name: { platform: 'farcaster', platformUserId: '1001' } },
    ],
  ])('behavior: %s is what that page is about', (url, sought) => {
    expect(readSearch(url)).toEqual([sought]);
  });

  test('error: pages about nothing that is found are nothing', () => {
    for (const path of ['gigs', 'gigs/0', 'gigs/042', 'tx/0x12', `tx/${HASH}00`, 'claim/threads/1', 'megagigs/42']) {
      expect([path, readSearch(`https://gigs.example/${path}`)]).toEqual([path, []]);
    }
  });

  test('security: a text that is too long, empty or holds control characters is nothing', () => {
    for (const text of [
      '',
      '   ',
      'gig\u00005',
      '@bob\n@alice',
      '\u0000',
      'a'.repeat(501),
      'gig 5'.padEnd(2_000_000, ' '),
    ])
      expect([text.slice(0, 20), readSearch(text)]).toEqual([text.slice(0, 20), []]);
    expect(readSearch('<script>alert(1)</script>')).toEqual([]);
    expect(readSearch("%_'; drop table gigs; --")).toEqual([]);
    // The Kelvin sign in lower case is a k.
    expect(readSearch('@\u212Aevin')).toEqual([]);
  });

  test('security: no text throws, and none stands for more than a handful', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readSearch(text).length <= 8));
  });
});
