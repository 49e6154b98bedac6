import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { erc20Abi } from 'viem';
import { afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { startAnvil } from '../../../../sandbox/anvil.ts';
import { placeRegistries } from '../../../../sandbox/owners/registries.ts';
import { createWallets } from '../../../../src/chain/wallets.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken } from '../../../support/anvil.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { dieAtEveryCommit } from '../../../support/deaths.ts';
import { run } from '../../../support/process.ts';
import { seedGig, seedTips, seedToken } from '../../../support/store.ts';
import type { TapOrder } from '../../../support/tap-child.ts';
import { createAppKey, signTap } from '../../../support/taps.ts';

const FID = 1001;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const PUBLIC_URL = 'https://gigclaim.test';
const MOST_DEATHS = 60;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.remove());

test('security: a process that is killed at any step of a tap that claims pays it once', async () => {
  const anvil = await startAnvil({ chainId: 10 });
  onTestFinished(anvil.stop);
  const app = createAppKey();
  await (await placeRegistries(anvil.url)).addKey(app.key, FID);
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  const asset = await deployToken({ decimals: 6, symbol: 'USDC' });
  const verified = freshAddress();
  const store = await database.open();
  const { address, symbol, decimals } = asset;
  const { id: tokenId } = await seedToken(store, { chainId: 31337, address, symbol, decimals });
  const terms = { live: true, tokenId, rewardAmount: 4_000n, feeAmount: 0n, walletAddress: wallets.gigAddress };
  const gig = await seedGig(store, terms);
  await fundToken(asset, gig.walletAddress, 4_000n);
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  await store.close();

  const order = {
    url: database.url,
    rpcUrl: inject('anvilUrl'),
    registryUrl: anvil.url,
    publicUrl: PUBLIC_URL,
    mnemonic,
    verified,
  };
  const balance = async () => {
    const call = { address: asset.address, abi: erc20Abi, functionName: 'balanceOf', args: [verified] } as const;
    return await anvilClients().public.readContract(call);
  };

  // Each death has a tip and a tap of its own; the next process gets the same tap again, and pays the rest.
  const deaths = await dieAtEveryCommit(MOST_DEATHS, async (before) => {
    const again = await database.open();
    await seedTips(again, gig, [{ ...ALICE, amount: 40n }]);
    await again.close();
    const payload = { inputs: { deaths: before } };
    const tap = signTap(app, { fid: FID, audience: PUBLIC_URL, at: Date.now(), payload });
    return {
      start(dies) {
        const given: TapOrder = { ...order, tap, dies };
        return run('test/support/tap-child.ts', { args: [JSON.stringify(given)] });
      },
      check: async () => expect(await balance()).toBe(40n * BigInt(before + 1)),
    };
  });
  expect(deaths).toBeGreaterThan(6);
  const after = await database.open();
  const claims = await after.claims({ limit: MOST_DEATHS });
  expect(claims).toHaveLength(deaths + 1);
  for (const { id, postId, source } of claims) {
    expect([source, postId.startsWith('snap:')]).toEqual(['snap', true]);
    expect(await after.paymentsOfClaim(id)).toMatchObject([{ state: 'confirmed', amount: 40n }]);
  }
  await after.close();
}, 400_000);
