import { expect, test } from 'vitest';
import { troubleReason } from '../../../../src/domain/chains/endpoint-trouble.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../../src/domain/gigs/token.ts';
import type { MarkQuery } from '../../../../src/domain/payments/payer-chain.ts';
import { readHeld, readLedger } from '../../../../src/services/payments/sender/ledger.ts';
import { readMarked } from '../../../../src/services/payments/sender/marks.ts';
import { askOf } from '../../../../src/services/payments/sender/signing/calls.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { sampleAttempt, seedAddress } from '../../../support/store.ts';
import { createChainModel, noFaults } from './chain-model.ts';
import { candidate, WALLET } from './signing/candidate.ts';

const OPEN = {
  id: 1,
  chainId: 8453,
  nonce: 0,
  isOver: false,
  broadcastAt: 5,
  createdAt: 5,
  attempts: [sampleAttempt(1)] as const,
};
const UNTOLD = 'the endpoint does not report the outcome of its transaction: no marks';

test.each([
  { what: 'nothing', held: [[null, 9]], triedAt: null, objection: null },
  { what: 'no payments', held: [], triedAt: null, objection: null },
  { what: 'the endpoint’s silence', held: [[troubleReason('unanswered', 'no'), 9]], triedAt: null, objection: null },
  {
    what: 'a refusal',
    held: [
      [null, 9],
      [troubleReason('too_cheap', 'no'), 8],
    ],
    triedAt: null,
    objection: 'too_cheap',
  },
  {
    what: 'outcomes that are not told',
    held: [
      [UNTOLD, 7],
      [UNTOLD, 9],
      [UNTOLD, 8],
      [null, 10],
    ],
    triedAt: 9,
    objection: null,
  },
] as const)('behavior: the payments of a transaction tell of $what', async ({ held, triedAt, objection }) => {
  const payments = held.map(([reason, updatedAt], index) => candidate(index, { reason, updatedAt }));
  const store = {
    paymentsInTransaction: async (id: number) => (id === OPEN.id ? payments : []),
    openTankTransactions: async () => [OPEN],
    nextPaymentDue: async () => 3,
  } as unknown as Store;
  const read = { ...OPEN, held: payments, triedAt, objection };
  expect(await readHeld(store, OPEN)).toEqual(read);
  expect(await readLedger(store, OPEN.chainId)).toEqual({ open: [read], dueAt: 3 });
});

test('behavior: each word of marks is asked for once, with what is due in it', async () => {
  const asked: unknown[] = [];
  const payer = {
    ...createChainModel({ clock: () => 0 }).view(noFaults()),
    marks: async (queries: readonly MarkQuery[], block: bigint) => {
      asked.push([queries, block]);
      // The last answer is missing.
      return [0b110n, 0b1n];
    },
  };
  const other = seedAddress(9);
  const wanted = [
    { wallet: WALLET, numbers: [1n, 2n] },
    { wallet: WALLET, numbers: [0n, 256n] },
    { wallet: other, numbers: [1n] },
  ];
  const isMarked = await readMarked(payer, wanted, 7n);
  await readMarked(payer, wanted, 7n, { areDue: false });
  const query = (wallet: string, word: bigint, due: bigint) => ({ wallet, word, due });
  expect(asked).toEqual([
    [[query(WALLET, 0n, 0b111n), query(WALLET, 1n, 0b1n), query(other, 0n, 0b10n)], 7n],
    [[query(WALLET, 0n, 0n), query(WALLET, 1n, 0n), query(other, 0n, 0n)], 7n],
  ]);
  const answers = [0n, 1n, 2n, 256n, 257n, 512n].map((number) => isMarked(WALLET, number));
  expect(answers).toEqual([false, true, true, true, false, false]);
  expect(isMarked(other, 1n)).toBe(false);
});

test('behavior: a wallet is asked for a transfer for each word, and tips are read where there are several', async () => {
  const read: number[] = [];
  const tips = [
    { number: 1, amount: 4n },
    { number: 300, amount: 6n },
  ];
  const store = {
    tipsOfPayment: async (id: number) => {
      read.push(id);
      return id === 2 ? tips : [];
    },
  } as unknown as Store;
  const numbers = [1n, 300n];
  const [one, two] = [candidate(1), candidate(2, { gigId: 1, numbers })];
  // The tips of the last two have changed.
  const changed = [candidate(3, { gigId: 1, numbers }), candidate(4, { gigId: 1, kind: 'fee', numbers: [1n] })];
  const { token, recipient: to, gigId, wallet } = one;
  const pays = (amount: bigint, number: bigint) => ({ token: token.address, to, amount, numbers: [number] });
  expect(await askOf(store, [one, two, ...changed])).toEqual({
    parts: [
      { payment: one, words: 1 },
      { payment: two, words: 2 },
    ],
    call: { gigId, wallet, payments: [pays(10n, 1n), pays(4n, 1n), pays(6n, 300n)] },
  });
  expect(read).toEqual([2, 3]);
  expect([await askOf(store, changed), await askOf(store, [])]).toEqual([null, null]);
  const mark = candidate(5, { kind: 'mark', amount: 0n });
  expect((await askOf(store, [mark]))?.call.payments).toMatchObject([{ token: NATIVE_TOKEN_ADDRESS, amount: 0n }]);
});
