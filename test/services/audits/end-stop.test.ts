import { beforeEach, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import type { AuditContext } from '../../../src/services/audits/context.ts';
import { proveWallets } from '../../../src/services/audits/end-stop.ts';
import type { PaymentStop, Store, StoreTx } from '../../../src/store/port/index.ts';
import { ALICE } from '../cashier.ts';
import { noteSkip } from '../skips.ts';
import { auditsPerCase } from './auditing.ts';

const { cashier, audits, token } = auditsPerCase();
let stop: PaymentStop | null;
beforeEach(() => {
  stop = { server: 'system 7, timeline 2, database 5', since: 1 };
});

/** The store as it is on a server, whose stop is the test's. */
function stoppable(store: Store): Store {
  const allowPayments: StoreTx['allowPayments'] = async ({ server }) => {
    const isSame = stop?.server === server;
    if (isSame) stop = null;
    return isSame;
  };
  const within = (tx: StoreTx): StoreTx => Object.assign(Object.create(tx), { allowPayments });
  return {
    ...store,
    paymentStop: async () => stop,
    transaction: (run, options) => store.transaction((tx) => run(within(tx)), options),
  };
}

async function prove({ acceptsFrozen = false, ...change }: Partial<AuditContext> & { acceptsFrozen?: boolean } = {}) {
  const deps = { ...audits.deps, ...change, store: stoppable(cashier.store) };
  return (await proveWallets(deps, { acceptsFrozen })).stop;
}

const fail = () => Promise.reject(new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'no answer' }));
/** The chain with another answer for its newest block. */
const payersWith = (head: PayerChain['head']) => ({ payer: () => ({ ...cashier.paying.payer, head }) });

const actions = async () => (await cashier.store.auditEvents({ limit: 9 })).map(({ action }) => action);
const gig = (change: { funds?: bigint } = {}) =>
  audits.gig({ asset: token, tips: [{ account: ALICE, amount: 5n }], ...change });

test('behavior: without a stop gigs are reconciled and nothing else happens', async () => {
  stop = null;
  await gig();
  expect(await prove()).toBe('none');
  expect(await actions()).not.toContain('payments.allow');
});

test('behavior: a stop ends when every gig adds up', async () => {
  await gig();
  await gig();
  expect(await prove()).toBe('ended');
  expect(stop).toBeNull();
  expect(await actions()).toContain('payments.allow');
});

test('security: after a restore that the file of ids shows, refunds wait until every gig adds up', async () => {
  stop = null;
  const { store } = cashier;
  await gig();
  await noteSkip(store, { first: 2, last: 2_000, reason: 'word' });
  expect(await store.doubtedUpTo()).toBe(2_000);
  const short = await gig({ funds: 1n });
  expect(await proveWallets(audits.deps, { acceptsFrozen: false })).toMatchObject({ stop: 'none', refunds: 'stays' });
  expect(await store.doubtedUpTo()).toBe(2_000);
  expect(await proveWallets(audits.deps, { acceptsFrozen: true })).toMatchObject({ stop: 'none', refunds: 'ended' });
  expect(await store.doubtedUpTo()).toBeNull();
  expect(await store.gigFreeze(short.id)).toMatch(/^it does not add up/);
  await noteSkip(store, { first: 2_001, last: 2_004, reason: 'ahead' });
  expect(await store.doubtedUpTo()).toBe(2_004);
});

test('security: a gig that does not add up keeps the stop, until the operator accepts that it stays frozen', async () => {
  await gig();
  const short = await gig({ funds: 1n });
  expect(await prove()).toBe('stays');
  expect(stop).not.toBeNull();
  expect(await actions()).not.toContain('payments.allow');
  expect(await prove({ acceptsFrozen: true })).toBe('ended');
  expect(await cashier.store.gigFreeze(short.id)).toMatch(/^it does not add up/);
});

test('security: a chain that does not answer keeps the stop, whatever the operator accepts', async () => {
  await gig();
  expect(await prove({ acceptsFrozen: true, payers: payersWith(fail) })).toBe('stays');
  expect(stop).not.toBeNull();
});

test('behavior: a gig that nobody can audit any more is frozen by hand, and then keeps no others waiting', async () => {
  const lost = await gig();
  const payers = payersWith(fail);
  expect(await prove({ acceptsFrozen: true, payers })).toBe('stays');
  await cashier.store.transaction((tx) => tx.freezeByOperator(lost.id, 'its chain is gone'));
  expect(await prove({ payers })).toBe('stays');
  expect(await prove({ acceptsFrozen: true, payers })).toBe('ended');
  expect(await cashier.store.gigFreeze(lost.id)).toBe('its chain is gone');
});

test('security: when the server changes while gigs are reconciled, the stop stays', async () => {
  await gig();
  const real = cashier.paying.payer;
  const head = async () => {
    stop = { server: 'system 7, timeline 3, database 5', since: 2 };
    return await real.head();
  };
  expect(await prove({ payers: payersWith(head) })).toBe('stays');
  expect(stop?.server).toContain('timeline 3');
});
