import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { type PersonBrowser, problemOf, type ShownPage } from '../owners/browser.ts';
import { readPageForm } from '../owners/forms.ts';
import { keyOf } from '../owners/keys.ts';
import { type SignInPlaces, signInAs } from '../owners/sign-in.ts';
import { payLink } from '../owners/wallet.ts';
import { person } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Outcome } from './actions.ts';
import type { Story } from './story.ts';
import type { WatchedGigs } from './watched-gig.ts';

/** The steps that people take on the service's own pages, without a post. */
export type PeopleStep = 'owner' | 'button';

/** What a person did on the service's pages. */
export interface Walked {
  readonly who: string;
  readonly gigId: number;
}

const OWNER = person('bob');
const EARNER = person('alice');
const USER_AGENT = 'Sandbox';
/** The last line names nobody: the preview says so, and the rest is awarded. In whole ETH. */
const AWARDS = ['farcaster:1001,0.2', '@carol,0.1', '@nobody-here,5'].join('\n');

function mustShow(page: ShownPage, path: RegExp): RegExpExecArray {
  const found = path.exec(page.path);
  if (page.status === 200 && found !== null) return found;
  throw new StepError(problemOf(page) ?? `The service answered ${page.status} at ${page.path}.`);
}

function linkIn({ text }: ShownPage): string {
  const link = /href="(ethereum:[^"]+)"/.exec(text)?.[1];
  if (link === undefined) throw new StepError('The page of the gig has no payment link.');
  return link.replaceAll('&amp;', '&');
}

/** Walks an owner's gig and an earner's claim through the service's pages. */
export function createPeopleSteps(options: {
  places: SignInPlaces & { readonly chain: string };
  gigs: WatchedGigs;
  story: Story;
}): Readonly<Record<PeopleStep, () => Promise<Walked | Outcome>>> {
  const { places, gigs, story } = options;

  function tell(text: string): void {
    story.tell({ scene: 'Service', text });
  }

  async function createGig(browser: PersonBrowser): Promise<{ gigId: number; page: ShownPage }> {
    const form = await browser.open('/my/gigs/new');
    mustShow(form, /^\/my\/gigs\/new$/);
    const { choices } = readPageForm(form.text, '/my/gigs/new');
    const choose = (field: string, part: string) => choices.get(field)?.find((value) => value.includes(part)) ?? '';
    const page = await browser.submit(form, '/my/gigs/new', {
      gig_type: 'mention',
      how_to_earn: 'The best posts, picked by hand.',
      awards: 'hand',
      amount: '1',
      asset: choose('asset', NATIVE_TOKEN_ADDRESS),
      start: choose('start', 'funded'),
    });
    const [, id] = mustShow(page, /^\/my\/gigs\/([0-9]+)$/);
    return { gigId: Number(id), page };
  }

  async function award(browser: PersonBrowser, gigId: number): Promise<void> {
    const path = `/my/gigs/${gigId}/award`;
    const preview = await browser.submit(await browser.open(path), path, { list: AWARDS });
    mustShow(preview, /\/award$/);
    mustShow(await browser.submit(preview, `${path}/confirm`), /\/report$/);
  }

  async function owner(): Promise<Walked> {
    const browser = await signInAs(OWNER, 'wallet', { places, userAgent: USER_AGENT });
    tell(`${OWNER.name} signed in with the wallet.`);
    const { gigId, page } = await createGig(browser);
    const hash = await payLink(linkIn(page), { url: places.chain, from: keyOf(OWNER) });
    tell(`${OWNER.name}’s wallet paid gig ${gigId} by the link of its page (${hash.slice(0, 6)}…${hash.slice(-4)}).`);
    await gigs.untilLive(gigId);
    await award(browser, gigId);
    return { who: OWNER.name, gigId };
  }

  async function button(): Promise<Walked> {
    const gigId = await gigs.openAwarded({ who: EARNER.name, value: '2' });
    const browser = await signInAs(EARNER, 'farcaster', { places, userAgent: USER_AGENT });
    tell(`${EARNER.name} signed in with Farcaster.`);
    const action = `/my/rewards/farcaster/${EARNER.fid}`;
    const page = await browser.open('/my/rewards');
    mustShow(await browser.submit(page, action), /^\/my\/rewards\//);
    tell(`${EARNER.name} pressed “Claim everything”, and presses it again.`);
    mustShow(await browser.submit(page, action), /^\/my\/rewards\//);
    return { who: EARNER.name, gigId };
  }

  const shown = (name: PeopleStep, run: () => Promise<Walked>) => async () => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return { ok: false, message: error.message, show: `step-${name}` };
    }
  };
  return { owner: shown('owner', owner), button: shown('button', button) };
}
