import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { erc20Abi } from 'viem';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createWallets } from '../../../../src/chain/wallets.ts';
import { openOwnerSession } from '../../../../src/services/owners/sessions.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken } from '../../../support/anvil.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { dieAtEveryCommit } from '../../../support/deaths.ts';
import type { PageClaimOrder } from '../../../support/page-claim-child.ts';
import { run } from '../../../support/process.ts';
import { seedGig, seedMention, seedTips, seedToken } from '../../../support/store.ts';

const BOB = { platform: 'twitter', platformUserId: '2002' } as const;
const MOST_DEATHS = 60;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.remove());

test('security: a process that is killed at any step of a claim by button pays it once', async () => {
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  const asset = await deployToken({ decimals: 6, symbol: 'USDC' });
  const wallet = freshAddress();
  const store = await database.open();
  const { address, symbol, decimals } = asset;
  const { id: tokenId } = await seedToken(store, { chainId: 31337, address, symbol, decimals });
  const terms = { live: true, tokenId, rewardAmount: 4_000n, feeAmount: 0n, walletAddress: wallets.gigAddress };
  const gig = await seedGig(store, terms);
  await fundToken(asset, gig.walletAddress, 4_000n);
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  const mentionId = await seedMention(store, { platform: 'twitter', authorId: BOB.platformUserId });
  const now = Date.now();
  const opening = { owner: `wallet:${wallet}`, label: 'test', replaces: undefined, requestId: null, now };
  const { token: session } = await store.transaction((tx) => openOwnerSession(tx, { randomBytes }, opening));
  await store.close();
  await database.sql(
    'insert into owner_links (owner, wallet, post_id, mention_id, created_at, valid_from) values (?, ?, ?, ?, ?, ?)',
    ...['twitter:2002', wallet, '7', mentionId, 1, 1],
  );

  const order = { url: database.url, rpcUrl: inject('anvilUrl'), mnemonic, session, account: BOB, recipient: wallet };
  const balance = async () => {
    const call = { address: asset.address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] } as const;
    return await anvilClients().public.readContract(call);
  };

  // Each death has a tip and a form of its own; the next process takes the same form again, and pays the rest.
  const deaths = await dieAtEveryCommit(MOST_DEATHS, async (before) => {
    const again = await database.open();
    await seedTips(again, gig, [{ ...BOB, amount: 40n }]);
    await again.close();
    const key = String(before).padStart(32, '0');
    return {
      start(dies) {
        const given: PageClaimOrder = { ...order, key, dies };
        return run('test/support/page-claim-child.ts', { args: [JSON.stringify(given)] });
      },
      check: async () => expect(await balance()).toBe(40n * BigInt(before + 1)),
    };
  });
  expect(deaths).toBeGreaterThan(6);
  const after = await database.open();
  const claims = await after.claims({ limit: MOST_DEATHS });
  expect(claims).toHaveLength(deaths + 1);
  for (const { id, postId, source } of claims) {
    expect([source, postId.startsWith('page:')]).toEqual(['page', true]);
    expect(await after.paymentsOfClaim(id)).toMatchObject([{ state: 'confirmed', amount: 40n }]);
  }
  await after.close();
}, 400_000);
