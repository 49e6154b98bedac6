import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { erc20Abi } from 'viem';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { openOwnerSession } from '../../../src/services/owners/sessions.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken } from '../../support/anvil.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import type { PageClaimOrder } from '../../support/page-claim-child.ts';
import { run } from '../../support/process.ts';
import { seedGig, seedMention, seedTips, seedToken } from '../../support/store.ts';

const BOB = { platform: 'twitter', platformUserId: '2002' } as const;
const MOST_LIVES = 60;

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
  const terms = { live: true, tokenId, rewardAmount: 100n, feeAmount: 0n, walletAddress: wallets.gigAddress };
  const gig = await seedGig(store, terms);
  await seedTips(store, gig, [{ ...BOB, amount: 40n }]);
  await fundToken(asset, gig.walletAddress, 100n);
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
  const live = (dies: PageClaimOrder['dies'], key: string) => {
    const child = run('test/support/page-claim-child.ts', { args: [JSON.stringify({ ...order, key, dies })] });
    return { child, ended: child.ended };
  };
  // A life dies before a commit, the next one after it. Not every commit is a step, so that they die at the first three in turn.
  const key = 'a'.repeat(32);
  let deaths = 0;
  for (; deaths < MOST_LIVES; deaths += 1) {
    const { child, ended } = live(
      { when: deaths % 2 === 0 ? 'before' : 'after', commit: 1 + (Math.floor(deaths / 2) % 3) },
      key,
    );
    const how = await ended;
    if (how === 0) break;
    expect(how, child.output()).toBe('SIGKILL');
  }
  expect(deaths).toBeGreaterThan(3);
  expect(deaths).toBeLessThan(MOST_LIVES);
  const last = live(null, key);
  expect(await last.ended, last.child.output()).toBe(0);
  const args = [wallet] as const;
  const call = { address: asset.address, abi: erc20Abi, functionName: 'balanceOf', args } as const;
  expect(await anvilClients().public.readContract(call)).toBe(40n);
  const after = await database.open();
  expect(await after.claims({ limit: 9 })).toMatchObject([
    { source: 'page', postId: `page:${key}`, recipient: wallet },
  ]);
  expect(await after.paymentsOfClaim(1)).toMatchObject([{ state: 'confirmed', amount: 40n }]);
  await after.close();
}, 400_000);
