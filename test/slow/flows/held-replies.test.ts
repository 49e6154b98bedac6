import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { person } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import { deployOdd, type OddToken, setting } from '../../support/odd-tokens.ts';
import { seedGig, seedTips, seedToken } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const UNIT = 10n ** 18n;

let world: World;
let token: OddToken;
/** How far the service's clock is ahead of the real one, in milliseconds. */
let ahead = 0;

beforeEach(async () => {
  ahead = 0;
  // Of its own for each database: what the chain knows of a gig's wallet and the database does not stops the gig.
  const mnemonic = generateMnemonic(wordlist);
  const env = { REPLIES_PER_THREAD_HOUR: '1', GIG_WALLET_MNEMONIC: mnemonic };
  world = await openWorld({ env, clock: () => Date.now() + ahead });
  token = await deployOdd('FalseToken');
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
});

afterEach(async () => {
  await world.close();
});

/** A live gig in the odd token with a tip of one for alice. */
async function liveGig(asset: TestToken = token) {
  const { store } = world.runtime;
  const { address, decimals, symbol, name } = asset;
  const { id: tokenId } = await seedToken(store, { address, decimals, symbol, name, chainId: 31337 });
  const gig = await seedGig(store, {
    tokenId,
    rewardAmount: 100n * UNIT,
    feeAmount: 0n,
    startTime: Date.now() - 60_000,
    live: true,
    walletAddress: createWallets(world.config.gigWalletMnemonic ?? '').gigAddress,
  });
  await fundToken(asset, gig.walletAddress, 100n * UNIT);
  await seedTips(store, gig, [{ ...ALICE, amount: UNIT }]);
  return gig;
}

const claimPage = async () => await (await fetch(`${world.url}/claim/farcaster/1001`)).text();

test('behavior: a claim in a full thread is paid at once; its reply waits through a restart, and the claim page tells meanwhile', async () => {
  await liveGig();
  const root = world.farcaster.post({ author: 'bob', text: '@gigclaim claims' });
  expect(await world.farcaster.waitForReply(root.id, PATIENCE_MS)).not.toBeNull();
  const claim = world.farcaster.post({ author: 'alice', text: '@gigclaim claim my rewards', replyTo: root.id });
  const state = async () => (await world.runtime.store.replies({ limit: 1 }))[0];
  await expect.poll(async () => (await state())?.heldFor, { timeout: PATIENCE_MS }).toBe('thread');
  const [payment] = await world.runtime.store.payments({ kind: 'payout', limit: 9 });
  expect(payment).toMatchObject({ state: 'confirmed', recipient: person('alice').address.toLowerCase() });
  expect(await claimPage()).toContain('Replies that were not posted');
  expect(await claimPage()).toContain('<span class="badge ok">Paid</span>');
  await world.stop();
  ahead = 3_600_000;
  await world.start();
  const reply = await world.farcaster.waitForReply(claim.id, PATIENCE_MS);
  expect(reply?.text).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 1 ODD \(tx 0x[0-9a-f]{64}\)\.$/);
  await expect.poll(async () => (await state())?.state, { timeout: PATIENCE_MS }).toBe('sent');
  expect(await claimPage()).not.toContain('Replies that were not posted');
});

test('error: a claim that was frozen and then failed is told in a second reply, which the bot’s limits hold as any other', async () => {
  const { id: gigId } = await liveGig();
  const freeze = (reason: string | null) =>
    world.runtime.store.transaction((tx) => tx.freezeGig(gigId, { reason, now: Date.now() }));
  await freeze('an audit');
  const claim = world.farcaster.post({ author: 'alice', text: '@gigclaim claim my rewards' });
  const first = await world.farcaster.waitForReply(claim.id, PATIENCE_MS);
  expect(first?.text).toBe(`The operator has frozen the payments of gig ${gigId} for now: 1 ODD. Nothing is lost.`);
  const later = world.farcaster.post({ author: 'alice', text: '@gigclaim help' });
  expect(await world.farcaster.waitForReply(later.id, PATIENCE_MS)).not.toBeNull();
  await token.change(setting.paused);
  await freeze(null);
  const second = async () => await world.runtime.store.followUpTo(1);
  await expect.poll(async () => (await second())?.heldFor, { timeout: PATIENCE_MS }).toBe('thread');
  ahead = 3_600_000 + 1;
  await world.stop();
  await world.start();
  await expect.poll(async () => (await second())?.state, { timeout: PATIENCE_MS }).toBe('sent');
  expect(world.farcaster.repliesTo(claim.id).map(({ text }) => text)).toEqual([
    first?.text,
    'Not paid: 1 ODD (the token rejects the transfer); they can be claimed again.',
  ]);
});
