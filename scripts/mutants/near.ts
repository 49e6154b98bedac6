import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf } from '../../test/support/imports.ts';

/** For each file the files that it loads by relative imports; types load nothing. */
function importGraph(): Map<string, readonly string[]> {
  const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'sandbox/**/*.ts', 'client/**/*.ts']);
  return new Map(
    files.map((file) => {
      const found = importsOf(readFileSync(file, 'utf8'))
        .filter(({ specifier, typeOnly }) => !typeOnly && specifier.startsWith('.'))
        .map(({ specifier }) => join(dirname(file), specifier))
        .filter((path) => existsSync(path));
      return [file, found] as const;
    }),
  );
}

/** How many imports each file is away from those that it loads, itself included. */
function distancesFrom(graph: ReadonlyMap<string, readonly string[]>, start: string): Map<string, number> {
  const distances = new Map([[start, 0]]);
  for (const [file, distance] of distances) {
    for (const next of graph.get(file) ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  }
  return distances;
}

/** It reads the text of sources, which is another one with faults in them. */
const READS_SOURCES = 'test/house/expressions.test.ts';

/** The tests of a file of `src`, the nearest first. */
export interface NearTests {
  /** The one that mirrors it, those that import it, those of its folder and of the one above, and those of its capability. */
  readonly near: readonly string[];
  /** All others that load it, the nearest by imports first; before them those whose path has the capability's name. */
  readonly further: readonly string[];
}

/** How near a test is to a file by their paths; 0 is the nearest. */
function rankOf(path: string, file: string, isImported: boolean): number {
  const test = path.replace(/^test\/engine\//, 'test/');
  const mirror = file.replace(/^src/, 'test').replace(/\.ts$/, '');
  if (test === `${mirror}.test.ts`) return 0;
  if (isImported || test.startsWith(`${mirror}-`)) return 1;
  if (test.startsWith(`${dirname(mirror)}/`)) return 2;
  const [root = '', layer = '', capability = ''] = mirror.split('/');
  if ([layer, 'services'].some((each) => test.startsWith(`${root}/${each}/${capability}/`))) return 3;
  if (dirname(test) === dirname(dirname(mirror))) return 3;
  return test.includes(`/${capability}`) ? 4 : 5;
}

/** Finds the tests near a file of `src` among test files. */
export function createNearTests(tests: readonly string[]): (file: string) => NearTests {
  const graph = importGraph();
  const reaching = tests
    .filter((test) => test !== READS_SOURCES)
    .map((test) => ({ test, distances: distancesFrom(graph, test) }));
  return (file) => {
    const ranked = reaching
      .flatMap(({ test, distances }) => {
        const distance = distances.get(file);
        return distance === undefined ? [] : [{ test, distance, rank: rankOf(test, file, distance === 1) }];
      })
      .toSorted((a, b) => a.rank - b.rank || a.distance - b.distance);
    const of = (isNear: boolean) => ranked.filter(({ rank }) => rank < 4 === isNear).map(({ test }) => test);
    return { near: of(true), further: of(false) };
  };
}
