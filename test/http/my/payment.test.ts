import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { anvilClients, deployToken, fundToken, mined, type TestToken } from '../../support/anvil.ts';
import type { Answer } from '../../support/json-rpc.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { NOW, openService, seedLocalGig, service, useService } from '../service.ts';
import { type Browser, browserOf, walletOn } from './browser.ts';

const OWNER = 'farcaster:1003';
const LOST = `0x${'1'.repeat(64)}`;
let token: TestToken;
let owner: Browser;
let gig: Gig;

useService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
beforeEach(async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  owner = await browserOf(service, OWNER);
  gig = await seedLocalGig(service.store, token, { client: `owner:${OWNER}`, startTime: NOW });
});

const path = (more = '') => `/my/gigs/${gig.id}${more}`;
const told = (hash: string, was = '') => owner.submit('/my', path('/payment'), { hash, was });
const sent = async () => (JSON.parse((await owner.get(path('/missing'))).text) as { sent: unknown }).sent;

async function transactionTo(to: `0x${string}`, data?: `0x${string}`): Promise<`0x${string}`> {
  const { wallet } = anvilClients();
  const hash = await wallet.sendTransaction({ account: token.holder, to, gas: 100_000n, ...(data && { data }) });
  await mined(hash).catch(() => undefined);
  return hash;
}

test('behavior: what the chain says of the payment that an owner has named', async () => {
  expect(await sent()).toBeNull();
  const states: [hash: string, state: string, words: string][] = [
    [LOST, 'unknown', 'Pay again only if your wallet says that it failed or expired.'],
    [await transactionTo(token.address, '0xdeadbeef'), 'reverted', 'nothing was paid.'],
    [await transactionTo(gig.walletAddress), 'confirmed', 'Payment confirmed.'],
  ];
  let was = '';
  for (const [hash, state, words] of states) {
    expect((await told(hash, was)).headers.get('location')).toBe(path());
    expect(await sent()).toEqual({ hash, state });
    expect((await owner.get(path())).text).toContain(words);
    was = hash;
  }
  await told('', was);
  await told('', was);
  expect(await sent()).toBeNull();
  // Who has said that nothing was sent can be found.
  const events = await service.store.auditEvents({ gigId: gig.id, limit: 9 });
  expect(events.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => 'gig.payment'));
  expect(events[0]).toMatchObject({ actorName: OWNER, detail: JSON.stringify({ hash: null, before: was }) });
});

test('error: a payment is named by a hash, while one is waited for, and takes no other’s place unseen', async () => {
  expect((await told('0x12')).text).toContain('0x and 64 digits');
  await told(` ${LOST.toUpperCase().replace('0X', '0x')} `);
  const other = `0x${'2'.repeat(64)}`;
  expect((await told(other)).text).toContain('Another payment was named meanwhile');
  expect((await told('')).text).toContain('Another payment was named meanwhile');
  expect((await told(LOST)).status).toBe(303);
  expect(await sent()).toMatchObject({ hash: LOST });
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  expect((await owner.submit('/my', path('/start'), {})).status).toBe(303);
  expect((await told('', LOST)).text).toContain(`Gig ${gig.id} waits for no payment any more.`);
});

test('security: a payment in a block after the one in which the wallet was read is still on its way', async () => {
  // Nodes behind one URL: those that tell of transactions are ahead of those that tell of balances.
  let head: Answer | undefined;
  const proxy = await serveRpcProxy(inject('anvilUrl'), async ({ method }) =>
    method === 'eth_blockNumber' ? head : undefined,
  );
  const behind = await openService({ rpcUrl: proxy.url, signIn: walletOn(proxy.url) });
  onTestFinished(async () => {
    await behind.close();
    await proxy.close();
  });
  owner = await browserOf(behind, OWNER);
  gig = await seedLocalGig(behind.store, token, { client: `owner:${OWNER}`, startTime: NOW });
  head = { result: `0x${(await anvilClients().public.getBlockNumber()).toString(16)}` };
  const hash = await transactionTo(gig.walletAddress);
  await told(hash);
  expect(await sent()).toEqual({ hash, state: 'pending' });
  expect((await owner.get(path())).text).toContain('Payment sent. This page updates when it is confirmed.');
  head = undefined;
  expect(await sent()).toEqual({ hash, state: 'confirmed' });
});
