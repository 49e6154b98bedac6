import { describe, expect, test } from 'vitest';
import { createImageMaker } from '../../../src/http/pages/images.ts';
import { isOnPostgres } from '../../support/database.ts';
import { PAGES, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { forThisTest, service, shareService } from '../service.ts';
import { ALICE, open, openScene } from './scene.ts';

shareService(openScene);

/** The content of a meta tag, as a browser reads it. */
function meta(page: string, name: string): string | undefined {
  const content = new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(page)?.[1];
  return content?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** A PNG's width and height; throws when it is none. */
function sizeOf(png: Uint8Array): [number, number] {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

const imageOf = async (path: string) => {
  const response = await service.app.request(path);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};

describe('a link to the claim page', () => {
  test('behavior: is shown by other programs with a title, the amounts and a picture', async () => {
    const { page } = await open(service, '/claim/farcaster/alice');
    expect(meta(page, 'og:title')).toBe('@alice on Farcaster: 2 tokens to claim');
    expect(meta(page, 'og:description')).toBe('7.5 DEGEN, 0.123456789012345678 ETH');
    expect(meta(page, 'og:url')).toBe('https://gigclaim.test/claim/farcaster/1001');
    expect(meta(page, 'og:image')).toBe('https://gigclaim.test/claim/farcaster/1001/image.png');
    expect(meta(page, 'og:image:width')).toBe('1200');
    expect(meta(page, 'og:image:height')).toBe('800');
    expect(meta(page, 'twitter:card')).toBe('summary_large_image');
  });

  test('behavior: opens the page as a mini app on Farcaster', async () => {
    const { page } = await open(service, '/claim/farcaster/alice');
    expect(JSON.parse(meta(page, 'fc:miniapp') ?? '')).toEqual({
      version: '1',
      imageUrl: 'https://gigclaim.test/claim/farcaster/1001/image.png',
      button: {
        title: 'See claimable tokens',
        action: {
          type: 'launch_miniapp',
          name: 'gigclaim',
          url: 'https://gigclaim.test/claim/farcaster/1001',
          splashBackgroundColor: '#f7f7f5',
        },
      },
    });
  });

  test('behavior: is no mini app where the service is not reached under https', async () => {
    for (const publicUrl of ['http://gigclaim.test', 'http://127.0.0.1:3000/https://']) {
      const plain = await forThisTest(openScene({ config: { publicUrl } }));
      const { page } = await open(plain, '/claim/farcaster/alice');
      expect(page).not.toContain('fc:miniapp');
      expect(meta(page, 'og:url')).toBe(`${publicUrl}/claim/farcaster/1001`);
    }
  });

  test('behavior: of an account without tips says so', async () => {
    const { page } = await open(service, '/claim/x/nobody');
    expect(meta(page, 'og:title')).toBe('@nobody on X: nothing to claim');
    expect(meta(page, 'og:image')).toBe('https://gigclaim.test/claim/x/%40nobody/image.png');
    expect(JSON.parse(meta(page, 'fc:miniapp') ?? '').button.title).toBe('See payments');
  });
});

describe('the picture', () => {
  test('behavior: is a PNG of 1200 by 800 that other hosts may show and keep for seconds', async () => {
    const { response, bytes } = await imageOf('/claim/farcaster/1001/image.png');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('public, max-age=30');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(sizeOf(bytes)).toEqual([1200, 800]);
    expect(bytes.length).toBeLessThan(200_000);
  });

  test('behavior: shows what the page shows: another account’s is another one', async () => {
    const [alice, again, bob, nobody] = await Promise.all(
      ['farcaster/alice', 'farcaster/1001', 'x/bob', 'x/%40nobody'].map((who) => imageOf(`/claim/${who}/image.png`)),
    );
    expect(alice?.bytes).toEqual(again?.bytes);
    expect(new Set([alice, bob, nobody].map((image) => Buffer.from(image?.bytes ?? []).toString('base64'))).size).toBe(
      3,
    );
    expect(sizeOf(nobody?.bytes ?? new Uint8Array())).toEqual([1200, 800]);
  });

  test('security: is one for all accounts that are not known, of either platform, however many are asked for at once', async () => {
    const names = Array.from({ length: 40 }, (_, number) =>
      number % 2 === 0 ? `x/nobody${number}` : `farcaster/9${number}`,
    );
    const images = await Promise.all(names.map((who) => imageOf(`/claim/${who}/image.png`)));
    // Sixteen pictures may wait for the thread that draws them: forty of their own would send a crowd away.
    expect(images.map(({ response }) => response.status)).toEqual(names.map(() => 200));
    expect(new Set(images.map(({ bytes }) => Buffer.from(bytes).toString('base64'))).size).toBe(1);
  });

  test('error: of an account that cannot be read is a page with status 400', async () => {
    const { response } = await imageOf('/claim/x/no-handle/image.png');
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('security: whatever tokens and people are called, it can be drawn', async () => {
    const { store } = service;
    // PostgreSQL's text holds no U+0000; what the chain answers is cleaned before it gets there.
    const odd = isOnPostgres() ? '\u0007\ud800' : '\u0000\u0007\ud800';
    const names = ['<script>"&\'', odd, '円'.repeat(20), ']]><!--', 'W'.repeat(200)];
    for (const [index, symbol] of names.entries()) {
      const { id: tokenId } = await seedToken(store, {
        chainId: 8453,
        address: `0x${String(index).repeat(40)}`,
        symbol,
      });
      const gig = await seedGig(store, { live: true, tokenId });
      await seedTips(store, gig, [{ ...ALICE, platformUserId: '666' }]);
    }
    await store.transaction((tx) =>
      tx.setUsername({ platform: 'farcaster', platformUserId: '666', username: '</text><image href="x"/>\u0001' }, 1),
    );
    const { response, bytes } = await imageOf('/claim/farcaster/666/image.png');
    expect(response.status).toBe(200);
    expect(sizeOf(bytes)).toEqual([1200, 800]);
  });
});

describe('the maker of pictures', () => {
  const circle = (radius: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="${radius}"/></svg>`;

  test('behavior: makes several at once, each its own', async () => {
    const images = createImageMaker({ pagesFolder: PAGES });
    const drawn = await Promise.all([1, 2, 3].map((radius) => images.render(circle(radius))));
    expect(new Set(drawn.map((png) => Buffer.from(png).toString('base64'))).size).toBe(3);
  });

  test('error: what cannot be drawn is said, and the next picture is made', async () => {
    const images = createImageMaker({ pagesFolder: PAGES });
    await expect(images.render('<svg')).rejects.toThrow('the picture could not be drawn');
    expect(sizeOf(await images.render(circle(9)))).toEqual([64, 64]);
  });

  test('security: a crowd is sent away instead of waiting without end', async () => {
    const images = createImageMaker({ pagesFolder: PAGES });
    const asked = Array.from({ length: 20 }, (_, radius) => images.render(circle(radius)));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    expect(refused.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ fault: { code: 'unavailable', retryAfter: 5 } })),
    );
  });

  test('error: a renderer that cannot start fails every picture it was asked for', async () => {
    const images = createImageMaker({ pagesFolder: `${PAGES}/nowhere` });
    await expect(Promise.all([images.render(circle(1)), images.render(circle(2))])).rejects.toThrow(
      /renderer of pictures/,
    );
  });
});
