import type { PersonBrowser } from '../owners/browser.ts';
import { type SignInPlaces, signInAs, WAYS } from '../owners/sign-in.ts';
import { PEOPLE } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Story } from './story.ts';

/** A visitor's browser that is to be signed in. */
export interface SignInRequest {
  readonly name: string;
  readonly way: string;
  /** What the visitor's browser calls itself. */
  readonly userAgent: string;
  /** The name under which the visitor reached the page, with its port. */
  readonly host: string;
}

/** Where the visitor's browser goes, with what. */
export interface SignInAnswer {
  readonly location: string;
  readonly cookie: string | null;
}

const SESSION = 'gigclaim_my';
const WORDS = { farcaster: 'Farcaster', wallet: 'the wallet' } as const;

function sessionLine({ cookies }: PersonBrowser): string {
  const line = cookies.get(SESSION);
  if (line === undefined) throw new StepError('The service opened no session.');
  return line;
}

/**
 * The sandbox goes through the service's own sign-in as a browser of that person, and hands the session's cookie to the
 * visitor's browser. Browsers keep cookies by host, not by port, so the visitor is signed in at the service.
 */
export function createSignInPress({ places, story }: { places: SignInPlaces; story: Story }) {
  return async ({ name, way: named, userAgent, host }: SignInRequest): Promise<SignInAnswer> => {
    const [who, way] = [PEOPLE.find((one) => one.name === name), WAYS.find((one) => one === named)];
    if (who === undefined || way === undefined) return { location: '/#people', cookie: null };
    try {
      const cookie = sessionLine(await signInAs(who, way, { places, userAgent }));
      story.tell({ scene: 'You', text: `signed in as ${name} with ${WORDS[way]}.` });
      const home = new URL('/my', places.service);
      home.hostname = new URL(`http://${host}`).hostname;
      return { location: home.href, cookie };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      story.tell({ scene: 'You', text: `could not sign in as ${name}: ${error.message}`, announce: true });
      return { location: `/#person-${name}`, cookie: null };
    }
  };
}
