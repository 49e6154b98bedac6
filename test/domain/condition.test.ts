import { describe, expect, test } from 'vitest';
import { type Chain, chainById } from '../../src/domain/chain.ts';
import * as conditions from '../../src/domain/condition.ts';
import { isNearlyFull } from '../../src/domain/disk.ts';

const BASE = chainById(8453) as Chain; // It is in the list.
const GIGABYTE = 2 ** 30;

describe('each condition says what is wrong and what to do', () => {
  const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
  const cases: [name: string, condition: conditions.Condition, expected: Omit<conditions.Condition, 'kind'>][] = [
    [
      'store_moved',
      conditions.storeMoved({ reason: 'database a: it was moved to b; set DATABASE_URL to that' }),
      {
        subject: 'database',
        gigId: null,
        text: 'This instance uses nothing any more and ends: database a: it was moved to b; set DATABASE_URL to that',
        remedy: 'Set DATABASE_URL to the database that is used now, and start the service again.',
      },
    ],
    [
      'payments_stopped',
      conditions.paymentsStopped({ server: 'system 7, timeline 2, database 5' }),
      {
        subject: 'database',
        gigId: null,
        text:
          'All payments are stopped, because the database is on another server than before ' +
          '(system 7, timeline 2, database 5), which may lack its last commits',
        remedy:
          'See that no instance uses the server before, then run npm run admin -- reconcile: ' +
          'when every gig adds up, payments go on.',
      },
    ],
    [
      'gas_tank_low',
      conditions.gasTankLow(BASE, { address: ADDRESS, balance: 15n * 10n ** 15n, reserve: 20n * 10n ** 15n }),
      {
        subject: 'base',
        gigId: null,
        text: 'The gas tank on Base is low: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 holds 0.015 ETH, less than the 0.02 ETH that 100 transfers of a token cost now',
        remedy:
          'Send ETH on Base (chain id 8453) to 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: it pays the gas of all payments.',
      },
    ],
    [
      'gig_frozen',
      conditions.gigFrozen({ gigId: 3, reason: 'it does not add up: 1 DEGEN are missing', isByOperator: false }),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'Gig 3 is frozen, because it does not add up: 1 DEGEN are missing',
        remedy:
          'See gig show 3 and payment list, fix the cause, then run npm run admin -- reconcile 3: a gig that adds up pays again.',
      },
    ],
    [
      'gig_frozen',
      conditions.gigFrozen({ gigId: 3, reason: 'the operator froze it: a dispute', isByOperator: true }),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'Gig 3 is frozen, because the operator froze it: a dispute',
        remedy: 'When the reason is gone, run npm run admin -- gig unfreeze 3.',
      },
    ],
    [
      'payments_late',
      conditions.paymentsLate(8453, [
        { holdUp: 'gas_tank_empty', chainId: 8453, payments: 2, gigIds: [1, 2] },
        { holdUp: 'unsettled', chainId: 8453, payments: 1, gigIds: [9] },
      ]),
      {
        subject: 'base',
        gigId: null,
        text: 'Payments on base are late by more than an hour: 2 payments wait on base (gigs 1, 2): the gas tank is too low; 1 payment waits on base (gig 9): sent in a transaction that is not settled',
        remedy:
          'Refill the gas tank on base: payments go on within 5 seconds. See that the endpoint of base answers and is up to date, and payment list --state sent.',
      },
    ],
    [
      'payments_blocked',
      conditions.paymentsBlocked(8453, {
        payments: 3,
        reasons: [
          'the endpoint refuses its transaction: the mood is bad',
          'no payment of its chain can be made now: no\nanswer',
        ],
      }),
      {
        subject: 'base',
        gigId: null,
        text:
          '3 payments wait on base, because of its endpoint: the endpoint refuses its transaction: the mood is bad; ' +
          'no payment of its chain can be made now: no answer',
        remedy: 'Set RPC_URL_8453 to another JSON-RPC endpoint of Base, and see payment list.',
      },
    ],
    [
      'platform_paused',
      conditions.platformPaused({ platform: 'twitter', reason: 'credits depleted (402): top up the account' }),
      {
        subject: 'x',
        gigId: null,
        text: 'X is paused: credits depleted (402): top up the account',
        remedy:
          'Check the keys, the credits and the state of the bot’s account; what waits goes on by itself after the pause.',
      },
    ],
    [
      'chain_unreachable',
      conditions.chainUnreachable(BASE),
      {
        subject: 'base',
        gigId: null,
        text: 'The endpoint of Base gives no valid answer',
        remedy: 'Set RPC_URL_8453 to a JSON-RPC endpoint of Base that answers, or take base out of CHAINS.',
      },
    ],
    [
      'endpoint_passed_over',
      conditions.endpointPassedOver(BASE, {
        place: 2,
        name: 'endpoint 2 (rpc.example)',
        fault: { kind: 'behind', why: 'its newest block, 80, is 20 blocks and 40 s behind that of another' },
      }),
      {
        subject: 'base endpoint 2',
        gigId: null,
        text: 'Base is not asked through endpoint 2 (rpc.example): its newest block, 80, is 20 blocks and 40 s behind that of another',
        remedy: 'The other endpoints of Base are asked meanwhile. If it lasts, replace that one in RPC_URL_8453.',
      },
    ],
    [
      'endpoint_passed_over',
      conditions.endpointPassedOver(BASE, {
        place: 3,
        name: 'endpoint 3 (rpc.example)',
        fault: { kind: 'other_chain', why: 'it serves chain id 1, expected 8453' },
      }),
      {
        subject: 'base endpoint 3',
        gigId: null,
        text: 'Base is not asked through endpoint 3 (rpc.example): it serves chain id 1, expected 8453',
        remedy: 'Correct RPC_URL_8453: an endpoint of another chain is asked for nothing but its chain id.',
      },
    ],
    [
      'audit_failed',
      conditions.auditFailed({ gigId: 3, reason: 'the chain does not answer' }),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'The audit of gig 3 failed: the chain does not answer',
        remedy: 'Run npm run admin -- reconcile 3: it audits the gig again and says what it finds.',
      },
    ],
    [
      'earning_overdue',
      conditions.earningOverdue(3),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'Nothing succeeded for a day for watched gig 3, though it was due',
        remedy:
          'See “watched gig waits” in the log, and run npm run admin -- gig settle 3: it says what fails. ' +
          'When its platform does not come back, gig settle 3 --refuse-open ends the gig without it.',
      },
    ],
    [
      'refund_late',
      conditions.refundLate(3),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'The refund of gig 3 is due for more than a day and not planned',
        remedy: 'Run npm run admin -- gig refund 3: it says what the refund waits for.',
      },
    ],
    [
      'refund_failed',
      conditions.refundFailed(3),
      {
        subject: 'gig 3',
        gigId: 3,
        text: 'The refund or return of gig 3 failed and was not planned again',
        remedy:
          'Run npm run admin -- gig refund 3: it says why it failed, and with --yes plans it again, ' +
          'to --to if that is given.',
      },
    ],
    [
      'disk_nearly_full',
      conditions.diskNearlyFull({ free: 300 * 2 ** 20, total: 20 * GIGABYTE }),
      {
        subject: 'database',
        gigId: null,
        text: 'The disk of the database is nearly full: 300 MB of 20480 MB are free',
        remedy:
          'Free space where DATABASE_URL is, or move the database to a larger disk: without space nothing is stored.',
      },
    ],
    [
      'clock_off',
      conditions.chainClockOff(BASE, { aheadMs: 720_000 }),
      {
        subject: 'base',
        gigId: null,
        text:
          'The clock is behind the time of Base: its newest block was 12 minutes ahead. Holds, windows and refunds end ' +
          'later by as much, and above 10 minutes no raffle on base is fixed',
        remedy:
          'Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of Base is not: ' +
          'set another one.',
      },
    ],
    [
      'clock_off',
      conditions.chainClockOff(BASE, { aheadMs: -45_000 }),
      {
        subject: 'base',
        gigId: null,
        text:
          'The clock is ahead of the time of Base, or its endpoint is late: the newest blocks were at least 45 s old. ' +
          'Holds, windows and refunds may end earlier by as much',
        remedy:
          'Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of Base is not: ' +
          'set another one.',
      },
    ],
    [
      'clock_off',
      conditions.clockSetBack({ at: Date.UTC(2026, 10, 26, 14), backMs: 7_200_000 }),
      {
        subject: 'clock',
        gigId: null,
        text:
          'The clock was set back by 120 minutes. Until 2026-11-26 14:00 UTC everything that has a set time waits longer ' +
          'by as much: windows of watched gigs, holds, rounds, draws, settlements and refunds. Starts, awards, claims and replies go on',
        remedy:
          'If the clock is right now, there is nothing to do. Otherwise set it and run NTP: what waits is due as soon as ' +
          'its time has come.',
      },
    ],
  ];
  test.each(cases)('behavior: %s', (kind, condition, expected) => {
    expect(condition).toEqual({ kind, ...expected });
  });

  test('behavior: no kind is without a case', () => {
    expect([...new Set(cases.map(([kind]) => kind))]).toEqual([...conditions.CONDITION_KINDS]);
  });
});

test.each([
  [512 * 2 ** 20, 10 * GIGABYTE, false],
  [512 * 2 ** 20 - 1, 10 * GIGABYTE, true],
  [5 * GIGABYTE, 100 * GIGABYTE, false],
  [5 * GIGABYTE - 1, 100 * GIGABYTE, true],
])(
  'behavior: of a disk of which %i of %i bytes are free it is said that it is nearly full: %s',
  (free, total, full) => {
    expect(isNearlyFull({ free, total })).toBe(full);
  },
);

test('behavior: what is unknown as a whole is unknown of each subject', () => {
  const unknown = [
    { kind: 'gig_frozen', subject: null },
    { kind: 'gas_tank_low', subject: 'base' },
  ] as const;
  const isUnknown = (kind: conditions.ConditionKind, subject: string) =>
    conditions.isUnknown({ found: [], unknown }, { kind, subject });
  expect(isUnknown('gig_frozen', 'gig 3')).toBe(true);
  expect(isUnknown('gas_tank_low', 'base')).toBe(true);
  expect(isUnknown('gas_tank_low', 'anvil')).toBe(false);
});
