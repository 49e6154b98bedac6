import { randomBytes, randomUUID } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { encodeFunctionData, erc20Abi } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createChains, createDepositChains, createPayerChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { readPayment, requiredFor } from '../../../src/domain/x402/payment-json.ts';
import { createLog } from '../../../src/log.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../../src/services/payments/sender/context.ts';
import { pulse } from '../../../src/services/payments/sender/pulse.ts';
import { advanceDeposits } from '../../../src/services/x402/advance-deposit.ts';
import type { DepositWork, PaidGigContext } from '../../../src/services/x402/context.ts';
import { keepDeposit } from '../../../src/services/x402/keep-deposit.ts';
import { payForGig } from '../../../src/services/x402/pay-gig.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { anvilClients, fundNative, fundToken, mined, type TestToken, tokenBalance } from '../../support/anvil.ts';
import { openTestStore } from '../../support/database.ts';
import { ANVIL } from '../../support/payer.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { agentWith, cancelAuthorization, deployUsdc, FUNDING, NETWORK, UNIT } from '../../support/x402.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let token: TestToken;
let wallets: ReturnType<typeof createWallets>;
let gig: Gig;
let agent: PrivateKeyAccount;
let ahead = 0;
const clock = () => Date.now() + ahead;

beforeEach(async () => {
  ahead = 0;
  opened = await openTestStore();
  ({ store } = opened);
  wallets = createWallets(generateMnemonic(wordlist));
  token = await deployUsdc();
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  const { address, decimals, symbol } = token;
  const { id: tokenId } = await seedToken(store, { chainId: ANVIL.id, address, decimals, symbol });
  await store.transaction((tx) => tx.takeX402Token(tokenId, { name: 'USD Coin', version: '2' }, clock()));
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT, client: 'owner:x402' };
  gig = await seedGig(store, { ...terms, walletAddress: wallets.gigAddress });
  agent = await agentWith(token, 2n * FUNDING);
});
afterEach(() => opened.close());

function work(gasPerDay: bigint | null = null) {
  const endpoints = { endpoints: [{ chain: ANVIL, rpcUrls: [inject('anvilUrl')] as const }], clock };
  const payers = createPayerChains({ ...endpoints, wallets });
  const chains = createDepositChains({ ...endpoints, wallets });
  const log = createLog({ level: 'silent' });
  const deps: DepositWork = {
    store,
    clock,
    log,
    newId: randomUUID,
    randomBytes,
    chains: createChains(endpoints),
    payers,
    treasury: null,
    wakePayments: () => undefined,
    x402: { chains, facilitator: null, isOn: true, url: 'http://gigclaim.test', gasPerDay: null },
  };
  const timing = { ...SENDER_TIMING, settleMs: 20, lookMs: 20 };
  const paying = { store, clock, log, timing, policy: PAYMENT_POLICY, deposits: { chains, gasPerDay } };
  const send = () => pulse(paying, payers.payer(ANVIL.id));
  const run = async () => {
    await send();
    await advanceDeposits(deps);
    return (await store.depositOf(gig.id))?.state;
  };
  return { deps, send, run };
}

/** What an agent sends for the gig. */
async function signedBy(by: PrivateKeyAccount) {
  const domain = { name: 'USD Coin', version: '2' };
  const client = new x402Client().register(NETWORK, new ExactEvmScheme(by));
  client.setSpendControls(false);
  const payload = await client.createPaymentPayload(
    requiredFor({ url: 'http://a.test' }, { gig, domain }, '') as never,
  );
  const sent = readPayment(Buffer.from(JSON.stringify(payload)).toString('base64'));
  if (sent === null) throw new Error('the payment cannot be read');
  return sent;
}

async function keep({ deps }: ReturnType<typeof work>, by = agent) {
  const sent = await signedBy(by);
  await keepDeposit(deps, { gig, sent, requestId: null });
  return sent.authorization;
}

/** Has the gas tank send the deposit until its transaction is over; nobody has looked yet what became of it. */
async function sendWholly({ send }: ReturnType<typeof work>): Promise<void> {
  const read = async () => {
    await send();
    return [(await store.depositOf(gig.id))?.state, await store.openTankTransactions(ANVIL.id)];
  };
  await expect.poll(read).toEqual(['sent', []]);
}

/** The agent moves all that it has. */
async function spend(): Promise<void> {
  const { test: node, wallet } = anvilClients();
  await node.setBalance({ address: agent.address, value: 10n ** 18n });
  const args = [token.holder.address, 2n * FUNDING] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  await mined(await wallet.sendTransaction({ account: agent, to: token.address, data }));
}

