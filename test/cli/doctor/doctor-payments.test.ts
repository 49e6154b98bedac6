import { describe, expect, onTestFinished, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { anvilClients } from '../../support/anvil.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { SEEDED_AT, seedFee, seedGig, seedToken } from '../../support/store.ts';
import { desk } from '../admin.ts';
import { anvil, checkOf, doctor, MNEMONIC, useDoctor } from './setup.ts';

useDoctor();

describe('doctor', () => {
  test('error: payments that wait are counted by what holds them up, with the remedy', async () => {
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    const waits = [TANK_IS_LOW, TANK_IS_LOW, 'the client’s daily gas budget is used up', null, null];
    for (const [index, reason] of waits.entries()) {
      const gig = await seedGig(desk.store, { live: true, walletAddress });
      const planned = SEEDED_AT - (index === 4 ? 301_000 : 0);
      const { id } = await seedFee(desk.store, gig, { chainId: 31337, tokenId }, planned);
      const note = { reason, dueAt: SEEDED_AT, now: SEEDED_AT };
      await desk.store.transaction((tx) => tx.notePayment(id, note));
      if (index === 3) await desk.store.transaction((tx) => tx.freezeByOperator(gig.id, 'the operator froze it: x'));
    }
    const { code, failed, check } = await doctor();
    expect([code, failed]).toEqual([
      1,
      {
        gigs: 'Gig 4 is frozen, because the operator froze it: x',
        payments:
          '1 payment waits on anvil (gig 5): planned more than 5 minutes ago; ' +
          '1 payment waits on anvil (gig 4): frozen; ' +
          '1 payment waits on anvil (gig 3): the client’s daily gas budget is used up; ' +
          '2 payments wait on anvil (gigs 1, 2): the gas tank is too low',
      },
    ]);
    expect(check('payments')?.remedy).toMatch(/the service runs.*GAS_BUDGET_CLIENT_DAY.*Refill the gas tank on anvil/);
    expect(check('gigs')?.remedy).toBe('When the reason is gone, run npm run admin -- gig unfreeze 4.');
  });

  test('error: payments that are late are told in the words of their alert, and not twice', async () => {
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    for (const minutes of [61, 61, 6]) {
      const gig = await seedGig(desk.store, { live: true, walletAddress });
      await seedFee(desk.store, gig, { chainId: 31337, tokenId }, SEEDED_AT - minutes * 60_000);
    }
    expect((await doctor()).failed).toEqual({
      payments:
        'Payments on anvil are late by more than an hour: 2 payments wait on anvil (gigs 1, 2): planned more than 5 minutes ago; ' +
        '1 payment waits on anvil (gig 3): planned more than 5 minutes ago',
    });
  });

  test('behavior: payments that wait for seconds are not held up', async () => {
    const gig = await seedGig(desk.store, { live: true, walletAddress: createWallets(MNEMONIC).gigAddress });
    const now = SEEDED_AT;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    await seedFee(desk.store, gig, { chainId: 31337, tokenId });
    const reason = 'its gig was funded a moment ago, and the chain may still take that back';
    await desk.store.transaction((tx) => tx.notePayment(1, { reason, dueAt: now, now }));
    const { code, failed } = await doctor();
    expect([code, failed]).toEqual([0, {}]);
  });

  test('error: an endpoint that is behind the block on which the ledger counts is named, and its contracts are not judged by it', async () => {
    const anchor = { number: 1_000_000n, hash: `0x${'ab'.repeat(32)}`, at: 0 } as const;
    await desk.store.transaction((tx) => tx.setChainAnchor(31337, anchor));
    const { code, failed } = await doctor();
    expect([code, failed]).toEqual([
      1,
      {
        'chain anvil':
          'The endpoint of Anvil gives no valid answer: it is behind block 1000000, on which the ledger counts',
        'gas tank anvil': expect.stringContaining('is unknown, because the chain does not answer'),
        'payer anvil': 'Unknown, because the chain does not answer',
      },
    ]);
  });

  test('error: of an endpoint that lists events of 10 blocks at a time it says how many, and what that slows', async () => {
    await anvilClients(anvil.url).test.mine({ blocks: 20 });
    const proxy = await serveRpcProxy(anvil.url, ({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined;
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      if (BigInt(toBlock) - BigInt(fromBlock) < 10n) return undefined;
      const message = 'you can make eth_getLogs requests with up to a 10 block range';
      return Promise.resolve({ error: { code: -32600, message } });
    });
    onTestFinished(proxy.close);
    expect(await checkOf('payer anvil', { RPC_URL_31337: proxy.url })).toMatchObject({
      mark: 'warning',
      detail: 'Deployed with the committed code; the endpoint lists events of 10 blocks at a time',
      remedy: expect.stringContaining('use a plan that lists events of 1,000 blocks or more before gig rebuild'),
    });
  });
});
