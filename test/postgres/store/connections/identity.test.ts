import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/store/port/index.ts';
import { openTestDatabase } from '../../../support/postgres.ts';
import { useDatabase } from '../database.ts';

const BEFORE = 'system 1, timeline 1, database 1';

const { current, client, open } = useDatabase();

const reserve = (store: Store) => store.transaction((tx) => tx.reserveGigId());
const allow = (store: Store, server: string) => store.transaction((tx) => tx.allowPayments({ server }));

/** As if the store had worked with another server until now, as what a promoted standby has copied says. */
const pretend = (server = BEFORE) => client().query('update server_identity set server = $1', [server]);

describe('the server of the store', () => {
  test('behavior: is noted by the first to open the store, and nothing is stopped while it stays the same', async () => {
    const [one, two] = [await open(), await open()];
    await one.beat('1.0.0');
    expect([await one.paymentStop(), await two.paymentStop()]).toEqual([null, null]);
    expect(await two.transaction((tx) => tx.paymentStop())).toBeNull();
    expect([await reserve(one), await reserve(two)]).toEqual([1, 2]);
  });

  test('security: another one stops all payments at once, before anyone has noted it', async () => {
    const store = await open();
    await pretend();
    const stop = await store.transaction((tx) => tx.paymentStop());
    expect(stop?.server).toMatch(/^system [0-9]+, timeline 1, database [0-9]+, table [0-9]+$/);
    expect(Math.abs((stop?.since ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test('security: of many that notice the change together one skips at least 1,000 ids, before a gig gets one', async () => {
    const stores = [await open(), await open()] as const;
    await reserve(stores[0]);
    await pretend();
    const ids = await Promise.all([
      ...Array.from({ length: 10 }, (_, turn) => reserve(stores[turn % 2 === 0 ? 0 : 1])),
      ...stores.map(async (store) => void (await store.beat('1.0.0'))),
    ]);
    const given = ids.filter((id) => id !== undefined).sort((a, b) => a - b);
    expect(given).toEqual(Array.from({ length: 10 }, (_, turn) => 2_001 + turn));
    expect((await stores[1].paymentStop())?.since).toBe((await stores[0].paymentStop())?.since);
  });

  test('behavior: a start notes the change, too', async () => {
    const store = await open();
    await pretend();
    await open();
    expect((await client().query('select stopped_at from server_identity')).rows).toEqual([
      { stopped_at: expect.any(Date) },
    ]);
    expect(await reserve(store)).toBe(1_001);
  });

  test('behavior: payments go on when they are allowed for the server of now, once', async () => {
    const store = await open();
    await pretend();
    await store.beat('1.0.0');
    const stop = await store.paymentStop();
    expect(await allow(store, BEFORE)).toBe(false);
    expect(await store.paymentStop()).toEqual(stop);
    expect(await allow(store, stop?.server ?? '')).toBe(true);
    expect(await store.paymentStop()).toBeNull();
    expect(await allow(store, stop?.server ?? '')).toBe(false);
    expect(await reserve(store)).toBe(1_001);
  });

  test('security: a proof for one server ends no stop of the next', async () => {
    const store = await open();
    await pretend();
    const stop = await store.paymentStop();
    await store.beat('1.0.0');
    await pretend('system 1, timeline 2, database 1');
    expect(await allow(store, stop?.server ?? '')).toBe(false);
    await store.beat('1.0.0');
    expect((await store.paymentStop())?.since).toBeDefined();
    expect(await reserve(store)).toBe(2_001);
  });

  test('security: a copy of the database on the same server is another one', async () => {
    const store = await open();
    const { rows } = await client().query('select server_now() as server');
    await store.close();
    // The copy is made while nobody uses the original.
    await client().end();
    const copy = await openTestDatabase(`template ${new URL(current().url).pathname.slice(1)}`);
    const restored = await open({ url: copy.url });
    const stop = await restored.paymentStop();
    await restored.close();
    await copy.close();
    expect(stop?.server).toMatch(/^system /);
    expect(stop?.server).not.toBe(rows[0].server);
  });

  test('behavior: a user without any right but on the database can tell it', async () => {
    await client().query('create role plain login');
    try {
      const name = new URL(current().url).pathname.slice(1);
      await client().query(`grant all on database ${name} to plain; grant all on schema public to plain`);
      await client().query('drop schema public cascade; create schema public authorization plain');
      const url = new URL(current().url);
      url.username = 'plain';
      const store = await open({ url: url.href });
      await store.beat('1.0.0');
      expect(await store.paymentStop()).toBeNull();
      expect((await store.engine()).server).toMatchObject({ user: 'plain', standbys: [], synchronousNames: '' });
      await store.close();
    } finally {
      await client().query('drop owned by plain; drop role plain');
    }
  });
});
