import type { Context } from 'hono';
import type { AccountName } from '../../../domain/account.ts';
import { parseAccountName, splitAccount } from '../../../domain/account-name.ts';
import { DomainError, invalidRequest } from '../../../domain/errors.ts';
import { botName } from '../../../domain/mentions/mention.ts';
import { mayOwnersSignIn } from '../../../domain/owners/sign-in.ts';
import { platformFacts, platformNamed, platformNames } from '../../../domain/platforms/platforms.ts';
import { findAccountClaims } from '../../../services/claims/find-account-claims.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import type { ShownBrand } from '../../ui/brand.ts';
import type { Site } from '../../ui/layout.ts';
import { answerPage, publicNavigation, servePages, showErrors, withoutSlash } from '../../ui/page.ts';
import type { ImageMaker } from '../images.ts';
import { renderLookUp, type Typed } from '../look-up-form.ts';
import { answerPicture, MINI_APP_HOSTS, pictureKey, renderAddButton } from '../preview.ts';
import { createShortMemory } from '../short-memory.ts';
import { addClaimCards } from '../snap/card-routes.ts';
import { type ClaimView, claimPath, renderClaims, renderHow } from './claim-page.ts';
import { claimSummary, claimTitle, drawClaims, drawUnknown, renderPreviewTags } from './claim-preview.ts';

const NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const PAYMENTS_SHOWN = 20;
const IMAGE_KEEP_MS = 30_000;
const IMAGES_KEPT = 100;

function parseName({ network = '', name = '' }: Typed): AccountName {
  const platform = platformNamed(network);
  if (platform === undefined) throw invalidRequest(`The platform must be ${NAMES.format(platformNames())}`);
  return parseAccountName(platform, name.trim());
}

/** An invalid name is answered with the form, which keeps the input. */
function readName(c: Context<AppEnv>, site: Site, typed: Typed): AccountName {
  try {
    return parseName(typed);
  } catch (error) {
    if (error instanceof DomainError) showErrors(c, site, { title: 'Invalid name', help: renderLookUp(site, typed) });
    throw error;
  }
}

/** A name may say its platform itself. */
function readForm(c: Context<AppEnv>, site: Site): AccountName {
  const { platform: network, id = '' } = c.req.query();
  const { platform, name } = splitAccount(id.trim());
  return readName(c, site, { network: platform ?? network, name });
}

function readBefore(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(text))
    throw invalidRequest('before must be a positive whole number of at most 15 digits');
  return Number(text);
}

function createSharedPicture(images: ImageMaker, brand: ShownBrand): () => Promise<Uint8Array<ArrayBuffer>> {
  let kept: Promise<Uint8Array<ArrayBuffer>> | null = null;
  const draw = async () => await images.render(await drawUnknown(brand));
  return () => {
    kept ??= draw().catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
}

/** `GET /claim/:platform/:id`, its image, and the form at `GET /claim`, which redirects to it. */
export function addClaimPages(app: App, deps: PageContext & { readonly images: ImageMaker }): void {
  const { site, limited, platforms, images } = deps;
  const shared = createSharedPicture(images, site.brand);
  const pictures = createShortMemory<Uint8Array<ArrayBuffer>>({ ...deps, keepMs: IMAGE_KEEP_MS, limit: IMAGES_KEPT });

  function rewardsOf({ name: { platform } }: ClaimView): string | null {
    const { wallet } = deps.signIn;
    const isOn = platformFacts(platform).hasVerifiedAddress ? mayOwnersSignIn(deps.signIn) : wallet !== null;
    return isOn ? `${site.root}/my/rewards` : null;
  }

  async function draw(view: ClaimView): Promise<Uint8Array<ArrayBuffer>> {
    const svg = await drawClaims(view, site);
    return await pictures.find(pictureKey(svg), () => images.render(svg));
  }

  async function readView(c: Context<AppEnv, '/claim/:platform/:id'>, limit: number): Promise<ClaimView> {
    const name = readName(c, site, { network: c.req.param('platform'), name: c.req.param('id') });
    const found = await findAccountClaims(deps, { name, limit, before: readBefore(c.req.query('before')) });
    return { ...found, name, now: deps.clock(), bot: botName(platforms, name.platform) };
  }

  app.use('/claim/*', servePages(site, { frames: MINI_APP_HOSTS }), limited, withoutSlash(site));

  addClaimCards(app, deps, (c) => readView(c, PAYMENTS_SHOWN));

  app.get('/claim', (c) => {
    const name = readForm(c, site);
    const location = `${site.root}${claimPath({ name, account: null })}`;
    return new Response(null, { status: 303, headers: { ...c.get('request').headers, location } });
  });

  app.get('/claim/:platform/:id', async (c) => {
    const view = await readView(c, PAYMENTS_SHOWN);
    return await answerPage(c, site, {
      title: claimTitle(view),
      description: claimSummary(view),
      nav: publicNavigation(site),
      aside: renderAddButton(deps.config),
      head: renderPreviewTags(view, site),
      scripts: ['copy.js', 'miniapp.js'],
      body: renderClaims(view, site, renderHow(view, rewardsOf(view), site)),
      cacheControl: 'public, max-age=5',
    });
  });

  app.get('/claim/:platform/:id/image.png', async (c) => {
    const view = await readView(c, 1);
    const png = view.known ? await draw(view) : await shared();
    return answerPicture(c, png);
  });
}
