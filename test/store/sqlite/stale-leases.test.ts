import { expect, test } from 'vitest';
import { seedWatchedGig } from '../../support/earning.ts';
import { SEEDED_AT, seedMention } from '../../support/store.ts';
import { useStore } from '../contract/subject.ts';
import { openOnSqlite } from './subject.ts';

const { store, openAgain, change, write } = useStore(openOnSqlite);

async function queue(postId: string): Promise<number> {
  const mentionId = await seedMention(store, { postId }, 10);
  return await write.queueReply({ mentionId, kind: 'answer', text: 'hi' }, 10);
}
const takeReply = (lease: string, now: number, by = store) =>
  by.transaction((tx) => tx.leaseReply('farcaster', { lease, now, until: 1e6 }));

test('behavior: alone with the storage, what a dead process held is due at once, as it was left', async () => {
  const reply = await queue('p1');
  const mention = await seedMention(store, { postId: 'p2', authorId: '2' }, 10);
  await change(async (tx) => {
    await tx.leaseReply('farcaster', { lease: 'dead', now: 20, until: 1e6 });
    await tx.markSending(reply, 'dead');
    await tx.leaseMention({ platforms: ['farcaster'], lease: 'dead', now: 20, until: 1e6 });
    await tx.leaseMention({ platforms: ['farcaster'], lease: 'dead', now: 20, until: 1e6 });
  });
  expect([await store.begin(), await store.begin()]).toEqual([3, 0]);
  expect(await takeReply('new', 21)).toMatchObject({ id: reply, state: 'sending', attempts: 1 });
  const ended = await write.markAnswered(mention, 'dead');
  expect(ended).toBe(false);
});

test('behavior: once the last that served is gone, the next one ends its leases', async () => {
  const first = await openAgain();
  await first.begin();
  await queue('p1');
  await takeReply('a', 20, first);
  await first.close();
  expect(await store.begin()).toBe(1);
});

test('behavior: stores that begin to serve at the same time do not wait for ever', async () => {
  const others = await Promise.all(Array.from({ length: 4 }, () => openAgain()));
  await queue('p1');
  await takeReply('dead', 20);
  const ended = await Promise.all([store, ...others].map((store) => store.begin()));
  expect(ended.sort()).toEqual([0, 0, 0, 0, 1]);
});

test('behavior: a watch whose holder is dead is free again', async () => {
  const { id } = await seedWatchedGig(store);
  const lease = (name: string) =>
    write.leaseWatch('farcaster', { lease: name, now: SEEDED_AT, until: SEEDED_AT + 100 });
  await lease('a');
  expect(await store.begin()).toBe(1);
  expect(await lease('b')).toMatchObject({ gigId: id });
});

test('behavior: a delivery that a dead process held is due at once; with another process serving it is held', async () => {
  const alert = { kind: 'gas_tank_low', subject: 'base', gigId: null, text: 'low', remedy: 'Send ETH.' } as const;
  await change(async (tx) => {
    const alertId = (await tx.beginAlert(alert, 10)) ?? 0;
    await tx.queueDelivery({ id: 'd1', alertId, news: 'begun', receiver: 'a' }, 10);
  });
  const lease = (name: string, now: number) => write.leaseDelivery('a', { lease: name, now, until: now + 100 });
  await lease('dead', 10);
  const other = await openAgain();
  expect(await other.begin()).toBe(1);
  expect(await lease('next', 11)).toMatchObject({ id: 'd1', tries: 2 });
  expect(await store.begin()).toBe(0);
  expect(await lease('third', 12)).toBeNull();
});

test('behavior: the poll that a dead process claimed is free; with another process serving it stands', async () => {
  const claim = (now: number) => write.claimPoll('twitter', { now, everyMs: 100 });
  await claim(1_000);
  const other = await openAgain();
  await other.begin();
  expect(await claim(1_001)).toBe(true);
  await store.begin();
  expect(await claim(1_002)).toBe(false);
});

test('behavior: a process that has died does not hold the watch for conditions', async () => {
  const claim = (holder: string) => write.claimAlertWatch({ holder, now: 10, until: 110 });
  await claim('dead');
  expect(await claim('next')).toBe(false);
  await store.begin();
  expect(await claim('next')).toBe(true);
});
