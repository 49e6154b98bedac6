import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../../../src/store/sqlite/store.ts';
import { startStoreChild } from '../../../support/child.ts';
import { diskFolder, MIGRATIONS, SEEDED_AT, sampleMention, seedGig, seedMention } from '../../../support/store.ts';

let folder: ReturnType<typeof diskFolder>;
let path: string;

beforeEach(() => {
  folder = diskFolder();
  path = join(folder.path, 'gigclaim.db');
});

afterEach(() => folder.remove());

const open = () => openSqliteStore({ path, migrationsFolder: MIGRATIONS });

describe('what was committed', () => {
  test('behavior: is there after the store is opened again', async () => {
    const first = await open();
    const gig = await seedGig(first, { live: true });
    await seedMention(first);
    await first.close();
    const second = await open();
    expect(await second.gig(gig.id)).toEqual(gig);
    expect(await second.mention(1)).toMatchObject(sampleMention());
    await second.close();
  });

  test('behavior: is there after the process was killed, and nothing else is', async () => {
    const child = await startStoreChild('write', path);
    await child.kill();
    const posts = Array.from({ length: 20 }, (_, i) => `post-${i}`);
    expect(child.said).toEqual([...posts.map((post) => `stored ${post}`), 'done']);
    const store = await open();
    const stored = await store.mentions({ limit: 100 });
    expect(stored.map(({ postId }) => postId).reverse()).toEqual(posts);
    await store.close();
  });
});

test('security: a reply whose note waited when the process was killed is being sent, and nobody was told otherwise', async () => {
  const child = await startStoreChild('noteReply', path);
  await child.kill();
  expect(child.said).toEqual(['done']);
  const store = await open();
  expect(await store.begin()).toBe(1);
  expect(await store.reply(1)).toMatchObject({ state: 'sending', attempts: 1, postId: null });
  // It is looked up on the platform before it is sent again.
  const request = { lease: 'parent', now: 3, until: 60_000 };
  const taken = await store.transaction((tx) => tx.leaseReply('farcaster', request));
  expect(taken).toMatchObject({ id: 1, state: 'sending' });
  await store.close();
});

describe('leases and processes', () => {
  const take = (store: Awaited<ReturnType<typeof open>>) =>
    store.transaction((tx) =>
      tx.leaseMention({ platforms: ['farcaster'], lease: 'parent', now: SEEDED_AT, until: SEEDED_AT + 1 }),
    );

  test('behavior: a living process keeps its leases, a killed one loses them', async () => {
    const store = await open();
    await seedMention(store, {}, 1);
    const child = await startStoreChild('serve', path);
    const early = await open();
    expect(await early.begin()).toBe(0);
    expect(await take(early)).toBeNull();
    await early.close();

    await child.kill();
    expect(await store.begin()).toBe(1);
    expect(await take(store)).toMatchObject({ id: 1, lease: 'parent', attempts: 1 });
    await store.close();
  });
});

describe('another process that writes', () => {
  test('behavior: may make the same new store at the same time', async () => {
    const names = ['serve', 'serve', 'serve'];
    const children = await Promise.all(names.map((name) => startStoreChild(name, path)));
    const store = await open();
    expect(await seedMention(store)).toBe(1);
    await store.close();
    await Promise.all(children.map((child) => child.kill()));
  });

  test('behavior: is waited for, by every caller', async () => {
    const store = await open();
    const child = await startStoreChild('block', path);
    const ids = await Promise.all(['1', '2', '3'].map((postId) => seedMention(store, { postId })));
    expect(ids).toEqual([1, 2, 3]);
    await store.close();
    await child.kill();
  });
});
