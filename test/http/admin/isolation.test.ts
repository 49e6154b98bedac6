import { beforeAll, expect, test } from 'vitest';
import { ADMIN_ROUTES } from '../../../src/http/admin/index.ts';
import { logIn, type Operator, OWN_PAGE, openOperator } from '../operator.ts';
import { service, shareService } from '../service.ts';

/** What everybody may open. */
const OPEN = ['get /admin/login', 'post /admin/login', 'post /admin/session'];

let operator: Operator;
shareService();
beforeAll(async () => {
  operator = await logIn(service);
});

const nameOf = ({ method, path }: { method: string; path: string }) => `${method.toLowerCase()} ${path}`;
const pathOf = ({ path }: { path: string }) => path.replace(/:\w+(\{.*?\})?/g, '1');
const closed = ADMIN_ROUTES.filter(({ isOpen }) => !isOpen);
const forms = ADMIN_ROUTES.filter(({ method }) => method === 'post');

test('security: the list has every route below /admin that the service answers', () => {
  const served = service.app.routes.filter(({ method, path }) => method !== 'ALL' && /^\/admin(\/|$)/.test(path));
  expect(served.map(nameOf).sort()).toEqual(ADMIN_ROUTES.map(nameOf).sort());
  expect(closed.length).toBeGreaterThan(30);
  expect(
    ADMIN_ROUTES.filter(({ isOpen }) => isOpen)
      .map(nameOf)
      .sort(),
  ).toEqual(OPEN);
});

test.each(closed.map((route) => [nameOf(route), route] as const))('security: nobody: %s', async (name, route) => {
  const nobody = openOperator(service);
  const answer = await (route.method === 'get' ? nobody.get(pathOf(route)) : nobody.submit(pathOf(route)));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([name === 'get /admin' ? 200 : 401, 'no-store']);
  expect(await answer.text()).toContain('<h1>Log in</h1>');
});

test.each(forms.map((route) => [nameOf(route), route] as const))('security: of another site: %s', async (_, route) => {
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
    const answer = await operator.submit(pathOf(route), {}, headers);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('did not come from a page of this service');
  }
});

test.each(forms.filter(({ isOpen }) => !isOpen).map((route) => [nameOf(route), route] as const))(
  'security: without the token of the session: %s',
  async (_, route) => {
    for (const token of ['', 'wrong']) {
      expect((await operator.submit(pathOf(route), { token }, OWN_PAGE)).status).toBe(403);
    }
  },
);
