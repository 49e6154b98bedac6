import { expect, test } from 'vitest';
import { startStoreChild } from '../../support/child.ts';
import { openTestStore } from '../../support/database.ts';
import { seedMention } from '../../support/store.ts';

test('behavior: what another process commits changes the version', async () => {
  const { store, database, close } = await openTestStore();
  try {
    const id = await seedMention(store, {}, 1);
    const before = await store.version();
    const child = await startStoreChild('serve', database.url);
    await child.kill();
    expect(await store.version()).not.toBe(before);
    // So that the child is known to have written.
    expect(await store.mention(id)).toMatchObject({ attempts: 1 });
  } finally {
    await close();
  }
});

test('error: a closed store has no version', async () => {
  const { store, close } = await openTestStore();
  await close();
  await expect(store.version()).rejects.toThrow();
});
