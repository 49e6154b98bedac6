import { describe, expect, test } from 'vitest';
import type { BalanceQuery } from '../../../../src/domain/chains/chain.ts';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import {
  checkDoubts,
  checkPaid,
  checkUnstarted,
  isCleared,
  type LearnPaid,
  readHavePaid,
  requireKnown,
} from '../../../../src/services/gigs/steps/check-step.ts';
import { gig } from '../../../bot/samples.ts';
import { partStore } from '../../../support/part-store.ts';
import { seedAddress } from '../../../support/store.ts';

const NEWEST = 1_234n;
/** Gigs that need 105 each, by their ids. */
const [short, full, paid, odd] = [1, 2, 3, 4].map((id) =>
  gig({ id, rewardAmount: 100n, feeAmount: 5n, walletAddress: seedAddress(id) }),
) as [Gig, Gig, Gig, Gig];
const HELD = new Map<Address, bigint | null>([
  [short.walletAddress, 104n],
  [full.walletAddress, 105n],
  [paid.walletAddress, 0n],
  [odd.walletAddress, null],
]);

/** A ledger that has lost tips, or not. */
const ledger = (lostTipsNoticedAt: number | null = null) =>
  partStore({ lostTipsNoticedAt: async () => lostTipsNoticedAt, doubtedUpTo: async () => null });

/** A chain on which the wallet of the third gig has paid, and the blocks of its answers. */
function createChain() {
  const asked: [what: string, block: bigint][] = [];
  const payer = {
    head: async () => ({ latest: { number: NEWEST }, settled: { number: 1n } }),
    balances: async (queries: readonly BalanceQuery[], block: bigint) => {
      asked.push([queries.map(({ token }) => token === short.token.address).join(), block]);
      return queries.map(({ wallet }) => HELD.get(wallet) ?? null);
    },
    delegated: async (wallets: readonly Address[], block: bigint) => {
      asked.push([wallets.join(), block]);
      return wallets.map((wallet) => wallet === paid.walletAddress);
    },
  };
  // Nothing else of a chain is asked for.
  return { asked, payer: payer as unknown as PayerChain };
}

const KNOWN = { gigId: 1, isNew: false };
const learn =
  (outcome: boolean | Error): LearnPaid =>
  async () => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
const failing = (reason: 'bad_response' | 'timeout') =>
  new AdapterError({ retry: 'safe', reason, message: 'chain base: no answer' });

describe('a started gig', () => {
  test('behavior: is known once the chain has told what its wallet has paid', async () => {
    for (const [learnPaid, isNew] of [
      [undefined, false],
      [learn(false), false],
      [learn(true), true],
    ] as const) {
      const check = await checkPaid({ store: ledger(), learnPaid }, short);
      expect(check).toEqual({ gigId: 1, isNew });
      expect(isCleared(check)).toBe(true);
      expect(await requireKnown({ store: ledger(), learnPaid }, short)).toEqual(check);
    }
  });

  test.each([
    ['bad_response', {}],
    ['timeout', { isSilent: true }],
  ] as const)('error: waits when the chain fails with %s', async (reason, more) => {
    const deps = { store: ledger(), learnPaid: learn(failing(reason)) };
    const check = await checkPaid(deps, short);
    expect(check).toEqual({ why: 'unknown', detail: 'chain base: no answer', ...more });
    expect(isCleared(check)).toBe(false);
    await expect(requireKnown(deps, short)).rejects.toMatchObject({ reason });
  });

  test('error: a defect is none of its waits', async () => {
    const deps = { store: ledger(), learnPaid: learn(new TypeError('a defect')) };
    await expect(checkPaid(deps, short)).rejects.toThrow('a defect');
  });

  test('security: of a time of which tips were lost waits for an operator', async () => {
    const lost = { why: 'lost_tips', detail: null };
    expect(await checkDoubts({ store: ledger(short.createdAt) }, short)).toEqual(lost);
    expect(await checkDoubts({ store: ledger() }, short)).toBeNull();
  });
});

describe('gigs that have not started', () => {
  const all = [short, full, paid, odd];
  const check = async (areShort: boolean, { payer }: { payer: PayerChain }, lostAt: number | null = null) => {
    const deps = { store: ledger(lostAt), payers: { payer: () => payer } };
    return (await checkUnstarted(deps, 8453, { gigs: all, areShort })).map(({ gig: { id }, check }) => [id, check]);
  };
  const HAS_PAID = { why: 'has_paid', detail: null };

  test('security: wait when their wallet has paid, or the ledger is in doubt', async () => {
    const chain = createChain();
    expect(await check(false, chain)).toEqual([
      [1, KNOWN],
      [2, { ...KNOWN, gigId: 2 }],
      [3, HAS_PAID],
      [4, { ...KNOWN, gigId: 4 }],
    ]);
    const wallets = all.map(({ walletAddress }) => walletAddress).join();
    // Both answers are of one block.
    expect(chain.asked).toEqual([
      ['true,true,true,true', NEWEST],
      [wallets, NEWEST],
    ]);
    const lost = { why: 'lost_tips', detail: null };
    const inDoubt = [lost, lost, HAS_PAID, lost].map((wait, index) => [index + 1, wait]);
    expect(await check(false, createChain(), short.createdAt)).toEqual(inDoubt);
    expect(await readHavePaid(createChain().payer, all)).toEqual([false, false, true, false]);
  });

  test('behavior: may be chosen by holding less than they need, as the chain says', async () => {
    expect(await check(true, createChain())).toEqual([
      [1, KNOWN],
      [3, HAS_PAID],
    ]);
  });

  test('security: wait when an answer is missing, and where no chain can be asked', async () => {
    const { payer } = createChain();
    const forgetful = { ...payer, delegated: async () => [], balances: async () => [] };
    expect(await check(false, { payer: forgetful })).toEqual(all.map(({ id }) => [id, HAS_PAID]));
    expect(await check(true, { payer: forgetful })).toEqual([]);
    const off = await checkUnstarted({ store: ledger(), payers: null }, 8453, { gigs: all, areShort: true });
    const wait = { why: 'unknown', detail: 'GIG_WALLET_MNEMONIC is not set' };
    expect(off).toEqual(all.map((each) => ({ gig: each, check: wait })));
  });
});
