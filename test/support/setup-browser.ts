import { findChromium } from './chromium.ts';

const NO_BROWSER =
  'The tests in test/long/browser DID NOT RUN: there is no chromium on the PATH (on Debian: apt-get install chromium).';

/** Says at the end of the run, where it is not scrolled away, that the tests of the pages are missing from it. */
export function teardown(): void {
  if (findChromium() === null) console.warn(NO_BROWSER);
}
