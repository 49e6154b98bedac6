import { describe, expect, test } from 'vitest';
import { type Chain, chainById } from '../../../src/domain/chains/chain.ts';
import type { Condition } from '../../../src/domain/operators/condition.ts';
import { chainUnreachable, endpointPassedOver } from '../../../src/services/operators/conditions/chains.ts';
import { clockOff } from '../../../src/services/operators/conditions/clock.ts';
import { diskNearlyFull, paymentsStopped, storeMoved } from '../../../src/services/operators/conditions/database.ts';
import { auditFailed } from '../../../src/services/operators/conditions/failed-audits.ts';
import { gigFrozen } from '../../../src/services/operators/conditions/frozen-gigs.ts';
import { gasTankLow } from '../../../src/services/operators/conditions/gas-tank.ts';
import { stepHeld } from '../../../src/services/operators/conditions/held-steps.ts';
import {
  CONDITION_KINDS,
  CONDITIONS,
  type ConditionKind,
  isUnknown,
} from '../../../src/services/operators/conditions/index.ts';
import {
  depositLate,
  paymentsBlocked,
  paymentsLate,
  paymentsScreened,
} from '../../../src/services/operators/conditions/payments.ts';
import { platformPaused } from '../../../src/services/operators/conditions/platforms.ts';
import { refundFailed, refundLate } from '../../../src/services/operators/conditions/refunds.ts';
import { earningOverdue } from '../../../src/services/operators/conditions/watched-gigs.ts';
import { webhookPaused } from '../../../src/services/operators/conditions/webhooks.ts';

const BASE = chainById(8453) as Chain; // It is in the list.
const GIGABYTE = 2 ** 30;

