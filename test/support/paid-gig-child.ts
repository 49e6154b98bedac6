import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { createChains, createDepositChains, createPayerChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { chainById } from '../../src/domain/chains/chain.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { DURATIONS } from '../../src/domain/gigs/terms.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { readPayment } from '../../src/domain/x402/payment-json.ts';
import { createFacilitator } from '../../src/endpoints/facilitator.ts';
import { createLog } from '../../src/log.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../src/services/payments/sender/context.ts';
import { pulse } from '../../src/services/payments/sender/pulse.ts';
import { advanceDeposits } from '../../src/services/x402/advance-deposit.ts';
import type { PaidGigContext } from '../../src/services/x402/context.ts';
import { createPaidGig, findNamedGig, paidRequest } from '../../src/services/x402/create-paid-gig.ts';
import { awaitPayment, payForGig } from '../../src/services/x402/pay-gig.ts';
import { openStore } from '../../src/store/open.ts';
import { type Death, dyingStore } from './dying-store.ts';
import { MIGRATIONS } from './store.ts';

// A process that does for an agent what the agent asks for: it names a gig by a key, is told to pay, signs, and pays; and what the
// service does besides. It kills itself before or after the commit that its order names, if it comes so far. The order is JSON in
// argv[2].

/** What the process is to do. */
export interface PaidGigOrder {
  readonly url: string;
  readonly rpcUrl: string;
  readonly mnemonic: string;
  readonly token: Address;
  /** The agent's private key. */
  readonly agent: `0x${string}`;
  /** The Idempotency-Key. */
  readonly key: string;
  readonly facilitatorUrl: string | null;
  /** How far the process's clock is ahead: leases of a dead one are over then. Milliseconds. */
  readonly aheadMs: number;
  readonly dies: Death | null;
}

const order = JSON.parse(process.argv[2] ?? '') as PaidGigOrder;
const clock = () => Date.now() + order.aheadMs;
const chain = chainById(31337);
if (chain === undefined) throw new Error('anvil is not a known chain');
const real = await openStore({ url: order.url, migrationsFolder: MIGRATIONS });
await real.begin();
const store = dyingStore(real, order.dies);
const wallets = createWallets(order.mnemonic);
const endpoints = { endpoints: [{ chain, rpcUrls: [order.rpcUrl] as const }], clock };
const payers = createPayerChains({ ...endpoints, wallets });
const log = createLog({ level: 'silent' });
const { facilitatorUrl } = order;
const deps: PaidGigContext = {
  store,
  clock,
  log,
  newId: randomUUID,
  randomBytes,
  chains: createChains(endpoints),
  payers,
  wallets,
  platforms: new Map(),
  treasury: null,
  feeBps: 500,
  earningOnX: false,
  watchesGigs: false,
  hasLabels: false,
  wakePayments: () => undefined,
  sleep: (ms) => wait(ms, true),
  x402: {
    chains: createDepositChains({ ...endpoints, wallets }),
    facilitator: facilitatorUrl === null ? null : createFacilitator({ url: facilitatorUrl, allowPrivate: true }),
    isOn: true,
    url: 'http://gigclaim.test/api/gigs/create/x402',
    gasPerDay: null,
  },
};
const paying = {
  store,
  clock,
  log,
  timing: { ...SENDER_TIMING, settleMs: 20, lookMs: 20, rebroadcastMs: 200 },
  policy: PAYMENT_POLICY,
  deposits: { chains: deps.x402.chains, gasPerDay: null },
};

const named = paidRequest({ key: order.key, fingerprint: '0'.repeat(64), from: '127.0.0.1' });

async function nameGig(): Promise<number> {
  const known = await findNamedGig(store, named, clock());
  if (known !== null) return known;
  const terms = {
    chain: 'anvil',
    tokenAddress: order.token,
    amount: '100',
    startTime: clock() - 1_000,
    duration: DURATIONS['1day'],
    gigType: 'mention',
    title: null,
    howToEarn: null,
    earningCriteria: { kind: 'text', text: 'The jury decides.' },
    url: null,
    platform: 'farcaster',
    verifier: null,
    refundAddress: null,
    awardDays: null,
    start: 'when_funded',
    ownersMayAward: false,
    keyword: null,
  } as const;
  return await createPaidGig(deps, { terms, owners: [], named, requestId: null });
}

async function pay(): Promise<void> {
  const gigId = await nameGig();
  try {
    await awaitPayment(deps, gigId);
  } catch (error) {
    if (!(error instanceof DomainError) || error.refusal.code !== 'payment_required') throw error;
    const client = new x402Client().register('eip155:31337', new ExactEvmScheme(privateKeyToAccount(order.agent)));
    client.setSpendControls(false);
    const payload = await client.createPaymentPayload(error.refusal.required as never);
    const sent = readPayment(Buffer.from(JSON.stringify(payload)).toString('base64'));
    if (sent === null) throw new Error('the payment cannot be read');
    await payForGig(deps, { sent, requestId: null });
  }
}

let isPaid = false;
const payer = payers.payer(chain.id);
async function work(): Promise<void> {
  for (;;) {
    const progress = await pulse(paying, payer);
    if (!isPaid) {
      await wait(5);
      continue;
    }
    await advanceDeposits(deps);
    if (progress === 'done' && (await store.openDeposits(31337)).length === 0) return;
    await wait(5);
  }
}
await Promise.all([
  pay().then(() => {
    isPaid = true;
  }),
  work(),
]);
await real.close();
process.stdout.write('done\n');
