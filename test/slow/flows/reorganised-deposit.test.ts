import { afterEach, beforeEach, expect, test } from 'vitest';
import { anvilClients, freshAddress } from '../../support/anvil.ts';
import { sampleAccount } from '../../support/earning.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import { seedTips } from '../../support/store.ts';
import { FAST } from '../../support/world.ts';
import { FUNDING, openPaidWorld, type PaidWorld, UNIT } from '../../support/x402.ts';

let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
let node: ReturnType<typeof anvilClients>['test'];
let paid: PaidWorld;
beforeEach(async () => {
  anvil = await startPayingAnvil();
  node = anvilClients(anvil.url).test;
  paid = await openPaidWorld({
    env: { RPC_URL_31337: anvil.url },
    confirmations: 4,
    timing: { ...FAST, payment: { ...FAST.payment, rebroadcastMs: 200, raiseMs: 2_000 } },
  });
  await node.mine({ blocks: 5 });
});
afterEach(async () => {
  await paid.close();
  await anvil.stop();
});

async function payOnce() {
  const agent = await paid.agent();
  const asked = await paid.create();
  const header = await paid.signFor(agent, asked);
  const gigId = asked.body.extensions?.gig?.info.gig_id ?? 0;
  const before = await node.snapshot();
  const answer = await paid.create(fetch, { header });
  expect([answer.status, answer.body.data?.status]).toEqual([201, 'live']);
  const { walletAddress } = (await paid.store.gig(gigId)) ?? {};
  expect(await paid.held(walletAddress ?? '')).toBe(FUNDING);
  return { agent, gigId, before, wallet: walletAddress ?? '' };
}

test('security: a deposit that a reorganisation took back is sent again, in the same bytes, and is paid once', async () => {
  const { agent, gigId, before, wallet } = await payOnce();
  await paid.world.stop();
  await node.revert({ id: before });
  await node.mine({ blocks: 2 });
  expect(await paid.held(wallet)).toBe(0n);
  await paid.world.start();
  await expect.poll(() => paid.held(wallet)).toBe(FUNDING);
  await expect
    .poll(async () => {
      await node.mine({ blocks: 1 });
      return (await paid.store.depositOf(gigId))?.state;
    })
    .toBe('settled');
  await expect.poll(() => paid.store.fundingsToCheck(31337)).toEqual([]);
  expect(await paid.store.gigFreeze(gigId)).toBeNull();
  expect(await paid.held(agent.address)).toBe(1_000n * UNIT - FUNDING);
}, 180_000);

test('security: one that cannot come back leaves the gig without funds, and nobody is paid from it', async () => {
  const { agent, gigId, before, wallet } = await payOnce();
  const gig = await paid.store.gig(gigId);
  if (gig === null) throw new Error('there is no gig');
  await seedTips(paid.store, gig, [{ ...sampleAccount(1001), amount: 7n * UNIT }]);
  paid.world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  await expect.poll(async () => (await paid.store.payments({ limit: 9, kind: 'payout' })).length).toBe(1);
  await paid.world.stop();
  await node.revert({ id: before });
  // In the other branch the agent has spent its money.
  const { account, data } = await spend(agent, paid);
  await node.setBalance({ address: account.address, value: 10n ** 18n });
  await anvilClients(anvil.url).wallet.sendTransaction({ account, to: paid.token.address, data });
  await node.mine({ blocks: 1 });
  await paid.world.start();
  const mine = async <T>(read: () => Promise<T>) => {
    await node.mine({ blocks: 1, interval: 60 });
    return await read();
  };
  await expect
    .poll(() => mine(() => paid.store.gigFreeze(gigId)))
    .toBe('its funding is gone from the chain since its start: 105 USDC are missing');
  await expect.poll(() => mine(async () => (await paid.store.depositOf(gigId))?.state)).toBe('unused');
  const payouts = await paid.store.payments({ limit: 9, kind: 'payout' });
  expect(payouts.map(({ state }) => state)).toEqual(['planned']);
  expect(await paid.held(wallet)).toBe(0n);
}, 180_000);

async function spend(account: Awaited<ReturnType<PaidWorld['agent']>>, { token }: PaidWorld) {
  const { encodeFunctionData, erc20Abi } = await import('viem');
  const args = [token.holder.address, 1_000n * UNIT] as const;
  return { account, token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }) };
}