describe('each condition says what is wrong and what to do', () => {
  const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
  const cases: [kind: string, condition: Condition, subject: string, text: string, remedy: string][] = [
    [
      'store_moved',
      storeMoved.tell('database a: it was moved to b; set DATABASE_URL to that'),
      'database',
      'This instance ends, because it can no longer use its database: database a: it was moved to b; set DATABASE_URL to that',
      'Set DATABASE_URL to the database that is used now, and start the service again.',
    ],
    [
      'payments_stopped',
      paymentsStopped.tell({ server: 'system 7, timeline 2, database 5' }),
      'database',
      'All payments are stopped, because the database is on another server than before ' +
        '(system 7, timeline 2, database 5), which may lack its last commits',
      'See that no instance uses the server before, then run npm run admin -- reconcile: ' +
        'when every gig adds up, payments go on.',
    ],
    [
      'gas_tank_low',
      gasTankLow.tell(BASE, { address: ADDRESS, balance: 15n * 10n ** 15n, reserve: 20n * 10n ** 15n }),
      'base',
      'The gas tank on Base is low: 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 holds 0.015 ETH, less than the 0.02 ETH that 100 transfers of a token cost now',
      'Send ETH on Base (chain id 8453) to 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266: it pays the gas of all payments.',
    ],
    [
      'gig_frozen',
      gigFrozen.tell({ gigId: 3, reason: 'it does not add up: 1 DEGEN are missing', isByOperator: false }),
      'gig 3',
      'Gig 3 is frozen, because it does not add up: 1 DEGEN are missing',
      'See gig show 3 and payment list, fix the cause, then run npm run admin -- reconcile 3: a gig that adds up pays again.',
    ],
    [
      'gig_frozen',
      gigFrozen.tell({ gigId: 3, reason: 'the operator froze it: a dispute', isByOperator: true }),
      'gig 3',
      'Gig 3 is frozen, because the operator froze it: a dispute',
      'When the reason is gone, run npm run admin -- gig unfreeze 3.',
    ],
    [
      'step_held',
      stepHeld.tell({ step: 'settle', gigId: 3, why: 'restored', detail: null, since: 0 }),
      'gig 3',
      'The automatic settlement of gig 3 waits, because the database may be an older copy, and the gig may owe tips',
      'Award again what gig 3 owes, then run npm run admin -- gig settle 3. ' +
        'When reconcile finds that every started gig adds up, it goes on by itself.',
    ],
    [
      'payments_late',
      paymentsLate.tell(8453, [
        { holdUp: 'gas_tank_empty', chainId: 8453, payments: 2, gigIds: [1, 2] },
        { holdUp: 'unsettled', chainId: 8453, payments: 1, gigIds: [9] },
      ]),
      'base',
      'Payments on base are late by more than an hour: 2 payments wait on base (gigs 1, 2): the gas tank is too low; 1 payment waits on base (gig 9): sent in a transaction that is not settled',
      'Refill the gas tank on base: payments go on within 5 seconds. Check that the endpoint of base answers and is up to date, and see payment list --state sent.',
    ],
    [
      'payments_blocked',
      paymentsBlocked.tell(8453, {
        payments: 3,
        reasons: [
          'the endpoint refuses its transaction: the mood is bad',
          'no payment of its chain can be made now: no\nanswer',
        ],
      }),
      'base',
      '3 payments wait on base, because of its endpoint: the endpoint refuses its transaction: the mood is bad; ' +
        'no payment of its chain can be made now: no answer',
      'Set RPC_URL_8453 to another JSON-RPC endpoint of Base, and see payment list.',
    ],
    [
      'payments_screened',
      paymentsScreened.tell(8453, [
        { holdUp: 'recipient_listed', chainId: 8453, payments: 2, gigIds: [1, 2] },
        { holdUp: 'screening_silent', chainId: 8453, payments: 1, gigIds: [9] },
      ]),
      'base',
      '2 payments wait on base (gigs 1, 2): the screening oracle lists its recipient; 1 payment waits on base (gig 9): the screening oracle gives no answer about its recipient',
      'payment list shows the recipient. Its payments go on when the oracle no longer lists it. Check SCREENING_ORACLE and the endpoint of base: payments go on when the oracle answers.',
    ],
    [
      'platform_paused',
      platformPaused.tell({ platform: 'twitter', reason: 'credits depleted (402): top up the account' }),
      'x',
      'X is paused: credits depleted (402): top up the account',
      'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.',
    ],
    [
      'chain_unreachable',
      chainUnreachable.tell(BASE),
      'base',
      'The endpoint of Base gives no valid answer',
      'Set RPC_URL_8453 to a JSON-RPC endpoint of Base that answers, or take base out of CHAINS.',
    ],
    [
      'endpoint_passed_over',
      endpointPassedOver.tell(BASE, {
        place: 2,
        name: 'endpoint 2 (rpc.example)',
        fault: { kind: 'behind', why: 'its newest block, 80, is 20 blocks and 40 s behind another endpoint' },
      }),
      'base endpoint 2',
      'Base is not asked through endpoint 2 (rpc.example): its newest block, 80, is 20 blocks and 40 s behind another endpoint',
      'The other endpoints of Base are asked meanwhile. If it lasts, replace that one in RPC_URL_8453.',
    ],
    [
      'endpoint_passed_over',
      endpointPassedOver.tell(BASE, {
        place: 3,
        name: 'endpoint 3 (rpc.example)',
        fault: { kind: 'other_chain', why: 'it serves chain id 1, expected 8453' },
      }),
      'base endpoint 3',
      'Base is not asked through endpoint 3 (rpc.example): it serves chain id 1, expected 8453',
      'Correct RPC_URL_8453: an endpoint of another chain is asked for nothing but its chain id.',
    ],
    [
      'audit_failed',
      auditFailed.tell({ gigId: 3, reason: 'the chain does not answer' }),
      'gig 3',
      'The audit of gig 3 failed: the chain does not answer',
      'Run npm run admin -- reconcile 3: it audits the gig again and says what it finds.',
    ],
    [
      'earning_overdue',
      earningOverdue.tell(3),
      'gig 3',
      'Work on watched gig 3 has been overdue for a day',
      'See “watched gig waits” in the log, and run npm run admin -- gig settle 3: it says what fails. ' +
        'When its platform does not come back, gig settle 3 --refuse-open ends the gig without it.',
    ],
    [
      'refund_late',
      refundLate.tell(3),
      'gig 3',
      'The refund of gig 3 has been due for more than a day and is not planned',
      'Run npm run admin -- gig refund 3: it says what the refund waits for.',
    ],
    [
      'refund_failed',
      refundFailed.tell(3),
      'gig 3',
      'The refund or return of gig 3 failed and was not planned again',
      'Run npm run admin -- gig refund 3: it says why it failed, and with --yes plans it again, ' +
        'to --to if that is given.',
    ],
    [
      'deposit_late',
      depositLate.tell(3, 'it waits'),
      'gig 3',
      'The payment by x402 for gig 3 has waited for more than 10 minutes: it waits',
      'Check the endpoint of its chain, the gas tank, GAS_BUDGET_X402_DAY and the facilitator. No payment is sent twice.',
    ],
    [
      'disk_nearly_full',
      diskNearlyFull.tell({ free: 300 * 2 ** 20, total: 20 * GIGABYTE }),
      'database',
      'The disk of the database is nearly full: 300 MB of 20480 MB are free',
      'Free space where DATABASE_URL is, or move the database to a larger disk: without space nothing is stored.',
    ],
    [
      'clock_off',
      clockOff.tell({ chain: BASE, aheadMs: 720_000 }),
      'base',
      'The clock is behind the time of Base: its newest block was 12 minutes ahead. Holds, windows and refunds end ' +
        'later by as much, and above 10 minutes no raffle on base is fixed',
      'Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of Base is not: ' +
        'set another one.',
    ],
    [
      'clock_off',
      clockOff.tell({ chain: BASE, aheadMs: -45_000 }),
      'base',
      'The clock is ahead of the time of Base, or its endpoint is late: the newest blocks were at least 45 s old. ' +
        'Holds, windows and refunds may end earlier by as much',
      'Compare the clock of this machine with another one, and run NTP. If it is right, the endpoint of Base is not: ' +
        'set another one.',
    ],
    [
      'clock_off',
      clockOff.tell({ at: Date.UTC(2026, 10, 26, 14), backMs: 7_200_000 }),
      'clock',
      'The clock was set back by 120 minutes. Until 26 Nov 2026, 14:00 UTC everything that has a set time waits longer ' +
        'by as much: windows of watched gigs, holds, rounds, draws, settlements and refunds. Starts, awards, claims and replies go on',
      'If the clock is right now, there is nothing to do. Otherwise set it and run NTP: what waits is due as soon as ' +
        'its time has come.',
    ],
    [
      'webhook_paused',
      webhookPaused.tell({ id: 3, client: 'shop', because: 'silent' }),
      'webhook 3',
      'Webhook 3 of shop is paused: it took nothing for 72 hours',
      'Ask its client to fix or delete it. Then run npm run admin -- webhook resume 3: it gets what it has missed.',
    ],
    [
      'webhook_paused',
      webhookPaused.tell({ id: 4, client: null, because: 'gone' }),
      'webhook 4',
      'Webhook 4 of all clients is paused: it answered that it is gone',
      'Ask its client to fix or delete it. Then run npm run admin -- webhook resume 4: it gets what it has missed.',
    ],
  ];
  test.each(cases)('behavior: %s', (kind, condition, subject, text, remedy) => {
    const gig = /^gig (\d+)$/.exec(subject);
    expect(condition).toEqual({ kind, subject, gigId: gig === null ? null : Number(gig[1]), text, remedy });
  });

  test('behavior: no kind is without a case', () => {
    expect([...new Set(cases.map(([kind]) => kind))]).toEqual([...CONDITION_KINDS]);
  });
});

test('behavior: each has a check of its own in doctor, but for those of which a check there tells with more', () => {
  const withMore: string[] = [
    // No command can use a store that was moved: it says so itself.
    'store_moved',
    ...['payments_stopped', 'gas_tank_low', 'payments_late', 'payments_blocked', 'payments_screened'],
    ...[
      'chain_unreachable',
      'endpoint_passed_over',
      'earning_overdue',
      'refund_late',
      'refund_failed',
      'disk_nearly_full',
    ],
  ];
  expect(CONDITIONS.filter(({ check }) => check === undefined).map(({ kind }) => kind)).toEqual(withMore);
});

test('behavior: what is unknown as a whole is unknown of each subject', () => {
  const unknown = [
    { kind: 'gig_frozen', subject: null },
    { kind: 'gas_tank_low', subject: 'base' },
  ] as const;
  const isUnknownOf = (kind: ConditionKind, subject: string) => isUnknown({ found: [], unknown }, { kind, subject });
  expect(isUnknownOf('gig_frozen', 'gig 3')).toBe(true);
  expect(isUnknownOf('gas_tank_low', 'base')).toBe(true);
  expect(isUnknownOf('gas_tank_low', 'anvil')).toBe(false);
});
