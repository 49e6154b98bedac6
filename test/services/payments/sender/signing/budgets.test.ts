import { expect, test } from 'vitest';
import { readBudgets } from '../../../../../src/services/payments/sender/signing/budgets.ts';
import type { Store } from '../../../../../src/store/port/index.ts';
import { candidate } from './candidate.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * 24 * HOUR;
const ACCOUNT = { platform: 'farcaster', platformUserId: '7' };

/** A ledger in which an account has failed at gig 3. */
function ledger() {
  const asked: unknown[] = [];
  const answer = <T>(...question: unknown[]) => {
    asked.push(question);
    return (value: T) => Promise.resolve(value);
  };
  const failures = { ...ACCOUNT, gigId: 3, failures: 2, gasUsed: 9n, failedAt: 5 };
  const claims = [{ ...ACCOUNT }, { ...ACCOUNT, platformUserId: '8' }, { ...ACCOUNT, platform: 'twitter' }];
  const store = {
    gasOfGigs: (ids: number[]) => answer('gigs', ids)(new Map([[1, { gasUsed: 5n, tips: 6 }]])),
    gasOfClient: (holder: string, since: number) => answer(holder, since)({ claims: BigInt(holder.length), fees: 2n }),
    gasOfOwners: (since: number) => answer('owners', since)({ claims: 3n, fees: 4n }),
    failuresOfToken: (id: number, since: number) => answer('token', id, since)(2),
    accountFailures: (id: number, since: number) => answer('accounts', id, since)([failures]),
    claim: (id: number) => answer('claim', id)(claims[id] ?? null),
  } as unknown as Store;
  return { store, asked, failures };
}

const day = NOW - 24 * HOUR;

test('behavior: what has been used of budgets is read once for each gig, client, token and claim that it is about', async () => {
  const { store, asked } = ledger();
  const payments = [
    candidate(1, { client: 'acme' }),
    candidate(2, { gigId: 1, client: 'acme' }),
    candidate(3, { client: 'owner:a', claimId: 0 }),
    candidate(4, { gigId: 3, client: 'owner:a', claimId: 0 }),
    candidate(5, { client: null }),
    candidate(6, { gigId: 3, claimId: null }),
  ];
  const budgets = await readBudgets(store, payments, NOW);
  expect(asked.toSorted()).toEqual(
    [
      ['gigs', [1, 3, 5]],
      ['acme', day],
      ['owner:a', day],
      ['owners', day],
      ['token', 1, NOW - HOUR],
      ['accounts', 1, NOW - 30 * 24 * HOUR],
      ['claim', 0],
    ].toSorted(),
  );
  const none = { claims: 0n, fees: 0n };
  const [acme, , owner, , alone] = payments.map(budgets);
  expect(acme).toEqual({
    gig: { gasUsed: 5n, tips: 6 },
    clientGas: { claims: 4n, fees: 2n },
    ownersGas: null,
    tokenFailures: 2,
    ownFailures: null,
  });
  expect(owner).toMatchObject({
    gig: { gasUsed: 0n, tips: 0 },
    clientGas: { claims: 7n },
    ownersGas: { claims: 3n, fees: 4n },
  });
  expect(alone).toMatchObject({ clientGas: none, ownersGas: null });
});

test.each([
  { what: 'a claim of the account', claimId: 0, isOwn: true },
  { what: 'a claim of another account', claimId: 1, isOwn: false },
  { what: 'a claim of the same id on another platform', claimId: 2, isOwn: false },
  { what: 'a claim that is not there', claimId: 3, isOwn: false },
  { what: 'no claim', claimId: null, isOwn: false },
  { what: 'a claim at another gig', claimId: 0, gigId: 4, isOwn: false },
])('security: an account’s failures at a gig are those of $what: $isOwn', async ({ claimId, gigId = 3, isOwn }) => {
  const { store, failures } = ledger();
  const payment = candidate(9, { gigId, claimId });
  const budgets = await readBudgets(store, [payment], NOW);
  expect(budgets(payment).ownFailures).toEqual(isOwn ? failures : null);
});
