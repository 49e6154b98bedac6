import { domainManifestSchema, miniAppEmbedNextSchema } from '@farcaster/miniapp-core/dist/schemas/index.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { cleanLogo, type Logo } from '../../../src/domain/settings/logo/logo.ts';
import { drawGigs } from '../../../src/http/pages/gigs/gig-preview.ts';
import { createImageMaker } from '../../../src/http/pages/images.ts';
import { drawIcon } from '../../../src/http/pages/preview.ts';
import { showBrand } from '../../../src/http/ui/brand.ts';
import { NO_BRAND } from '../../support/config.ts';
import { grayPng, SVG_LOGO } from '../../support/logos.ts';
import { PAGES, seedGig } from '../../support/store.ts';
import { browserOf, walletOn } from '../my/browser.ts';
import { openOperator } from '../operator.ts';
import { open, openPages } from '../pages/scene.ts';
import { forThisTest, NOW, type Service, service, shareService } from '../service.ts';

const publicUrl = 'https://gigs.example.com/below';
const accountAssociation = { header: 'eyJmaWQiOjF9', payload: 'eyJkb21haW4iOiJhIn0', signature: 'MHgwMA' };
const { brand } = loadConfig({
  SITE_NAME: "Acme's Gigs",
  SITE_ACCENT: '#7c2d12',
  OPERATOR_CONTACT: 'ops@gigs.example.com',
  SITE_TERMS_URL: 'https://gigs.example.com/terms?a=1&b=2',
});
const OPTIONS = { signIn: walletOn('http://127.0.0.1:1'), config: { publicUrl, accountAssociation, brand } };

shareService(() => openPages({ ...OPTIONS, logo: SVG_LOGO }));
beforeAll(async () => void (await seedGig(service.store, { live: true, startTime: NOW, title: 'Launch week' })));

const NAME = 'Acme&#39;s Gigs';
const FOOT =
  '<a href="mailto:ops@gigs.example.com">Contact</a> · <a href="https://gigs.example.com/terms?a=1&amp;b=2" rel="noopener">Terms</a></footer>';

/** The pages of everybody, of an owner and of an operator, by their paths. */
async function readPages(from: Service): Promise<[path: string, page: string][]> {
  const everybody = [
    '/',
    '/gigs',
    '/gigs/1',
    '/gigs/1/report',
    '/claim/x/bob',
    '/commands',
    '/nowhere',
    '/my/sign-in',
    '/admin',
  ];
  const headers = { accept: 'text/html' };
  const pages = everybody.map(
    async (path): Promise<[string, string]> => [path, (await open(from, path, { headers })).page],
  );
  const owner = await browserOf(from, `wallet:0x${'ab'.repeat(20)}`);
  const operator = openOperator(from);
  await operator.submit('/admin/session', { key: from.key });
  return [
    ...(await Promise.all(pages)),
    ...(await Promise.all(
      ['/my', '/my/rewards'].map(async (path): Promise<[string, string]> => [path, (await owner.get(path)).text]),
    )),
    ['/admin/gigs', await operator.read('/admin/gigs')],
  ];
}

