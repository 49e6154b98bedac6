import { missingPrograms } from './programs.ts';

/** Says at the end of the run, where it is not scrolled away, which tests are missing from it. */
export function teardown(): void {
  for (const { words } of missingPrograms()) console.warn(words);
}
