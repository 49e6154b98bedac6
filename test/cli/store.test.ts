import { existsSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seedGig } from '../support/store.ts';
import { type Desk, openDesk } from './admin.ts';

let desk: Desk;
let target: string;
beforeEach(async () => {
  desk = await openDesk();
  target = `${desk.path}.new`;
});
afterEach(() => desk.close());

const copy = () => desk.admin(['store', 'copy', '--to', `file:${target}`]);
const abandon = () => desk.admin(['store', 'copy', '--abandon']);
const onTarget = (...args: string[]) => desk.admin(args, { env: { DATABASE_URL: `file:${target}` } });

describe('store copy', () => {
  test('behavior: says what it has copied and what to do next; the old database is refused from then on', async () => {
    await seedGig(desk.store);
    expect(await copy()).toEqual({
      code: 0,
      out: [
        '  platforms: 2 rows',
        '  tokens: 1 row',
        '  gigs: 1 row',
        '  ledger_state: 1 row',
        'All rows are copied. Comparing them …',
        '5 rows are copied, and are the same there.',
        `${desk.path} is moved: no service opens it again. Keep it as a backup, and never as a second ledger.`,
        `Set DATABASE_URL to ${target}, and start the service.`,
        '',
      ].join('\n'),
      err: '',
    });
    const gigs = await onTarget('gig', 'list', '--json');
    expect(JSON.parse(gigs.out)).toHaveLength(1);
    expect(await desk.admin(['gig', 'list'])).toEqual({
      code: 1,
      out: '',
      err: `database ${desk.path}: it was moved to ${target}; set DATABASE_URL to that, because two ledgers pay twice\n`,
    });
    const again = await copy();
    expect([again.code, again.err]).toEqual([1, `database ${desk.path}: it was moved to ${target} already\n`]);
  });

  test('error: one that breaks off says how to go on, and can be given up', async () => {
    await seedGig(desk.store);
    const connection = new SqliteDatabase(desk.path);
    connection.exec("update gigs set awarded_amount = '1'");
    const broken = await copy();
    expect(broken.code).toBe(1);
    expect(broken.err).toContain(
      'The copy broke off. Run the same command again, or give it up: npm run admin -- store copy --abandon\n',
    );
    expect(broken.err).toContain(
      `database ${target}: the ledger does not add up, as in ${desk.path}: gig 1 has awarded 1, but its tips are 0\n`,
    );
    expect(await desk.admin(['gig', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is being copied to'),
    });
    expect(await onTarget('gig', 'list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('that is not finished'),
    });
    expect(await abandon()).toEqual({
      code: 0,
      out: `The copy of ${desk.path} is given up: start the service on it as before.\nWhat was copied to ${target} is never opened. Remove it.\n`,
      err: '',
    });
    expect((await desk.admin(['gig', 'list'])).code).toBe(0);
    connection.exec("update gigs set awarded_amount = '0'");
    connection.close();
    expect((await copy()).code).toBe(0);
    expect(await abandon()).toMatchObject({ code: 1, err: expect.stringContaining('which may be used already') });
  });

  test('error: a service that runs is in the way, and nothing is made', async () => {
    await desk.store.begin();
    expect(await copy()).toEqual({
      code: 1,
      out: '',
      err: `database ${desk.path}: a process serves it, or another copy is under way; stop it first\n`,
    });
    expect(existsSync(target)).toBe(false);
  });

  test('security: the password of a server that cannot be reached is not shown', async () => {
    const { code, out, err } = await desk.admin(['store', 'copy', '--to', 'postgres://u:secret@127.0.0.1:1/none']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^database none at 127\.0\.0\.1:1: the server cannot be reached \(.*\)\n$/);
    expect(err).not.toContain('secret');
  });

  test.each([
    [[], "name either the new database with '--to <url>', or '--abandon'"],
    [['--abandon', '--to', 'file:new.db'], "name either the new database with '--to <url>', or '--abandon'"],
    [['--to', 'mysql://a/b'], 'It must be file:<path> or postgres://<user>:<password>@<host>/<database>.'],
  ])('error: %j is wrong usage', async (args, message) => {
    const { code, err } = await desk.admin(['store', 'copy', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
