import type { Chains } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { proveWallets } from '../../../src/services/audits/end-stop.ts';
import { createPaidLearner } from '../../../src/services/audits/learn-paid.ts';
import { type Reconciled, reconcileGig, reconcileGigs } from '../../../src/services/audits/reconcile.ts';
import type { RefundContext, SettleContext } from '../../../src/services/ends/context.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { createRefundJob, planRefund } from '../../../src/services/ends/plan-refund.ts';
import { createReturnJob } from '../../../src/services/ends/return-cancelled.ts';
import { returnMoney } from '../../../src/services/ends/return-money.ts';
import { settleDueGigs } from '../../../src/services/ends/settle-due-gigs.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import { createHeldSteps } from '../../../src/services/gigs/steps/held-steps.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { WrapStore } from '../../support/database.ts';
import { type GigSeed, seedAddress, seedGig, seedToken } from '../../support/store.ts';
import { createClock } from '../fakes.ts';
import { openBank, TREASURY } from '../payments/sender/bank.ts';
import { createChainModel, noFaults } from '../payments/sender/chain-model.ts';
import { BLOCK_MS } from '../payments/sender/world.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Where the money of seeded gigs returns to. */
export const BACK = seedAddress(0xbac);
export const REWARD = 1_000n;
export const FEE = 50n;
/** Between settlement and refund. */
const DELAY_MS = 72 * HOUR;
/** More blocks than payments take to settle. */
const PATIENCE = 200;

type Terms = Pick<GigSeed, 'awardDays' | 'refundAddress' | 'startTime' | 'rewardAmount' | 'feeAmount' | 'createdAt'>;

