import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { CLOSE, earning, mention, payment, round, seedLedger, tip } from './ledger.ts';

let database: TestDatabase;
let client: Client;

beforeEach(async () => {
  database = await openTestDatabase();
  client = database.client;
  await seedLedger(client);
});
afterEach(() => database.close());

async function lines(statement: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(statement);
  return rows.map(({ line }) => line);
}

const stateCounts = (subject: string) =>
  lines(`select state || ' ' || n as line from state_counts where subject = '${subject}' and n <> 0 order by state`);
const earningCounts = (gigId: number) =>
  lines(`select state || ' ' || n as line from earning_counts where gig_id = ${gigId} and n <> 0 order by state`);
const gasOf = async (gigId: number) => (await lines(`select gas_used::text as line from gigs where id = ${gigId}`))[0];

/** Two sessions, each in a transaction. */
async function openSessions(): Promise<[Client, Client]> {
  const [one, two] = [await database.connect(), await database.connect()];
  for (const session of [one, two]) await session.query('begin');
  return [one, two];
}

/** Waits until a session waits for a lock. */
async function untilOneWaits(): Promise<void> {
  const waiting = 'select 1 from pg_locks where not granted';
  while ((await client.query(waiting)).rowCount === 0) await wait(5);
}

/** Runs the first statement, and the second, which waits for it; answers what became of the second. */
async function race(first: string, second: string): Promise<string> {
  const [one, two] = await openSessions();
  await one.query(first);
  const outcome = two.query(second).then(
    () => 'taken',
    (error: Error) => error.message,
  );
  await untilOneWaits();
  await one.query('commit');
  const said = await outcome;
  await two.query('commit');
  return said;
}

describe('the kept counts', () => {
  test('behavior: follow every statement', async () => {
    for (const post of ['a', 'b', 'c', 'd']) await client.query(mention(post, 7));
    // Those that wait are counted in their index.
    expect(await stateCounts('mentions')).toEqual([]);
    await client.query("update mentions set state = 'failed' where post_id in ('a', 'b')");
    await client.query("update mentions set state = 'answered' where post_id in ('a', 'c')");
    expect(await stateCounts('mentions')).toEqual(['answered 2', 'failed 1']);
    await client.query("update mentions set state = 'received' where post_id = 'b'");
    await client.query("delete from mentions where post_id in ('a', 'd')");
    expect(await stateCounts('mentions')).toEqual(['answered 1']);

    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'planned 1', 'sent 1']);
    await client.query("update payments set state = 'failed', reason = 'no' where id = 3");
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'failed 1', 'sent 1']);
    await client.query('delete from payments where id = 3');
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'sent 1']);

    expect(await earningCounts(1)).toEqual(['awarded 1', 'eligible 1', 'held 1', 'refused 1']);
    await client.query(
      "update earnings set state = 'refused', reason = 'blocked' where gig_id = 1 and state in ('held', 'eligible')",
    );
    expect(await earningCounts(1)).toEqual(['awarded 1', 'refused 3']);
    await client.query("delete from earnings where gig_id = 1 and platform_user_id = '4'");
    expect(await earningCounts(1)).toEqual(['awarded 1', 'refused 2']);
  });

  test('behavior: what is undone is not counted', async () => {
    await client.query('begin');
    await client.query(payment('return', 1, { place: 0 }));
    await client.query('savepoint inner_one');
    await client.query(payment('return', 1, { place: 1 }));
    await client.query('rollback to inner_one');
    await client.query('commit');
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'planned 2', 'sent 1']);
  });

  test('security: two transactions count the same states in opposite orders, and neither waits', async () => {
    const [one, two] = await openSessions();
    await client.query(`${mention('a', 7)}; ${mention('b', 8)}`);
    await one.query("update mentions set state = 'answered' where post_id = 'a'");
    await two.query(payment('return', 6, { place: 0 }));
    await one.query(payment('return', 5, { place: 0 }));
    await two.query("update mentions set state = 'answered' where post_id = 'b'");
    await one.query(earning(1, 6));
    await two.query(earning(1, 7));
    await two.query("update earnings set state = 'eligible' where gig_id = 1 and platform_user_id = '7'");
    await one.query("update earnings set state = 'eligible' where gig_id = 1 and platform_user_id = '6'");
    await one.query('commit');
    await two.query('commit');
    expect(await stateCounts('mentions')).toEqual(['answered 2']);
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'planned 3', 'sent 1']);
    expect(await earningCounts(1)).toEqual(['awarded 1', 'eligible 3', 'held 1', 'refused 1']);
  });

  test('behavior: a count has as many parts as transactions ran at once, not as many as there were sessions', async () => {
    for (let session = 0; session < 5; session++) {
      const own = await database.connect();
      await own.query(payment('return', 1, { place: session }));
      await own.end();
    }
    expect(await lines("select part::text as line from state_count_parts where state = 'planned'")).toEqual(['0']);
  });
});

