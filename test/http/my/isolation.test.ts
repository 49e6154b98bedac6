import { beforeAll, expect, inject, test } from 'vitest';
import { ADMIN_ROUTES } from '../../../src/http/admin/index.ts';
import { MY_ROUTES } from '../../../src/http/my/index.ts';
import { formTokenOf } from '../../../src/services/form-token.ts';
import { seedGig } from '../../support/store.ts';
import { logIn } from '../operator.ts';
import { forThisTest, openService, service, shareService } from '../service.ts';
import { type Answered, type Browser, browserOf, openBrowser, walletOn } from './browser.ts';

const MINE = 'farcaster:1003';
const OTHER = `wallet:0x${'ab'.repeat(20)}`;
/** Nobody may read it but who reaches the gig. */
const SECRET = 'Farcaster 777';

let gigId: number;
/** The session of the owner of the gig, which nobody else may end. */
let mine: { readonly browser: Browser; readonly hash: string };
let operator: string;
let key: string;

shareService(() =>
  openService({
    signIn: walletOn(inject('anvilUrl')),
    config: { notifications: 'https://api.neynar.com/f/app/1/event' },
  }),
);
beforeAll(async () => {
  const owners = [
    { platform: 'farcaster', platformUserId: '1003' },
    { platform: 'farcaster', platformUserId: '777' },
  ];
  gigId = (await seedGig(service.store, { client: 'acme', owners, ownersMayAward: true })).id;
  const browser = await browserOf(service, MINE, { at: service.time.now - 3_600_000 });
  const [session] = await service.store.openOwnerSessions(MINE, service.time.now);
  mine = { browser, hash: session?.hash ?? '' };
  operator = (await logIn(service)).cookie.replace('gigclaim_admin=', '');
  key = (await service.newKey({ name: 'acme' })).key;
});

type Visitor = 'nobody' | 'other owner' | 'operator’s session' | 'key';
const VISITORS: readonly Visitor[] = ['nobody', 'other owner', 'operator’s session', 'key'];

/** What a form of each route is sent with. Every route has a row, so that no cell is untested. */
const FIELDS: Readonly<Record<string, () => Record<string, string>>> = {
  'get /my/sign-in': () => ({}),
  'post /my/sign-in/farcaster': () => ({}),
  'get /my/sign-in/farcaster': () => ({}),
  'post /my/sign-in/farcaster/session': () => ({ nonce: 'a'.repeat(32), channel: 'x' }),
  'post /my/sign-in/wallet': () => ({ address: OTHER.slice('wallet:'.length), chain: '31337' }),
  'post /my/sign-in/wallet/session': () => ({ nonce: 'a'.repeat(32), signature: '0x00' }),
  'post /my/sessions/end': () => ({ session: mine.hash }),
  'post /my/sign-out': () => ({}),
  'post /my/links/end': () => ({ platform: 'farcaster', account: '1003' }),
  'get /my': () => ({}),
  'get /my/gigs/:id': () => ({}),
  'get /my/gigs/:id/missing': () => ({}),
  'get /my/gigs/:id/safe.json': () => ({}),
  'post /my/gigs/:id/payment': () => ({ hash: `0x${'1'.repeat(64)}` }),
  'post /my/gigs/:id/start': () => ({}),
  'post /my/gigs/:id/raise': () => ({ amount: '1' }),
  'get /my/gigs/:id/stop': () => ({}),
  'post /my/gigs/:id/stop': () => ({}),
  'get /my/gigs/:id/settle': () => ({}),
  'post /my/gigs/:id/settle': () => ({}),
  'get /my/gigs/:id/cancel': () => ({}),
  'post /my/gigs/:id/cancel': () => ({}),
  'get /my/gigs/:id/report': () => ({}),
  'get /my/gigs/:id/report.csv': () => ({}),
  'get /my/gigs/:id/report/koinly.csv': () => ({}),
  'get /my/gigs/:id/report/ledger.csv': () => ({}),
  'get /my/gigs/new': () => ({}),
  'get /my/gigs/:id/edit': () => ({}),
  'post /my/gigs/:id/edit': () => ({ title: 'Stolen', key: 'x' }),
  'post /my/gigs/new': () => ({ key: 'k' }),
  'get /my/gigs/:id/award': () => ({}),
  'post /my/gigs/:id/award': () => ({ list: 'farcaster:777,1' }),
  'post /my/gigs/:id/award/confirm': () => ({ key: 'k', list: 'farcaster:777,1' }),
  'get /my/gigs/:id/submissions': () => ({}),
  'post /my/gigs/:id/submissions/:candidate': () => ({ award: '1' }),
  'post /my/gigs/:id/owners': () => ({ platform: 'farcaster', account: '5' }),
  'post /my/gigs/:id/owners/remove': () => ({ platform: 'farcaster', account: '777' }),
  'get /my/rewards': () => ({}),
  'get /my/rewards/:platform/:id': () => ({}),
  'get /my/rewards/:platform/:id/koinly.csv': () => ({}),
  'get /my/rewards/:platform/:id/ledger.csv': () => ({}),
  'post /my/rewards/:platform/:id/notifications': () => ({ off: 'true' }),
  'post /my/rewards/:platform/:id': () => ({ key: 'a'.repeat(32), recipient: OTHER.slice('wallet:'.length) }),
};

