import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CopyStep } from '../../../src/store/copy/copy-store.ts';
import { copy, type Engine, openSides, type Side, type Sides, tryOpen } from '../../postgres/copy/sides.ts';

const CHILD = fileURLToPath(new URL('../../support/copy-child.ts', import.meta.url));

const MOVED = 'because two ledgers pay twice';
const UNFINISHED = 'that is not finished; run store copy again where DATABASE_URL names that';

/** How the sides are refused when a copy broke off after each step; null when they can be opened. */
const AFTER: Readonly<Record<CopyStep, readonly [source: string | null, target: string | null]>> = {
  held: [null, null],
  locked: [null, null],
  loaded: [null, null],
  verified: [null, null],
  committed: [null, UNFINISHED],
  moved: [MOVED, UNFINISHED],
  opened: [MOVED, null],
};
const STEPS = Object.keys(AFTER) as CopyStep[];

let sides: Sides;
beforeAll(async () => {
  sides = await openSides();
});
afterAll(() => sides.close());

const WAYS = [
  ['from a file to PostgreSQL', () => [sides.SQLITE, sides.POSTGRES]],
  ['from PostgreSQL to a file', () => [sides.POSTGRES, sides.SQLITE]],
] as const satisfies readonly (readonly [string, () => readonly [Engine, Engine]])[];

async function makeSides(engines: readonly [Engine, Engine]): Promise<{ source: Side; target: Side }> {
  const [source, target] = [await engines[0].seeded(), await engines[1].empty()];
  return { source, target };
}

async function breakOff({ source, target }: { source: Side; target: Side }, last: CopyStep): Promise<void> {
  const onStep = (step: CopyStep) => {
    if (step === last) throw new Error('broken off');
  };
  await expect(copy({ from: source.url, to: target.url, onStep })).rejects.toThrow('broken off');
}

async function expectAsAfter({ source, target }: { source: Side; target: Side }, last: CopyStep): Promise<void> {
  for (const [side, refusal] of [[source, AFTER[last][0]] as const, [target, AFTER[last][1]] as const]) {
    if (refusal === null) await tryOpen(side);
    else await expect(tryOpen(side)).rejects.toThrow(refusal);
  }
}

async function expectMoved({ source, target }: { source: Side; target: Side }): Promise<void> {
  await expect(tryOpen(source)).rejects.toThrow(MOVED);
  await tryOpen(target);
  const [before, after] = [await source.dump(), await target.dump()];
  for (const name of ['gigs', 'tips', 'accounts', 'payments', 'state_counts', 'earning_counts']) {
    expect(after.get(name)).toEqual(before.get(name));
  }
}

describe.each(WAYS)('a copy %s', (_, engines) => {
  test.each(STEPS.slice(0, -1))(
    'security: that breaks off after the step %s is finished by running it again',
    async (last) => {
      const pair = await makeSides(engines());
      await breakOff(pair, last);
      await expectAsAfter(pair, last);
      await copy({ from: pair.source.url, to: pair.target.url });
      await expectMoved(pair);
    },
  );

  test('behavior: whose last word was lost has been made', async () => {
    const pair = await makeSides(engines());
    await breakOff(pair, 'opened');
    await expectMoved(pair);
    await expect(copy({ from: pair.source.url, to: pair.target.url })).rejects.toThrow('it was moved to');
  });

  test.each(['locked', 'verified', 'committed'] as const)(
    'security: that breaks off after the step %s leaves the source as it was, and no row that can be used',
    async (last) => {
      const pair = await makeSides(engines());
      const [before, empty] = [await pair.source.dump(), await pair.target.dump()];
      await breakOff(pair, last);
      expect(await pair.source.dump()).toEqual(before);
      if (last !== 'committed') expect(await pair.target.dump()).toEqual(empty);
      // It takes writes again, and the next run takes them along.
      await pair.source.run('update accounts set created_at = 7');
      await copy({ from: pair.source.url, to: pair.target.url });
      await expectMoved(pair);
    },
  );
});

describe('a process', () => {
  test.each([
    ['verified', 0],
    ['committed', 0],
    ['moved', 0],
    ['loaded', 1],
    ['committed', 1],
  ] as const)(
    'security: that is killed after the step %s leaves a copy that is finished by running it again',
    async (last, way) => {
      const pair = await makeSides(WAYS[way][1]());
      const args = [CHILD, pair.source.url, pair.target.url, last];
      const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect([signal, stderr]).toEqual(['SIGKILL', '']);
      await expectAsAfter(pair, last);
      await copy({ from: pair.source.url, to: pair.target.url });
      await expectMoved(pair);
    },
  );
});

describe('a copy from PostgreSQL to PostgreSQL', () => {
  test.each([
    ['locked', 'source'],
    ['verified', 'source'],
    ['loaded', 'target'],
    ['verified', 'target'],
  ] as const)('security: after the step %s loses its connection to the %s, and is run again', async (last, lost) => {
    const source = await sides.openServer(`template ${sides.seededName}`);
    const target = await sides.openServer('template template_gigclaim');
    const { client } = { source, target }[lost];
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'gigclaim'`;
    const copying = copy({
      from: source.url,
      to: target.url,
      async onStep(step) {
        if (step === last) await client.query(end);
      },
    });
    const name = `database ${new URL({ source, target }[lost].url).pathname.slice(1)} at`;
    await expect(copying).rejects.toThrow(name);
    await copy({ from: source.url, to: target.url });
    await expectMoved({ source: source.side, target: target.side });
  });
});

describe('after a copy that broke off', () => {
  test('security: another target is taken, and the first one can never be finished', async () => {
    const { source, target: first } = await makeSides([sides.SQLITE, sides.SQLITE]);
    await breakOff({ source, target: first }, 'committed');
    const second = await sides.SQLITE.empty();
    await copy({ from: source.url, to: second.url });
    await expectMoved({ source, target: second });
    await expect(copy({ from: source.url, to: first.url })).rejects.toThrow('it was moved to');
    await expect(tryOpen(first)).rejects.toThrow(UNFINISHED);
  });

  test('security: the rows that it has left are not replaced by those of another store', async () => {
    const { source, target } = await makeSides([sides.POSTGRES, sides.SQLITE]);
    await breakOff({ source, target }, 'committed');
    const other = await sides.POSTGRES.seeded();
    await expect(copy({ from: other.url, to: target.url })).rejects.toThrow('it is not empty');
  });

  test.for([
    ['moving', 'a copy of it to the other broke off; run store copy --abandon to use this database as before'],
    ['arriving', 'a copy of the other to it broke off; remove this one, and run store copy --abandon'],
  ] as const)('error: a side that an older version has marked as %s is refused', async ([state, refusal]) => {
    const { source, target } = await makeSides([sides.SQLITE, sides.SQLITE]);
    await source.run(`insert into store_moves (id, state, move, other) values (1, '${state}', 'one', 'the other')`);
    await expect(tryOpen(source)).rejects.toThrow(refusal);
    await expect(copy({ from: source.url, to: target.url })).rejects.toThrow('broke off');
    await expect(copy({ from: target.url, to: source.url })).rejects.toThrow('it is not empty');
  });
});