describe('a deposit', () => {
  test('behavior: is kept, sent by the gas tank, used and settled, and its gig is live', async () => {
    const by = work();
    await keep(by);
    expect(await store.depositOf(gig.id)).toMatchObject({ state: 'kept', settler: 'tank', signer: 'key' });
    await expect.poll(by.run).toBe('settled');
    expect(await store.gig(gig.id)).toMatchObject({
      status: 'live',
      client: `owner:wallet:${agent.address.toLowerCase()}`,
    });
    expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
    await expect
      .poll(async () => [await by.run(), await store.openTankTransactions(ANVIL.id)])
      .toEqual(['settled', []]);
  });

  test('security: whose payer has spent its money is never sent, and another one pays', async () => {
    const by = work();
    await keep(by);
    await spend();
    expect(await by.run()).toBe('kept');
    ahead += 15_000;
    await expect.poll(by.run).toBe('unused');
    expect(await store.openTankTransactions(ANVIL.id)).toEqual([]);
    await keep(by, await agentWith(token, FUNDING));
    await expect.poll(by.run).toBe('settled');
    expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
  });

  test('security: whose wallet is funded in another way meanwhile is not sent', async () => {
    const by = work();
    await keep(by);
    await fundToken(token, gig.walletAddress, FUNDING);
    await expect.poll(by.run).toBe('unused');
    expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
    expect(await tokenBalance(token, agent.address)).toBe(2n * FUNDING);
  });

  test('security: that was broadcast once is not given up for what the wallet holds: anybody may still send it', async () => {
    const by = work();
    await keep(by);
    const attempt = { hash: `0x${'1'.repeat(64)}`, raw: '0x02', gas: 90_000n, signedAt: 1, signedBlock: 1n } as const;
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    await store.transaction(async (tx) => {
      const now = clock();
      const deposit = await tx.depositOf(gig.id);
      const sending = { chainId: ANVIL.id, nonce: 0, attempt: { ...attempt, ...fees } };
      const transaction = await tx.insertTankTransaction(sending, { payments: [], now });
      if (deposit === null || transaction === null) throw new Error('there is no deposit');
      await tx.sendDeposit(deposit, { transactionId: transaction.id, gas: 90_000n, now });
      await tx.endTankTransaction(transaction.id);
      const again = { reason: 'no block has it', dueAt: 0, now };
      // Who read it before it was sent knows nothing of this transaction.
      expect(await tx.keepDepositAgain(deposit, again)).toBe(false);
      expect(await tx.keepDepositAgain({ ...deposit, transactionId: transaction.id }, again)).toBe(true);
    });
    await fundToken(token, gig.walletAddress, 1n);
    for (let times = 0; times < 4; times += 1) {
      ahead += 1_000;
      expect(await by.run()).toBe('kept');
    }
  });

  test('security: that its payer cancels is unused when the block of that is settled', async () => {
    const by = work();
    const { nonce } = await keep(by);
    await cancelAuthorization(token, agent, nonce);
    await expect.poll(by.run).toBe('unused');
    expect((await store.depositOf(gig.id))?.reason).toBe('its payer has cancelled it');
    expect(await store.gig(gig.id)).toMatchObject({ status: 'created', client: 'owner:x402' });
  });

  test('security: is not taken for cancelled where a node tells that it is spent before the events of its block', async () => {
    const by = work();
    const { deps } = by;
    await keep(by);
    await by.send();
    await expect.poll(() => tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
    const chains: typeof deps.x402.chains = (id) => ({ ...deps.x402.chains(id), findUse: async () => null });
    const payers = { payer: (id: number) => ({ ...deps.payers.payer(id), balances: async () => [0n] }) };
    await advanceDeposits({ ...deps, payers, x402: { ...deps.x402, chains } });
    expect((await store.depositOf(gig.id))?.state).toBe('sent');
    await expect.poll(by.run).toBe('settled');
  });

  test('security: is not taken for failed by who looked before its block: another payer is answered with the gig', async () => {
    const by = work();
    const { deps } = by;
    const behind = await deps.payers.payer(ANVIL.id).head();
    await keep(by);
    await sendWholly(by);
    let isBehind = true;
    const payers: typeof deps.payers = {
      payer: (id) => {
        const payer = deps.payers.payer(id);
        return { ...payer, head: async () => (isBehind ? behind : await payer.head()) };
      },
    };
    const sleep = async () => {
      isBehind = false;
      return true;
    };
    const shared = { feeBps: 500, earningOnX: false, watchesGigs: false, hasLabels: false };
    const paying: PaidGigContext = { ...deps, ...shared, payers, wallets, platforms: new Map(), sleep };
    const named = { request: 'a'.repeat(64), fingerprint: 'b'.repeat(64), createdAt: clock() };
    await store.transaction((tx) => tx.nameX402Gig({ ...named, gigId: gig.id }));
    const other = await agentWith(token, FUNDING);
    const paid = await payForGig(paying, { sent: await signedBy(other), requestId: null });
    expect(isBehind).toBe(false);
    expect(paid).toMatchObject({ isPaid: true, gig: { id: gig.id, status: 'live' }, deposit: { reason: null } });
    expect(paid.deposit?.payer).toBe(agent.address.toLowerCase());
    expect(await tokenBalance(token, other.address)).toBe(FUNDING);
    expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
  });

  test('behavior: waits while the gas of the day is used up, and a second authorization is not kept beside it', async () => {
    const by = work(1n);
    const first = await keep(by);
    expect(await by.run()).toBe('kept');
    expect((await store.depositOf(gig.id))?.reason).toBe('the gas for deposits of the day is used up');
    await keep(by, await agentWith(token, FUNDING));
    expect((await store.depositOf(gig.id))?.nonce).toBe(first.nonce);
    ahead += 61_000;
    await expect.poll(work().run).toBe('settled');
    expect(await tokenBalance(token, gig.walletAddress)).toBe(FUNDING);
  });
});
