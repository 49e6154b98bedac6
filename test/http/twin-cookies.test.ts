import { expect, inject, test } from 'vitest';
import { browserOf, openBrowser, walletOn } from './my/browser.ts';
import { logIn } from './operator.ts';
import { openService, service, useService } from './service.ts';

useService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));

/** The session of somebody else, in a cookie that a host beside this one has set. */
const planted = async (): Promise<string> =>
  (await browserOf(service, 'farcaster:666')).cookies.get('gigclaim_my') ?? '';

test('security: two cookies of an owner’s session open neither, wherever the planted one stands', async () => {
  const mine = (await browserOf(service, 'farcaster:1003')).cookies.get('gigclaim_my') ?? '';
  const other = await planted();
  const read = (cookie: string, path = '/my') => service.app.request(path, { headers: { cookie } });
  expect((await read(`gigclaim_my=${mine}`)).status).toBe(200);
  for (const cookie of [
    `gigclaim_my=${other}; gigclaim_my=${mine}`,
    `gigclaim_my=${mine};gigclaim_my=${other}`,
    `gigclaim_my="${other}"; a=b; gigclaim_my =${mine}`,
    `gigclaim_my=; gigclaim_my=${mine}`,
  ]) {
    for (const path of ['/my', '/my/gigs/new', '/my/rewards']) {
      const answer = await read(cookie, path);
      const page = await answer.text();
      expect([answer.status, page.includes('sent 2 cookies named gigclaim_my')]).toEqual([400, true]);
      expect(page).not.toMatch(/farcaster (?:666|1003)/);
    }
  }
  expect((await read(`not_gigclaim_my=${other}; gigclaim_my=${mine}; gigclaim_my_=x`)).status).toBe(200);
});

test('security: a form with two cookies of an owner’s session changes nothing', async () => {
  const browser = await browserOf(service, 'farcaster:1003');
  browser.cookies.set('a', `b; gigclaim_my=${await planted()}`);
  expect((await browser.post('/my/sign-out', {})).status).toBe(400);
  expect(await service.store.openOwnerSessions('farcaster:1003', service.time.now)).toHaveLength(1);
});

test('security: two cookies of a browser that signs in begin no sign-in', async () => {
  const browser = openBrowser(service);
  const wallet = { address: `0x${'ab'.repeat(20)}`, chain: '31337' };
  browser.cookies.set('gigclaim_sign_in', `${'a'.repeat(43)}; gigclaim_sign_in=${'b'.repeat(43)}`);
  const answer = await browser.post('/my/sign-in/wallet', wallet);
  expect([answer.status, answer.text.includes('cookies named gigclaim_sign_in')]).toEqual([400, true]);
});

test('security: two cookies of an operator’s session open neither', async () => {
  const { cookie } = await logIn(service);
  const other = await logIn(service);
  for (const path of ['/admin', '/admin/gigs']) {
    const answer = await service.app.request(path, { headers: { cookie: `${other.cookie}; ${cookie}` } });
    expect([answer.status, (await answer.text()).includes('sent 2 cookies named gigclaim_admin')]).toEqual([400, true]);
  }
});
