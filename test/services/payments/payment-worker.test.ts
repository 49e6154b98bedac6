import { setTimeout as wait } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { ChainWriter } from '../../../src/domain/chain.ts';
import type { Address } from '../../../src/domain/token.ts';
import { createPaymentWorker, type PaymentWorker } from '../../../src/services/payments/payment-worker.ts';
import { deployToken, freshAddress, fundNative, type TestToken } from '../../support/anvil.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { type Cashier, openCashier } from '../cashier.ts';

const ETHER = 10n ** 18n;

async function open(options: Parameters<typeof openCashier>[0] = {}): Promise<Cashier> {
  const cashier = await openCashier(options);
  onTestFinished(cashier.close);
  return cashier;
}

/** Pays on a chain, the local one unless said otherwise, by the real time. */
function payOn(cashier: Cashier, options: { chainId?: number; wake?: () => void } = {}): PaymentWorker {
  const { chainId = 31337, wake = () => undefined } = options;
  const paying = createPaymentWorker({ ...cashier.paying, clock: Date.now }, { chainId, wake });
  onTestFinished(() => paying.stop());
  return paying;
}

function person(number: number): AccountKey {
  return { platform: 'farcaster', platformUserId: String(6_000 + number) };
}

/** Gigs of one tip of 5 each, claimed; their wallets and whom they pay. */
async function claims(cashier: Cashier, asset: TestToken, count: number, terms: { gas: bigint }) {
  const made: { wallet: Address; recipient: Address }[] = [];
  for (let number = 0; number < count; number += 1) {
    const { walletAddress: wallet } = await cashier.gig({ asset, tips: [{ account: person(number), amount: 5n }] });
    if (terms.gas > 0n) await fundNative(wallet, terms.gas);
    const recipient = freshAddress();
    await cashier.claim(cashier.post(person(number), `claim my rewards ${recipient}`));
    made.push({ wallet, recipient });
  }
  return made;
}

/** Looks, as the runner does, until something is so. */
async function payUntil(paying: PaymentWorker, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(Math.min(await paying.poll(), 5));
}

const allPaid = (cashier: Cashier) => async () => (await cashier.store.busySenders()).length === 0;

/** A writer that answers the first question about wallets only when it is let, and says who waits for that. */
function holding(isHeld: (wallet: Address) => boolean) {
  const held: Address[] = [];
  const { promise: letGo, resolve } = Promise.withResolvers<void>();
  const wrap = (writer: ChainWriter): ChainWriter => ({
    ...writer,
    async spentNonces(wallet) {
      if (isHeld(wallet)) {
        held.push(wallet);
        await letGo;
      }
      return await writer.spentNonces(wallet);
    },
  });
  return { held, wrap, letGo: () => resolve() };
}

test('behavior: each payment of a wallet is tried and sent once, and its balance looked at once', async () => {
  const proxy = await serveRpcProxy(inject('anvilUrl'), () => undefined);
  onTestFinished(proxy.close);
  const cashier = await open({ url: proxy.url });
  const asset = await deployToken({ decimals: 6 });
  const people = Array.from({ length: 10 }, (_, number) => ({ account: person(number), amount: 5n }));
  const { walletAddress } = await cashier.gig({ asset, tips: people });
  await fundNative(walletAddress, ETHER);
  for (const { account } of people) await cashier.claim(cashier.post(account, `claim my rewards ${freshAddress()}`));
  const before = proxy.asked.length;
  await payUntil(payOn(cashier), allPaid(cashier));
  const asked = proxy.asked.slice(before);
  const count = (method: string) => asked.filter((each) => each === method).length;
  for (const once of ['eth_call', 'eth_estimateGas', 'eth_getBalance', 'eth_sendRawTransaction']) {
    expect([once, count(once)]).toEqual([once, 10]);
  }
  expect(asked).not.toContain('eth_getCode');
});

