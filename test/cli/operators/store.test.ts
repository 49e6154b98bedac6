import { existsSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeScreen } from '../../support/screen.ts';
import { seedGig } from '../../support/store.ts';
import { desk, failure, output, outputLines, refusal, useDesk } from '../admin.ts';

let target: string;
useDesk();
beforeEach(() => {
  target = `${desk.path}.new`;
});

const copy = () => desk.admin(['store', 'copy', '--to', `file:${target}`]);
const onTarget = (...args: string[]) => desk.admin(args, { env: { DATABASE_URL: `file:${target}` } });

describe('store copy', () => {
  test('behavior: says what it has copied and what to do next; the old database is refused from then on', async () => {
    await seedGig(desk.store);
    expect(await outputLines(copy())).toEqual([
      '  gig_events: 8 rows',
      '  gig_types: 8 rows',
      '  gigs: 1 row',
      '  ledger_state: 1 row',
      '  payment_kinds: 5 rows',
      '  platforms: 2 rows',
      '  tokens: 1 row',
      'All rows are copied. Comparing them …',
      'Copied and verified 26 rows.',
      `${desk.path} is now marked as moved and can no longer be opened. Keep it as a backup, and never as a second ledger.`,
      `Set DATABASE_URL to ${target}, and start the service.`,
    ]);
    const gigs = await onTarget('gig', 'list', '--json');
    expect(JSON.parse(gigs.out)).toHaveLength(1);
    expect(await refusal(desk.admin(['gig', 'list']))).toBe(
      `database ${desk.path}: it was moved to ${target}; set DATABASE_URL to that, because two ledgers pay twice\n`,
    );
    expect(await refusal(copy())).toEqual(expect.stringContaining(`it was moved to ${target}`));
  });

  test('behavior: on a terminal says how many rows are copied and compared', async () => {
    await seedGig(desk.store);
    const screen = createFakeScreen(80);
    const { code, err } = await desk.admin(['store', 'copy', '--to', `file:${target}`], { screen });
    expect([code, err, screen.line()]).toEqual([0, '', '']);
    expect(screen.lines()[0]).toMatch(/^rows copied: [0-9]+ of 26$/);
    expect(screen.lines().at(-1)).toMatch(/^rows compared: [0-9]+ of [0-9]+$/);
  });

  test('error: one that breaks off says how to go on, and leaves the old database as it was', async () => {
    await seedGig(desk.store);
    const connection = new SqliteDatabase(desk.path);
    connection.exec("update gigs set awarded_amount = '1'");
    expect(await failure(copy())).toBe(
      `The copy broke off. Run the same command again.\ndatabase ${target}: the ledger does not add up, as in ${desk.path}: gig 1 has awarded 1, but its tips are 0\n`,
    );
    expect((await desk.admin(['gig', 'list'])).code).toBe(0);
    expect(JSON.parse((await onTarget('gig', 'list', '--json')).out)).toEqual([]);
    connection.exec("update gigs set awarded_amount = '0'");
    connection.close();
    expect((await copy()).code).toBe(0);
  });

  test('behavior: with --abandon a copy that an older version began is given up, and the database is used as before', async () => {
    await seedGig(desk.store);
    const abandon = () => desk.admin(['store', 'copy', '--abandon']);
    expect(await output(abandon())).toBe(`No copy of ${desk.path} broke off. Start the service on it as before.\n`);
    const connection = new SqliteDatabase(desk.path);
    connection.exec(`insert into store_moves (id, state, move, other) values (1, 'moving', 'one', '${target}')`);
    connection.close();
    expect((await desk.admin(['gig', 'list'])).err).toContain(
      'run store copy --abandon to use this database as before',
    );
    expect(await output(abandon())).toBe(
      `The copy of ${desk.path} is given up. Start the service on it as before, and remove ${target}.\n`,
    );
    expect((await desk.admin(['gig', 'list'])).code).toBe(0);
  });

  test('security: with --abandon a database that was moved stays closed', async () => {
    await copy();
    expect(await refusal(desk.admin(['store', 'copy', '--abandon']))).toEqual(
      expect.stringContaining(`it was moved to ${target}`),
    );
    expect((await desk.admin(['gig', 'list'])).code).toBe(1);
  });

  test('error: a service that runs is in the way, and nothing is made', async () => {
    await desk.store.begin();
    expect(await refusal(copy())).toBe(
      `database ${desk.path}: a process serves it, or another copy is under way; stop it first\n`,
    );
    expect(existsSync(target)).toBe(false);
  });

  test('security: the password of a server that cannot be reached is not shown', async () => {
    const err = await refusal(desk.admin(['store', 'copy', '--to', 'postgres://u:secret@127.0.0.1:1/none']));
    expect(err).toMatch(/^database none at 127\.0\.0\.1:1: the server cannot be reached \(.*\)\n$/);
    expect(err).not.toContain('secret');
  });

  test('security: nor is that of a URL that is none, which becomes no file', async () => {
    const { code, out, err } = await desk.admin(['store', 'copy', '--to', 'postgres//u:secret@db.example/none']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('a database on a server begins with postgres://');
    expect(err).not.toContain('secret');
  });

  test.each([
    [[], "name either the new database with '--to <url>', or '--abandon'"],
    [['--to', 'file:other.db', '--abandon'], "name either the new database with '--to <url>', or '--abandon'"],
    [
      ['--to', 'mysql://a/b'],
      "the URL behind '--to' must be file:<path> or postgres://<user>:<password>@<host>/<database>",
    ],
  ])('error: %j is wrong usage', async (args, message) => {
    const { code, err } = await desk.admin(['store', 'copy', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
