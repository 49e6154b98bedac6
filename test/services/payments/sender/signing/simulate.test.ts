import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../../src/domain/errors.ts';
import { PaymentRefused, type WalletCall } from '../../../../../src/domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../../src/domain/payments/payment.ts';
import type { BudgetFacts } from '../../../../../src/domain/payments/payment-limits.ts';
import { numbersToWords } from '../../../../../src/domain/payments/payment-numbers.ts';
import type { Facts } from '../../../../../src/services/payments/sender/context.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../../../../src/services/payments/sender/context.ts';
import { simulateAll } from '../../../../../src/services/payments/sender/signing/simulate.ts';
import type { Store } from '../../../../../src/store/port/index.ts';
import { seedHash } from '../../../../support/store.ts';
import { keepLog } from '../../../fakes.ts';
import { createChainModel, noFaults } from '../chain-model.ts';
import { candidate } from './candidate.ts';

const SILENT = new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer', words: 'busy' });
const HEAD = { number: 50n, hash: seedHash(50), at: 0 };
const TANK = { balance: 0n, spentNonces: 0, settledNonces: 0 };
const FACTS: Facts = { ...TANK, latest: HEAD, settled: HEAD, anchor: null, isAnchorCanonical: true };
const UNUSED: BudgetFacts = {
  gig: { gasUsed: 0n, tips: 9 },
  clientGas: { claims: 0n, fees: 0n },
  ownersGas: null,
  tokenFailures: 0,
  ownFailures: null,
};

function refused(isPaid = false): PaymentRefused {
  return new PaymentRefused('not today', { blockNumber: 50n, isBare: true, isPaid });
}

interface Terms {
  /** What a node says about a call with these numbers: the gas, or why not. */
  readonly answer: (numbers: string) => bigint | Error;
  readonly marked?: readonly bigint[];
  readonly batchGas?: bigint;
  readonly transferCost?: bigint;
  readonly most?: number;
  /** Payments of accounts that have failed before. */
  readonly failing?: readonly number[];
}

/** What was asked about, by the numbers of each call, and what was found, in words. */
async function simulate(tryable: readonly PaymentCandidate[], terms: Terms) {
  const { marked = [], batchGas = 10_000_000n, transferCost = 51_500n, most = 250, failing = [] } = terms;
  const asked: string[] = [];
  const { log, lines } = keepLog();
  const view = createChainModel({ clock: () => 0 }).view(noFaults());
  const words = new Map(numbersToWords(marked).map(({ word, bits }) => [word, bits]));
  const payer = {
    ...view,
    chain: { ...view.chain, batchGas },
    simulate: async ({ payments }: WalletCall) => {
      const numbers = payments.map((payment) => payment.numbers.join('+')).join();
      asked.push(numbers);
      const answer = terms.answer(numbers);
      if (answer instanceof Error) throw answer;
      return { gas: answer };
    },
    marks: async (queries: readonly { word: bigint }[], block: bigint) => {
      expect(block).toBe(HEAD.number);
      return queries.map(({ word }) => words.get(word) ?? 0n);
    },
  };
  const tips = [
    { number: 1, amount: 4n },
    { number: 300, amount: 6n },
  ];
  const store = { tipsOfPayment: async (id: number) => (id === 1 ? tips : []) } as unknown as Store;
  const prices = { maxFeePerGas: 1n, transferCost, publishing: 0n };
  const deps = { store, clock: () => 0, log, timing: SENDER_TIMING, policy: PAYMENT_POLICY };
  const failed = { failures: 1, gasUsed: 0n, failedAt: 0 };
  const budgets = ({ id }: PaymentCandidate) => ({ ...UNUSED, ownFailures: failing.includes(id) ? failed : null });
  const found = await simulateAll({ ...deps, payer, facts: FACTS, prices }, { tryable, budgets, most });
  const calls = found.calls.map(({ gas, gigId, parts }) => {
    const shares = parts.map(({ payment: { id }, words, weight }) => `${id} (${words} of ${weight})`);
    return `gig ${gigId} pays ${shares.join(', ')} for ${gas}`;
  });
  const waits = found.waits.map(({ payment: { id }, reason, waitMs, isCalm }) => {
    return `${id} waits ${waitMs} ${isCalm ? 'calmly' : 'ms'}: ${reason}`;
  });
  const refused = found.refused.map(({ payment: { id }, refusal: { message } }) => `${id} is refused: ${message}`);
  const paid = found.marked.map(({ id }) => `${id} is marked`);
  return { asked, lines, calls, waits, found: [...calls, ...refused, ...paid, ...waits] };
}

