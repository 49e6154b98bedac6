import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { missingPrograms } from './test/support/programs.ts';
import { createProgressReporter } from './test/support/reporter.ts';
import { LongestFirst } from './test/support/sequencer.ts';

// `npm test` runs the projects whose names do not begin with `long`, `npm run test:long` the others.

const ANVIL = 'test/support/setup-anvil.ts';
const POSTGRES = 'test/support/setup-postgres.ts';
const BUNDLE = 'test/support/setup-bundle.ts';
const PROGRAMS = 'test/support/setup-programs.ts';

// A folder of `test` says what its tests need; below it, it mirrors `src`.

/** Neither a node nor a server nor a bundle: a focused run starts at once. */
const UNIT = ['test/{bench,config,docs,domain,house,jobs,log,platforms,store}/**/*.test.ts'];
/** A PostgreSQL server, and no node. */
const IN_POSTGRES = ['test/postgres/**/*.test.ts'];
/** What an engine decides (crashes, leases, transactions at the same time): they run on SQLite, and again on PostgreSQL. */
const ENGINE = ['test/engine/**/*.test.ts'];
/** The bundled service as a process, or modules or memory that no other test has used. */
const PROCESS = ['test/process/**/*.test.ts'];
/** They wait for clocks, processes or disks for longer than all else together. */
const SLOW = ['test/slow/**/*.test.ts'];
/** They go through services and the whole of a service: they run once more on PostgreSQL. */
const THROUGH_SERVICES = ['test/{services,flows}/**/*.test.ts', 'test/slow/{services,flows}/**/*.test.ts'];
/** Make as many random runs as the project says. */
const RANDOM = globSync('test/**/*.test.ts').filter((path) => readFileSync(path, 'utf8').includes('support/extent.ts'));
/** Keep processes of their own busy for minutes. */
const LONG = ['test/long/**/*.test.ts'];
/** Need programs that the machine does not have: a browser, proxies, a pooler. `setup-programs.ts` says so. */
const IMPOSSIBLE = missingPrograms().map(({ tests }) => tests);

const except = (...lists: readonly string[][]): string[] => [...configDefaults.exclude, ...lists.flat()];

export default defineConfig({
  test: {
    // A native module and child processes are sounder in a process of their own than in a thread.
    pool: 'forks',
    // Files share the worker and the modules it has loaded: no test changes a module's state for the next one.
    isolate: false,
    // Tests wait for disks, nodes and timers half of their time.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is awaited takes as long as it takes on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/support/setup-published.ts'],
    reporters: ['default', createProgressReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT } },
      {
        extends: true,
        test: { name: 'postgres', include: IN_POSTGRES, globalSetup: [POSTGRES] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: except(UNIT, IN_POSTGRES, PROCESS, SLOW, LONG),
          globalSetup: [ANVIL],
        },
      },
      {
        extends: true,
        test: {
          name: 'on-postgres',
          include: ENGINE,
          provide: { storeEngine: 'postgres' },
          globalSetup: [ANVIL, POSTGRES],
        },
      },
      {
        extends: true,
        test: {
          name: 'long-random',
          include: RANDOM,
          exclude: except(LONG),
          provide: { thorough: true },
          globalSetup: [ANVIL],
        },
      },
      {
        extends: true,
        test: {
          name: 'long-slow',
          include: SLOW,
          exclude: except(IMPOSSIBLE),
          globalSetup: [ANVIL, POSTGRES, PROGRAMS],
        },
      },
      {
        extends: true,
        test: {
          name: 'long-on-postgres',
          include: THROUGH_SERVICES,
          provide: { storeEngine: 'postgres', thorough: true },
          globalSetup: [ANVIL, POSTGRES],
        },
      },
      {
        extends: true,
        test: { name: 'long-process', include: PROCESS, isolate: true, globalSetup: [ANVIL, BUNDLE] },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG,
          exclude: except(IMPOSSIBLE),
          isolate: true,
          // Each keeps processes of its own busy.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          globalSetup: [ANVIL, POSTGRES, BUNDLE, PROGRAMS],
        },
      },
    ],
  },
});