describe('the gas of a gig', () => {
  test('behavior: is the sum of its payments', async () => {
    expect(await gasOf(1)).toBe('170');
    await client.query('update payments set gas_used = gas_used + 5 where id in (1, 2, 3)');
    expect(await gasOf(1)).toBe('185');
  });

  test('behavior: follows a statement that changes payments of several gigs, by as much as each has used', async () => {
    await client.query(payment('fee', 2, { id: 51 }));
    await client.query(payment('fee', 3, { id: 52, gas_used: 4 }));
    expect([await gasOf(2), await gasOf(3)]).toEqual(['0', '4']);
    await client.query('update payments set gas_used = gas_used + id where id in (1, 2, 51, 52)');
    expect([await gasOf(1), await gasOf(2), await gasOf(3)]).toEqual(['173', '51', '56']);
    await client.query(
      "update payments set state = 'failed', reason = 'no', gas_used = gas_used - 2 where id in (51, 52)",
    );
    expect([await gasOf(2), await gasOf(3)]).toEqual(['49', '54']);
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'failed 2', 'planned 1', 'sent 1']);
    // It stays used.
    await client.query('delete from payments where id in (51, 52)');
    expect([await gasOf(2), await gasOf(3)]).toEqual(['49', '54']);
    expect(await stateCounts('payments')).toEqual(['confirmed 1', 'planned 1', 'sent 1']);
  });

  test('behavior: what changes neither state nor gas locks no gig', async () => {
    const [one, two] = await openSessions();
    await one.query("update payments set reason = 'it waits', updated_at = 2 where gig_id = 1");
    await two.query('select 1 from gigs where id = 1 for update nowait');
    await one.query('commit');
    await two.query('commit');
    expect(await gasOf(1)).toBe('170');
  });

  test('security: two transactions add to it, one after the other', async () => {
    const [one, two] = await openSessions();
    await one.query('update payments set gas_used = gas_used + 5 where id = 1');
    const second = two.query('update payments set gas_used = gas_used + 7 where id = 2');
    await untilOneWaits();
    await one.query('commit');
    await second;
    await two.query('commit');
    expect(await gasOf(1)).toBe('182');
  });
});

describe('the queue of one author', () => {
  const leading = () =>
    lines("select post_id as line from mentions where state = 'received' and not behind order by id");

  const ANSWER = "update mentions set state = 'answered' where post_id = 'a'";
  beforeEach(() => client.query(mention('a', 7)));

  test('behavior: the next one leads when the first is done or deleted', async () => {
    for (const post of ['b', 'c']) await client.query(mention(post, 7, 'received', true));
    expect(await leading()).toEqual(['a']);
    await client.query(ANSWER);
    expect(await leading()).toEqual(['b']);
    await client.query("delete from mentions where post_id = 'b'");
    expect(await leading()).toEqual(['c']);
  });

  test('security: one that comes while the one before it is being answered does not wait behind it for ever', async () => {
    expect(await race(ANSWER, mention('b', 7, 'received', true))).toBe('taken');
    expect(await leading()).toEqual(['b']);
  });

  test('security: one that came before the one before it is answered leads afterwards', async () => {
    expect(await race(mention('b', 7, 'received', true), ANSWER)).toBe('taken');
    expect(await leading()).toEqual(['b']);
  });
});

describe('guards that look at other rows, in two sessions', () => {
  const settle = 'update gigs set settled_at = 9 where id = 2';
  const entry = earning(5, 2, { state: "'eligible'" });
  const UNDECIDED = 'a gig with undecided accounts cannot be settled';
  beforeEach(async () => {
    await client.query('delete from earning_rules');
    await client.query("update gigs set status = 'live', production = true, next_tip_number = 5 where id = 2");
  });

  test.for([
    [
      'a tip of a gig that is being settled',
      settle,
      tip(9, { gigId: 2, number: 0, account: 1 }),
      'a settled gig awards nothing',
    ],
    ['an account of a gig that is being settled', settle, earning(2, 1), 'nobody earns from a settled gig'],
    ['the settlement of a gig that gets an account', earning(2, 1), settle, UNDECIDED],
    ['an entrant of a draw that is being closed', CLOSE, entry, 'nobody enters a draw that is closed'],
    [
      'a member of a round that is being divided',
      round(6),
      "update earnings set weight = 6 where gig_id = 6 and platform_user_id = '1'",
      'a member of a divided round keeps its weight',
    ],
    [
      'the tip of a payment that is being sent',
      "update payments set state = 'sent', numbers = '3', transaction_id = 1 where id = 4",
      'update tips set payment_id = null where id = 2',
      'a tip of a payment that is sent stays as it is',
    ],
    [
      'the rules of a gig that goes live',
      "update gigs set status = 'live', production = true where id = 7",
      "insert into earning_rules (gig_id, rules, target_kind, target_id, target_author) values (7, '{}', 'post', '0xab', '5')",
      'the earning rules of a live gig cannot be changed',
    ],
  ] as const)('security: %s is refused', async ([, first, second, message]) => {
    await client.query(payment('payout', 1, { claim_id: 1 }));
    await client.query('update tips set payment_id = 4 where id = 2');
    await client.query(`insert into gigs select (jsonb_populate_record(g, '{"id": 7, "status": "created", "production": false,
      "wallet_address": "0x00000000000000000000000000000000000000ff"}')).* from gigs g where id = 6`);
    expect(await race(first, second)).toBe(message);
  });
});
