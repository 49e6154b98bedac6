import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../src/store/port/index.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Calls `seen` before each of these methods of the store, of which all work has the same object. */
function watch(store: Store, names: readonly (keyof Store)[], seen: (name: keyof Store) => void): void {
  const watched = names.map((name) => {
    const method = store[name] as (...args: unknown[]) => unknown;
    const passing = (...args: unknown[]) => {
      seen(name);
      return method(...args);
    };
    return [name, passing] as const;
  });
  Object.assign(store, Object.fromEntries(watched));
}

test('behavior: a service without work looks for it again and again, and opens no transactions but for its sign of life', async () => {
  const looks = ['dueMentions', 'isReplyDue', 'keptPromises', 'openTellings'] as const;
  const counts = new Map<keyof Store, number>();
  const count = (name: keyof Store) => counts.set(name, (counts.get(name) ?? 0) + 1);
  // The first looks of a start tell what is wrong, and who lives.
  while (!world.lines.some((line) => line.includes('webhook compared')))
    await new Promise((resolve) => setTimeout(resolve, 100));
  watch(world.runtime.store, [...looks, 'transaction'], count);
  const isSeen = () => looks.every((name) => (counts.get(name) ?? 0) >= 3);
  while (!isSeen()) await new Promise((resolve) => setTimeout(resolve, 100));
  const all = looks.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  // It says every five seconds that it lives, and looks each second.
  expect(4 * (counts.get('transaction') ?? 0)).toBeLessThan(all);
});
