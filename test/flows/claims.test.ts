import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SocialNetwork } from '../../sandbox/networks/network.ts';
import { person } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';
import { answerTo, seedUsdc } from './posts.ts';

const TREASURY = '0x00000000000000000000000000000000000000fe';
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB_ON_X = { platform: 'twitter', platformUserId: person('bob').xUserId } as const;
const UNIT = 1_000_000n;

let world: World;
let token: TestToken;

beforeEach(async () => {
  // Wallets that another database has paid from would sign nothing here.
  const mnemonic = generateMnemonic(wordlist);
  world = await openWorld({ env: { TREASURY_ADDRESS: TREASURY, GIG_WALLET_MNEMONIC: mnemonic } });
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
});

afterEach(() => world.close());

/** A live gig of 100 tokens and a fee of 5 whose wallet holds them, with tips in base units. */
async function liveGig(tips: readonly { account: typeof ALICE | typeof BOB_ON_X; amount: bigint }[]) {
  const { store } = world.runtime;
  const { tokenId } = await seedUsdc(store, token);
  const gig = await seedGig(store, {
    tokenId,
    rewardAmount: 100n * UNIT,
    feeAmount: 5n * UNIT,
    startTime: Date.now() - 60_000,
    live: true,
    walletAddress: createWallets(world.config.gigWalletMnemonic ?? '').gigAddress,
  });
  await fundToken(token, gig.walletAddress, 105n * UNIT);
  await seedTips(
    store,
    gig,
    tips.map(({ account, amount }) => ({ ...account, amount })),
  );
  return gig;
}

async function balanceOf(owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}` as const;
  const answer = await anvilClients().public.call({ to: token.address, data });
  return BigInt(answer.data ?? '0x0');
}

interface Claimed {
  transactions: { successful: { amount: string; tx_hash: string }[]; failed: object[]; pending: object[] };
  summary: Record<string, unknown>;
}

async function claim(url: string): Promise<{ status: number; body: Claimed }> {
  const response = await fetch(`${world.url}/api/claim`, { method: 'POST', body: JSON.stringify({ url }) });
  return { status: response.status, body: (await response.json()) as Claimed };
}

describe('a claim', () => {
  test('behavior: by the URL of a cast pays its author’s verified address, once, however often it is sent', async () => {
    await liveGig([
      { account: ALICE, amount: 12_500_000n },
      { account: ALICE, amount: 1n },
    ]);
    const { address } = person('alice');
    const before = await balanceOf(address);
    const cast = world.farcaster.post({ author: 'alice', text: 'Claim my rewards' });
    const first = await claim(cast.url);
    expect(first.status).toBe(200);
    const counts = { total_transactions: 1, failed_count: 0, success_count: 1, pending_count: 0 };
    expect(first.body.summary).toEqual({ ...counts, recipient: address });
    expect(first.body.transactions.successful).toEqual([
      {
        token_address: expect.stringMatching(new RegExp(token.address, 'i')),
        token_symbol: 'USDC',
        amount: '12.500001',
        chain_name: 'Anvil',
        status: 'success',
        tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ]);
    expect(await balanceOf(address)).toBe(before + 12_500_001n);
    expect(await claim(cast.url)).toEqual(first);
    expect(await balanceOf(address)).toBe(before + 12_500_001n);
    const look = await fetch(`${world.url}/api/claim?identifiers=1001`);
    expect(await look.json()).toEqual({ data: {}, summary: { total_tokens: 0, total_gigs: 0 } });
  });

  test('behavior: by a mention on X pays the address in it and answers with amount and hash', async () => {
    await liveGig([{ account: BOB_ON_X, amount: 20n * UNIT }]);
    const recipient = freshAddress();
    const post = world.x.post({ author: 'bob', text: `@gigclaim claim my rewards ${recipient}` });
    expect(await answerTo(world.x, post)).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 20 USDC \(tx 0x[0-9a-f]{64}\)\. \[/);
    expect(await balanceOf(recipient)).toBe(20n * UNIT);
    // The same post by the other door is the same claim.
    const { body } = await claim(post.url);
    expect(body.summary).toMatchObject({ success_count: 1, total_transactions: 1 });
    expect(await balanceOf(recipient)).toBe(20n * UNIT);
  });

  test('security: an old claim post that a stranger sends again after new tips pays nothing', async () => {
    const gig = await liveGig([{ account: ALICE, amount: UNIT }]);
    const cast = world.farcaster.post({ author: 'alice', text: 'claim my rewards' });
    await claim(cast.url);
    const { address } = person('alice');
    const paid = await balanceOf(address);
    await seedTips(world.runtime.store, gig, [{ ...ALICE, amount: UNIT }]);
    expect((await claim(cast.url)).body.summary).toMatchObject({ success_count: 1, total_transactions: 1 });
    expect(await balanceOf(address)).toBe(paid);
  });

  test('behavior: a hundred at once, of one post, by one account through both doors, pay once', async () => {
    await liveGig([{ account: ALICE, amount: 3n * UNIT }]);
    const recipient = freshAddress();
    const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${recipient}` });
    const another = world.farcaster.post({ author: 'alice', text: `@alice claim my rewards ${recipient}!` });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => claim(index % 4 === 0 ? another.url : cast.url)),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 404 && status !== 429)).toEqual([]);
    await expect.poll(() => balanceOf(recipient)).toBe(3n * UNIT);
    await answerTo(world.farcaster, cast);
    expect(await balanceOf(recipient)).toBe(3n * UNIT);
  });
});

test('error: a claim that cannot be made is refused with the published texts', async () => {
  await liveGig([{ account: ALICE, amount: UNIT }]);
  const told = async (author: string, text: string, network: SocialNetwork = world.farcaster) => {
    const { status, body } = await claim(network.post({ author, text }).url);
    return [status, (body as unknown as { error: string }).error];
  };
  const asks = 'Message must contain "claim my rewards" with an optional Ethereum address';
  expect(await told('alice', 'hello')).toEqual([400, asks]);
  for (const address of ['0x123', `0x${'0'.repeat(40)}`, token.address]) {
    expect(await told('alice', `claim my rewards ${address}`)).toEqual([400, 'Invalid Ethereum address provided']);
  }
  const several = [400, 'Multiple Ethereum addresses found in the cast'];
  expect(await told('alice', `claim my rewards ${freshAddress()} ${freshAddress()}`)).toEqual(several);
  expect(await told('bob', 'claim my rewards', world.x)).toEqual([400, 'No verified address found']);
  expect(await told('carol', 'claim my rewards')).toEqual([404, 'No tips found']);
  const missing = await claim(`https://farcaster.xyz/alice/0x${'ab'.repeat(20)}`);
  expect([missing.status, missing.body]).toMatchObject([404, { error: 'Cast not found' }]);
  expect((await claim('not a url')).status).toBe(400);
});
