import { listPlatforms } from '../../domain/platforms/platforms.ts';
import type { AccountAssociation } from '../../domain/settings/account-association.ts';
import type { PageContext } from '../context.ts';
import type { App } from '../middleware/context.ts';
import { GIGS_PREVIEW } from './gigs/gig-preview.ts';
import type { ImageMaker } from './images.ts';
import { answerPicture, drawIcon, SPLASH_COLOR } from './preview.ts';

/** The chains that a mini app may require, by their EIP-155 ids; the published schema refuses others. */
const KNOWN_CHAINS: ReadonlySet<number> = new Set([
  ...[1, 10, 100, 130, 137, 999, 8_453, 10_143, 42_161, 42_220],
  ...[84_532, 421_614, 7_777_777, 11_155_111, 11_155_420, 666_666_666],
]);

/** The texts are fixed: the schema refuses `@` and most other characters. */
function manifestOf(accountAssociation: AccountAssociation, { chains, config, site }: PageContext) {
  const { publicUrl, brand } = site;
  const ids = chains.list().map(({ chain }) => chain.id);
  return {
    accountAssociation,
    miniapp: {
      version: '1',
      name: brand.name,
      iconUrl: `${publicUrl}/icon.png`,
      homeUrl: `${publicUrl}/gigs`,
      imageUrl: `${publicUrl}${GIGS_PREVIEW.imagePath}`,
      buttonTitle: GIGS_PREVIEW.button,
      splashImageUrl: `${publicUrl}/icon.png`,
      splashBackgroundColor: SPLASH_COLOR,
      subtitle: 'Earn tips and claim tokens',
      description: `Gigs on ${listPlatforms('and')}. Do what a gig asks, earn tips, and claim them with one post.`,
      primaryCategory: 'social',
      tags: ['gigs', 'tips', 'tokens', 'rewards'],
      ogTitle: 'Gigs and claims',
      ogDescription: `Do what a gig asks on ${listPlatforms('and')}, earn tips, and claim them with one post.`,
      ogImageUrl: `${publicUrl}${GIGS_PREVIEW.imagePath}`,
      ...(config.notifications === null ? {} : { webhookUrl: config.notifications }),
      canonicalDomain: new URL(publicUrl).hostname,
      requiredChains: ids.filter((id) => KNOWN_CHAINS.has(id)).map((id) => `eip155:${id}`),
    },
  };
}

/** `GET /.well-known/farcaster.json`, the manifest of the mini app, and its icon. */
export function addManifest(app: App, deps: PageContext & { readonly images: ImageMaker }): void {
  const { config, images, limited, site } = deps;
  let icon: Promise<Uint8Array<ArrayBuffer>> | null = null;
  const drawOnce = () => {
    icon ??= drawIcon(site.brand)
      .then((svg) => images.render(svg))
      .catch((error: unknown) => {
        icon = null;
        throw error;
      });
    return icon;
  };
  app.get('/icon.png', limited, async (c) => answerPicture(c, await drawOnce()));
  app.get('/.well-known/farcaster.json', limited, (c) => {
    const { accountAssociation } = config;
    if (accountAssociation === null) return c.notFound();
    const headers = {
      ...c.get('request').headers,
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
    };
    return new Response(JSON.stringify(manifestOf(accountAssociation, deps)), { headers });
  });
}
