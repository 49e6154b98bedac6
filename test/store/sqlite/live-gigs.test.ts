import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CHANGEABLE } from '../../support/live-gig.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import { BROKEN_GIGS } from '../broken.ts';
import { useRawStore } from './raw.ts';

const CHANGED = 'a live gig cannot be changed';

const { store, write, exec, run, columns } = useRawStore(async (store) => {
  await seedGig(store, { live: true });
  await seedGig(store);
});

/** Columns of a row, in SQL. */
const COPY =
  'created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration, gig_type, platform';

/** The columns of a gig that are its terms: a new column is one unless it is named above. */
const terms = () => columns('gigs').filter((name) => !CHANGEABLE.includes(name));

const ADD_TO_TRIGGER = (column: string) =>
  `a migration has to add ${column} to the triggers gigs_live_no_update and gigs_cancelled_no_update, on both engines`;

describe('a live gig, in raw SQL', () => {
  test('security: refuses a change of every column but those that are no terms', async () => {
    const before = await store.gig(1);
    for (const column of terms()) {
      const change = `update gigs set ${column} = ${column} where id = 1`;
      expect(run(change), ADD_TO_TRIGGER(column)).toThrow(CHANGED);
    }
    expect(await store.gig(1)).toEqual(before);
  });

  test('security: once cancelled, a gig refuses the same, and another start', async () => {
    exec('update gigs set cancelled_at = 1 where id = 2');
    const before = await store.gig(2);
    for (const column of [...terms(), 'start_lock_holder', 'cancelled_at']) {
      const change = `update gigs set ${column} = ${column} where id = 2`;
      expect(run(change), ADD_TO_TRIGGER(column)).toThrow('a cancelled gig cannot be changed');
    }
    expect(await store.gig(2)).toEqual(before);
  });

  test('security: a gig of any state keeps its client and its creator; one without a client takes one, once', () => {
    for (const id of [1, 2]) {
      exec(`update gigs set client = 'shop' where id = ${id}`);
      expect(run(`update gigs set client = 'other' where id = ${id}`)).toThrow('a gig keeps its client');
      expect(run(`update gigs set client = null where id = ${id}`)).toThrow('a gig keeps its client');
      expect(run(`update gigs set created_by = null where id = ${id}`)).toThrow('a gig keeps its creator');
      const block = `update gigs set created_block = 7 where id = ${id}`;
      expect(run(block)).toThrow('a gig keeps the block of its creation');
    }
  });

  test('security: refuses to become created again, or to be deleted', () => {
    expect(run("update gigs set status = 'created', production = 0 where id = 1")).toThrow(CHANGED);
    expect(run('delete from gigs where id = 1')).toThrow('a live gig cannot be deleted');
  });

  test('security: refuses to be replaced, by its id or by its wallet', () => {
    const replace = (id: string, wallet: string) =>
      exec(
        `insert or replace into gigs (id, ${COPY}, wallet_address) select ${id}, ${COPY}, ${wallet} from gigs where id = 1`,
      );
    const message = 'a live gig cannot be replaced';
    expect(() => replace('1', 'wallet_address')).toThrow(message);
    expect(() => replace('1', "'0x00000000000000000000000000000000000000ff'")).toThrow(message);
    expect(() => replace('null', 'wallet_address')).toThrow(message);
    const upsert = `insert into gigs (id, ${COPY}, wallet_address) select id, ${COPY}, wallet_address from gigs where id = 1
      on conflict (id) do update set reward_amount = '1'`;
    expect(run(upsert)).toThrow(message);
  });

  test('behavior: takes owners and tips', async () => {
    const gig = await store.gig(1);
    if (gig === null) throw new Error('not seeded');
    const owner = { platform: 'farcaster', platformUserId: '3' } as const;
    expect(await write.addGigOwner(1, owner, 1)).toBe(true);
    expect(await seedTips(store, gig, [owner])).toHaveLength(1);
  });

  test('behavior: a gig that is not live may still change', async () => {
    exec("update gigs set reward_amount = '7', verifier = 'somebody' where id = 2");
    expect(await store.gig(2)).toMatchObject({ rewardAmount: 7n, verifier: 'somebody' });
    exec('delete from gigs where id = 2');
    await setImmediate();
    expect(await store.gig(2)).toBeNull();
  });

  test('security: the id of a deleted gig is never used again, because its wallet may hold money', async () => {
    exec('delete from gigs where id = 2');
    expect((await seedGig(store)).id).toBe(3);
  });
});

describe('the schema, in raw SQL', () => {
  test.for([
    ...BROKEN_GIGS,
    "update gigs set reward_amount = '1.5' where id = 2",
    "update gigs set reward_amount = '' where id = 2",
    "update gigs set awarded_amount = '' where id = 2",
    'update gigs set production = 1 where id = 2',
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed/);
  });
});