const gigs = (count: number, change: Partial<PaymentCandidate> = {}) =>
  Array.from({ length: count }, (_, index) => candidate(index + 1, change));
/** Payments of one wallet. */
const THREE = gigs(3, { gigId: 7 });

describe('wallets are tried', () => {
  test.each([
    { gas: 1n, tried: 104 },
    { gas: 2n, tried: 50 },
    { gas: 3n, tried: 40 },
  ])(
    'behavior: as many as fill a transaction, 32 at once and 8 at least: $tried of $gas each',
    async ({ gas, tried }) => {
      const { asked, calls } = await simulate(gigs(120), { batchGas: 100n, answer: () => gas });
      expect([asked.length, calls.length]).toEqual([tried, tried]);
    },
  );

  test.each([
    { silent: 7, tried: 40 },
    { silent: 8, tried: 32 },
    { silent: 32, tried: 40 },
  ])('error: until $silent are unanswered and there is one to send: $tried', async ({ silent, tried }) => {
    const { asked, waits } = await simulate(gigs(40), { answer: (number) => (Number(number) <= silent ? SILENT : 1n) });
    expect([asked.length, waits.length]).toEqual([tried, silent]);
  });

  test('error: those that were left unanswered before come last', async () => {
    const [first, ...others] = gigs(3);
    const untried = candidate(9, { ...first, reason: 'the node could not try it: no answer' });
    const late = candidate(4, { reason: 'asked: the node could not try it: ' });
    expect((await simulate([untried, ...others, late], { answer: () => 1n })).asked).toEqual(['2', '3', '4', '1']);
  });

  test.each([
    { what: 'together, at most so many', tryable: THREE, most: 2, asked: ['1,2'] },
    {
      what: 'alone, when the first has failed',
      tryable: [candidate(1, { gigId: 7, failures: 1 }), ...THREE],
      asked: ['1'],
    },
    { what: 'without one whose account has failed', tryable: THREE, failing: [2], asked: ['1,3'] },
    { what: 'for each word of numbers', tryable: [candidate(1, { numbers: [1n, 300n] })], asked: ['1,300'] },
    { what: 'not when their tips have changed', tryable: [candidate(2, { numbers: [1n, 300n] })], asked: [] },
  ])('behavior: a wallet’s payments, $what', async ({ tryable, asked, ...terms }) => {
    expect((await simulate(tryable, { ...terms, answer: () => 60_000n })).asked).toEqual(asked);
  });
});

