import { describe, expect, test } from 'vitest';
import type { BlockRef } from '../../../src/domain/chains/block.ts';
import { troubleReason } from '../../../src/domain/chains/endpoint-trouble.ts';
import type { TankAttempt } from '../../../src/domain/payments/payment.ts';
import {
  type ChainFacts,
  isUnderpriced,
  nextStep,
  type OpenTransaction,
  raisedFees,
  whyNotIncluded,
} from '../../../src/domain/payments/payment-step.ts';

const NOW = 1_000_000;
const CAP = 100n;
const TIMING = { rebroadcastMs: 15_000, raiseMs: 90_000, settleMs: 1_000 };

function block(number: bigint): BlockRef {
  return { number, hash: `0x${number.toString(16).padStart(64, '0')}`, at: Number(number) * 2_000 };
}

function attempt(signedAt: number, maxFeePerGas = 10n, signedBlock: bigint | null = 109n): TankAttempt {
  return { hash: '0xaa', raw: '0xbb', gas: 100_000n, maxFeePerGas, maxPriorityFeePerGas: 1n, signedAt, signedBlock };
}

/** A transaction that was signed and broadcast so long ago. */
function open(
  nonce: number,
  ago: number,
  { fee = 10n, signedIn = 109n, ...change }: Partial<OpenTransaction> & { fee?: bigint; signedIn?: bigint | null } = {},
): OpenTransaction {
  const at = NOW - ago;
  return { nonce, broadcastAt: at, attempts: [attempt(at, fee, signedIn)], triedAt: null, objection: null, ...change };
}

/** The newest block, with a time that is so much later than now. */
const newest = (ms: number) => ({ ...block(110n), at: NOW + ms });

const FACTS: ChainFacts = {
  latest: newest(-1_500),
  settled: block(106n),
  anchor: block(100n),
  isAnchorCanonical: true,
  spentNonces: 7,
  settledNonces: 5,
};

/** What is open and due, and what the chain says otherwise than {@link FACTS}. */
type Known = Partial<ChainFacts> & { readonly open?: readonly OpenTransaction[]; readonly dueAt?: number };

const SEND = { kind: 'send', nonce: 7 };

const CASES: readonly (readonly [title: string, known: Known, step: object | string])[] = [
  ['nothing is planned or open', {}, 'done'],
  ['a payment is due', { dueAt: NOW }, SEND],
  ['a payment is due later', { dueAt: NOW + 1 }, 'wait'],
  [
    'open transactions are in blocks that have not settled: the next one need not wait for them',
    { open: [open(5, 0), open(6, 0)], dueAt: NOW },
    SEND,
  ],
  ['they have not settled, and nothing is due', { open: [open(6, 0)] }, 'wait'],
  ['the one in flight has no block yet: nothing else is sent', { open: [open(7, 1_000)], dueAt: NOW }, 'wait'],
  ['it was never broadcast', { open: [open(7, 0, { broadcastAt: null })] }, 'offer'],
  ['it was never broadcast for long', { open: [open(7, 90_000, { broadcastAt: null })] }, 'offer'],
  ['it has waited for a block', { open: [open(7, 15_000)], dueAt: NOW }, 'offer'],
  ['it has waited for long', { open: [open(7, 90_000)], dueAt: NOW }, 'raise'],
  ['the endpoint finds it too large', { open: [open(7, 1_000, { objection: 'too_large' })] }, 'shrink'],
  ['the endpoint refuses it', { open: [open(7, 14_000, { objection: 'other' })] }, 'wait'],
  ['the endpoint has refused it for long', { open: [open(7, 90_000, { objection: 'other' })] }, 'shrink'],
  [
    'the endpoint has asked for higher fees for long, on a chain without blocks',
    { open: [open(7, 90_000, { objection: 'too_cheap' })], latest: newest(-91_000) },
    'raise',
  ],
  [
    'the endpoint has asked for higher fees for long, and the cap leaves no room',
    { open: [open(7, 90_000, { objection: 'too_cheap', fee: 95n })] },
    'shrink',
  ],
  ['it has waited for long, and the cap leaves no room', { open: [open(7, 90_000, { fee: 95n })] }, 'offer'],
  ['it has waited for long, and no block has come since', { open: [open(7, 90_000, { signedIn: 110n })] }, 'offer'],
  [
    'it has waited for long, and a block has come, whose time is before the signature by the clock',
    { open: [open(7, 90_000)], latest: newest(-600_000) },
    'raise',
  ],
  [
    'it has waited for long, and no block has come, although the newest is ahead of the clock',
    { open: [open(7, 90_000, { signedIn: 110n })], latest: newest(600_000) },
    'offer',
  ],
  ['it has waited for long, signed in an unknown block', { open: [open(7, 90_000, { signedIn: null })] }, 'raise'],
  [
    'it has waited for long, no block has come, and it was broadcast a moment ago',
    { open: [open(7, 1_000, { attempts: [attempt(NOW - 90_000, 10n, 110n)] })] },
    'wait',
  ],
  [
    'its fees were raised a moment ago',
    { open: [open(7, 1_000, { attempts: [attempt(NOW - 90_000), attempt(NOW - 1_000)] })] },
    'wait',
  ],
  [
    'its fees were raised for the second time a moment ago',
    { open: [open(7, 1_000, { attempts: [attempt(NOW - 200_000), attempt(NOW - 90_000), attempt(NOW - 1_000)] })] },
    'wait',
  ],
  ['an earlier nonce is free again, perhaps for a lagging node', { open: [open(8, 15_000)], dueAt: NOW }, 'offer'],
  ['an earlier nonce stays free', { open: [open(8, 90_000)], dueAt: NOW }, 'release'],
  [
    'two lost their blocks: the first goes first',
    { open: [open(7, 15_000), open(8, 15_000)] },
    { kind: 'offer', transaction: { nonce: 7 } },
  ],
  [
    'transactions are over',
    { open: [open(3, 0), open(4, 0), open(5, 0), open(7, 90_000)], dueAt: NOW },
    { kind: 'settle', transactions: [{ nonce: 3 }, { nonce: 4 }] },
  ],
  [
    'one that is over was tried a moment ago: what is planned is sent',
    { open: [open(3, 4_000, { triedAt: NOW - 999 })], dueAt: NOW },
    SEND,
  ],
  [
    'one that is over was tried just now, nothing is planned',
    { open: [open(3, 4_000, { triedAt: NOW - 999 })] },
    'wait',
  ],
  [
    'those that are over are tried again, the longest untried first',
    {
      open: [
        open(1, 4_000, { triedAt: NOW - 2_000 }),
        open(2, 4_000, { triedAt: NOW - 1_000 }),
        open(3, 0),
        open(4, 4_000, { triedAt: NOW - 999 }),
      ],
    },
    { kind: 'settle', transactions: [{ nonce: 3 }, { nonce: 1 }, { nonce: 2 }] },
  ],
  [
    'one that cannot be told of for long is tried less often',
    { open: [open(3, 240_000, { triedAt: NOW - 40_000 })], dueAt: NOW },
    SEND,
  ],
  [
    'one that cannot be told of for days is tried once a minute',
    { open: [open(3, 24 * 3_600_000, { triedAt: NOW - 60_000 })], dueAt: NOW },
    'settle',
  ],
  ['one was tried before the clock was set back', { open: [open(3, 10_000, { triedAt: NOW + 60_000 })] }, 'settle'],
  [
    'the settled block of the ledger is gone',
    { open: [open(3, 0)], dueAt: NOW, isAnchorCanonical: false },
    { kind: 'recheck', anchor: { number: 100n } },
  ],
  ['no block counts yet', { dueAt: NOW, anchor: null, isAnchorCanonical: false }, SEND],
  ['the clock was set back', { open: [open(7, -60_000)] }, 'raise'],
];

