import { expect, inject, test } from 'vitest';
import { seedGig, seedMention } from '../../support/store.ts';
import { browserOf, walletOn } from '../my/browser.ts';
import { operator, useOperator } from '../operator.ts';
import { NOW, openService, service } from '../service.ts';

const WALLET = `0x${'ab'.repeat(20)}` as const;
const PATH = '/admin/owners';
useOperator(() => openService({ signIn: walletOn(inject('anvilUrl')) }));

async function change(act: string, owner: string): Promise<Response> {
  await operator.read(PATH);
  return await operator.submit(PATH, { act, owner });
}

test('behavior: operators allow owners, end that, and end sessions and links', async () => {
  const { store } = service;
  expect(await operator.said(PATH)).toContain('The list is empty.');
  expect(await operator.read('/admin')).toContain('href="/admin/owners"');
  expect((await change('allow', ' x:22 ')).headers.get('location')).toBe(PATH);
  const account = { platform: 'twitter', platformUserId: '22' };
  const mentionId = await seedMention(store, { authorId: '22' });
  await store.transaction((tx) => tx.insertLink(account, { wallet: WALLET, postId: '7', mentionId, createdAt: NOW }));
  expect(await operator.said(PATH)).toMatch(/allowed .*twitter:22 Linked wallet 0x[aA][bB]/);
  const browser = await browserOf(service, 'twitter:22');
  expect((await browser.get('/my')).text).toContain('Signed in as');
  for (const act of ['sign-out', 'unlink', 'disallow']) {
    expect([act, (await change(act, 'x:22')).status]).toEqual([act, 303]);
    expect([act, (await change(act, 'x:22')).status]).toEqual([act, 409]);
  }
  expect((await browser.get('/my')).text).not.toContain('Signed in as');
  expect([await store.linkOf(account), await store.isOwnerAllowed('twitter:22')]).toEqual([null, false]);
});

test('error: what names no owner, or asks for something else, changes nothing', async () => {
  for (const [act, owner] of [
    ['allow', '<b>'],
    ['allow', 'wallet:0x1'],
    ['constructor', 'x:22'],
    ['', 'x:22'],
  ] as const) {
    const refused = await change(act, owner);
    const text = await refused.text();
    expect([act, refused.status, text.includes('The owner must be an account'), text.includes('<b>')]).toEqual([
      act,
      409,
      true,
      false,
    ]);
  }
  expect(await service.store.allowedOwners({ limit: 9 })).toEqual([]);
});

test('behavior: a wallet’s address leads to the accounts that have linked it and to the gigs that it has created', async () => {
  const { store } = service;
  const gig = await seedGig(store, { client: `owner:wallet:${WALLET}` });
  const search = `/admin/find?q=${WALLET}`;
  expect((await operator.get(search)).headers.get('location')).toBe(`/admin/gigs/${gig.id}`);
  const mentionId = await seedMention(store, { authorId: '1003' });
  const account = { platform: 'farcaster', platformUserId: '1003' };
  await store.transaction((tx) => tx.insertLink(account, { wallet: WALLET, postId: '7', mentionId, createdAt: NOW }));
  expect(await operator.said(search)).toMatch(/Farcaster 1003 has asked to link this wallet\. .*Gig 1 is/);
});