describe('what a wallet may send', () => {
  const each =
    (answers: Record<string, bigint | Error>): Terms['answer'] =>
    (numbers) =>
      answers[numbers] ?? 60_000n;
  const APART = ['1,2,3', '1', '2', '3'];
  const FIRST = 'gig 7 pays 1 (1 of 1) for 60000';
  const [one, two, three] = ['1 is refused: not today', '2 is refused: not today', '3 is refused: not today'];
  const all = (text: string) => [1, 2, 3].map((id) => `${id} ${text}`);

  test.each<[string, Record<string, bigint | Error>, Partial<Terms>, asked: string[], found: unknown[]]>([
    [
      'all of it, when that passes',
      { '1,2,3': 180_000n },
      {},
      ['1,2,3'],
      ['gig 7 pays 1 (1 of 1), 2 (1 of 1), 3 (1 of 1) for 180000'],
    ],
    [
      'those that pass alone, together',
      { '1,2,3': refused(), '2': refused(), '3': 70_000n, '1,3': 130_000n },
      {},
      [...APART, '1,3'],
      ['gig 7 pays 1 (1 of 60000), 3 (1 of 70000) for 130000', two],
    ],
    ['the first alone, when they do not pass together', { '1,2,3': refused() }, {}, [...APART, '1,2,3'], [FIRST]],
    [
      'the first alone, when they burn more gas together',
      { '1,2,3': refused(), '3': refused(), '1,2': 120_001n },
      {},
      [...APART, '1,2'],
      [FIRST, three],
    ],
    [
      'those that fit together',
      { '1,2,3': refused(), '1,2': 120_000n },
      { batchGas: 130_000n },
      [...APART, '1,2'],
      ['gig 7 pays 1 (1 of 60000), 2 (1 of 60000) for 120000'],
    ],
    [
      'the only one that passes',
      { '1,2,3': refused(), '1': refused(), '3': refused() },
      {},
      APART,
      ['gig 7 pays 2 (1 of 1) for 60000', one, three],
    ],
    [
      'none of it, when the one that burns too much and those that cost too much are known',
      { '1,2,3': 5_000_000n, '1': 1_000_000n, '2': 240_000n, '3': 240_000n },
      { transferCost: 30_000n },
      APART,
      [
        expect.stringMatching(/^1 is refused: it would burn 800000 gas/),
        expect.stringMatching(/^2 waits 15000 ms: it would cost more/),
        expect.stringMatching(/^3 waits 15000 ms: it would cost more/),
      ],
    ],
    [
      'what is not marked, apart',
      { '1,2,3': refused(), '1,3': 120_000n },
      { marked: [2n] },
      ['1,2,3', '1', '3', '1,3'],
      ['gig 7 pays 1 (1 of 60000), 3 (1 of 60000) for 120000', '2 is marked'],
    ],
    [
      'the only one that is not marked, once it passes alone',
      { '1,2,3': refused() },
      { marked: [1n, 2n] },
      ['1,2,3', '3'],
      ['gig 7 pays 3 (1 of 1) for 60000', '1 is marked', '2 is marked'],
    ],
    ['nothing, when all is marked', { '1,2,3': refused() }, { marked: [1n, 2n, 3n] }, ['1,2,3'], all('is marked')],
    [
      'nothing of what the contract has paid, as it says',
      { '1,2,3': refused(), '1': refused(true), '2': refused(), '3': refused(true) },
      {},
      APART,
      [two, '1 is marked', '3 is marked'],
    ],
    [
      'nothing without an answer',
      { '1,2,3': SILENT },
      {},
      ['1,2,3'],
      all('waits 30000 ms: the node could not try it: no answer; it answered: busy'),
    ],
  ])('security: %s', async (_what, answers, terms, asked, found) => {
    expect(await simulate(THREE, { ...terms, answer: each(answers) })).toMatchObject({ asked, found, lines: [] });
  });

  test('error: nothing after a defect, which is logged', async () => {
    const answers = { '1,2,3': refused(), '2': new TypeError('odd') };
    const { found, lines } = await simulate(THREE, { answer: each(answers) });
    expect(found).toEqual(all('waits 30000 ms: the service could not try it; its log says why'));
    expect(lines).toMatchObject([{ level: 'error', msg: 'payments cannot be tried', paymentId: 1, gigId: 7 }]);
  });

  test('security: a payment that is refused alone is tried once, and one that burns much is not tried again', async () => {
    const single = [candidate(1, { gigId: 7 })];
    expect(await simulate(single, { answer: () => refused() })).toMatchObject({ asked: ['1'], found: [one] });
    const burning = { asked: ['1'], found: ['gig 7 pays 1 (1 of 1) for 5000000'] };
    expect(await simulate(single, { answer: () => 5_000_000n })).toMatchObject(burning);
    const words = [candidate(1, { numbers: [1n, 300n] })];
    const found = ['gig 1 pays 1 (2 of 2) for 90000'];
    expect(await simulate(words, { answer: () => 90_000n })).toMatchObject({ asked: ['1,300'], found });
  });
});
