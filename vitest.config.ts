import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

// `npm test` runs the projects whose names do not begin with `long`, `npm run test:long` the others.

const ANVIL = 'test/support/setup-anvil.ts';
const POSTGRES = 'test/support/setup-postgres.ts';
const BUNDLE = 'test/support/setup-bundle.ts';
const BROWSER = 'test/support/setup-browser.ts';

/** Need neither a node nor a bundle: a focused run starts at once. */
const UNIT = [
  'test/*.test.ts',
  'test/bench/{*,postgres/*}.test.ts',
  'test/{docs,domain,jobs,platforms,store}/**/*.test.ts',
];
/** Need a PostgreSQL server, and no node. */
const IN_POSTGRES = ['test/{bench/postgres,store/copy,store/postgres}/**/*.test.ts'];
/** Start the bundled service as a process, or need modules or memory that no other test has used. */
const PROCESS = [
  'test/flows/{command,moved,process,start,sandbox,sandbox-postgres,sandbox-stop,third-platform}.test.ts',
  'test/chain/rpc/left-behind.test.ts',
];
/** Wait for clocks, processes or disks for longer than all else together; on SQLite without a node. */
const SLOW_UNIT = ['test/{check-draw,outbound}.test.ts', 'test/store/sqlite/durability.test.ts'];
/** The same on PostgreSQL. */
const SLOW_POSTGRES = ['test/store/copy/broken-off.test.ts', 'test/store/postgres/{failover,told}.test.ts'];
/** The same with a node. Of the flows through a whole service, `npm test` keeps those that the others begin with. */
const SLOW = [
  'test/chain/payer/contract/{gas,hostile,model}.test.ts',
  'test/flows/{alerts,books,bounty,clock,earning,earning-webhook,fairness,faults,funding,gateway,gig-end,gig-report}.test.ts',
  'test/flows/{held-replies,mnemonic,notices,older-backup,payments,raffle,refused-replies}.test.ts',
  'test/flows/{several-endpoints,spam-labels,spend-cap,wrong-chain,x-vocabularies}.test.ts',
  'test/http/slow-readers.test.ts',
  'test/sandbox/{act,anvil,operator-clock,operator-env,service}.test.ts',
  'test/services/audits/rebuild.test.ts',
  'test/services/mentions/send-replies-stopped.test.ts',
  'test/services/one-endpoint.test.ts',
  'test/services/owners/rewards-killed.test.ts',
];
/** Speak to a store: they run on SQLite, and once more on PostgreSQL. */
const ON_BOTH = ['test/{services,bot,http,flows}/**/*.test.ts'];
/** Of these, what is about crashes, leases and transactions at the same time. */
const DECIDED_BY_ENGINE = [
  'test/http/api/gigs/start-race.test.ts',
  'test/services/{idempotency,run-twice}.test.ts',
  'test/services/gigs/{restored-ids,restored-start}.test.ts',
  'test/services/mentions/{reply-limits,send-replies-crash}.test.ts',
  'test/services/operators/standbys.test.ts',
  'test/services/payments/sender/{crashes,restored}.test.ts',
];
/** Of those for both stores, what opens none. */
const WITHOUT_STORE = [
  'test/bot/{claimed-reply,command-list,gig-replies,notice-replies,replies-properties,replies}.test.ts',
  'test/http/api/claims/lookup-cache.test.ts',
  'test/http/middleware/rate-limit.test.ts',
  'test/http/pages/{qr-code,short-memory}.test.ts',
  'test/http/ui/text.test.ts',
  'test/services/earning/{memory,award/batches}.test.ts',
  'test/services/gigs/steps/lost-tips.test.ts',
  'test/services/gigs/tips/find-gig-payments.test.ts',
  'test/services/mentions/{breaker,platform-breaker}.test.ts',
  'test/services/operators/{conditions,instances}.test.ts',
  'test/services/payments/gas-tank.test.ts',
  'test/services/payments/sender/signing/pricing.test.ts',
];
/** Make as many random runs as the project says. */
const RANDOM = globSync('test/**/*.test.ts').filter((path) => readFileSync(path, 'utf8').includes('support/extent.ts'));
/** Keep processes of their own busy for minutes. */
const LONG = ['test/{long,clients}/**/*.test.ts'];
/** Need a browser; where there is none `setup-browser.ts` says so. */
const IN_BROWSER = 'test/long/browser/**';

const except = (...lists: readonly string[][]): string[] => [...configDefaults.exclude, ...lists.flat()];

export default defineConfig({
  test: {
    // A native module and child processes are sounder in a process of their own than in a thread.
    pool: 'forks',
    // Files share the worker and the modules it has loaded: no test changes a module's state for the next one.
    isolate: false,
    // Vitest leaves one core idle otherwise, which is half of a small machine.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT, exclude: except(IN_POSTGRES, SLOW_UNIT) } },
      {
        extends: true,
        test: { name: 'postgres', include: IN_POSTGRES, exclude: except(SLOW_POSTGRES), globalSetup: [POSTGRES] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: except(UNIT, PROCESS, SLOW, LONG),
          globalSetup: [ANVIL],
        },
      },
      {
        extends: true,
        test: {
          name: 'on-postgres',
          include: DECIDED_BY_ENGINE,
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
        test: { name: 'long-slow', include: [...SLOW_UNIT, ...SLOW_POSTGRES, ...SLOW], globalSetup: [ANVIL, POSTGRES] },
      },
      {
        extends: true,
        test: {
          name: 'long-on-postgres',
          include: ON_BOTH,
          exclude: except(DECIDED_BY_ENGINE, PROCESS, WITHOUT_STORE),
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
          exclude: except(findChromium() === null ? [IN_BROWSER] : []),
          isolate: true,
          // Each keeps processes of its own busy.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          globalSetup: [ANVIL, POSTGRES, BUNDLE, BROWSER],
        },
      },
    ],
  },
});
