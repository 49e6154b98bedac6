import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { startAnvil } from '../../sandbox/anvil.ts';
import { findChromium } from './chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The HTTP endpoint of the node that all tests share; chain id 31337. */
    anvilUrl: string;
  }
}

const NO_BROWSER =
  'The tests in test/long/browser DID NOT RUN: there is no chromium on the PATH (on Debian: apt-get install chromium).';
const BUNDLER = fileURLToPath(new URL('../../scripts/bundle.ts', import.meta.url));

/**
 * Bundles the service, for the tests that run it as `npm start` does, and starts the node that all tests share, once for
 * the whole run; what it answers ends it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [BUNDLER], { stdio: ['ignore', 'inherit', 'inherit'] });
  const anvil = await startAnvil();
  project.provide('anvilUrl', anvil.url);
  return async () => {
    await anvil.stop();
    // At the end, where it is not scrolled away.
    if (findChromium() === null) console.warn(NO_BROWSER);
  };
}
