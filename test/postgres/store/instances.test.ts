import { describe, expect, test } from 'vitest';
import { useDatabase } from './database.ts';

const { client, open } = useDatabase();

/** As if the instances had last beaten that long ago. */
const age = (interval: string) =>
  client().query(`update instances set beat_at = clock_timestamp() - interval '${interval}'`);

describe('instances', () => {
  test('behavior: see each other from their first beat until they close', async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.instances()).toEqual([]);
    const { id } = await one.beat('1.0.0');
    const { id: other } = await two.beat('1.1.0');
    const seen = await one.instances();
    expect(seen.map(({ id, version, isAlive }) => ({ id, version, isAlive }))).toEqual(
      [
        { id, version: '1.0.0', isAlive: true },
        { id: other, version: '1.1.0', isAlive: true },
      ].sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1)),
    );
    await two.close();
    expect(await one.instances()).toMatchObject([{ id }]);
  });

  test('behavior: one that is silent for more than twenty seconds counts as dead, and lives again when it beats', async () => {
    const store = await open();
    await store.beat('1.0.0');
    await age('19 seconds');
    expect(await store.instances()).toMatchObject([{ isAlive: true }]);
    await age('21 seconds');
    expect(await store.instances()).toMatchObject([{ isAlive: false }]);
    await store.beat('1.0.0');
    expect(await store.instances()).toMatchObject([{ isAlive: true }]);
  });

  async function receipts(): Promise<string[]> {
    return (await client().query<{ id: string }>('select id from receipts')).rows.map(({ id }) => id);
  }

  test('behavior: rows of instances that died a day ago, and old receipts, are deleted by the next beat', async () => {
    const [one, two] = [await open(), await open()];
    await two.beat('1.0.0');
    await age('25 hours');
    await one.transaction((tx) => tx.setPollCursor('farcaster', 'a', 1));
    await one.transaction((tx) => tx.setPollCursor('farcaster', 'b', 1));
    const old = await client().query<{ id: string }>(
      `update receipts set made_at = made_at - interval '11 minutes' where id = (select id from receipts order by made_at desc limit 1) returning id`,
    );
    const before = await receipts();
    const { id } = await one.beat('1.0.0');
    expect(await one.instances()).toMatchObject([{ id }]);
    const kept = before.filter((receipt) => receipt !== old.rows[0]?.id);
    expect(kept).toHaveLength(before.length - 1);
    expect(await receipts()).toEqual(expect.arrayContaining(kept));
    expect(await receipts()).not.toContain(old.rows[0]?.id);
  });

  test.for([
    ['agrees', 0, 0],
    ['is a minute ahead', 60_000, 60_000],
    ['is a minute behind', -60_000, -60_000],
  ] as const)('behavior: the clock %s', async ([, off, expected]) => {
    const store = await open({ clock: () => Date.now() + off });
    const { clockAheadMs } = await store.beat('1.0.0');
    // What is asked takes some milliseconds, and both are one machine's clock.
    expect(Math.abs(clockAheadMs - expected)).toBeLessThan(1_000);
    expect(await store.instances()).toMatchObject([{ clockAheadMs }]);
  });
});