describe('a site with its operator’s name, color and logo', () => {
  test('behavior: has them on each page, with the ways to the operator at its foot', async () => {
    for (const [path, page] of await readPages(service)) {
      expect([path, /<title>.* · ([^<]*)<\/title>/.exec(page)?.[1]]).toEqual([path, NAME]);
      const wordmark = /<a class="wordmark"[^>]*><img src="([^"]*)" alt="" width="56" height="28"> ([^<]*)<\/a>/.exec(
        page,
      );
      expect([path, wordmark?.[2]]).toEqual([path, path.startsWith('/admin') ? `${NAME} operator` : NAME]);
      expect(page).toContain(`<link rel="icon" type="image/svg+xml" href="${wordmark?.[1]}">`);
      expect(page).toMatch(
        /style\.css\?v=\w+">\n?<link rel="stylesheet" href="\/below\/assets\/brand\.css\?v=\w{12}">/,
      );
      expect(page).toContain(FOOT);
      const words = page.replaceAll(/@(?:<bdi>)?gigclaim|gigclaim_\w+/g, '');
      expect([path, words.includes('gigclaim')]).toEqual([path, false]);
    }
  });

  test('security: its logo is served as a picture that runs and loads nothing, and its color as a style sheet', async () => {
    const { page } = await open(service, '/');
    const [logo = '', style = ''] = ['logo.svg', 'brand.css'].map(
      (name) => new RegExp(`/below(/assets/${RegExp.escape(name)}\\?v=\\w{12})"`).exec(page)?.[1],
    );
    for (const path of [logo, '/favicon.ico']) {
      const { headers } = await service.app.request(path);
      expect(headers.get('content-type')).toBe('image/svg+xml');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(new Uint8Array(await (await service.app.request(logo)).arrayBuffer())).toEqual(SVG_LOGO.bytes);
    const css = await (await service.app.request(style)).text();
    expect(css).toMatch(/^:root\{--accent:#7c2d12;--accent-strong:#5d220e;--on-accent:#ffffff;/);
    expect(css).toContain('@media (prefers-color-scheme:dark){:root{--accent:#');
    expect(css).not.toMatch(/url\(|@import|https?:/);
  });

  test('behavior: is called so in embeds, the manifest and the reference', async () => {
    const { page } = await open(service, '/gigs/1');
    expect(page).toContain(`<meta property="og:site_name" content="${NAME}">`);
    const content = /<meta name="fc:miniapp" content="([^"]*)">/.exec(page)?.[1] ?? 'null';
    const embed: unknown = JSON.parse(
      content.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    );
    expect(miniAppEmbedNextSchema.parse(embed).button.action).toMatchObject({ name: "Acme's Gigs" });
    const manifest: unknown = await (await service.app.request('/.well-known/farcaster.json')).json();
    expect(domainManifestSchema.parse(manifest).miniapp?.name).toBe("Acme's Gigs");
    const reference = await (await service.app.request('/api/docs')).text();
    expect(reference).toContain(`<title>${NAME} API</title>`);
    expect(reference).toContain('"primary":{"main":"#7c2d12","contrastText":"#ffffff"}');
    expect(await (await service.app.request('/api/openapi.json')).json()).toMatchObject({
      info: { title: "Acme's Gigs" },
    });
  });
});

test('behavior: pictures have the name, the color and the logo, each of which makes other ones', async () => {
  const images = createImageMaker({ pagesFolder: PAGES });
  const draw = async (settings: Partial<typeof brand>, logo: Logo | null = null) => {
    const { shown } = showBrand({ ...NO_BRAND, ...settings }, { logo, pagesFolder: PAGES });
    const pictures = [await drawGigs(shown), await drawIcon(shown)].map((svg) => images.render(svg));
    return (await Promise.all(pictures)).map((png) => Buffer.from(png).toString('base64'));
  };
  const { name, accent } = brand;
  const drawn = [
    await draw({}),
    await draw({ name }),
    await draw({ accent }),
    await draw({}, SVG_LOGO),
    await draw({}, cleanLogo(grayPng())),
  ];
  expect(new Set(drawn.flat()).size).toBe(10);
});

test('behavior: without settings nothing of them is there; a logo of pixels, a name or a color stands alone', async () => {
  const plain = await forThisTest(openPages());
  const { page } = await open(plain, '/');
  expect(page).toContain('<title>Gigs and claims · gigclaim</title>');
  expect(page).toContain('<a class="wordmark" href="/">gigclaim</a>');
  expect(page).not.toMatch(/brand\.css|logo\.|<footer|<img/);
  for (const name of ['brand.css', 'logo.svg', 'logo.png'])
    expect((await plain.app.request(`/assets/${name}`)).status).toBe(404);

  const pixels = await forThisTest(openPages({ logo: cleanLogo(grayPng()) }));
  expect((await open(pixels, '/')).page).toMatch(/<link rel="icon" type="image\/png" href="\/assets\/logo\.png\?v=/);
  const icon = await pixels.app.request('/favicon.ico');
  expect(icon.headers.get('content-type')).toBe('image/png');

  const colored = await forThisTest(openPages({ config: { brand: { ...brand, terms: null } } }));
  const text = await (await colored.app.request('/favicon.ico')).text();
  expect(text).toMatch(/^<svg .*<title>Acme's Gigs<\/title>.*fill="#7c2d12"/);
  expect((await open(colored, '/')).page).toContain(
    '<footer class="colophon"><a href="mailto:ops@gigs.example.com">Contact</a></footer>',
  );
});