function nameOf({ method, path }: { method: string; path: string }): string {
  return `${method.toLowerCase()} ${path.replace(/\{.*?\}/g, '')}`;
}

/** A path of the route, about the gig or account with this id. */
function pathOf({ path }: { path: string }, id: number): string {
  return path
    .replace(/:platform\{.*?\}/, 'farcaster')
    .replace(/:id\{.*?\}/, String(id))
    .replace(/:candidate\{.*?\}/, '1');
}

/** What everybody gets from the pages to sign in, by the name of the route. */
const OPEN: Readonly<Record<string, number>> = {
  'get /my/sign-in': 200,
  // Farcaster is off here.
  'post /my/sign-in/farcaster': 404,
  'get /my/sign-in/farcaster': 404,
  'post /my/sign-in/farcaster/session': 404,
  'post /my/sign-in/wallet': 200,
  'post /my/sign-in/wallet/session': 401,
};

test('security: a form of another site is refused on every route, also where nobody has to sign in', async () => {
  const forms = MY_ROUTES.filter(({ method }) => method === 'post');
  expect(forms.filter(({ isOpen }) => isOpen).length).toBeGreaterThanOrEqual(4);
  for (const route of forms) {
    const fields = FIELDS[nameOf(route)]?.() ?? {};
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as const) {
      const { status, text } = await openBrowser(service).post(pathOf(route, gigId), fields, { ...headers });
      expect([nameOf(route), status, text.includes('did not come from a page of this service')]).toEqual([
        nameOf(route),
        403,
        true,
      ]);
    }
  }
});

/** What an owner gets who does not reach the gig. */
const OTHERS: Readonly<Record<string, number>> = {
  'get /my': 200,
  'get /my/rewards': 200,
  'post /my/sessions/end': 303,
  'post /my/sign-out': 303,
  'post /my/links/end': 303,
  // The operator lets nobody create gigs here.
  'get /my/gigs/new': 403,
  'post /my/gigs/new': 400,
};

async function send(route: { method: string; path: string }, visitor: Visitor): Promise<Answered> {
  const path = pathOf(route, gigId);
  const fields = FIELDS[nameOf(route)]?.() ?? {};
  let browser = openBrowser(service);
  const headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' };
  let token = '';
  if (visitor === 'other owner') {
    browser = await browserOf(service, OTHER);
    token = formTokenOf(browser.cookies.get('gigclaim_my') ?? '');
  }
  if (visitor === 'operator’s session') {
    // Its own cookie, and its token in the place of an owner's.
    browser.cookies.set('gigclaim_admin', operator);
    browser.cookies.set('gigclaim_my', operator);
    token = formTokenOf(operator);
  }
  if (visitor === 'key') headers['x-api-key'] = key;
  return route.method === 'get'
    ? await browser.get(path, headers)
    : await browser.post(path, { ...fields, token }, headers);
}

function expected(route: { method: string; path: string }, visitor: Visitor): number {
  const name = nameOf(route);
  const open = OPEN[name];
  if (open !== undefined) return open;
  if (visitor === 'other owner') return OTHERS[name] ?? 404;
  return name === 'get /my' ? 200 : 401;
}

test('security: the matrix has a row for every route below /my that the service answers', () => {
  expect(Object.keys(FIELDS).sort()).toEqual(MY_ROUTES.map(nameOf).sort());
  const served = service.app.routes.filter(({ method, path }) => method !== 'ALL' && /^\/my(\/|$)/.test(path));
  expect(served.map(nameOf).sort()).toEqual(MY_ROUTES.map(nameOf).sort());
  expect(
    MY_ROUTES.filter(({ isOpen }) => isOpen)
      .map(nameOf)
      .sort(),
  ).toEqual(Object.keys(OPEN).sort());
});

