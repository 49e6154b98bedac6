import { configDefaults, defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

/** Tests in a real browser need one; where there is none `test/support/global-setup.ts` says so. */
const BROWSER_TESTS = 'test/long/browser/**';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(findChromium() === null ? [BROWSER_TESTS] : [])],
    globalSetup: ['test/support/global-setup.ts'],
    // A native module and child processes are sounder in a process of their own than in a thread.
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
