import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../../bench/load/requests.ts';
import type { Mention } from '../../../src/domain/mention.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/store.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';
import { MIGRATIONS, sampleMention, seedGig, seedTips, temporaryFolder } from '../../support/store.ts';

let database: TestDatabase;
let store: Store;
let one: Store;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  database = await openTestDatabase();
  folder = temporaryFolder();
  store = await openPostgresStore({ url: database.url, migrationsFolder: POSTGRES_MIGRATIONS });
  one = await openSqliteStore({ path: `${folder.path}/gigclaim.db`, migrationsFolder: MIGRATIONS });
});
afterEach(async () => {
  await Promise.all([store.close(), one.close()]);
  await database.close();
  folder.remove();
});

const AUTHORS = ['1', '2', '3', '4', '5', '6'];

/** What a store says of the authors and of all mentions. */
async function told(from: Store) {
  const accounts = AUTHORS.map((platformUserId) => from.account({ platform: 'farcaster', platformUserId }));
  const mentions = await from.mentions({ limit: 1_000 });
  return {
    accounts: await Promise.all(accounts),
    mentions: mentions.map(({ id: _, ...mention }) => mention).sort((a, b) => (a.postId < b.postId ? -1 : 1)),
  };
}

/** All mentions of one author that can be leased, in their order. */
async function leaseAll(from: Store): Promise<string[]> {
  const posts: string[] = [];
  const request = { platforms: ['farcaster'], lease: 'a', now: 10_000_000, until: 20_000_000 } as const;
  for (;;) {
    const leased = await from.transaction((tx) => tx.leaseMention(request));
    if (leased === null) return posts;
    posts.push(leased.postId);
    await from.transaction((tx) => tx.markAnswered(leased.id, 'a'));
  }
}

test('security: batches of mentions leave what one after another leaves on SQLite', async () => {
  const random = createRandom(5);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const gig = { live: true } as const;
  // An account that is known without a handle, by a tip.
  for (const each of [store, one]) {
    await seedTips(each, await seedGig(each, gig), [{ platform: 'farcaster', platformUserId: '6', amount: 1n }]);
  }
  const made: Mention[] = [];
  for (let round = 0; round < 150; round += 1) {
    const now = 1_000 + round * 10;
    const batch = Array.from({ length: 1 + Math.floor(random() * 5) }, (): Mention => {
      if (made.length > 0 && random() < 0.15) return pick(made);
      const mention = sampleMention({
        postId: `${made.length}`,
        authorId: pick(AUTHORS),
        authorUsername: pick(['Ann', 'BOB', 'cleo', 'dan', null]),
        // No two at the same time, by which it is decided who holds a handle.
        postedAt: (now - 400 + Math.floor(random() * 400)) * 1_000 + made.length,
      });
      made.push(mention);
      return mention;
    });
    const kept = await store.keepMentions(batch, { now: now * 1_000, source: 'webhook' });
    const again = await one.keepMentions(batch, { now: now * 1_000, source: 'webhook' });
    const posts = (list: typeof kept) => list.map(({ mention }) => mention.postId).sort();
    expect(posts(kept)).toEqual(posts(again));
  }
  const [here, there] = [await told(store), await told(one)];
  expect(here).toEqual(there);
  const posts = (await leaseAll(store)).sort();
  expect(posts).toEqual((await leaseAll(one)).sort());
  expect(posts).toHaveLength(here.mentions.length);
});

test('behavior: deliveries that come at once share a transaction, and one that cannot be kept keeps no other out', async () => {
  const mention = (postId: string, authorId: string) => sampleMention({ postId, authorId, authorUsername: null });
  const deliver = (each: Mention) => store.keepMentions([each], { now: 2_000, source: 'webhook' });
  const before = await store.version();
  // PostgreSQL has no place for U+0000.
  const broken = mention('broken \0', '99');
  const outcomes = await Promise.allSettled([
    ...AUTHORS.map((id) => deliver(mention(`post ${id}`, id))),
    deliver(broken),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([...AUTHORS.map(() => 'fulfilled'), 'rejected']);
  expect(await store.mentions({ limit: 100 })).toHaveLength(AUTHORS.length);
  expect(await store.version()).not.toBe(before);

  const { rows } = await database.client.query('select count(distinct xmin::text)::int as commits from mentions');
  expect(rows).toEqual([{ commits: AUTHORS.length }]);
  await Promise.all(AUTHORS.map((id) => deliver(mention(`second ${id}`, id))));
  const shared = await database.client.query(
    "select count(distinct xmin::text)::int as commits from mentions where post_id like 'second %'",
  );
  expect(shared.rows).toEqual([{ commits: 1 }]);
});
