import { copyFileSync, rmSync } from 'node:fs';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import { runAdmin } from '../../src/cli/program.ts';
import type { Gig } from '../../src/domain/gig.ts';
import type { Address } from '../../src/domain/token.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { MIGRATIONS, seedGig, seedTips, seedToken } from '../support/store.ts';
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

async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const options = { args, env: world.env, migrationsFolder: MIGRATIONS, clock: Date.now };
  return { code: await runAdmin({ ...options, stdout: write, stderr: write }), out };
}

test('security: with yesterday’s database in its place nobody is paid twice, and the gig goes on once it was accepted', async () => {
  await world.stop();
  const backup = `${world.databasePath}.backup`;
  copyFileSync(world.databasePath, backup);
  await world.start();
  const [alices, bobs] = [freshAddress(), freshAddress()];
  expect(await claim('alice', alices)).toMatch(/^Paid to .*: 30 USDC/);
  expect(await claim('bob', bobs)).toMatch(/^Paid to .*: 20 USDC/);

  await world.stop();
  for (const end of ['-wal', '-shm']) rmSync(`${world.databasePath}${end}`, { force: true });
  copyFileSync(backup, world.databasePath);
  await world.start();
  const again = ['alice', 'bob'].map((author) =>
    world.farcaster.post({ author, text: `@gigclaim claim my rewards ${freshAddress()}` }),
  );
  const { store } = world.runtime;
  const reason =
    'the chain knows transactions of its wallet that this database does not (nonces 0 to 1); it may be an older backup';
  await expect.poll(() => store.gigFreeze(gig.id), { timeout: PATIENCE_MS }).toBe(reason);
  await expect
    .poll(async () => (await store.payments({ limit: 9, kind: 'payout' })).map(({ state, nonce }) => [state, nonce]), {
      timeout: PATIENCE_MS,
    })
    .toEqual([
      ['planned', null],
      ['planned', null],
    ]);
  expect(await held(gig.walletAddress)).toBe(50n * UNIT);
  expect([await held(alices), await held(bobs)]).toEqual([30n * UNIT, 20n * UNIT]);
  const ready = await (await fetch(`${world.url}/ready`)).json();
  expect(ready).toMatchObject({ gigs: { frozen: 1 } });
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/^gigclaim_gigs_frozen 1$/m);
  expect((await admin('doctor')).out).toContain(`gig ${gig.id} is frozen, because ${reason}`);
  expect(world.lines.some((line) => line.includes('"gig frozen"') && line.includes('"level":"error"'))).toBe(true);

  // The money that is missing by this ledger was paid, so nothing can be accepted before it is there again.
  const refused = await admin('gig', 'accept', String(gig.id));
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('50 USDC are missing') });
  await fundToken(token, gig.walletAddress, 50n * UNIT);
  expect((await admin('gig', 'accept', String(gig.id))).code).toBe(0);
  for (const { id } of again) {
    // Which of them depends on whether the bot looked while the gig was frozen.
    const told = (await world.farcaster.waitForReply(id, PATIENCE_MS * 4))?.text;
    expect(told).toMatch(/^(?:Paid to |The operator has frozen the payments of gig )/);
  }
  await expect.poll(() => held(gig.walletAddress), { timeout: PATIENCE_MS }).toBe(50n * UNIT);
}, 120_000);
