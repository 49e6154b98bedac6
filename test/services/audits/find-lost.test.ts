import { expect, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { findLost } from '../../../src/services/audits/find-lost.ts';
import { freshAddress, fundNative, fundToken, placeCode } from '../../support/anvil.ts';
import { ANVIL } from '../../support/payer.ts';
import { LYING_AT_TIMES } from '../../support/token.ts';
import { ALICE } from '../cashier.ts';
import { auditsPerCase } from './auditing.ts';

const { cashier, audits, token } = auditsPerCase();
const walletOf = (gigId: number) => cashier.wallets.gigAddress(gigId);

function find() {
  const { store, clock, url, payer, wallets } = cashier;
  const chains = createChains({ endpoints: [{ chain: ANVIL, rpcUrls: [url] }], clock, retries: 0 });
  return findLost({ store, clock, wallets, chains, payers: { payer: () => payer } });
}

/** A gig of which alice has claimed a tip, and was paid. */
async function payOne(): Promise<void> {
  await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 7n }] });
  await cashier.claim(cashier.post(ALICE, `claim my rewards ${freshAddress()}`));
  await cashier.settle();
}

test('behavior: a ledger that is whole has lost nothing', async () => {
  await payOne();
  expect(await find()).toEqual({ paid: [], short: [], unknown: [] });
});

test('security: gigs with unknown ids whose wallets hold money are named, also after a skip', async () => {
  await audits.gig({ asset: token, tips: [] });
  await cashier.store.transaction((tx) => tx.passGigIds(2_000));
  await fundToken(token, walletOf(2), 12_000_000n);
  await fundToken(token, walletOf(2_003), 5n);
  const named = (gigId: number, held: string) => ({
    text: `Gig ${gigId} is not in the database, and its wallet ${checksummed(walletOf(gigId))} holds ${held} USDC on Anvil`,
    remedy: `Run npm run admin -- gig rebuild ${gigId}, or gig rebuild --all.`,
  });
  expect(await find()).toEqual({ paid: [], short: [], unknown: [named(2, '12'), named(2_003, '0.000005')] });
});

test('security: no gig is named by a token that lies about some addresses', async () => {
  const address = await placeCode(LYING_AT_TIMES, cashier.url);
  await cashier.gig({ asset: { ...token, address }, tips: [] });
  await cashier.store.transaction((tx) => tx.passGigIds(1_000));
  await fundNative(walletOf(2), 5n, cashier.url);
  const found = await find();
  expect(found.unknown.map(({ text }) => text)).toEqual([
    `Gig 2 is not in the database, and its wallet ${checksummed(walletOf(2))} holds 0.000000000000000005 ETH on Anvil`,
  ]);
});

test('security: a gig whose wallet holds less than it must is named, because it may have paid lost tips', async () => {
  const gig = await audits.gig({ asset: token, tips: [] });
  await fundNative(gig.walletAddress, 10n ** 18n, cashier.url);
  await audits.steal(gig, token, 7n);
  expect(await find()).toEqual({
    paid: [],
    short: [
      {
        text: 'Gig 1: the wallet holds 0.999993 USDC and must hold 1 USDC: 0.000007 USDC are missing; it may have paid tips that the database has lost',
        remedy: 'Run npm run admin -- reconcile 1.',
      },
    ],
    unknown: [],
  });
});

test('security: payments that no known tip explains are named by their gig', async () => {
  await payOne();
  // As an older copy has it, after the payment was taken from the chain.
  await cashier.database.sql('update payments set transaction_id = null, claim_id = null');
  await cashier.database.sql(
    "update tips set payment_id = null, status = 'pending', tx_hash = null, claim_nonce = null",
  );
  expect((await find()).paid).toEqual([
    {
      text: 'Gig 1 has made 1 payment for tips that the database has lost',
      remedy: 'Do not award again what was paid; award tips again that were lost before they were paid.',
    },
  ]);
});
