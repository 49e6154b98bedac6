import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../sandbox/postgres.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { PayerChains } from '../../../src/domain/payments/payer-chain.ts';
import { IS_STOPPED } from '../../../src/domain/payments/payment.ts';
import { proveWallets } from '../../../src/services/audits/end-stop.ts';
import { judgeStandbys } from '../../../src/services/operators/store-status.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { account, addressOf } from '../../services/payments/sender/bank.ts';
import {
  DEGEN,
  expectOnce,
  finish,
  openWorld,
  paidTo,
  reload,
  standings,
  type World,
} from '../../services/payments/sender/world.ts';
import { POSTGRES_MIGRATIONS } from '../../support/postgres.ts';
import { ask, startServerPair, startStandby } from '../../support/standby.ts';
import { startSwitch } from '../../support/switch.ts';

const ALICE = account(1);
const BOB = account(2);
const REWARD = 2n ** 250n;

/** Reconciles all gigs, with what the chain would say of the only gig's balance, from which so much is missing. */
async function prove({ bank, model, faults }: World, gig: Pick<Gig, 'walletAddress'>, missing = 0n) {
  const held = REWARD - missing - paidTo(model, gig).reduce((sum, amount) => sum + amount, 0n);
  const payers: PayerChains = { payer: () => ({ ...model.view(faults), balances: async () => [held] }) };
  return await proveWallets({ ...bank.deps, payers, actor: COMMAND_LINE }, { acceptsFrozen: false });
}

test('security: a synchronous standby that is promoted has all, and pays nothing until reconcile has proved the wallets', async () => {
  const servers = await startServerPair();
  onTestFinished(servers.stop);
  const { primary, standby } = servers;
  const name = await startSwitch(primary.url);
  const open = () => openPostgresStore({ url: name.url, migrationsFolder: POSTGRES_MIGRATIONS });
  const other = await open();
  const world = await openWorld({ openStore: open });
  const { bank, model } = world;
  onTestFinished(async () => {
    await Promise.all([bank.close(), other.close()]);
    await name.close();
  });

  expect((await other.engine()).server).toMatchObject({
    synchronousNames: 'standby',
    standbys: [{ name: 'standby', isSynchronous: true }],
  });
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  await bank.claim(ALICE);
  await finish(world);
  await bank.award(gig, ALICE, 20n);
  const [planned] = await bank.claim(ALICE);
  if (planned === undefined) throw new Error('nothing was planned');

  await servers.promote();
  name.switchTo(standby.port);

  // All that was told is there, and the sender notices the server before any beat does.
  expect(await standings(bank)).toEqual(['payout confirmed', 'payout planned']);
  await world.pass(5);
  expect(paidTo(model, gig)).toEqual([10n]);
  expect(await reload(bank, planned)).toMatchObject({ state: 'planned', reason: IS_STOPPED });
  await Promise.all([bank.store.beat('1.0.0'), other.beat('1.0.0')]);
  expect(await other.paymentStop()).toEqual(await bank.store.paymentStop());
  expect((await other.paymentStop())?.server).toContain('timeline 2');
  const ids = [
    await other.transaction((tx) => tx.reserveGigId()),
    await bank.store.transaction((tx) => tx.reserveGigId()),
  ];
  expect(ids).toEqual([2_001, 2_002]);

  expect((await prove(world, gig, 1n)).stop).toBe('stays');
  expect(await other.paymentStop()).not.toBeNull();
  expect((await prove(world, gig)).stop).toBe('ended');
  expect(await other.paymentStop()).toBeNull();
  expect(await other.auditEvents({ limit: 1 })).toMatchObject([{ action: 'payments.allow', subject: 'store' }]);
  await finish(world);
  expect(paidTo(model, gig)).toEqual([10n, 20n]);
  expectOnce(model);
});

test('security: a name that leads to a standby for a while is not read from, and work goes on when it leads to the primary', async () => {
  const servers = await startServerPair();
  onTestFinished(servers.stop);
  const name = await startSwitch(servers.primary.url);
  onTestFinished(name.close);
  const store = await openPostgresStore({ url: name.url, migrationsFolder: POSTGRES_MIGRATIONS, poolSize: 2 });
  onTestFinished(store.close);
  await store.transaction((tx) => tx.setPollCursor('farcaster', 'before', 1));
  name.switchTo(servers.standby.port);
  const away = { name: 'StoreAway', message: expect.stringContaining('the server takes no writes: it is a standby') };
  await Promise.all([
    expect(store.pollCursor('farcaster')).rejects.toMatchObject(away),
    expect(store.version()).rejects.toMatchObject(away),
    expect(store.transaction((tx) => tx.setPollCursor('farcaster', 'lost', 2))).rejects.toMatchObject(away),
  ]);
  name.switchTo(servers.primary.port);
  expect(await store.pollCursor('farcaster')).toBe('before');
  await store.transaction((tx) => tx.setPollCursor('farcaster', 'after', 3));
  expect(await store.pollCursor('farcaster')).toBe('after');
});

