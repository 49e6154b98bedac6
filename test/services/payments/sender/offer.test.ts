import { expect, onTestFinished, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { IS_STOPPED } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import type { PaymentStop, Store, StoreTx } from '../../../../src/store/port/index.ts';
import { finish, openWorld, paidTo, planOne, reload, type World } from './world.ts';

const STOP: PaymentStop = { server: 'system 7, timeline 2, database 5', since: 1 };

/** A store on which all payments are stopped when `isStopped` says so, of a read outside a transaction or inside one. */
function stopping(isStopped: (where: 'outside' | 'inside') => boolean): (store: Store) => Store {
  const stopOf = (where: 'outside' | 'inside') => async () => (isStopped(where) ? STOP : null);
  return (store) => ({
    ...store,
    paymentStop: stopOf('outside'),
    transaction: (run, options) => {
      const within = (tx: StoreTx) => Object.assign(Object.create(tx), { paymentStop: stopOf('inside') });
      return store.transaction((tx) => run(within(tx)), options);
    },
  });
}

async function openStopping(isStopped: Parameters<typeof stopping>[0]): Promise<World> {
  const world = await openWorld({ wrap: stopping(isStopped) });
  onTestFinished(world.close);
  return world;
}

test('security: while payments are stopped nothing is signed or broadcast, and each says why it waits', async () => {
  let isStopped = true;
  const world = await openStopping(() => isStopped);
  const { bank, model } = world;
  const { gig, payment } = await planOne(world);
  await world.pass(5);
  expect(await reload(bank, payment)).toMatchObject({ state: 'planned', reason: IS_STOPPED });
  const { id: paymentId, kind, gigId, claimId } = payment;
  const fields = { paymentId, kind, gigId, claimId, state: 'planned', reason: IS_STOPPED };
  expect(bank.lines).toMatchObject([{ ...fields, level: 'warn', msg: 'payment waits' }]);
  expect(await bank.store.openTankTransactions(payment.chainId)).toEqual([]);
  isStopped = false;
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('security: what was signed before is neither offered again nor raised', async () => {
  let isStopped = false;
  const world = await openStopping(() => isStopped);
  const { bank, model, faults } = world;
  const { gig } = await planOne(world);
  faults.losesBroadcasts = true;
  await bank.run();
  isStopped = true;
  faults.losesBroadcasts = false;
  await world.pass(5);
  world.advance(120_000);
  model.tank.maxFeePerGas *= 2n;
  const sign = () => Promise.reject(new TypeError('nothing is to be signed'));
  expect(await pulse(bank.deps, { ...model.view(faults), sign })).toBe('waiting');
  expect(bank.lines.filter(({ level }) => level === 'error')).toEqual([]);
  await world.pass(5);
  expect(paidTo(model, gig)).toEqual([]);
  isStopped = false;
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('security: bytes that were kept are offered after a transaction that sees no stop', async () => {
  let isStopped = false;
  const world = await openStopping((where) => isStopped && where === 'inside');
  const { bank, model, faults } = world;
  const { gig } = await planOne(world);
  faults.losesBroadcasts = true;
  bank.killAt({ commits: 2, when: 'before' });
  await bank.run();
  bank.killAt(null);
  faults.losesBroadcasts = false;
  isStopped = true;
  await world.pass(5);
  expect(paidTo(model, gig)).toEqual([]);
  isStopped = false;
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('security: a stop that comes while a payment is tried keeps its signed bytes out of the ledger and off the chain', async () => {
  let isStopped = true;
  const world = await openStopping((where) => isStopped && where === 'inside');
  const { bank, model } = world;
  const { gig, payment } = await planOne(world);
  await world.pass(5);
  expect(await bank.store.openTankTransactions(payment.chainId)).toEqual([]);
  expect(model.receipts()).toEqual([]);
  isStopped = false;
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('security: a stop that comes while fees are raised keeps the new bytes out of the ledger, and broadcasts no old ones', async () => {
  let isStopped = false;
  // The transaction that would keep the new bytes is the first to see it.
  let isSeen = false;
  const sees = (where: 'outside' | 'inside') => {
    isSeen ||= isStopped && where === 'inside';
    return isStopped && isSeen;
  };
  const world = await openStopping(sees);
  const { bank, model, faults } = world;
  faults.losesBroadcasts = true;
  const { gig } = await planOne(world);
  await bank.run();
  const attempts = async () => (await bank.store.openTankTransactions(model.chain.id))[0]?.attempts.length;
  // Without a block no fee is too low.
  model.mine();
  isStopped = true;
  faults.losesBroadcasts = false;
  model.tank.maxFeePerGas *= 2n;
  world.advance(91_000);
  await world.pass(3);
  expect(await attempts()).toBe(1);
  expect(isSeen).toBe(true);
  expect(paidTo(model, gig)).toEqual([]);
  isStopped = false;
  await world.pass(1);
  expect(await attempts()).toBe(2);
});

test('error: that the endpoint does not confirm says so; one that meets a defect is broadcast again', async () => {
  const world = await openStopping(() => false);
  const { bank, model, faults } = world;
  const step = (broadcast: PayerChain['broadcast']) => pulse(bank.deps, { ...model.view(faults), broadcast });
  const silent = new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer' });
  const { payment } = await planOne(world);
  expect(await step(() => Promise.reject(new TypeError('odd')))).toBe('waiting');
  expect(bank.lines.at(-1)).toMatchObject({
    level: 'error',
    msg: 'payments of a chain fail',
    error: { message: 'odd' },
  });
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason: null });
  expect(await step(() => Promise.reject(silent))).toBe('waiting');
  const reason = 'the endpoint does not confirm that it has its transaction: no answer';
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason });
  expect(bank.lines.at(-1)).toMatchObject({
    level: 'warn',
    msg: 'broadcast not confirmed',
    transactionId: 1,
    nonce: 0,
  });
});
