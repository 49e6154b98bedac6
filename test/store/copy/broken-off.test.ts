import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abandonCopy, type CopyStep } from '../../../src/store/copy/copy-store.ts';
import { MIGRATIONS } from '../../support/store.ts';
import { copy, type Engine, openSides, type Side, type Sides, tryOpen } from './sides.ts';

const CHILD = fileURLToPath(new URL('../../support/copy-child.ts', import.meta.url));

const MOVING = 'let store copy end, run it again when it broke off';
const MOVED = 'because two ledgers pay twice';
const UNFINISHED = 'that is not finished; run store copy again where DATABASE_URL names that';

/** How the sides are refused when a copy broke off after each step; null when they can be opened. */
const AFTER: Readonly<Record<CopyStep, readonly [source: string | null, target: string | null]>> = {
  held: [null, null],
  marked: [MOVING, null],
  fenced: [MOVING, UNFINISHED],
  loaded: [MOVING, UNFINISHED],
  verified: [MOVING, UNFINISHED],
  committed: [MOVING, UNFINISHED],
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
    if (refusal !== null) await expect(tryOpen(side)).rejects.toThrow(refusal);
  }
}

async function expectMoved({ source, target }: { source: Side; target: Side }): Promise<void> {
  await expect(tryOpen(source)).rejects.toThrow(MOVED);
  await tryOpen(target);
  const [before, after] = [await source.dump(), await target.dump()];
  for (const name of ['gigs', 'tips', 'payments', 'state_counts', 'earning_counts']) {
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

  test.each(['marked', 'loaded', 'committed'] as const)(
    'security: that breaks off after the step %s is given up: the source is as before, and the target never opened',
    async (last) => {
      const pair = await makeSides(engines());
      const before = await pair.source.dump();
      await breakOff(pair, last);
      await abandonCopy({ from: pair.source.url, migrationsFolder: MIGRATIONS });
      await tryOpen(pair.source);
      expect(await pair.source.dump()).toEqual(before);
      // It takes writes again.
      await pair.source.run('update write_checks set written_at = 2');
      if (AFTER[last][1] !== null) await expect(tryOpen(pair.target)).rejects.toThrow(UNFINISHED);
      if (last === 'committed') {
        await expect(copy({ from: pair.source.url, to: pair.target.url })).rejects.toThrow('it is not empty');
      } else {
        await copy({ from: pair.source.url, to: pair.target.url });
        await expectMoved(pair);
      }
    },
  );
});

describe('a process', () => {
  test.each([
    ['verified', 0],
    ['moved', 0],
    ['loaded', 1],
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
    ['fenced', 'source'],
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

  test.for(['SQLITE', 'POSTGRES'] as const)(
    'error: one that an older version began on %s can be given up',
    async (engine) => {
      const { source, target } = await makeSides([sides[engine], sides.SQLITE]);
      await breakOff({ source, target }, 'fenced');
      // As if the last migration of this version were still to come.
      await source.run('delete from __drizzle_migrations where id = (select max(id) from __drizzle_migrations)');
      await expect(copy({ from: source.url, to: target.url })).rejects.toThrow('or run --abandon first');
      await abandonCopy({ from: source.url, migrationsFolder: MIGRATIONS });
      // No trigger refuses a write any more.
      await source.run('update accounts set created_at = created_at');
    },
  );

  test('error: what is not under way cannot be given up', async () => {
    const { source, target } = await makeSides([sides.SQLITE, sides.SQLITE]);
    const abandon = ({ url }: Side) => abandonCopy({ from: url, migrationsFolder: MIGRATIONS });
    await expect(abandon(source)).rejects.toThrow('no copy of it is under way');
    await breakOff({ source, target }, 'moved');
    await expect(abandon(source)).rejects.toThrow('which may be used already');
    await expect(abandon(target)).rejects.toThrow('it is a copy itself; run --abandon where DATABASE_URL names');
  });
});
