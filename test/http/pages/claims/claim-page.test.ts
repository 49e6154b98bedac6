import { describe, expect, test } from 'vitest';
import { seedGig, seedTips, seedToken } from '../../../support/store.ts';
import { forThisTest, label, openService, service, shareService } from '../../service.ts';
import { BOB_ON_X, open, openPages, openScene } from '../scene.ts';

describe('the claim page', () => {
  shareService(openScene);

  test('behavior: says for each token how much, from how many tips and gigs, and lists the tips', async () => {
    const { status, response, page, text } = await open(service, '/claim/farcaster/1001');
    expect(status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page).toContain('<title>@alice on Farcaster: 2 tokens to claim · gigclaim</title>');
    expect(text).toMatch(
      /^@alice Farcaster, FID 1001: claimable tokens and payments How to claim 7\.5 DEGEN , .* To claim 7\.5 DEGEN /,
    );
    expect(text).toContain('7.5 DEGEN Degen on Base, from 2 tips in 1 gig');
    expect(text).toContain('Tip 2 Say something kind. Tag a friend gig 2 7 DEGEN 1 Jan 2026 To claim');
    expect(text).toContain('Tip 3 Say something kind. Tag a friend gig 2 0.5 DEGEN 1 Jan 2026 To claim');
    expect(text).toContain('0.123456789012345678 ETH Ether on Base, from 1 tip in 1 gig');
    expect(text).not.toContain('Tip 1 ');
    expect(page).toContain('<a href="/gigs/2"><bdi>Say something kind. Tag a friend</bdi></a>');
  });

  test('behavior: a token says which contract it is, its chain’s own coin does not', async () => {
    const { page, text } = await open(service, '/claim/farcaster/1001');
    const address = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';
    expect(text).toContain(`in 1 gig Token contract 0x4ed4…efed ${address} Tips in DEGEN`);
    expect(page).toContain(
      `<a href="https://basescan.org/address/${address}" rel="noopener"><span class="hash" title="${address}">`,
    );
    expect(text.match(/Token contract/g)).toHaveLength(1);
    expect(text).toContain('from 1 tip in 1 gig Tips in ETH');
  });

  test('behavior: on Farcaster it gives the text to post', async () => {
    const { page, text } = await open(service, '/claim/farcaster/1001');
    expect(page).toContain('<code id="claim-text">@gigclaim claim my rewards</code>');
    expect(page).toContain('https://farcaster.xyz/~/compose?text=%40gigclaim%20claim%20my%20rewards"');
    expect(text).toContain('the verified Ethereum address of the account');
  });

  test('behavior: on X the text has a place for the address, which must be named there', async () => {
    const { page, text } = await open(service, '/claim/x/2002');
    expect(page).toContain('<code id="claim-text">@gigclaim claim my rewards 0xYOUR_ADDRESS</code>');
    expect(text).toContain('@Bob X, id 2002:');
    expect(text).toContain('5 DEGEN');
    expect(text).toContain('Replace 0xYOUR_ADDRESS with your own Ethereum address');
  });

  test('behavior: says what was paid, when, from which gig, to whom, and links the transaction', async () => {
    const { page, text } = await open(service, '/claim/farcaster/1001');
    const hash = `0x${'0'.repeat(63)}1`;
    expect(text).toMatch(/Payments .* 10 min ago 12 DEGEN Say something kind. Tag a friend gig 2 0x0000…cafE /);
    expect(page).toContain(`<a href="https://basescan.org/tx/${hash}" rel="noopener">`);
    expect((await open(service, '/claim/x/2002')).text).toContain('Payments Nothing yet.');
  });

  test.each([
    '/claim/farcaster/alice',
    '/claim/farcaster/@Alice',
    '/claim/farcaster/%40alice',
    '/claim/farcaster/0001001',
  ])('behavior: %s is the same account', async (path) => {
    const { status, text, page } = await open(service, path);
    expect(status).toBe(200);
    expect(text).toContain('7.5 DEGEN');
    expect(page).toContain('<link rel="canonical" href="https://gigclaim.test/claim/farcaster/1001">');
  });

  test.each(['/claim/x/bob', '/claim/twitter/BOB', '/claim/x/@bob', '/claim/twitter/2002'])(
    'behavior: on X a handle without @ and digits find an account too: %s',
    async (path) => {
      expect((await open(service, path)).text).toContain('5 DEGEN');
    },
  );

  test.each([
    ['/claim/x/1001', 'X id 1001'],
    ['/claim/farcaster/2002', 'FID 2002'],
    ['/claim/x/@2002', '@2002'],
    ['/claim/farcaster/nobody.eth', '@nobody.eth'],
    ['/claim/x/alice', '@alice'],
  ])('behavior: %s is an account that nobody knows, which is no error', async (path, name) => {
    const { status, text } = await open(service, path);
    expect(status).toBe(200);
    expect(text).toMatch(new RegExp(`^${name.replace('.', '\\.')} `));
    expect(text).toContain(name.startsWith('@') ? 'We have no tips for' : 'Nothing to claim for');
    expect(text).not.toContain('DEGEN');
    expect(text).not.toContain('How to claim');
  });

  test.each([
    ['/claim/myspace/alice', 'The platform must be farcaster, x or twitter'],
    [
      '/claim/x/no-such-handle',
      '"no-such-handle" is neither an X id (a whole number of at most 20 digits) nor a username on X',
    ],
    ['/claim/x/1234567890123456', 'Nothing to claim'],
    [
      '/claim/farcaster/%3Cscript%3E',
      '"<script>" is neither a Farcaster FID (a whole number of at most 20 digits) nor a username on Farcaster',
    ],
    ['/claim/farcaster/123456789012345678901', 'is neither a Farcaster FID'],
    ['/claim/farcaster/1001?before=x', 'before must be a positive whole number of at most 15 digits'],
  ])('error: %s', async (path, words) => {
    const { status, response, text, page } = await open(service, path);
    expect(text).toContain(words);
    expect(status).toBe(words.startsWith('Nothing') ? 200 : 400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page).not.toContain('<script>');
  });

  test('behavior: the form of the first page leads to the account', async () => {
    const at = async (query: string) => {
      const response = await service.app.request(`/claim?${query}`);
      return [response.status, response.headers.get('location')];
    };
    expect(await at('platform=x&id=bob')).toEqual([303, '/claim/x/%40bob']);
    expect(await at('platform=farcaster&id=+1001+')).toEqual([303, '/claim/farcaster/1001']);
    expect(await at('platform=farcaster&id=%2F%2Fevil.example')).toEqual([400, null]);
    expect(await at('')).toEqual([400, null]);
  });

  test('behavior: it may be kept for seconds, and only clients of mini apps may frame it', async () => {
    const { headers } = (await open(service, '/claim/farcaster/1001')).response;
    expect(headers.get('cache-control')).toBe('public, max-age=5');
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors https://farcaster.xyz https://*.farcaster.xyz " +
        'https://warpcast.com https://*.warpcast.com https://base.app https://*.base.app',
    );
  });
});

