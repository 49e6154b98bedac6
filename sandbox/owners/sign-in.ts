import type { Person } from '../people.ts';
import { mustShow, openPersonBrowser, type PersonBrowser, type ShownPage } from './browser.ts';
import { confirmSignIn, type FarcasterPlaces } from './farcaster-app.ts';
import { readPageForm } from './forms.ts';
import { keyOf } from './keys.ts';

const ANVIL_ID = '31337';

/** Where people sign in, and what their phones need. */
export interface SignInPlaces extends FarcasterPlaces {
  readonly service: string;
}

/** The ways in which a person signs in. */
export const WAYS = ['farcaster', 'wallet'] as const;
export type Way = (typeof WAYS)[number];

async function confirmOnFarcaster(browser: PersonBrowser, places: SignInPlaces, who: Person) {
  const { service } = places;
  const waiting = await browser.submit(await browser.open('/my/sign-in'), '/my/sign-in/farcaster');
  const query = new URL(waiting.path, service).searchParams;
  const [nonce, channel] = [query.get('nonce'), query.get('channel')];
  if (nonce === null || channel === null) return waiting;
  const [domain, uri] = [new URL(service).host, `${service}/my/sign-in`];
  await confirmSignIn(places, { channel, nonce, domain, uri, fid: who.fid, by: keyOf(who) });
  return await browser.submit(await browser.open(waiting.path), '/my/sign-in/farcaster/session');
}

async function signWithWallet(browser: PersonBrowser, who: Person): Promise<ShownPage> {
  const asked = { address: who.address, chain: ANVIL_ID };
  const shown = await browser.submit(await browser.open('/my/sign-in'), '/my/sign-in/wallet', asked);
  if (shown.status !== 200) return shown;
  const message = readPageForm(shown.text, '/my/sign-in/wallet/session').fields.get('message') ?? '';
  const signature = await keyOf(who).signMessage({ message });
  return await browser.submit(shown, '/my/sign-in/wallet/session', { signature });
}

/**
 * Signs a person in by the forms of the service's own pages; their Farcaster app or wallet confirms at once.
 * @param options.userAgent what the service names the session after
 * @returns the browser that is signed in
 * @throws StepError when the service does not let the person in
 */
export async function signInAs(
  who: Person,
  way: Way,
  { places, userAgent }: { places: SignInPlaces; userAgent: string },
): Promise<PersonBrowser> {
  const browser = openPersonBrowser({ url: places.service, userAgent });
  const page = way === 'wallet' ? await signWithWallet(browser, who) : await confirmOnFarcaster(browser, places, who);
  mustShow(page, /^\/my$/);
  return browser;
}
