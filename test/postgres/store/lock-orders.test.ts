import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ABSENT_TERMS } from '../../../src/domain/gigs/terms.ts';
import type { PlatformEvent } from '../../../src/domain/mentions/mention.ts';
import { tellWinners } from '../../../src/services/earning/decide/tell-winners.ts';
import { receiveMentions } from '../../../src/services/mentions/receive-mentions.ts';
import { createClockStatus } from '../../../src/services/operators/clock/clock-status.ts';
import type { Store, StoreTx } from '../../../src/store/port/index.ts';
import { keepLog } from '../../services/fakes.ts';
import { sampleAccount, sampleAct, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { TEMPLATE } from '../../support/postgres.ts';
import { SEEDED_AT, sampleMention, seedAddress, seedMention, seedToken } from '../../support/store.ts';
import { useStoreOnPostgres } from './database.ts';

const TERMS = {
  ...ABSENT_TERMS,
  rewardAmount: 100n,
  feeAmount: 0n,
  startTime: SEEDED_AT,
  endTime: SEEDED_AT + 1_000,
  duration: 1_000,
  gigType: 'custom_bounty',
  platform: 'farcaster',
  earningCriteria: 'any',
  externalUrl: null,
  awardDays: 0,
} as const;

// A new one: the server's counts of what was done in it tell of nothing before.
const { current, client, open, store, write } = useStoreOnPostgres(`template ${TEMPLATE}`);

/** Until so many wait for a lock of a subject in the test's database. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  while ((await client().query(waiting)).rowCount !== count) await wait(5);
}

async function expectNoDeadlock(): Promise<void> {
  const deadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';
  expect((await client().query(deadlocks)).rows).toEqual([{ deadlocks: 0 }]);
}

test('behavior: two deliveries with the same authors in another order do not wait for each other', async () => {
  const { log } = keepLog();
  // One instance keeps one delivery after the other.
  const other = await open();
  const clock = () => SEEDED_AT;
  const deps = { platforms: new Map(), clock, clocks: createClockStatus({ clock }), log, wake: () => undefined };
  const deliver = (to: Store, delivery: string, ...authors: string[]) => {
    const events = authors.map((authorId): PlatformEvent => {
      const own = { postId: `${delivery} ${authorId}`, authorId, authorUsername: null, postedAt: SEEDED_AT };
      return { kind: 'mention', ...sampleMention(own) };
    });
    return receiveMentions({ ...deps, store: to }, events, { source: 'webhook' });
  };
  // Whoever takes author 2 first would hold it while it waits for author 1.
  const holder = await current().connect();
  await holder.query("begin; select pg_advisory_xact_lock(hashtextextended('author:farcaster:1', 0))");
  const first = deliver(store, 'first', '1', '2');
  await untilWaiting(1);
  const second = deliver(other, 'second', '2', '1', '2');
  await untilWaiting(2);
  await holder.query('commit');
  expect(await Promise.all([first, second])).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await expectNoDeadlock();
});

test('behavior: winners are told without holding their thread while another of them is waited for', async () => {
  const gig = await seedWatchedGig(store);
  const names = ['1', '2'];
  await seedActs(
    store,
    gig,
    names.map((id) => sampleAct(id, { kind: 'submission', objectId: `0x0${id}` })),
  );
  for (const authorId of names) await seedMention(store, { authorId, postId: `0x0${authorId}`, threadId: '0xab' });
  const awards = await Promise.all(
    names.map(async (id) => {
      const earning = await store.earning(gig.id, sampleAccount(id));
      if (earning === null) throw new Error(`${id} has submitted nothing`);
      return { earning, amount: 1n };
    }),
  );
  // As the reply to the second one is sent meanwhile.
  const holder = await current().connect();
  await holder.query("begin; select pg_advisory_xact_lock(hashtextextended('author:farcaster:2', 0))");
  const told = store.transaction((tx) => tellWinners(tx, gig, { awards, now: SEEDED_AT }));
  await untilWaiting(1);
  await holder.query("select pg_advisory_xact_lock(hashtextextended('thread:farcaster:0xab', 0)); commit");
  await told;
  expect(await store.replies({ limit: 9 })).toMatchObject([{ followUp: true }, { followUp: true }]);
  await expectNoDeadlock();
});

test('behavior: gigs that nobody else can see yet are made without a lock for each', async () => {
  const { id: tokenId } = await seedToken(store);
  const holder = await current().connect();
  await holder.query(
    "begin; select pg_advisory_xact_lock(hashtextextended('gig:' || id, 0)) from generate_series(1, 300) id",
  );
  const make = async (tx: StoreTx) => {
    for (let id = 1; id <= 300; id += 1) {
      await tx.insertGig({ ...TERMS, tokenId }, { now: SEEDED_AT, id, walletAddress: seedAddress });
      await tx.freezeByOperator(id, 'it was rebuilt');
    }
  };
  await store.transaction(make, { isUnseen: true });
  expect(await store.frozenGigs()).toHaveLength(300);
});

test('behavior: a held reply that another transaction is about to change is left to it', async () => {
  const mentionId = await seedMention(store);
  const reply = { mentionId, kind: 'answer', text: 'hi' } as const;
  await write.queueReply(reply, SEEDED_AT);
  const request = { lease: 'lane', now: SEEDED_AT, until: SEEDED_AT + 60_000 };
  const leased = await write.leaseReply('farcaster', request);
  if (leased === null) throw new Error('there is no reply');
  const { id } = leased;
  const hold = { lease: 'lane', heldFor: 'thread', until: SEEDED_AT + 1_000, reason: 'held: no room' } as const;
  expect(await write.holdReply(id, hold)).toBe(true);
  await client().query('begin');
  await client().query('select id from replies where id = $1 for update', [id]);
  expect(await write.releaseReply(id, SEEDED_AT)).toBe(false);
  await client().query('rollback');
  expect(await write.releaseReply(id, SEEDED_AT)).toBe(true);
});
