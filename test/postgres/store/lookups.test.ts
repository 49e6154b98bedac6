import { expect, test } from 'vitest';
import type { AccountName } from '../../../src/domain/account.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import { useStoreOnPostgres } from './database.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1' } as const;

const { client, store } = useStoreOnPostgres();

/** Ends the instance's connections, as a server that goes away does. */
async function cutConnections(): Promise<void> {
  await client().query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

test('error: a state that was named on a connection that broke is not known any more: another server may give it again', async () => {
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [{ ...ALICE, amount: 1n }]);
  const look = (since: string | null) => store.pendingTipsSince([ALICE], since);
  // A commit in another database of the server changes the state as well.
  const quiet = async () => {
    const { asOf } = await look(null);
    return (await look(asOf)).found === null ? asOf : null;
  };
  await expect.poll(quiet, { timeout: 30_000, interval: 1 }).not.toBeNull();
  for (let times = 0; times < 5; times += 1) {
    const { asOf } = await look(null);
    await cutConnections();
    const after = await look(asOf);
    expect(after.found?.tips).toMatchObject([{ amount: 1n }]);
    expect(after.asOf).not.toBe(asOf);
  }
});

test('security: a name of any text is no other account’s, and keeps none of those beside it from being found', async () => {
  const gig = await seedGig(store, { live: true });
  await seedTips(store, gig, [{ ...ALICE, amount: 1n }]);
  const escaped = ['\\1', '\\u0031', '1\\', '"1"', '\n1', '1\t'];
  const texts = [...escaped, 'NULL', 'null', '{1}', '1,1', '\u20281', ' 1', '', "'1'"];
  const names = texts.map((platformUserId) => ({ ...ALICE, platformUserId }));
  const found = async (asked: readonly AccountName[]) => (await store.pendingTips(asked)).tips.length;
  for (const name of names) expect([name.platformUserId, await found([name])]).toEqual([name.platformUserId, 0]);
  expect(await found([...names, ALICE])).toBe(1);
  const handles = texts.map((handle) => ({ platform: 'farcaster', handle }));
  expect(await found([...handles, ALICE, ...names])).toBe(1);
});

test('behavior: look-ups of one turn are read from one state, and more of them than a statement takes from several', async () => {
  const gig = await seedGig(store, { live: true });
  const tipOf = (id: number) => ({ ...ALICE, platformUserId: String(id), amount: BigInt(id + 1) });
  const tips = Array.from({ length: 50 }, (_, id) => tipOf(id));
  await seedTips(store, gig, tips);
  const ask = (id: number) => store.pendingTipsSince([{ ...ALICE, platformUserId: String(id % 60) }], null);
  const looks = await Promise.all(Array.from({ length: 1_200 }, (_, id) => ask(id)));
  for (const [id, { found }] of looks.entries()) {
    expect(found?.tips.map(({ amount }) => amount)).toEqual(id % 60 < 50 ? [BigInt((id % 60) + 1)] : []);
  }
  expect(new Set(looks.slice(0, 500).map(({ asOf }) => asOf)).size).toBe(1);
});
