import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnvilProcess } from '../../sandbox/anvil.ts';
import { createLocalChain } from '../../sandbox/chain.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { TANK_IS_LOW } from '../../src/domain/payment.ts';
import { startAnvil } from '../support/anvil.ts';
import { SEEDED_AT, seedFee, seedGig, seedToken } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

/** Anvil's own mnemonic, whose first account is the gas tank. */
const MNEMONIC = 'test test test test test test test test test test test junk';

let anvil: AnvilProcess;
beforeAll(async () => {
  anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
});
afterAll(() => anvil.stop());

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC });
});
afterEach(() => desk.close());

async function doctor() {
  const { code, out } = await desk.admin(['doctor', '--json']);
  const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string; remedy: string }[] };
  return { code, report: { checks } };
}

function failed({ checks }: Awaited<ReturnType<typeof doctor>>['report']): Record<string, string> {
  return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]));
}

describe('doctor', () => {
  test('error: payments that wait are counted by what holds them up, with the remedy', async () => {
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    const waits = [TANK_IS_LOW, TANK_IS_LOW, 'its client has used up its gas of a day', null, null];
    for (const [index, reason] of waits.entries()) {
      const gig = await seedGig(desk.store, { live: true, walletAddress });
      const planned = SEEDED_AT - (index === 4 ? 301_000 : 0);
      const { id } = await seedFee(desk.store, gig, { chainId: 31337, tokenId }, planned);
      const note = { reason, dueAt: SEEDED_AT, now: SEEDED_AT };
      await desk.store.transaction((tx) => tx.notePayment(id, note));
      if (index === 3) await desk.store.transaction((tx) => tx.freezeByOperator(gig.id, 'the operator froze it: x'));
    }
    const { code, report } = await doctor();
    expect([code, failed(report)]).toEqual([
      1,
      {
        gigs: 'Gig 4 is frozen, because the operator froze it: x',
        payments:
          '1 payment waits on anvil (gig 5): planned more than 5 minutes ago; ' +
          '1 payment waits on anvil (gig 4): frozen; ' +
          '1 payment waits on anvil (gig 3): the client has used up its gas of a day; ' +
          '2 payments wait on anvil (gigs 1, 2): the gas tank is too low',
      },
    ]);
    const remedies = new Map(report.checks.map(({ name, remedy }) => [name, remedy]));
    expect(remedies.get('payments')).toMatch(/the service runs.*GAS_BUDGET_CLIENT_DAY.*Refill the gas tank on anvil/);
    expect(remedies.get('gigs')).toBe('When the reason is gone, run npm run admin -- gig unfreeze 4.');
  });

  test('error: payments that are late are told in the words of their alert, and not twice', async () => {
    const walletAddress = createWallets(MNEMONIC).gigAddress;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    for (const minutes of [61, 61, 6]) {
      const gig = await seedGig(desk.store, { live: true, walletAddress });
      await seedFee(desk.store, gig, { chainId: 31337, tokenId }, SEEDED_AT - minutes * 60_000);
    }
    const { report } = await doctor();
    expect(failed(report)).toEqual({
      payments:
        'Payments on anvil are late by more than an hour: 2 payments wait on anvil (gigs 1, 2): planned more than 5 minutes ago; ' +
        '1 payment waits on anvil (gig 3): planned more than 5 minutes ago',
    });
  });

  test('behavior: payments that wait for seconds are not held up', async () => {
    const gig = await seedGig(desk.store, { live: true, walletAddress: createWallets(MNEMONIC).gigAddress });
    const now = SEEDED_AT;
    const { id: tokenId } = await seedToken(desk.store, { chainId: 31337 });
    await seedFee(desk.store, gig, { chainId: 31337, tokenId });
    const reason = 'its gig was funded a moment ago, and the chain may still take that back';
    await desk.store.transaction((tx) => tx.notePayment(1, { reason, dueAt: now, now }));
    const { code, report } = await doctor();
    expect([code, failed(report)]).toEqual([0, {}]);
  });
});