/** Gigs that end, over a real store and a chain in memory on which wallets hold what they were given. */
export async function openEnds({ confirmations = 3, wrap }: { confirmations?: number; wrap?: WrapStore } = {}) {
  const { clock, advance } = createClock();
  const model = createChainModel({ clock, confirmations });
  const faults = noFaults();
  const given = new Map<Address, bigint>();
  /** Tokens that are the native asset, by their divisor: one with fewer decimals shows less of them. */
  const aliases = new Map<Address, bigint>();
  const view = model.view(faults);

  /** What a wallet holds of the native asset after a block; what it was given counts from the first block on. */
  function heldBy(wallet: Address, blockNumber = model.height()): bigint {
    const paid = model.paid().filter((event) => event.wallet === wallet && event.blockNumber <= blockNumber);
    return paid.reduce((left, { amount, to }) => (to === wallet ? left : left - amount), given.get(wallet) ?? 0n);
  }

  const payer: PayerChain = {
    ...view,
    balances: async (queries, blockNumber) =>
      queries.map(({ wallet, token }) => {
        const divisor = token === NATIVE_TOKEN_ADDRESS ? 1n : aliases.get(token);
        return divisor === undefined ? 0n : heldBy(wallet, blockNumber) / divisor;
      }),
    delegated: async (wallets, blockNumber) => {
      const paid = new Set(model.paid().flatMap((event) => (event.blockNumber <= blockNumber ? event.wallet : [])));
      return wallets.map((wallet) => paid.has(wallet));
    },
  };
  const bank = await openBank({ clock, payer, wrap });
  model.mine(10);
  const { store } = bank;
  const reader = {
    chain: model.chain,
    // No address answers as a token.
    balances: async (queries: readonly unknown[]) => queries.map(() => null),
    decide: <T>(run: () => Promise<T>) => run(),
    balance: async ({ owner }: { owner: Address }) => ({ amount: heldBy(owner), blockNumber: model.height() }),
    balanceIn: async ({ owner, blockNumber }: { owner: Address; blockNumber: bigint }) => ({
      amount: heldBy(owner, blockNumber),
      blockNumber,
    }),
  };
  // What starts ask of a chain.
  const chains = { reader: () => reader } as unknown as Chains;
  const payers = { payer: () => payer };
  const auditing = { ...bank.deps, payers, actor: COMMAND_LINE };
  let holders = 0;
  const newId = () => {
    holders += 1;
    return `holder-${holders}`;
  };
  const refunding: RefundContext = {
    store,
    clock,
    refundDelayMs: DELAY_MS,
    reconcile: (gigId) => reconcileGig(auditing, gigId),
  };
  const returning = { ...auditing, chains, wallets: null };
  const learnPaid = async (gig: Gig) => await createPaidLearner(auditing)(gig);
  const heldSteps = createHeldSteps({ clock, log: bank.deps.log });
  const settling: SettleContext = { store, clock, log: bank.deps.log, heldSteps, learnPaid };
  const jobs = { learnPaid, heldSteps, wake: () => undefined, log: bank.deps.log };
  /** A process has one of each; they remember whom to leave alone. */
  const newJobs = () => [createRefundJob({ ...refunding, ...jobs }), createReturnJob({ ...returning, ...jobs })];

  async function gigOf(gigId: number): Promise<Gig> {
    const gig = await store.gig(gigId);
    if (gig === null) throw new Error(`there is no gig ${gigId}`);
    return gig;
  }

  async function create(seed: Terms = {}): Promise<Gig> {
    const native = { address: NATIVE_TOKEN_ADDRESS, isNative: true, symbol: 'ETH', name: 'Ether' };
    const { id: tokenId } = await seedToken(store, { ...native, chainId: model.chain.id });
    const walletAddress = (id: number) => seedAddress(0x90000 + id);
    const terms = { tokenId, rewardAmount: REWARD, feeAmount: FEE, refundAddress: BACK, walletAddress };
    return await seedGig(store, { ...terms, startTime: clock(), ...seed });
  }

  function fund({ walletAddress }: Pick<Gig, 'walletAddress'>, amount = REWARD + FEE): void {
    given.set(walletAddress, (given.get(walletAddress) ?? 0n) + amount);
  }

  function start({ id: gigId }: Gig): Promise<Gig> {
    const randomBytes = (size: number) => Buffer.alloc(size, 5);
    const deps = { store, chains, payers, treasury: TREASURY, clock, randomBytes };
    return startGig(deps, { gigId, holder: newId(), actor: COMMAND_LINE });
  }

  async function pass(blocks: number): Promise<void> {
    for (let each = 0; each < blocks; each += 1) {
      await bank.run();
      advance(BLOCK_MS);
      model.mine();
    }
    await bank.run();
  }

  async function begin(gig: Gig): Promise<Gig> {
    await start(gig);
    await pass(4);
    await store.transaction((tx) => tx.markFundingChecked(gig.id));
    return gig;
  }

  async function work(jobs = newJobs()): Promise<void> {
    await settleDueGigs(settling);
    for (const job of jobs) await job();
  }

  async function finish(): Promise<void> {
    for (let blocks = 0; blocks < PATIENCE; blocks += 1) {
      if ((await bank.run()) === 'done') return;
      advance(BLOCK_MS);
      model.mine();
    }
    const left = await store.payments({ limit: 20 });
    throw new Error(`not done: ${left.map(({ id, kind, state, reason }) => `${id} ${kind} ${state} ${reason}`)}`);
  }

  return {
    clock,
    advance,
    model,
    faults,
    bank,
    store,
    heldBy,
    aliases,
    refunding,
    returning,
    gigOf,
    /** A created gig of a day, awarded by request, with no time for awards afterwards unless said otherwise. */
    create,
    fund,
    start,
    /** Starts a funded gig, whose funding is then found in a settled block. */
    begin,
    /** A live gig, whose fee is paid. */
    async started(seed?: Terms): Promise<Gig> {
      const gig = await create(seed);
      fund(gig);
      await begin(gig);
      await finish();
      return gig;
    },
    end: ({ id: gigId }: Gig, ending: Ending): Promise<Gig> =>
      carryOut({ store, clock }, prepareEnd({ gigId, ending, actor: COMMAND_LINE, holder: newId() })),
    /** Awards base units of a gig to an account. */
    award: ({ id: gigId }: Gig, platformUserId: string, units: bigint) =>
      store.transaction((tx) => {
        const value = `0.${String(units).padStart(18, '0')}`;
        const tip = { platform: 'farcaster', platformUserId, value, userAddress: null, username: null } as const;
        return awardTips(tx, { gigId, tips: [tip] }, { actor: COMMAND_LINE, now: clock() });
      }),
    refund: ({ id: gigId }: Gig, isApproved = false) =>
      planRefund(refunding, { gigId, actor: COMMAND_LINE, isApproved }),
    returnAll: ({ id: gigId }: Gig, isApproved = false) =>
      returnMoney(returning, { gigId, actor: COMMAND_LINE, isApproved }),
    reconcile: ({ id: gigId }: Pick<Gig, 'id'>): Promise<Reconciled[]> => reconcileGigs(auditing, { gigId }),
    /** As the operator proves the ledger. */
    prove: () => proveWallets(auditing, { acceptsFrozen: false }),
    newJobs,
    /** What a new process does about ends when it looks. */
    work,
    /** So many blocks come, and the sender works after each. */
    pass,
    /** Blocks come until nothing is left to pay. */
    finish,
    /** A new process does what there is to do about ends, and it is paid. */
    async workAndFinish(): Promise<void> {
      await work();
      await finish();
    },
    /** What the chain has paid out of a gig's wallet, by recipient. */
    paidBy({ walletAddress }: Pick<Gig, 'walletAddress'>): Record<Address, bigint> {
      const paid: Record<Address, bigint> = {};
      for (const { wallet, to, amount } of model.paid()) {
        if (wallet === walletAddress && to !== wallet) paid[to] = (paid[to] ?? 0n) + amount;
      }
      return paid;
    },
    close: () => bank.close(),
  };
}

export type Ends = Awaited<ReturnType<typeof openEnds>>;
