import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

const ANVIL = 'test/support/setup-anvil.ts';
const POSTGRES = 'test/support/setup-postgres.ts';
const BUNDLE = 'test/support/setup-bundle.ts';
const BROWSER = 'test/support/setup-browser.ts';

/** Need neither a node nor a bundle: a focused run starts at once. */
const UNIT = ['test/*.test.ts', 'test/{domain,jobs,platforms,store}/**/*.test.ts'];
/** Need a PostgreSQL server, and no node. */
const IN_POSTGRES = ['test/store/{copy,postgres}/**/*.test.ts'];
/** Start the bundled service as a process, or need modules that no other test has loaded. */
const PROCESS = ['test/flows/{moved,process,start,sandbox,sandbox-postgres,third-platform}.test.ts'];
/** Speak to a store: they run on SQLite, and once more on PostgreSQL. */
const ON_BOTH = ['test/{services,bot,http,flows}/**/*.test.ts'];
/** Of these, what opens no store. */
const WITHOUT_STORE = [
  'test/bot/{claimed-reply,gig-replies,notice-replies,replies-properties,replies}.test.ts',
  'test/http/api/claims/lookup-cache.test.ts',
  'test/http/middleware/rate-limit.test.ts',
  'test/http/pages/{qr-code,short-memory}.test.ts',
  'test/http/ui/text.test.ts',
  'test/services/earning/memory.test.ts',
  'test/services/gigs/find-gig-payments.test.ts',
  'test/services/mentions/{breaker,platform-breaker}.test.ts',
  'test/services/operators/instances.test.ts',
  'test/services/payments/gas-tank.test.ts',
  'test/services/payments/sender/pricing.test.ts',
];
/** Take minutes; `npm run test:long`. */
const LONG = ['test/{long,clients}/**/*.test.ts'];
/** Need a browser; where there is none `setup-browser.ts` says so. */
const IN_BROWSER = 'test/long/browser/**';

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
      { extends: true, test: { name: 'unit', include: UNIT, exclude: [...configDefaults.exclude, ...IN_POSTGRES] } },
      { extends: true, test: { name: 'postgres', include: IN_POSTGRES, globalSetup: [POSTGRES] } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...UNIT, ...PROCESS, ...LONG],
          globalSetup: [ANVIL],
        },
      },
      {
        extends: true,
        test: {
          name: 'on-postgres',
          include: ON_BOTH,
          exclude: [...configDefaults.exclude, ...PROCESS, ...WITHOUT_STORE],
          provide: { storeEngine: 'postgres' },
          globalSetup: [ANVIL, POSTGRES],
        },
      },
      { extends: true, test: { name: 'process', include: PROCESS, isolate: true, globalSetup: [ANVIL, BUNDLE] } },
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG,
          exclude: [...configDefaults.exclude, ...(findChromium() === null ? [IN_BROWSER] : [])],
          // One file after the other: each keeps processes of its own busy.
          isolate: true,
          maxWorkers: 1,
          globalSetup: [ANVIL, POSTGRES, BUNDLE, BROWSER],
        },
      },
    ],
  },
});
