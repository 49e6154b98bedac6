import { expect, test } from 'vitest';
import { countWaiting } from '../../support/postgres.ts';
import { sampleMention } from '../../support/store.ts';
import { useStoreOnPostgres } from './database.ts';

const { current, store, write } = useStoreOnPostgres();

const account = (platformUserId: string) => ({ platform: 'farcaster', platformUserId }) as const;

/** The platform says at this time how an account is called. */
const say = (platformUserId: string, username: string, at: number) =>
  write.setUsername({ ...account(platformUserId), username }, at);

/** A webhook brings a mention that was posted at this time. */
async function mention(authorId: string, authorUsername: string, postedAt: number): Promise<void> {
  const post = sampleMention({ postId: `of ${authorId}`, authorId, authorUsername, postedAt });
  expect(await store.storeMentions([post], { now: 10_000, source: 'webhook' })).toHaveLength(1);
}

const LABELS =
  'insert into accounts (platform, platform_user_id, username, handle, label_source, label_seen_at, created_at)';
/** Another transaction labels an account. */
const labels = (id: string, username: string, at: number) =>
  `${LABELS} values ('farcaster', '${id}', '${username}', '${username}', 'platform', ${at}, 1)
    on conflict (platform, platform_user_id) do update set username = excluded.username, handle = excluded.handle,
      label_source = 'platform', label_seen_at = excluded.label_seen_at`;
/** Another transaction takes an account's label. */
const takes = (id: string) =>
  `update accounts set username = null, handle = null, label_source = null, label_seen_at = null where platform_user_id = '${id}'`;

/** Does work that waits for another transaction, which commits these statements meanwhile. */
async function meanwhile(statements: readonly string[], work: () => Promise<void>): Promise<void> {
  const other = await current().connect();
  await other.query('begin');
  for (const statement of statements) await other.query(statement);
  const done = work();
  await expect.poll(() => countWaiting(current())).toBe(1);
  await other.query('commit');
  await done;
}

/** The labels of these accounts, in their order. */
const labelsOf = (...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await store.account(account(id)))?.username ?? null));

test('security: a handle stays with the account for which the platform has shown it later meanwhile', async () => {
  await say('1', 'alice', 50);
  await meanwhile([labels('1', 'alice', 200)], () => say('2', 'alice', 100));
  expect(await labelsOf('1', '2')).toEqual(['alice', null]);
});

test('security: a label that the platform has shown later meanwhile stays', async () => {
  await say('1', 'carol', 50);
  await meanwhile([labels('1', 'bob', 200)], () => say('1', 'alice', 100));
  expect(await labelsOf('1')).toEqual(['bob']);
});

test.each([
  ['an answer of the platform', say],
  ['a mention', mention],
])('security: an account keeps the handle that %s shows, when an older one moves it meanwhile', async (_what, show) => {
  await say('1', 'alice', 50);
  await meanwhile([takes('1'), labels('2', 'alice', 150)], () => show('1', 'alice', 200));
  expect(await labelsOf('1', '2')).toEqual(['alice', null]);
});

test('security: the later label of a new author counts, when an older one is kept meanwhile', async () => {
  await meanwhile([labels('1', 'old', 100)], () => mention('1', 'new', 200));
  expect(await labelsOf('1')).toEqual(['new']);
});