test.each(VISITORS.flatMap((visitor) => MY_ROUTES.map((route) => [visitor, nameOf(route), route] as const)))(
  'security: %s: %s',
  async (visitor, _, route) => {
    const before = await service.store.gig(gigId);
    const answer = await send(route, visitor);
    expect(answer.status).toBe(expected(route, visitor));
    expect(answer.text.replace(/<[^>]*>/g, '')).not.toContain(SECRET);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await service.store.gig(gigId)).toEqual(before);
    expect(await service.store.gigOwners(gigId)).toHaveLength(2);
    expect((await service.store.openOwnerSessions(MINE, service.time.now)).map(({ hash }) => hash)).toEqual([
      mine.hash,
    ]);
    // Refused sign-ins are counted by the minute.
    service.time.now += 60_000;
  },
);

test('behavior: the owner of the gig reaches all of it', async () => {
  for (const path of ['', '/stop', '/settle', '/cancel', '/report', '/report.csv']) {
    const answer = await mine.browser.get(`/my/gigs/${gigId}${path}`);
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
  }
  expect((await mine.browser.get(`/my/gigs/${gigId}`)).text.replace(/<[^>]*>/g, '')).toContain(SECRET);
});

test('security: an owner’s form needs the session’s token and must come from a page of the service', async () => {
  const { browser } = mine;
  const token = formTokenOf(browser.cookies.get('gigclaim_my') ?? '');
  for (const route of MY_ROUTES.filter(({ method, isOpen }) => method === 'post' && !isOpen)) {
    const path = pathOf(route, gigId);
    const fields = FIELDS[nameOf(route)]?.() ?? {};
    const statuses = [
      await browser.post(path, fields),
      await browser.post(path, { ...fields, token: `${token}x` }),
      await browser.post(path, { ...fields, token }, { 'sec-fetch-site': 'cross-site' }),
      await browser.post(path, { ...fields, token }, { origin: 'https://evil.example' }),
      await browser.post(path, { ...fields, token }, {}),
    ].map(({ status }) => status);
    expect([path, ...statuses]).toEqual([path, 403, 403, 403, 403, 403]);
  }
});

test('security: an owner’s session opens nothing below /admin', async () => {
  const token = mine.browser.cookies.get('gigclaim_my') ?? '';
  const routes = ADMIN_ROUTES.filter(({ path, isOpen }) => !isOpen && path !== '/admin');
  expect(routes.length).toBeGreaterThan(20);
  for (const { method, path } of routes) {
    const browser = openBrowser(service);
    browser.cookies.set('gigclaim_my', token);
    browser.cookies.set('gigclaim_admin', token);
    const at = path.replace(/:\w+\{.*?\}/g, String(gigId)).replace(/:\w+/g, '1');
    const answer = method === 'get' ? await browser.get(at) : await browser.post(at, { token: formTokenOf(token) });
    expect([method, path, answer.status]).toEqual([method, path, 401]);
    service.time.now += 60_000;
  }
  const page = await openBrowser(service).get('/admin');
  const asOwner = await mine.browser.get('/admin');
  expect(asOwner.text).toBe(page.text);
});

test('security: an owner’s session is no key', async () => {
  const token = mine.browser.cookies.get('gigclaim_my') ?? '';
  const document: { paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>> } = JSON.parse(
    await (await service.app.request('/api/openapi.json')).text(),
  );
  const keyed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [] }]) =>
      security.some((each) => 'apiKey' in each) && !security.some((each) => Object.keys(each).length === 0)
        ? [{ method: method.toUpperCase(), path }]
        : [],
    ),
  );
  expect(keyed.length).toBeGreaterThan(10);
  for (const { method, path } of keyed) {
    for (const headers of [{ cookie: `gigclaim_my=${token}` }, { 'x-api-key': token }]) {
      const at = path.replace(/\{\w+\}/g, String(gigId));
      const answer = await service.app.request(at, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  }
});

test('security: without a way to sign in there is no /my', async () => {
  const off = await forThisTest(openService());
  const browser = await browserOf(off, MINE);
  for (const route of MY_ROUTES) {
    const path = pathOf(route, 1);
    const answer = route.method === 'get' ? await browser.get(path) : await browser.post(path, {});
    expect([path, answer.status]).toEqual([path, 404]);
  }
});
