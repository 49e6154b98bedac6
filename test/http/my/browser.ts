import { randomBytes } from 'node:crypto';
import { createSignatureChecks } from '../../../src/chain/registry.ts';
import { chainByKey } from '../../../src/domain/chains/chain.ts';
import type { SignInWays } from '../../../src/domain/owners/sign-in.ts';
import { openOwnerSession } from '../../../src/services/owners/sessions.ts';
import { siteOf } from '../../../src/sign-in/site.ts';
import { createWalletSignIn } from '../../../src/sign-in/wallet.ts';
import { NOW, type Service } from '../service.ts';

/** Where the tests' service is reached. */
export const ORIGIN = 'http://gigclaim.test';

/** What an owner's browser gets. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser that keeps the cookies of `/my`, follows nothing by itself, and sends forms as pages do. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
  /** Sends a form from a page of the service, or with these headers. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered>;
  /** As `post`, with the form token of the page at this path. */
  submit(page: string, path: string, fields?: Record<string, string>): Promise<Answered>;
}

/** The value of a hidden field in a page. */
export function hidden(page: { readonly text: string }, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1];
  if (value === undefined) throw new Error(`the page has no field ${name}`);
  return value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

export function openBrowser(service: Pick<Service, 'app'>): Browser {
  const cookies = new Map<string, string>();
  async function send(path: string, init: RequestInit): Promise<Answered> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await service.app.request(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
  const browser: Browser = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = { 'sec-fetch-site': 'same-origin' }) =>
      send(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        // Line breaks travel in a form as browsers send them.
        body: new URLSearchParams(
          Object.entries(fields).map(([name, value]): [string, string] => [name, value.replace(/\r?\n/g, '\r\n')]),
        ).toString(),
      }),
    submit: async (page, path, fields = {}) =>
      await browser.post(path, { ...fields, token: hidden(await browser.get(page), 'token') }),
  };
  return browser;
}

/** Signing in with a wallet on the local chain alone. */
export function walletOn(rpcUrl: string): SignInWays {
  const chain = chainByKey('anvil');
  if (chain === undefined) throw new Error('anvil is not a known chain');
  const checks = createSignatureChecks({ endpoints: [{ chain, rpcUrls: [rpcUrl] }], clock: () => NOW, retries: 0 });
  const ask = (chainId: number, signed: Parameters<ReturnType<typeof checks>['confirms']>[0]) =>
    checks(chainId).confirms(signed);
  return { wallet: createWalletSignIn({ site: siteOf(ORIGIN), ask }), farcaster: null };
}

/** Signs messages, as a wallet does. */
export interface Signer {
  readonly address: string;
  signMessage(message: { message: string }): Promise<string>;
}

/** The page with the message for a wallet, and what its form would send. */
export async function askMessage(browser: Browser, address: string, chain = '31337') {
  const page = await browser.post('/my/sign-in/wallet', { address, chain });
  const fields = Object.fromEntries(['nonce', 'address', 'chain', 'message'].map((name) => [name, hidden(page, name)]));
  return { page, fields, message: fields['message'] ?? '' };
}

/** Signs a browser in with a wallet. */
export async function signIn(browser: Browser, signer: Signer): Promise<Answered> {
  const { fields, message } = await askMessage(browser, signer.address);
  const signature = await signer.signMessage({ message });
  return await browser.post('/my/sign-in/wallet/session', { ...fields, signature });
}

/** A browser of an owner whose session was opened at this time, behind the pages' back; the service's time when absent. */
export async function browserOf(service: Service, owner: string, { at = service.time.now } = {}): Promise<Browser> {
  const opening = { owner, label: 'Test', replaces: undefined, requestId: null, now: at };
  const { token } = await service.store.transaction((tx) => openOwnerSession(tx, { randomBytes }, opening));
  const browser = openBrowser(service);
  browser.cookies.set('gigclaim_my', token);
  return browser;
}
