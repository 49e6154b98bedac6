import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { expect, inject, onTestFinished, test } from 'vitest';
import { person } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import { deployToken, freshAddress, fundNative, fundToken } from '../../support/anvil.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { FAST, openWorld } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const ALICE = { platform: 'farcaster', platformUserId: String(person('alice').fid) } as const;
/** What a gateway answers when its node does not, with a code that other nodes have for a revert. */
const TIMED_OUT = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32015, message: 'gateway timeout' } });

test('behavior: while a gateway times out no gig is created and no payout fails; both go on when it is well', async () => {
  let isWell = true;
  /** Moves the service's time on. */
  let ahead = 0;
  const gateway = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
    !isWell && (method === 'eth_call' || method === 'eth_estimateGas')
      ? Promise.resolve((response) => response.writeHead(504, { 'content-type': 'application/json' }).end(TIMED_OUT))
      : undefined,
  );
  onTestFinished(gateway.close);
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  const world = await openWorld({
    env: { RPC_URL_31337: gateway.url, GIG_WALLET_MNEMONIC: mnemonic },
    clock: () => Date.now() + ahead,
    timing: { ...FAST, look: { chainMs: 300 } },
  });
  onTestFinished(world.close);
  const { store } = world.runtime;
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { id: tokenId } = await seedToken(store, { ...token, decimals: 6, symbol: 'USDC', chainId: 31337 });
  const { gigAddress: walletAddress } = wallets;
  const gig = await seedGig(store, { tokenId, rewardAmount: 50n, walletAddress, startTime: Date.now(), live: true });
  await fundToken(token, gig.walletAddress, 50n);
  const tips = [{ ...ALICE, gigId: gig.id, tokenId, amount: 50n, userAddress: null }];
  await store.transaction((tx) => tx.insertTips(tips, Date.now()));
  const { key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'test', expiresAt: null, scopes: ['operator'] },
  );
  const other = await deployToken({ decimals: 6, symbol: 'NEW' });
  const create = async () => {
    const terms = {
      chain: 'anvil',
      token_address: other.address,
      amount: 10,
      start_time: new Date().toISOString(),
      duration: '1week',
      gig_type: 'like',
      platform: 'x',
      url: 'https://x.com/alice/status/1541815603606036480',
      owners: [{ platform: 'farcaster', platform_user_id: '1001', username: 'alice' }],
    };
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(terms) };
    return (await fetch(`${world.url}/api/gigs/create`, request)).status;
  };
  const states = async () => (await store.paymentsOfGig(gig.id)).map(({ state }) => state);
  const simulations = () => gateway.asked.filter((method) => method === 'eth_estimateGas').length;

  isWell = false;
  world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['planned']);
  expect(await create()).toBe(503);
  // Longer than a payment is tried again that a contract refuses.
  for (let tries = 0; tries < 3; tries += 1) {
    const before = simulations();
    await expect.poll(simulations, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
    ahead += 31_000;
  }
  expect(await states()).toEqual(['planned']);
  isWell = true;
  await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['confirmed']);
  expect(await create()).toBe(201);
});
