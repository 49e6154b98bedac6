import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Chains } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChain, PayerChains } from '../../../src/domain/payments/payer-chain.ts';
import { checkFundings } from '../../../src/services/gigs/check-funding.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import { storePerCase } from '../../support/per-case.ts';
import { seedAddress, seedGig } from '../../support/store.ts';
import { createClock, createLedger, fault, keepLog } from '../fakes.ts';

/** 100 and a fee of 5, at 18 decimals. */
const REQUIRED = 105_000_000_000_000_000_000n;
const GONE = 'its funding is gone from the chain since its start: 105 DEGEN are missing';
/** The block in which the start sees the funding. */
const SEEN = 1_234n;
const CONFIRMATIONS = 12;

const { store } = storePerCase();
let gig: Gig;
let ledger: ReturnType<typeof createLedger>;
let chains: Chains;
const { clock } = createClock();
let lines: Record<string, unknown>[];
let head: bigint;
/** What the wallet holds in a block, as the chain says it now. */
let held: (block: bigint) => bigint;
let asked: bigint[];
/** The wallet of which the chain tells nothing, and why. */
let failing: { wallet: Address; error: Error } | null;
/** What the wallet has paid by the contract, and since which block. */
let paid: bigint;
let paidSince: bigint;

beforeEach(async () => {
  gig = await seedGig(store);
  ledger = createLedger();
  ledger.fund(gig.walletAddress, REQUIRED);
  const base = ledger.chains.reader(8453);
  const reader = {
    ...base,
    chain: { ...base.chain, confirmations: CONFIRMATIONS },
    firstBlockSince: async () => null,
    settledBlock: async () => head - BigInt(CONFIRMATIONS) + 1n,
    balanceIn: async ({ owner, blockNumber }: { owner: Address; blockNumber: bigint }) => {
      asked.push(blockNumber);
      if (failing?.wallet === owner) throw failing.error;
      return { amount: held(blockNumber), blockNumber };
    },
  };
  chains = { reader: () => reader, list: () => [reader] };
  head = SEEN;
  held = () => REQUIRED;
  asked = [];
  paid = 0n;
  paidSince = 1_236n;
  failing = null;
  lines = [];
  await start(gig);
});

async function start({ id: gigId }: Gig, known: PayerChains | null = null): Promise<void> {
  const deps = { store, chains, payers: known, treasury: null, clock, randomBytes };
  await startGig(deps, { gigId, holder: 'start', actor: COMMAND_LINE });
}

const payers: PayerChains = {
  payer: () => {
    const asks: Pick<PayerChain, 'delegated' | 'block' | 'paidEvents'> = {
      delegated: async () => [paid > 0n],
      block: async (number) => ({ number, hash: '0x00', at: clock() }),
      paidEvents: async ({ wallets: [wallet = gig.walletAddress], to }) => {
        const event = { wallet, to: seedAddress(9), token: gig.token.address, numbers: [0n], hash: '0x00' } as const;
        return to < paidSince ? [] : [{ ...event, amount: paid, blockNumber: paidSince }];
      },
    };
    return asks as PayerChain;
  },
};

/** Looks at every block up to this one as the newest; whether one of the looks decided, and on what. */
async function lookUpTo(newest: bigint): Promise<{ decided: boolean; freeze: string | null }> {
  const { log, lines: logged } = keepLog();
  let decided = false;
  for (; head <= newest; head += 1n) {
    if (await checkFundings({ store, chains, payers, clock, log }, 8453)) decided = true;
  }
  lines.push(...logged);
  return { decided, freeze: await store.gigFreeze(gig.id) };
}

const checkBlocks = async () => (await store.fundingsToCheck(8453)).map(({ checkBlock }) => checkBlock);

test('behavior: funding that is there when its block has settled is confirmed at the first look', async () => {
  expect(await lookUpTo(1_244n)).toEqual({ decided: false, freeze: null });
  expect(asked).toEqual([]);
  expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze: null });
  expect(asked).toEqual([1_234n]);
  expect(lines.map(({ msg }) => msg)).toEqual(['funding confirmed']);
});

test('behavior: funding that a reorganisation moved to a later block is confirmed at the second look', async () => {
  held = (block) => (block >= 1_235n ? REQUIRED : 0n);
  expect(await lookUpTo(1_256n)).toEqual({ decided: false, freeze: null });
  expect(await checkBlocks()).toEqual([1_246n]);
  expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze: null });
  expect(await checkBlocks()).toEqual([]);
  expect(asked).toEqual([1_234n, 1_246n]);
  expect(lines.map(({ msg }) => msg)).toEqual(['gig funding is missing; checking again later', 'funding confirmed']);
});

