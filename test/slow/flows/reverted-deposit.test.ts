import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { FAILED } from '../../../src/services/x402/advance-deposit.ts';
import { anvilClients, fundToken } from '../../support/anvil.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import {
  FUNDING,
  openPaidWorld,
  type PaidAnswer,
  type PaidWorld,
  sendAuthorization,
  UNIT,
} from '../../support/x402.ts';

const ALL = 1_000n * UNIT;
const REFUSED = [402, 'payment_refused', 'invalid_exact_evm_transaction_failed'] as const;

let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
let node: ReturnType<typeof anvilClients>['test'];
let paid: PaidWorld;
beforeEach(async () => {
  anvil = await startPayingAnvil();
  node = anvilClients(anvil.url).test;
  paid = await openPaidWorld({ env: { RPC_URL_31337: anvil.url }, confirmations: 1 });
});
afterEach(async () => {
  await paid.close();
  await anvil.stop();
});

const toldOf = ({ status, body }: PaidAnswer) => [status, body.code, body.error];

/** An agent moves all its money in the block of the deposit, before it. */
async function spendFirst(agent: PrivateKeyAccount): Promise<void> {
  await node.setBalance({ address: agent.address, value: 10n ** 18n });
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [paid.token.holder.address, ALL] });
  const first = { gas: 100_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  await anvilClients(anvil.url).wallet.sendTransaction({ account: agent, to: paid.token.address, data, ...first });
}

/** Has an agent pay for a gig by a transaction of the gas tank that reverts, and be told so. */
async function payInVain() {
  const agent = await paid.agent(ALL);
  const asked = await paid.create();
  const header = await paid.signFor(agent, asked);
  const gigId = asked.body.extensions?.gig?.info.gig_id ?? 0;
  const wallet = (await paid.store.gig(gigId))?.walletAddress ?? '';
  await node.setAutomine(false);
  const answer = paid.create(fetch, { header });
  const tank = createWallets(paid.mnemonic).gasTankAddress();
  const { public: reader } = anvilClients(anvil.url);
  await expect.poll(() => reader.getTransactionCount({ address: tank, blockTag: 'pending' })).toBe(1);
  await spendFirst(agent);
  await node.mine({ blocks: 1 });
  await node.setAutomine(true);
  const refused = await answer;
  expect(toldOf(refused)).toEqual(REFUSED);
  expect(JSON.parse(Buffer.from(refused.headers.get('payment-response') ?? '', 'base64').toString())).toMatchObject({
    success: false,
    payer: agent.address,
  });
  const { transactions } = await reader.getBlock({ includeTransactions: true });
  const hash: Hex = transactions.find(({ from }) => from.toLowerCase() === tank)?.hash ?? '0x';
  expect((await reader.getTransactionReceipt({ hash })).status).toBe('reverted');
  const deposit = await paid.store.depositOf(gigId);
  expect(deposit).toMatchObject({ state: 'sent', reason: `${FAILED}${hash}`, hash: null });
  expect(paid.world.lines.filter((line) => line.includes('"deposit has failed"'))).toHaveLength(1);
  return { agent, asked, header, gigId, wallet, tank };
}

/** Nobody has the gig, and its wallet holds nothing. */
async function expectUnpaid(gigId: number, wallet: string): Promise<void> {
  expect(await paid.store.gig(gigId)).toMatchObject({ status: 'created', client: 'owner:x402' });
  expect(await paid.held(wallet)).toBe(0n);
}

const sentBy = async (address: Hex) => await anvilClients(anvil.url).public.getTransactionCount({ address });

test('security: a deposit whose transaction reverts gives no gig, is not sent again, and another payer pays when it has expired', async () => {
  const { asked, header, gigId, wallet, tank } = await payInVain();
  await expectUnpaid(gigId, wallet);
  const other = await paid.agent(ALL);
  // Anybody may still use the first one, so that nothing is sent beside it.
  for (const sent of [header, await paid.signFor(other, asked)]) {
    expect(toldOf(await paid.create(fetch, { header: sent }))).toEqual(REFUSED);
  }
  await expectUnpaid(gigId, wallet);
  expect([await sentBy(tank), await paid.held(other.address)]).toEqual([1, ALL]);

  await node.increaseTime({ seconds: 400 });
  await node.mine({ blocks: 1 });
  await expect.poll(async () => (await paid.store.depositOf(gigId))?.state).toBe('unused');
  expect((await paid.store.depositOf(gigId))?.reason).toContain(FAILED);
  const accepts = asked.body.accepts?.map((each) => ({ ...each, maxTimeoutSeconds: 1_000 })) ?? [];
  const later = { ...asked, body: { ...asked.body, accepts } };
  const answer = await paid.create(fetch, { header: await paid.signFor(other, later) });
  expect([answer.status, answer.body.data?.gig_id, answer.body.data?.payer]).toEqual([201, gigId, other.address]);
  expect([await paid.held(wallet), await paid.held(other.address)]).toEqual([FUNDING, ALL - FUNDING]);
  // The first payer asks again, and is told of the gig that is there: it has paid nothing.
  const again = await paid.create(fetch, { header });
  expect([again.status, again.body.data?.payer]).toEqual([201, other.address]);
}, 180_000);

test('security: a deposit whose transaction has reverted, and that somebody sends later, gives its payer the one gig', async () => {
  const { agent, header, gigId, wallet } = await payInVain();
  await expectUnpaid(gigId, wallet);
  await fundToken(paid.token, agent.address, ALL, anvil.url);
  await sendAuthorization(paid.token, header, anvil.url);
  for (const answer of [await paid.create(fetch, { header }), await paid.create()]) {
    expect([answer.status, answer.body.data?.gig_id, answer.body.data?.payer]).toEqual([201, gigId, agent.address]);
  }
  expect(await paid.store.gig(gigId)).toMatchObject({
    status: 'live',
    client: `owner:wallet:${agent.address.toLowerCase()}`,
  });
  expect([await paid.held(wallet), await paid.held(agent.address)]).toEqual([FUNDING, ALL - FUNDING]);
}, 180_000);
