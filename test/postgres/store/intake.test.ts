import { beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../../bench/load/requests.ts';
import type { Mention } from '../../../src/domain/mentions/mention.ts';
import type { MentionArrival, Store, StoredMention } from '../../../src/store/port/index.ts';
import { openTestStore } from '../../support/database.ts';
import { countWaiting, TEMPLATE } from '../../support/postgres.ts';
import { sampleMention, seedGig, seedMention, seedTips } from '../../support/store.ts';
import { useStoreOnPostgres } from './database.ts';

// A new one: the server's counts of what was done in it tell of nothing before.
const { current, client, store, write } = useStoreOnPostgres(`template ${TEMPLATE}`);
let one: Store;
beforeEach(async () => {
  const onSqlite = await openTestStore();
  one = onSqlite.store;
  return onSqlite.close;
});

const anonymous = (postId: string, authorId: string) => sampleMention({ postId, authorId, authorUsername: null });
const deliver = (...mentions: Mention[]) => store.storeMentions(mentions, { now: 2_000, source: 'webhook' });

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

/** How several mentions come: by one delivery, or by one each at the same time. */
const WAYS: Record<string, (batch: readonly Mention[], arrival: MentionArrival) => Promise<StoredMention[]>> = {
  batches: (batch, arrival) => store.storeMentions(batch, arrival),
  webhooks: async (batch, arrival) =>
    (await Promise.all(batch.map((one) => store.storeMentions([one], arrival)))).flat(),
};

test.each(Object.keys(WAYS))('security: %s of mentions leave what one after another leaves on SQLite', async (way) => {
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
      if (made.length > 0 && random() < 0.15) return { ...pick(made) };
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
    const arrival = { now: now * 1_000, source: 'webhook' } as const;
    const kept = (await WAYS[way]?.(batch, arrival)) ?? [];
    const again = await one.storeMentions(batch, arrival);
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
  const before = await store.version();
  // PostgreSQL has no place for U+0000.
  const broken = anonymous('broken \0', '99');
  const outcomes = await Promise.allSettled([
    ...AUTHORS.map((id) => deliver(anonymous(`post ${id}`, id))),
    deliver(broken),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([...AUTHORS.map(() => 'fulfilled'), 'rejected']);
  expect(await store.mentions({ limit: 100 })).toHaveLength(AUTHORS.length);
  expect(await store.version()).not.toBe(before);

  const { rows } = await client().query('select count(distinct xmin::text)::int as commits from mentions');
  expect(rows).toEqual([{ commits: AUTHORS.length }]);
  await Promise.all(AUTHORS.map((id) => deliver(anonymous(`second ${id}`, id))));
  const shared = await client().query(
    "select count(distinct xmin::text)::int as commits from mentions where post_id like 'second %'",
  );
  expect(shared.rows).toEqual([{ commits: 1 }]);
});

test('behavior: an author whose lock another transaction holds delays no webhook of other authors', async () => {
  await client().query('begin');
  await client().query("select pg_advisory_xact_lock(hashtextextended('author:farcaster:1', 0))");
  let isBusyKept = false;
  const busy = deliver(anonymous('busy', '1')).then((kept) => {
    isBusyKept = true;
    return kept;
  });
  const others = await Promise.all(AUTHORS.slice(1).map((id) => deliver(anonymous(`post ${id}`, id))));
  // Another batch, while the first one's rest still waits.
  const later = await Promise.all(AUTHORS.slice(1).map((id) => deliver(anonymous(`second ${id}`, id))));
  expect([...others, ...later].map((kept) => kept.length)).toEqual(Array(10).fill(1));
  expect(isBusyKept).toBe(false);
  await client().query('commit');
  expect(await busy).toHaveLength(1);
});

test('behavior: what one author wrote is kept in the order in which it was delivered', async () => {
  const ids: Promise<StoredMention[]>[] = [];
  const bring = (postId: string, authorId: string) => void ids.push(deliver(anonymous(postId, authorId)));
  const lock = (id: string) => `pg_advisory_lock(hashtextextended('author:farcaster:${id}', 0))`;
  await client().query(`select ${lock('1')}, ${lock('2')}`);
  bring('of another author', '1');
  await expect.poll(() => countWaiting(current())).toBe(1);
  bring('first', '2');
  // Kept after the batch of the first one, which found its author's lock held.
  await deliver(sampleMention({ postId: 'later batch', authorId: '3' }));
  await client().query(`select ${lock('2').replace('lock', 'unlock')}`);
  for (const postId of ['second', 'third']) bring(postId, '2');
  await client().query('select pg_sleep(0.2)');
  await client().query(`select ${lock('1').replace('lock', 'unlock')}`);
  await Promise.all(ids);
  const { rows } = await client().query("select post_id from mentions where author_id = '2' order by id");
  expect(rows.map(({ post_id }) => post_id)).toEqual(['first', 'second', 'third']);
});

test('behavior: a delivery of several mentions is kept in its order among the others of their authors', async () => {
  await deliver(anonymous('of before', '9'));
  await Promise.all([
    deliver(anonymous('first', '1')),
    deliver(anonymous('of another', '2'), anonymous('second', '1'), anonymous('third', '1')),
    deliver(anonymous('fourth', '1')),
    deliver(anonymous('fifth', '1'), anonymous('later of another', '2')),
  ]);
  const { rows } = await client().query('select author_id, post_id from mentions order by id');
  const posts = (id: string) => rows.filter(({ author_id }) => author_id === id).map(({ post_id }) => post_id);
  expect(posts('1')).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
  expect(posts('2')).toEqual(['of another', 'later of another']);
});

test('security: the platform says how a new author is called, also when an award names the account at the same time', async () => {
  const author = { platform: 'farcaster', platformUserId: '7' } as const;
  const award = await current().connect();
  await award.query('begin');
  await award.query(`insert into accounts (platform, platform_user_id, username, handle, label_source, created_at)
    values ('farcaster', '7', 'mallory', 'mallory', 'client', 1)`);
  const mention = sampleMention({ postId: 'first', authorId: '7', authorUsername: 'alice', postedAt: 1_000 });
  const kept = deliver(mention);
  await expect.poll(() => countWaiting(current())).toBe(1);
  await award.query('commit');
  expect(await kept).toHaveLength(1);
  expect(await store.account(author)).toMatchObject({ username: 'alice' });
});

test('security: an award names no account that the platform has named meanwhile', async () => {
  const author = { platform: 'farcaster', platformUserId: '7' } as const;
  const webhook = await current().connect();
  await webhook.query('begin');
  await webhook.query(`insert into accounts (platform, platform_user_id, username, handle, label_source, label_seen_at, created_at)
    values ('farcaster', '7', 'alice', 'alice', 'platform', 1, 1)`);
  const suggested = write.suggestUsernames([{ ...author, username: 'mallory' }], 2_000);
  await expect.poll(() => countWaiting(current())).toBe(1);
  await webhook.query('commit');
  expect(await suggested).toBe(0);
  expect(await store.account(author)).toMatchObject({ username: 'alice' });
});

test.each([
  // For each mention its account, by which the foreign key is checked.
  { authors: 'new', known: 0, most: 3 },
  // That is also looked up before, and found again when the author's label is seen anew.
  { authors: 'known', known: 2_000, most: 5 },
])(
  'behavior: for $authors authors the prepared statement reads no table as a whole while the tables grow',
  async ({ known, most }) => {
    // The server has looked at the empty tables, so it knows that reading them is cheap.
    await client().query('vacuum analyze accounts, mentions, replies');
    // Tests before this one have read from the same database.
    await client().query('select pg_stat_reset()');
    await client().query(
      `insert into accounts (platform, platform_user_id, username, handle, label_source, label_seen_at, created_at)
      select 'farcaster', id, 'user' || id, 'user' || id, 'platform', 1, 1 from generate_series(0, $1::int - 1) as id`,
      [known],
    );
    const count = 2_000;
    const keep = (round: number) => {
      const batch = Array.from({ length: 40 }, (_, place) => {
        const id = String(round * 40 + place);
        return sampleMention({ postId: id, authorId: id, authorUsername: `user${id}` });
      });
      return deliver(...batch);
    };
    for (let round = 0; round < count / 40; round += 1) await keep(round);
    await store.close();
    const { rows } = await client().query<{ name: string; whole: number; indexed: number }>(
      `select relname as name, coalesce(seq_tup_read, 0)::int as whole,
       (select coalesce(sum(idx_tup_read), 0)::int from pg_stat_user_indexes as i where i.relid = t.relid) as indexed
     from pg_stat_user_tables as t where relname in ('accounts', 'mentions', 'replies') order by name`,
    );
    const whole = Object.fromEntries(rows.map((row) => [row.name, row.whole]));
    expect(whole).toEqual({ accounts: 0, mentions: 0, replies: 0 });
    for (const { name, indexed } of rows) expect(indexed, name).toBeLessThan(most * count);
  },
);

test("behavior: a webhook of the bot's own post is not kept, and its author is not added", async () => {
  const mentionId = await seedMention(store, { postId: 'asked', authorId: '1', authorUsername: null });
  await store.transaction(async (tx) => {
    await tx.queueReply({ mentionId, kind: 'answer', text: 'hi' }, 1_000);
    const reply = await tx.leaseReply('farcaster', { lease: 'l', now: 1e13, until: 2e13 });
    await tx.markSending(reply?.id ?? 0, 'l');
    await tx.markSent(reply?.id ?? 0, { lease: 'l', postId: 'own', now: 1e13 });
  });
  const mentions = [anonymous('own', '2'), anonymous('other', '3'), anonymous('asked', '1')];
  const kept = await Promise.all(mentions.map((each) => deliver(each)));
  expect(kept.map((each) => each.length)).toEqual([0, 1, 0]);
  expect(await store.account({ platform: 'farcaster', platformUserId: '2' })).toBeNull();
});