test('behavior: a wallet whose questions are not answered keeps no other waiting', async () => {
  let slow: Address | undefined;
  const { held, wrap, letGo } = holding((wallet) => wallet === slow);
  const cashier = await open({ wrap });
  const asset = await deployToken({ decimals: 6 });
  const [first, second] = await claims(cashier, asset, 2, { gas: ETHER });
  slow = first?.wallet;
  const paying = payOn(cashier);
  await payUntil(paying, async () => (await cashier.held(asset, second?.recipient ?? '0x')) === 5n);
  expect(held).toEqual([slow]);
  expect(await cashier.held(asset, first?.recipient ?? '0x')).toBe(0n);
  letGo();
  await payUntil(paying, allPaid(cashier));
  expect(await cashier.held(asset, first?.recipient ?? '0x')).toBe(5n);
});

test('behavior: no wallet is in hand twice, 64 at most are, and the gas tank finds a hand all the same', async () => {
  let tank: Address = '0x';
  const { held, wrap, letGo } = holding((wallet) => wallet !== tank);
  const cashier = await open({ wrap });
  tank = cashier.wallets.gasTankAddress();
  await cashier.fundTank(ETHER);
  const asset = await deployToken({ decimals: 6 });
  const made = await claims(cashier, asset, 70, { gas: 0n });
  const { store, clock } = cashier;
  const token = await store.transaction((tx) =>
    tx.ensureToken({
      createdAt: 1,
      chainId: 31337,
      address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      isNative: true,
      name: 'Ether',
      symbol: 'ETH',
      decimals: 18,
      imageUrl: '',
      coingeckoId: null,
    }),
  );
  const topUp = { kind: 'gas', chainId: 31337, sender: tank, gigId: 70, claimId: null, tokenId: token.id } as const;
  const recipient = freshAddress();
  await store.transaction((tx) => tx.planTransfer({ ...topUp, recipient, amount: 9n }, { now: clock(), tipIds: [] }));
  let wakes = 0;
  const wake = () => {
    wakes += 1;
  };
  const paying = payOn(cashier, { wake });
  await payUntil(paying, async () => (await cashier.held('native', recipient)) === 9n);
  expect(held).toEqual(made.slice(0, 64).map(({ wallet }) => wallet));
  const before = wakes;
  letGo();
  await payUntil(paying, allPaid(cashier));
  expect(wakes).toBeGreaterThanOrEqual(before + 70);
  for (const one of made) expect(await cashier.held(asset, one.recipient)).toBe(5n);
});

test('behavior: a wallet that waits is let go, and the next look says when it is due', async () => {
  const cashier = await open();
  await cashier.gig({ asset: 'native', tips: [{ account: person(1), amount: 5n }] });
  await cashier.claim(cashier.post(person(1), `claim my rewards ${freshAddress()}`));
  const woken = Promise.withResolvers<void>();
  // The clock stands still, and its tank is empty.
  const paying = createPaymentWorker(cashier.paying, { chainId: 31337, wake: woken.resolve });
  expect(await paying.poll()).toBe(Number.POSITIVE_INFINITY);
  await woken.promise;
  while ((await paying.poll()) === Number.POSITIVE_INFINITY) await wait(5);
  expect(await paying.poll()).toBe(50);
  await paying.stop();
});

test('behavior: the payments of a chain are brought on without those of another', async () => {
  const { held, wrap, letGo } = holding(() => true);
  const cashier = await open({ wrap });
  const asset = await deployToken({ decimals: 6 });
  const [made] = await claims(cashier, asset, 1, { gas: 0n });
  expect(await payOn(cashier, { chainId: 1 }).poll()).toBe(Number.POSITIVE_INFINITY);
  expect(held).toEqual([]);
  await payOn(cashier).poll();
  await expect.poll(() => held).toEqual([made?.wallet]);
  letGo();
});

test('behavior: stopping waits for the step under way, and nothing is begun after that', async () => {
  const { held, wrap, letGo } = holding(() => true);
  const cashier = await open({ wrap });
  const asset = await deployToken({ decimals: 6 });
  const [first] = await claims(cashier, asset, 1, { gas: ETHER });
  const paying = payOn(cashier);
  await paying.poll();
  await expect.poll(() => held).toHaveLength(1);
  let stopped = false;
  const stopping = paying.stop().then(() => {
    stopped = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  letGo();
  await stopping;
  const [payout] = await cashier.transfers('payout');
  // Its one step was to sign it and to offer it.
  expect(payout).toMatchObject({ state: 'broadcast', sender: first?.wallet });
  await paying.poll();
  await wait(20);
  expect((await cashier.transfers('payout'))[0]).toEqual(payout);
});