test.each(CASES)('behavior: the next step when %s', (_, { open: transactions = [], dueAt = null, ...facts }, step) => {
  const known = { open: transactions, dueAt };
  const found = nextStep(known, { ...FACTS, ...facts }, { now: NOW, timing: TIMING, maxFeePerGas: CAP });
  expect(found).toMatchObject(typeof step === 'string' ? { kind: step } : step);
});

const last = { maxFeePerGas: 40n, maxPriorityFeePerGas: 4n };

test('behavior: a transaction is underpriced when one that is signed now offers more, of either fee', () => {
  expect(isUnderpriced(last, last)).toBe(false);
  expect(isUnderpriced(last, { maxFeePerGas: 39n, maxPriorityFeePerGas: 3n })).toBe(false);
  expect(isUnderpriced(last, { maxFeePerGas: 41n, maxPriorityFeePerGas: 3n })).toBe(true);
  expect(isUnderpriced(last, { maxFeePerGas: 39n, maxPriorityFeePerGas: 5n })).toBe(true);
});

describe('raised fees', () => {
  test('behavior: are a quarter above the last ones, or those of now when these are higher', () => {
    expect(raisedFees({ maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }, { last, cap: 100n })).toEqual({
      maxFeePerGas: 51n,
      maxPriorityFeePerGas: 6n,
    });
    expect(raisedFees({ maxFeePerGas: 80n, maxPriorityFeePerGas: 9n }, { last, cap: 100n })).toEqual({
      maxFeePerGas: 80n,
      maxPriorityFeePerGas: 9n,
    });
  });

  test('behavior: can be the least that nodes accept', () => {
    const now = { maxFeePerGas: 41n, maxPriorityFeePerGas: 4n };
    expect(raisedFees(now, { last, cap: 100n, by: 110n })).toEqual({ maxFeePerGas: 45n, maxPriorityFeePerGas: 5n });
  });

  test('security: stay below the cap, and are none when nodes would not take the difference', () => {
    expect(raisedFees(last, { last, cap: 45n })).toEqual({ maxFeePerGas: 45n, maxPriorityFeePerGas: 6n });
    expect(raisedFees(last, { last, cap: 44n })).toEqual({ maxFeePerGas: 44n, maxPriorityFeePerGas: 6n });
    expect(raisedFees(last, { last, cap: 43n })).toBeNull();
    expect(raisedFees(last, { last: { maxFeePerGas: 5n, maxPriorityFeePerGas: 5n }, cap: 5n })).toBeNull();
  });
});

test('behavior: a transaction that was first signed more than five minutes ago stands still', () => {
  const attempts = [attempt(NOW - 300_000), attempt(NOW)] as const;
  const transaction = { id: 1, chainId: 1, nonce: 7, isOver: false, broadcastAt: NOW, createdAt: 0, attempts };
  expect(whyNotIncluded(transaction, NOW - 1)).toBeNull();
  expect(whyNotIncluded(transaction, NOW)).toBe(troubleReason('not_included', 'it was signed more than 5 minutes ago'));
});