test('behavior: what the wallet has paid since is no missing funding: another ledger was ahead of an older backup', async () => {
  paid = 40n;
  head = 1_300n;
  held = () => REQUIRED - 40n;
  expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze: null });
  expect(lines.map(({ msg }) => msg)).toEqual(['funding confirmed']);
});

test('behavior: funding of which a wallet had paid before its gig started needs no look', async () => {
  const other = await seedGig(store, { walletAddress: seedAddress });
  [paid, paidSince] = [40n, 1_200n];
  held = () => REQUIRED - paid;
  ledger.fund(other.walletAddress, held(SEEN));
  await start(other, payers);
  expect(await store.gigTransactions(other.id)).toMatchObject([{ blockNumber: 1_200n, checkBlock: null }]);
});

test('security: what the wallet has paid makes up for nothing else that is missing', async () => {
  paid = 40n;
  held = () => REQUIRED - 41n;
  expect(await lookUpTo(1_300n)).toMatchObject({ decided: true, freeze: expect.stringContaining('are missing') });
});

test('security: funding that is missing at both looks stops the gig', async () => {
  held = () => 0n;
  expect(await lookUpTo(1_256n)).toEqual({ decided: false, freeze: null });
  expect(await lookUpTo(1_257n)).toEqual({ decided: true, freeze: GONE });
  expect(await checkBlocks()).toEqual([]);
  expect(lines.map(({ msg }) => msg)).toEqual(['gig funding is missing; checking again later', 'gig frozen']);
});

test('behavior: one wrong answer of a node that lags behind does not stop the gig, however late the first look is', async () => {
  head = 9_011n;
  held = () => (asked.length === 1 ? 0n : REQUIRED);
  expect(await lookUpTo(9_011n)).toEqual({ decided: false, freeze: null });
  expect(await checkBlocks()).toEqual([9_012n]);
  expect(await lookUpTo(9_100n)).toEqual({ decided: true, freeze: null });
  expect(asked).toEqual([9_000n, 9_012n]);
});

test('error: while the chain does not answer, nothing is decided and the second look stays due', async () => {
  held = () => 0n;
  await lookUpTo(1_256n);
  held = () => {
    throw fault('timeout', 'safe');
  };
  expect(await lookUpTo(1_259n)).toEqual({ decided: false, freeze: null });
  expect(await checkBlocks()).toEqual([1_246n]);
  held = () => REQUIRED;
  expect(await lookUpTo(1_260n)).toEqual({ decided: true, freeze: null });
});

describe('a gig whose balance cannot be read', () => {
  let other: Gig;
  beforeEach(async () => {
    other = await seedGig(store, { walletAddress: seedAddress });
    ledger.fund(other.walletAddress, REQUIRED);
    await start(other);
  });

  test.each([
    ['for good', fault('bad_response', 'never')],
    ['in time', fault('timeout', 'safe')],
  ])('security: %s keeps no other gig from its check', async (_how, error) => {
    failing = { wallet: gig.walletAddress, error };
    expect((await lookUpTo(1_245n)).decided).toBe(true);
    expect((await store.fundingsToCheck(8453)).map(({ gigId }) => gigId)).toEqual([gig.id]);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'funding confirmed', gigId: other.id }));
  });

  test('security: for good at both looks is frozen, and the freeze says why', async () => {
    failing = { wallet: gig.walletAddress, error: fault('bad_response', 'never') };
    const freeze = 'its token contract does not answer with the balance of its wallet, so its funding is unknown';
    expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze });
    expect(await store.gigFreeze(other.id)).toBeNull();
    const ofGig = lines.filter(({ gigId }) => gigId === gig.id);
    expect(ofGig.map(({ msg }) => msg)).toEqual(['gig funding cannot be read; checking again later', 'gig frozen']);
  });

  test('behavior: at one look only is confirmed at the next', async () => {
    failing = { wallet: gig.walletAddress, error: fault('bad_response', 'never') };
    await lookUpTo(1_246n);
    failing = null;
    expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze: null });
    expect(await checkBlocks()).toEqual([]);
  });

  test('error: because the endpoint serves another chain is not frozen', async () => {
    failing = { wallet: gig.walletAddress, error: fault('bad_response', 'never') };
    const reader = chains.reader(8453);
    const wrong = { ...reader, ping: () => Promise.reject(fault('bad_response', 'never')) };
    chains = { reader: () => wrong, list: () => [wrong] };
    expect(await lookUpTo(1_300n)).toEqual({ decided: true, freeze: null });
    expect((await store.fundingsToCheck(8453)).map(({ gigId }) => gigId)).toEqual([gig.id]);
  });
});
