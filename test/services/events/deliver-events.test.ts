import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import { deliverNextEvent, forgetDeliveries } from '../../../src/services/events/deliver-events.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { createCourier } from './world.ts';

const HOUR = 3_600_000;

const counted = countTransactions();
const { store } = storePerCase({ wrap: counted.wrap });
const courier = perCase(() => createCourier(store));
let gigs: readonly [number, number];
let id: number;
beforeEach(async () => {
  const of = async () => (await seedGig(store, { client: 'shop' })).id;
  gigs = [await of(), await of()];
  id = await courier.endpoint('https://a.example/', { client: 'shop' });
});

/** Released events of these gigs. */
async function happen(...of: readonly number[]): Promise<void> {
  await courier.happen(...of);
  await courier.release();
}

type Answer = number | { status?: number; message?: string; retryAfterMs?: number };

/** Delivers the next event to an endpoint that answers so. @returns how many transactions that takes */
async function deliver(answer: Answer): Promise<number> {
  const send = async () => {
    if (typeof answer === 'number') return answer;
    throw new AdapterError({ retry: 'safe', reason: 'server_error', message: 'it says no', ...answer });
  };
  const before = counted.count();
  const deps = { ...courier.deps, sender: { ...courier.sender, send } };
  expect(await deliverNextEvent(deps, () => undefined)).toBe(true);
  return counted.count() - before;
}

/** Delivers one that is refused so often, and for so long, that it is the last time. */
async function deliverUntilLast(answer: Answer): Promise<void> {
  for (let tries = 1; tries <= 5; tries += 1) {
    if (tries > 1) courier.advance(20 * HOUR);
    await deliver(answer);
  }
}

const rows = async () => (await store.eventDeliveries({ endpointId: id, limit: 9 })).toReversed();

describe('a try to deliver an event', () => {
  const now = () => courier.clock();

  test.each<[string, Answer, number, () => object]>([
    ['is taken', 202, 2, () => ({ state: 'delivered', status: 202, endedAt: now() })],
    ['is refused', { status: 500 }, 3, () => ({ nextAt: now() + 10_000, error: 'says no', status: 500 })],
    [
      'is refused by one that is busy',
      { status: 429, retryAfterMs: 60_000, message: 'hit it hard' },
      3,
      () => ({ nextAt: now() + 60_000, error: 'hit it hard', status: 429 }),
    ],
    [
      'gets no answer',
      { message: 'it cannot be reached' },
      2,
      () => ({ nextAt: now() + 10_000, error: 'cannot be reached' }),
    ],
    ['is the last one that is wanted', { status: 410 }, 2, () => ({ nextAt: now(), error: 'says no', status: 410 })],
  ])('behavior: that %s is kept so', async (_, answer, transactions, row) => {
    await happen(gigs[0]);
    const [before] = await rows();
    const event = await store.eventAt(1);
    expect(before).toEqual({
      id: before?.id,
      endpointId: id,
      gigId: gigs[0],
      state: 'queued',
      tries: 0,
      nextAt: now(),
      queuedAt: now(),
      endedAt: null,
      error: null,
      status: null,
      replay: false,
      place: before?.place,
      uid: event?.uid,
      seq: 1,
      type: 'tip.voided',
    });
    courier.advance(1);
    expect(await deliver(answer)).toBe(transactions);
    const [after] = await rows();
    const nextAt = after?.state === 'delivered' ? after.nextAt : 0;
    expect(after).toEqual({ ...before, tries: 1, nextAt, ...row() });
    const fields = { delivery: before?.id, webhook: id, event: event?.uid, type: 'tip.voided', gigId: gigs[0] };
    expect(courier.lines.at(-1)).toMatchObject(fields);
  });

  test('behavior: opens no transaction where none is due', async () => {
    const before = counted.count();
    expect(await courier.deliverOne()).toBe(false);
    expect(counted.count()).toBe(before);
  });

  test('behavior: that is the last one pauses an endpoint that has taken nothing since, and gives up elsewhere', async () => {
    await happen(gigs[0]);
    await deliverUntilLast({ status: 500 });
    expect(await store.webhookEndpoint(id)).toMatchObject({ pausedBecause: 'silent', pausedAt: now() });
    expect(await rows()).toMatchObject([{ state: 'queued', tries: 5, nextAt: now(), endedAt: null }]);
    expect(courier.eventCounter.tally()).toEqual({ delivered: 0, failed: 5, given_up: 0 });
  });

  test.each<[string, Answer]>([
    ['refuses', { status: 500 }],
    ['is not there for', {}],
  ])(
    'behavior: an endpoint that took another event, and %s the first one, goes on without it at once',
    async (_, answer) => {
      await happen(gigs[0], gigs[1]);
      await deliver({ status: 500 });
      // What it takes in the moment in which the other one was queued counts.
      await deliver(204);
      courier.advance(20 * HOUR);
      for (let tries = 2; tries <= 5; tries += 1) {
        if (tries > 2) courier.advance(20 * HOUR);
        await deliver(answer);
      }
      expect(await store.webhookEndpoint(id)).toMatchObject({ pausedAt: null });
      expect(await rows()).toMatchObject([{ state: 'failed', tries: 5, endedAt: now() }, { state: 'delivered' }]);
      expect(courier.eventCounter.tally()).toEqual({ delivered: 1, failed: 4, given_up: 1 });
      await happen(gigs[0]);
      expect(await deliver(204)).toBe(2);
    },
  );
});

test('behavior: deliveries are forgotten 30 days after their end, some hundreds at a time', async () => {
  const asked: object[] = [];
  const counts = [500, 499];
  const transaction: Store['transaction'] = (run, options) =>
    store.transaction((tx) => {
      const deleteOldDeliveries: typeof tx.deleteOldDeliveries = async (request) => {
        asked.push(request);
        return counts.shift() ?? 0;
      };
      return run(Object.assign(Object.create(tx), { deleteOldDeliveries }));
    }, options);
  await forgetDeliveries({ ...courier.deps, store: { ...store, transaction } });
  expect(asked).toEqual(Array(2).fill({ before: courier.clock() - 30 * 24 * HOUR, limit: 500 }));
});
