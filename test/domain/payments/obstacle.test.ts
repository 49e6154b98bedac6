import { describe, expect, test } from 'vitest';
import { findWait, OBSTACLES, obstacleClause, sentence } from '../../../src/domain/payments/obstacle.ts';
import { IS_STOPPED, TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import {
  type BudgetFacts,
  findPause,
  findPrice,
  findShortage,
  type PaymentPolicy,
} from '../../../src/domain/payments/payment-limits.ts';
import { POLICY as USUAL, unused } from './planned.ts';

const POLICY: PaymentPolicy = {
  ...USUAL,
  clientGasPerDay: 100n,
  ownersGasPerDay: 100n,
  gigGas: 1_000n,
  gigGasPerTip: 0n,
  tokenGas: 250_000n,
};
type Candidate = Parameters<typeof findShortage>[0];
// Of a candidate only these decide.
const PAYOUT = { kind: 'payout', client: 'shop', token: { isNative: false }, numbers: [1n] } as unknown as Candidate;

/** The reason that a payment gets when its budgets are used so far. */
function shortage(used: { gig?: bigint; client?: bigint; failures?: number; gas?: bigint }): string | null {
  const { gig = 0n, client = 0n, failures = 0, gas = 1n } = used;
  const facts = {
    ...unused,
    gig: { gasUsed: gig, tips: 0 },
    clientGas: { claims: client, fees: 0n },
    tokenFailures: failures,
  };
  return findShortage(PAYOUT, facts, { policy: POLICY, gas })?.reason ?? null;
}

/** The reason that a payment gets after others to its account have failed. */
function pause(): string | null {
  const ownFailures: BudgetFacts['ownFailures'] = { failures: 3, gasUsed: 0n, failedAt: 0 };
  const facts = { ...unused, ownFailures };
  return findPause(PAYOUT, facts, { policy: POLICY, now: 1 })?.reason ?? null;
}

describe('what a payment waits for', () => {
  test('behavior: is known from the reason that the ledger keeps', () => {
    const cost = { gas: 700n, maxFeePerGas: 1n, publishing: 0n, transferCost: 100n, words: 1 };
    expect([
      findWait(IS_STOPPED),
      findWait(TANK_IS_LOW),
      findWait(shortage({ client: 100n })),
      findWait(shortage({ gig: 1_000n })),
      findWait(shortage({ failures: 3 })),
      findWait(findPrice({ isAllowed: false }, cost, POLICY)?.reason ?? null),
      findWait(shortage({ gas: 101n })),
      findWait(pause()),
      findWait('the payer contracts are not deployed on Base; run npm run admin -- payer deploy base'),
      findWait('the contracts that pay are not deployed on its chain'),
      findWait('the screening oracle lists its recipient'),
      findWait('the screening oracle gives no answer about its recipient'),
      findWait('its client has used up its gas of the day'),
      findWait('all payments are stopped until the wallets are reconciled'),
      findWait('the gas tank is too low'),
    ]).toEqual([
      'payments_stopped',
      'gas_tank_empty',
      'client_budget_used',
      'gig_budget_used',
      'token_fails',
      'too_expensive',
      'client_budget_used',
      'recipient_fails',
      'contracts_missing',
      'contracts_missing',
      'recipient_listed',
      'screening_silent',
      'client_budget_used',
      'payments_stopped',
      'gas_tank_empty',
    ]);
  });

  test('behavior: is no obstacle when it lasts a moment, or is known from the gig alone', () => {
    const others = [
      null,
      shortage({}),
      'its gig was funded a moment ago, and the chain may still take that back',
      'it is tried again: the token rejects the transfer',
      'the gig is frozen: it does not add up',
    ];
    expect(others.map(findWait)).toEqual(others.map(() => null));
  });

  test('security: does not say of a person that a list has the address', () => {
    expect(obstacleClause('recipient_listed')).toBe('until the operator has reviewed it; nothing is lost');
    expect(obstacleClause('screening_silent')).toBe('until it has been checked; it goes on by itself');
  });

  test('security: is told in words of ours, with a reassurance', () => {
    for (const obstacle of OBSTACLES)
      expect(obstacleClause(obstacle)).toMatch(/^[a-z ’]+; (nothing is lost|it goes on by itself)$/);
    expect(obstacleClause('too_expensive')).toBe('until it costs less gas; it goes on by itself');
    expect(sentence('nothing is lost')).toBe('Nothing is lost.');
  });
});