describe('a claim page', () => {
  test('behavior: of a platform that is off says that nothing can be claimed there', async () => {
    const off = await forThisTest(openService());
    const gig = await seedGig(off.store, { live: true });
    await seedTips(off.store, gig, [BOB_ON_X]);
    const { text } = await open(off, '/claim/x/2002');
    expect(text).toContain('X id 2002');
    expect(text).toContain('1 DEGEN');
    expect(text).toContain('X is turned off here');
  });

  test('behavior: of many tips lists the oldest and counts the others', async () => {
    const many = await forThisTest(openPages());
    const gig = await seedGig(many.store, { live: true });
    await seedTips(
      many.store,
      gig,
      Array.from({ length: 27 }, () => BOB_ON_X),
    );
    const { text } = await open(many, '/claim/x/2002');
    expect(text).toContain('27 DEGEN Degen on Base, from 27 tips in 1 gig');
    expect(text).toContain('Tip 25 Mention on Farcaster gig 1');
    expect(text).not.toContain('Tip 26 ');
    expect(text).toContain('And 2 more tips.');
  });

  test('behavior: works below a path', async () => {
    const below = await forThisTest(openPages({ config: { publicUrl: 'https://host.test/gigs-of-mine' } }));
    await label(below.store, 'twitter', '2002', 'bob');
    await seedToken(below.store);
    const { page } = await open(below, '/claim/x/bob');
    const addresses = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, address]) => address);
    expect(addresses.length).toBeGreaterThan(5);
    for (const address of addresses) expect(address).toMatch(/^(https:\/\/host\.test)?\/gigs-of-mine\//);
  });
});
