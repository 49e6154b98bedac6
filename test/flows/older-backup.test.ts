import { copyFileSync, rmSync } from 'node:fs';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Gig } from '../../src/domain/gig.ts';
import { type Address, checksummed } from '../../src/domain/token.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { seedGig, seedTips, seedToken } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';

const PATIENCE_MS = 20_000;
const UNIT = 1_000_000n;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;

let world: World;
let token: TestToken;
let gig: Gig;
beforeEach(async () => {
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  world = await openWorld({ env: { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: '' } });
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { store } = world.runtime;
  const { id: tokenId } = await seedToken(store, { ...token, chainId: 31337 });
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 0n, walletAddress: wallets.gigAddress };
  gig = await seedGig(store, { ...terms, startTime: Date.now() - 1_000, live: true });
  const blockNumber = await fundToken(token, gig.walletAddress, 100n * UNIT);
  const start = { gigId: gig.id, tokenId, chainId: 31337, amount: 100n * UNIT, commissionAmount: 0n, blockNumber };
  await store.transaction((tx) => tx.recordGigTransaction({ ...start, checkBlock: null }, Date.now()));
  await seedTips(store, gig, [
    { ...ALICE, amount: 30n * UNIT },
    { ...BOB, amount: 20n * UNIT },
  ]);
});
afterEach(() => world.close());

async function held(owner: Address): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}` as const;
  const answer = await anvilClients().public.call({ to: token.address, data });
  return BigInt(answer.data ?? '0x0');
}

/** What the bot answers to a claim of somebody's, paid to this address. */
async function claim(author: 'alice' | 'bob', recipient: Address): Promise<string> {
  const cast = world.farcaster.post({ author, text: `@gigclaim claim my rewards ${recipient}` });
  return (await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text ?? '';
}

/** What was paid for this gig, to whom and by which transaction, oldest first. */
async function payouts() {
  const rows = await world.runtime.store.payments({ limit: 9, kind: 'payout', state: 'confirmed' });
  return rows
    .map(({ recipient, amount, hash }) => ({ recipient, amount, hash }))
    .toSorted((a, b) => Number(b.amount - a.amount));
}

test('security: with yesterday’s database in its place nobody is paid twice, and the ledger learns what was paid', async () => {
  await world.stop();
  const backup = `${world.databasePath}.backup`;
  copyFileSync(world.databasePath, backup);
  await world.start();
  const [alices, bobs] = [freshAddress(), freshAddress()];
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 30 USDC/);
  expect(await claim('bob', bobs)).toMatch(/^Paid to .*: 20 USDC/);
  const before = await payouts();

  await world.stop();
  for (const end of ['-wal', '-shm']) rmSync(`${world.databasePath}${end}`, { force: true });
  copyFileSync(backup, world.databasePath);
  await world.start();
  // Who claims first finds what was paid before, and to whom; that is read for the whole gig at once.
  const nothing = 'You have no claimable tokens yet.';
  expect([`Paid to ${checksummed(alices)}: 30 USDC (tx ${before[0]?.hash}).`, nothing]).toContain(
    await claim('alice', freshAddress()),
  );
  expect(await claim('bob', freshAddress())).toBe(nothing);
  await expect.poll(payouts, { timeout: PATIENCE_MS }).toEqual(before);
  expect(await held(gig.walletAddress)).toBe(50n * UNIT);
  expect([await held(alices), await held(bobs)]).toEqual([30n * UNIT, 20n * UNIT]);

  await seedTips(world.runtime.store, gig, [{ ...ALICE, amount: 10n * UNIT }]);
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 10 USDC/);
  expect(await held(alices)).toBe(40n * UNIT);
}, 120_000);
