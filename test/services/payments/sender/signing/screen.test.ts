import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Address } from '../../../../../src/domain/gigs/token.ts';
import { REASON } from '../../../../../src/domain/payments/reasons.ts';
import { findScreened } from '../../../../../src/services/payments/held-up.ts';
import { deployToken, freshAddress, fundToken, type TestToken, tokenBalance } from '../../../../support/anvil.ts';
import { openPayments, type Payments } from '../../../../support/payer-chain.ts';
import { deployOracle, type TestOracle } from '../../../../support/screening.ts';
import { ALICE, type Bank, BOB, openBank } from '../bank.ts';

let payments: Payments;
let token: TestToken;
let oracle: TestOracle;
let bank: Bank;
let ahead = 0;
const clock = () => Date.now() + ahead;

beforeAll(async () => {
  token = await deployToken({ decimals: 6 });
});
beforeEach(async () => {
  ahead = 0;
  payments = await openPayments();
  oracle = await deployOracle(payments.stage);
  bank = await openScreened(oracle.address);
});
afterEach(() => bank.close());

function openScreened(address: Address): Promise<Bank> {
  const { payer, wallets } = payments;
  const screeningOracles = new Map([[payer.chain.id, address]]);
  return openBank({ clock, payer, walletAddress: wallets.gigAddress, screeningOracles });
}

/** A funded gig that owes Alice 100 and Bob 200, who have claimed to fresh addresses. */
async function oweBoth(): Promise<{ alice: Address; bob: Address }> {
  const gig = await bank.gig({ token: token.address });
  await fundToken(token, gig.walletAddress, 1_000n);
  const [alice, bob] = [freshAddress(), freshAddress()];
  await bank.award(gig, ALICE, 100n);
  await bank.award(gig, BOB, 200n);
  await bank.claim(ALICE, alice);
  await bank.claim(BOB, bob);
  return { alice, bob };
}

/** What the sender does for so many rounds, each longer than any wait. */
async function run(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await bank.run();
    ahead += 40_000;
  }
}

const held = async (...owners: Address[]) => await Promise.all(owners.map((owner) => tokenBalance(token, owner)));
/** What they hold after another round. */
async function heldAfter(...owners: Address[]): Promise<bigint[]> {
  await run(1);
  return await held(...owners);
}
const reasons = async () => (await bank.store.payments({ state: 'planned', limit: 10 })).map(({ reason }) => reason);

describe('an oracle that is asked before each transaction', () => {
  test('behavior: pays whom it does not list', async () => {
    const { alice, bob } = await oweBoth();
    await expect.poll(() => heldAfter(alice, bob)).toEqual([100n, 200n]);
  });

  test('security: holds a listed address alone, and pays it once it is cleared', async () => {
    const { alice, bob } = await oweBoth();
    await oracle.list(alice, true);
    await expect.poll(() => heldAfter(alice, bob)).toEqual([0n, 200n]);
    expect(await reasons()).toEqual([REASON.recipientListed]);
    const chainId = payments.payer.chain.id;
    const screened = await findScreened(bank.deps, { chainIds: [chainId] });
    expect(screened).toEqual([{ holdUp: 'recipient_listed', chainId, payments: 1, gigIds: [expect.any(Number)] }]);
    await oracle.list(alice, false);
    await expect.poll(() => heldAfter(alice, bob)).toEqual([100n, 200n]);
  });

  test('security: holds an address that is listed while its payment waits', async () => {
    const { alice, bob } = await oweBoth();
    await oracle.set('reverts');
    await run(2);
    await oracle.set('good');
    await oracle.list(bob, true);
    await expect.poll(() => heldAfter(alice, bob)).toEqual([100n, 0n]);
  });

  test.each(['reverts', 'hangs', 'garbage'] as const)('security: pays nobody while it %s', async (way) => {
    const { alice, bob } = await oweBoth();
    await oracle.set(way);
    await run(3);
    expect(await held(alice, bob)).toEqual([0n, 0n]);
    expect(await reasons()).toEqual([REASON.screeningSilent, REASON.screeningSilent]);
    await oracle.set('good');
    await expect.poll(() => heldAfter(alice, bob)).toEqual([100n, 200n]);
  });

  test('security: pays nobody where its address has no code', async () => {
    await bank.close();
    bank = await openScreened(freshAddress());
    const { alice, bob } = await oweBoth();
    await run(3);
    expect(await held(alice, bob)).toEqual([0n, 0n]);
    expect(await reasons()).toEqual([REASON.screeningSilent, REASON.screeningSilent]);
  });
});
