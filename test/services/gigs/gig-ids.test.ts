import { beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createLog } from '../../../src/log.ts';
import { adoptLedger, createSkipWatch, findSkips, skipGigIds } from '../../../src/services/gigs/gig-ids.ts';
import { storePerCase } from '../../support/per-case.ts';

const HOUR = 3_600_000;

let now: number;
let lines: string[];
const clock = () => now;
const log = createLog({
  level: 'info',
  destination: { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) },
});

beforeEach(() => {
  now = 1_800_000_000_000;
  lines = [];
});
const { store } = storePerCase({ clock });

const reserve = () => store.transaction((tx) => tx.reserveGigId());
const start = () => adoptLedger({ store, clock, log });

describe('a start', () => {
  test('behavior: goes on with the next id when a service worked with the ledger within the hour', async () => {
    await start();
    expect(await reserve()).toBe(1);
    now += HOUR;
    await start();
    expect(await reserve()).toBe(2);
    expect(await findSkips({ store }, 0)).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('security: skips 1,000 ids of a ledger that no service has worked with for longer, once, and says so', async () => {
    await start();
    expect(await reserve()).toBe(1);
    now += HOUR + 1;
    await start();
    expect(await reserve()).toBe(2_001);
    await start();
    expect(await reserve()).toBe(2_002);
    expect(await findSkips({ store }, 0)).toEqual([{ first: 2, last: 2_000, reason: 'beat', at: now }]);
    const said = 'gig ids 2 to 2000 were skipped: no service has worked with the database for over an hour';
    expect(lines).toEqual([expect.stringContaining(said)]);
    expect(await store.auditEvents({ limit: 1 })).toMatchObject([
      { action: 'ids.skip', actor: 'job', actorName: 'ids' },
    ]);
  });

  test('behavior: a clock that was set back skips nothing', async () => {
    await start();
    now -= 10 * HOUR;
    await start();
    expect(await reserve()).toBe(1);
  });
});

test('behavior: what is skipped while the service runs is logged once', async () => {
  const look = createSkipWatch({ store, clock, log });
  await look();
  expect(lines).toEqual([]);
  await skipGigIds({ store, clock }, { past: null, actor: COMMAND_LINE });
  await look();
  await look();
  expect(lines).toEqual(['gig ids 1 to 1000 were skipped: an operator did it by hand']);
});

describe('an operator', () => {
  const skip = (past: number | null) => skipGigIds({ store, clock }, { past, actor: COMMAND_LINE });

  test('behavior: skips at least 1,000 ids, or those up to one that is known', async () => {
    expect(await skip(null)).toEqual({ first: 1, last: 1_000, reason: 'operator' });
    expect(await reserve()).toBe(1_001);
    expect(await skip(5_210)).toEqual({ first: 1_002, last: 6_000, reason: 'operator' });
    expect(await reserve()).toBe(6_001);
    expect(await store.auditEvents({ limit: 1 })).toMatchObject([{ action: 'ids.skip', actor: 'operator' }]);
  });

  test('error: is told when ids are past that one already, or it is too far ahead', async () => {
    await reserve();
    await expect(skip(1)).rejects.toThrow('Gig ids are past 1 already: the last one is 1.');
    await expect(skip(1_000_002)).rejects.toThrow('The last gig id is 1; ids can be sent 1000000 ahead at most.');
    expect(await reserve()).toBe(2);
  });
});
