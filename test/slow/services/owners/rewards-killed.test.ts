import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { erc20Abi } from 'viem';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createWallets } from '../../../../src/chain/wallets.ts';
import { openOwnerSession } from '../../../../src/services/owners/sessions.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken } from '../../../support/anvil.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
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
  const live = (dies: PageClaimOrder['dies'], key: string) => {
    const child = run('test/support/page-claim-child.ts', { args: [JSON.stringify({ ...order, key, dies })] });
    return { child, ended: child.ended };
  };
  const balance = async () => {
    const call = { address: asset.address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] } as const;
    return await anvilClients().public.readContract(call);
  };

  // Each death has a tip and a form of its own; the next process takes the same form again, and pays the rest.
  let deaths = 0;
  for (let isOver = false; !isOver; deaths += isOver ? 0 : 1) {
    expect(deaths).toBeLessThan(MOST_DEATHS);
    const again = await database.open();
    await seedTips(again, gig, [{ ...BOB, amount: 40n }]);
    await again.close();
    const key = String(deaths).padStart(32, '0');
    const first = live({ when: deaths % 2 === 0 ? 'before' : 'after', commit: 1 + Math.floor(deaths / 2) }, key);
    const how = await first.ended;
    isOver = how === 0;
    if (!isOver) expect(how, first.child.output()).toBe('SIGKILL');
    const last = live(null, key);
    expect(await last.ended, last.child.output()).toBe(0);
    expect(await balance()).toBe(40n * BigInt(deaths + 1));
  }
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
