import { expect, test } from 'vitest';
import { createPayerChains } from '../../../src/chain/registry.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { createPaidLearner } from '../../../src/services/audits/learn-paid.ts';
import { freshAddress } from '../../support/anvil.ts';
import { isOnPostgres } from '../../support/database.ts';
import { SAMPLE_TARGET } from '../../support/earning.ts';
import { ANVIL } from '../../support/payer.ts';
import { ALICE } from '../cashier.ts';
import { auditsPerCase, payElsewhere } from './auditing.ts';

const { cashier, audits, token } = auditsPerCase();

/** A live gig that is watched. */
async function watchedGig(): Promise<Gig> {
  const gig = await audits.gig({ asset: token, tips: [{ account: ALICE, amount: 250_000n }] });
  await cashier.store.transaction((tx) => tx.openWatch(gig.id, { target: SAMPLE_TARGET, nextAt: 0 }));
  return gig;
}

/** The learner of a new process, with what it asks the chain. */
function startLearner(changed: Partial<PayerChain> = {}) {
  const asked: string[] = [];
  const payer = new Proxy(
    { ...cashier.payer, ...changed },
    {
      get(target, name, receiver) {
        if (name === 'delegated' || name === 'paidEvents') asked.push(name);
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { learn: createPaidLearner({ ...audits.deps, payers: { payer: () => payer } }), asked };
}

/** Far from what the ledger has given. */
const LOST = 123_456_789n;

test('behavior: what a wallet has paid is taken once for each process, and gigs of the chain share the question', async () => {
  const [paid, unpaid] = [await watchedGig(), await watchedGig()];
  const to = freshAddress();
  await payElsewhere(cashier, paid, { to, amount: 400_000n, numbers: [LOST] });
  const first = startLearner();
  // Which of them asks depends on the connections of a server.
  expect((await Promise.all([first.learn(unpaid), first.learn(paid)])).sort()).toEqual([false, true]);
  expect(first.asked).toEqual(['delegated', 'paidEvents']);
  expect(await cashier.store.lostRecipients(paid.id)).toEqual([to]);
  expect(await cashier.store.lostRecipients(unpaid.id)).toEqual([]);
  expect((await cashier.store.gig(paid.id))?.awardedAmount).toBe(650_000n);
  expect(await first.learn(paid)).toBe(false);
  expect(first.asked).toHaveLength(2);
  const second = startLearner();
  expect(await second.learn(unpaid)).toBe(true);
  expect((await cashier.store.gig(paid.id))?.awardedAmount).toBe(650_000n);
});

// SQLite has no other server that could take the place of its own.
if (isOnPostgres()) {
  test('security: on another server, whose ledger may be older, it is taken again', async () => {
    const gig = await watchedGig();
    const { learn } = startLearner();
    expect(await learn(gig)).toBe(true);
    // What the process had in its ledger, and the promoted standby has not.
    const to = freshAddress();
    await payElsewhere(cashier, gig, { to, amount: 400_000n, numbers: [LOST] });
    await cashier.database.sql('update server_identity set server = ?', 'system 1, timeline 1, database 1');
    expect(await learn(gig)).toBe(true);
    expect(await cashier.store.lostRecipients(gig.id)).toEqual([to]);
    expect(await learn(gig)).toBe(false);
  });
}

test('behavior: how far a look for payments has come is told in blocks, for each hundred wallets', async () => {
  const told: [done: number, total: number][] = [];
  const { url, wallets, clock } = cashier;
  const onBlocksOf = () => (done: number, total: number) => void told.push([done, total]);
  const endpoints = [{ chain: ANVIL, rpcUrls: [url] as const }];
  const payer = createPayerChains({ endpoints, wallets, clock, onBlocksOf }).payer(ANVIL.id);
  await payer.paidEvents({ wallets: Array.from({ length: 101 }, freshAddress), from: 1n, to: 3n });
  expect(told).toEqual([
    [0, 6],
    [3, 6],
    [6, 6],
    [6, 6],
  ]);
});

test('behavior: of wallets that have never paid one question is asked', async () => {
  const gig = await watchedGig();
  const { learn, asked } = startLearner();
  expect(await learn(gig)).toBe(true);
  expect(asked).toEqual(['delegated']);
});

test('security: a transaction of the gas tank that the ledger lacks is waited for until it has settled', async () => {
  const gig = await watchedGig();
  let settledNonces = 0;
  const tank = async () => ({ ...(await cashier.payer.tank()), spentNonces: 1, settledNonces });
  const { learn } = startLearner({ tank });
  await expect(learn(gig)).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe' });
  settledNonces = 1;
  expect(await learn(gig)).toBe(true);
});

test('error: marks without an event are not explained, and the next attempt asks again', async () => {
  const gig = await watchedGig();
  await payElsewhere(cashier, gig, { to: freshAddress(), amount: 250_000n, numbers: [0n] });
  let isLost = true;
  const paidEvents: PayerChain['paidEvents'] = async (query) => (isLost ? [] : await cashier.payer.paidEvents(query));
  const { learn } = startLearner({ paidEvents });
  await expect(learn(gig)).rejects.toThrow('cannot explain yet');
  isLost = false;
  expect(await learn(gig)).toBe(true);
});
