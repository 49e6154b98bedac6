import { findPgBouncer } from './pgbouncer.ts';

const NO_POOLER =
  'The tests in test/slow/postgres/pooler.test.ts DID NOT RUN: there is no pgbouncer (on Debian: apt-get install pgbouncer).';

/** Says at the end of the run, where it is not scrolled away, that the tests behind a pooler are missing from it. */
export function teardown(): void {
  if (findPgBouncer() === null) console.warn(NO_POOLER);
}