test('security: a primary that becomes read-only gets new connections, and takes what it refused when it is not', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const store = await openPostgresStore({ url: server.url, migrationsFolder: POSTGRES_MIGRATIONS, poolSize: 2 });
  onTestFinished(store.close);
  const alter = 'begin read write; alter database postgres';
  await ask(server.url, `${alter} set default_transaction_read_only = on; commit`);
  await ask(server.url, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gigclaim'");
  const reserved = store.transaction((tx) => tx.reserveGigId());
  await ask(server.url, `${alter} reset default_transaction_read_only; commit`);
  expect(await reserved).toBe(1);
});

/** A bank on a primary with a standby that may lack what was committed last. */
async function openLagging() {
  const primary = await startPostgres();
  onTestFinished(primary.stop);
  const stream = await startSwitch(primary.url);
  onTestFinished(stream.close);
  const standby = await startStandby(primary, stream.port);
  onTestFinished(standby.stop);
  const name = await startSwitch(primary.url);
  const floors = { clock: Date.now, randomBelow: randomInt };
  const open = () => openPostgresStore({ url: name.url, migrationsFolder: POSTGRES_MIGRATIONS, floors });
  const world = await openWorld({ openStore: open });
  onTestFinished(async () => {
    await world.bank.close();
    await name.close();
  });
  return {
    world,
    open,
    /** Once the standby has all that there is, nothing more reaches it. */
    async leaveBehind(): Promise<void> {
      const { rows } = await ask(primary.url, 'select pg_current_wal_lsn() as place');
      const hasAll = `select pg_last_wal_replay_lsn() >= '${rows[0].place}' as ok`;
      while ((await ask(standby.url, hasAll)).rows[0].ok !== true) await wait(20);
      stream.switchTo(1);
    },
    async promote(): Promise<void> {
      await primary.stop();
      await ask(standby.url, 'select pg_promote()');
      name.switchTo(standby.port);
    },
  };
}

test('security: an asynchronous standby that lacks a payment is promoted, and what was paid is learned, not paid again', async () => {
  const { world, leaveBehind, promote } = await openLagging();
  const { bank, model } = world;
  const { server } = await bank.store.engine();
  expect(server && judgeStandbys(server).state).toBe('failed');
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 10n);
  await bank.claim(ALICE);
  await leaveBehind();
  await finish(world);
  expect(await standings(bank)).toEqual(['payout confirmed']);
  await promote();

  expect(await standings(bank)).toEqual(['payout planned']);
  await world.pass(5);
  await bank.store.beat('1.0.0');
  expect(await bank.store.paymentStop()).not.toBeNull();
  expect((await prove(world, gig)).stop).toBe('ended');
  await finish(world);
  expect(await standings(bank)).toEqual(['payout confirmed']);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('security: a standby that lacks tips is promoted: a running instance gives none of their numbers, whatever the amount', async () => {
  const { world, open, leaveBehind, promote } = await openLagging();
  const { bank, model } = world;
  const other = await open();
  onTestFinished(() => other.close());
  const gig = await bank.gig({ token: DEGEN });
  await bank.award(gig, ALICE, 1n);
  await leaveBehind();
  const lost = [...(await bank.award(gig, BOB, 10n)), ...(await bank.award(gig, BOB, 20n))];
  await bank.claim(BOB);
  await finish(world);
  await promote();

  // Before any beat, and with the amounts of the lost tips and others.
  const [carol, dave] = [account(3), account(4)];
  const tip = { ...carol, gigId: gig.id, tokenId: gig.token.id, amount: 10n, userAddress: null };
  const given = [
    ...(await other.transaction((tx) => tx.insertTips([tip], world.clock()))),
    ...(await bank.award(gig, dave, 20n, 7n)),
  ];
  expect(await bank.claim(BOB)).toEqual([]);
  const numbers = [...lost, ...given].map(({ number }) => number);
  expect(new Set(numbers).size).toBe(5);
  expect(Math.min(...given.map(({ number }) => number))).toBeGreaterThan(Math.max(...lost.map(({ number }) => number)));

  await bank.store.beat('1.0.0');
  expect((await prove(world, gig)).stop).toBe('ended');
  await bank.claim(carol);
  await bank.claim(dave);
  await finish(world);
  expect(paidTo(model, gig)).toEqual([30n, 10n, 27n]);
  expect([paidTo(model, gig, addressOf(carol)), paidTo(model, gig, addressOf(dave))]).toEqual([[10n], [27n]]);
  expect(await bank.store.gigFreeze(gig.id)).toBeNull();
  // Nobody had to get another number.
  const kept = await Promise.all(given.map(async ({ id }) => (await bank.store.tip(id))?.number));
  expect(kept).toEqual(given.map(({ number }) => number));
});
