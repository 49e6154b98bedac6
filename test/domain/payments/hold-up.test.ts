import { describe, expect, test } from 'vitest';
import { chainKeyOf, type HoldUp, heldUpProblem } from '../../../src/domain/payments/hold-up.ts';

const held = (holdUp: HoldUp, change: object = {}) =>
  heldUpProblem({ holdUp, chainId: 8453, payments: 1, gigIds: [7], ...change });

describe('payments that are held up', () => {
  test.each<[holdUp: HoldUp, why: string, remedy: string]>([
    ['gig_frozen', 'frozen', 'gig show says why gig 7 may not pay.'],
    [
      'payments_stopped',
      'all payments are stopped',
      'Run npm run admin -- reconcile: they go on when every gig adds up.',
    ],
    ['gas_tank_empty', 'the gas tank is too low', 'Refill the gas tank on base: payments go on within 5 seconds.'],
    ['contracts_missing', 'the payer contracts are not deployed', 'Run npm run admin -- payer deploy base.'],
    [
      'client_budget_used',
      'the client’s daily gas budget is used up',
      'Payments of gig 7 go on by themselves as the day passes, or when you raise GAS_BUDGET_CLIENT_DAY (for gigs of the console, GAS_BUDGET_OWNERS_DAY).',
    ],
    ['gig_budget_used', 'the gig has used up the gas that its tips allow', 'Each further tip of gig 7 allows more.'],
    [
      'token_fails',
      'the token failed on the chain',
      'That goes on by itself when the token has not failed for an hour.',
    ],
    [
      'too_expensive',
      'it would cost more than several plain transfers',
      'That goes on by itself when fees fall; else the token is expensive to move.',
    ],
    [
      'recipient_fails',
      'earlier payments to the recipient failed on the chain',
      'They are tried again after pauses; other payments of gig 7 go on.',
    ],
    [
      'recipient_listed',
      'the screening oracle lists its recipient',
      'payment list shows the recipient. Its payments go on when the oracle no longer lists it.',
    ],
    [
      'screening_silent',
      'the screening oracle gives no answer about its recipient',
      'Check SCREENING_ORACLE and the endpoint of base: payments go on when the oracle answers.',
    ],
    [
      'refused',
      'a simulation refuses it, or the node does not answer',
      'It is tried again, and fails if this lasts: see payment list --state planned.',
    ],
    [
      'endpoint_refuses',
      'the endpoint does not take their transaction, or gives no answer',
      'Use another endpoint of base: payment list shows the answer of this one.',
    ],
    ['late', 'planned more than 5 minutes ago', 'Check that the service runs, and see payment list --state planned.'],
    [
      'unsettled',
      'sent in a transaction that is not settled',
      'Check that the endpoint of base answers and is up to date, and see payment list --state sent.',
    ],
  ])('behavior: %s says what is wrong and what to do', (holdUp, why, remedy) => {
    expect(held(holdUp)).toEqual({ detail: `1 payment waits on base (gig 7): ${why}`, remedy });
  });

  test('behavior: are counted, and at most five of their gigs are named', () => {
    expect(held('late', { payments: 2 }).detail).toMatch(/^2 payments wait on base \(gig 7\)/);
    expect(held('late', { gigIds: [1, 2, 3, 4, 5] }).detail).toContain('(gigs 1, 2, 3, 4, 5)');
    expect(held('late', { gigIds: [1, 2, 3, 4, 5, 6] }).detail).toContain('(gigs 1, 2, 3, 4, 5, +1 more)');
  });

  test('behavior: name their chain by its key, or by its id when it is not known', () => {
    expect([8453, 1, 5].map(chainKeyOf)).toEqual(['base', 'ethereum', 'chain id 5']);
  });
});
