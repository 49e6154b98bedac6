import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountActor, COMMAND_LINE, type KeyActor } from '../../../src/domain/operators/actor.ts';
import {
  createEventWait,
  cursorOf,
  type EventPage,
  type EventsAsked,
  findEvents,
  listDeliveries,
} from '../../../src/services/events/read-events.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase } from './world.ts';

const { store, courier } = courierPerCase();
/** Ids of a gig of the client `shop`, and of one of `rival`. */
let gigs: readonly [number, number];
beforeEach(async () => {
  const of = async (client: string) => (await seedGig(store, { client, live: true })).id;
  gigs = [await of('shop'), await of('rival')];
});

const keyOf = (client: string, ...scopes: KeyActor['scopes']): KeyActor => {
  return { kind: 'api_key', id: 1, name: client, client, scopes, requestId: null };
};
const SHOP = keyOf('shop', 'events:read');
const ALL: EventsAsked = { after: '0', types: [], gigId: null, limit: 10 };
const read = (asked: Partial<EventsAsked> = {}, actor: KeyActor | AccountActor | typeof COMMAND_LINE = COMMAND_LINE) =>
  findEvents({ store }, { ...ALL, ...asked, actor });
const seqs = ({ events }: EventPage) => events.map(({ seq }) => seq);

/** Releases events of these gigs. */
async function happen(...of: readonly number[]): Promise<void> {
  await courier.happen(...of);
  await courier.release();
}

describe('a page of events', () => {
  test('behavior: has those behind its cursor that its reader reaches, of a gig and of types', async () => {
    await happen(gigs[0], gigs[1], gigs[0]);
    const whole = await read();
    expect(seqs(whole)).toEqual([1, 2, 3]);
    const [first, , third] = whole.events.map(cursorOf);
    expect(first).toMatch(/^1-[0-9a-f]{8}$/);
    expect(whole.next).toBe(third);
    const page = await read({ limit: 1 });
    expect([seqs(page), page.next]).toEqual([[1], first]);
    expect(seqs(await read({ after: page.next }))).toEqual([2, 3]);
    expect(seqs(await read({ after: '1' }))).toEqual([2, 3]);
    expect(seqs(await read({}, SHOP))).toEqual([1, 3]);
    expect(seqs(await read({ gigId: gigs[1] }))).toEqual([2]);
    expect(await read({ types: ['gig.started'] })).toEqual({ events: [], next: third });
    expect(seqs(await read({ types: ['gig.started', 'tip.voided'], limit: 2 }))).toEqual([1, 2]);
  });

  test('behavior: behind the latest event is empty, also where there is none, and later ones follow', async () => {
    expect(await read({ after: 'latest' })).toEqual({ events: [], next: '0' });
    expect(await read()).toEqual({ events: [], next: '0' });
    await happen(gigs[0], gigs[0]);
    const { next, events } = await read({ after: 'latest' });
    expect([events, next]).toEqual([[], (await read()).next]);
    await happen(gigs[0]);
    expect(seqs(await read({ after: next }))).toEqual([3]);
  });

  test.each([
    '',
    'x',
    '-1',
    '01',
    '1-',
    '1-abc',
    '1-0123456',
    '1-012345678',
    '1-00000000',
    '4',
    '1 ',
    ' 1',
    '9'.repeat(16),
  ])('error: “%s” is no cursor', async (after) => {
    await happen(gigs[0], gigs[0], gigs[0]);
    await expect(read({ after })).rejects.toMatchObject({ refusal: { code: 'invalid_cursor', readFrom: 0 } });
  });

  test('behavior: the beginning is a cursor with any name, which no event has', async () => {
    await happen(gigs[0]);
    expect(seqs(await read({ after: '0-01234567' }))).toEqual([1]);
  });

  test('security: of a gig is for those who may know it', async () => {
    const [, gigId] = gigs;
    await happen(gigId);
    await expect(read({ gigId }, SHOP)).rejects.toMatchObject({ refusal: { code: 'gig_not_found', gigId } });
    const actor: AccountActor = { kind: 'account', platform: 'farcaster', platformUserId: '7', requestId: null };
    const refusal = { code: 'not_gig_owner', gigId, act: 'notify' };
    await expect(read({ gigId }, actor)).rejects.toMatchObject({ refusal });
  });
});

test('behavior: deliveries are listed newest first, page by page, for those who reach the endpoint', async () => {
  const id = await courier.endpoint('https://a.example/', { client: 'shop' });
  await courier.endpoint('https://b.example/', { client: null });
  await happen(...Array.from({ length: 6 }, () => gigs[0]));
  const list = async (before?: number, limit = 3) => {
    const { deliveries, next } = await listDeliveries({ store }, { id, actor: SHOP, limit, before });
    expect(new Set(deliveries.map(({ endpointId }) => endpointId))).toEqual(new Set([id]));
    return { seqs: deliveries.map(({ seq }) => seq), last: deliveries.at(-1)?.place, next };
  };
  const first = await list();
  expect(first).toEqual({ seqs: [6, 5, 4], last: first.next, next: first.next });
  expect(await list(first.next ?? 0)).toMatchObject({ seqs: [3, 2, 1], next: null });
  expect(await list(undefined, 9)).toMatchObject({ seqs: [6, 5, 4, 3, 2, 1], next: null });
  const rival = listDeliveries({ store }, { id, actor: keyOf('rival'), limit: 2 });
  await expect(rival).rejects.toMatchObject({ refusal: { code: 'webhook_not_found', webhookId: id } });
});

describe('a read that waits', () => {
  /** Reads that wait; each look ends when the test says so, with whether the service goes on. */
  function openWait() {
    const sleeps: { ms: number; end: (goesOn: boolean) => void }[] = [];
    const sleep = (ms: number) => new Promise<boolean>((end) => void sleeps.push({ ms, end }));
    const wait = createEventWait({ store, sleep });
    return {
      sleeps,
      ask: (actor: KeyActor | typeof COMMAND_LINE, waitMs = 1_000, isLeft = () => false) =>
        wait.read({ ...ALL, actor }, waitMs, isLeft),
      /** Ends so many looks. */
      async look(times = 1, goesOn = true): Promise<void> {
        for (let time = 0; time < times; time += 1) {
          await expect.poll(() => sleeps.length).toBeGreaterThan(0);
          sleeps.shift()?.end(goesOn);
        }
      },
    };
  }
  const NONE = { events: [], next: '0' };

  test('behavior: gets what happens meanwhile, and an empty page when its time is over', async () => {
    const { sleeps, ask, look } = openWait();
    const waiting = ask(SHOP);
    await expect.poll(() => sleeps.map(({ ms }) => ms)).toEqual([500]);
    await happen(gigs[0]);
    await look();
    expect(seqs(await waiting)).toEqual([1]);
    const other = ask(keyOf('other'), 1_001);
    await look(3);
    expect(await other).toMatchObject({ events: [], next: expect.stringMatching(/^1-/) });
    expect(sleeps).toEqual([]);
  });

  test('behavior: ends as soon as the service stops, nobody waits for it, or nothing is waited for', async () => {
    const { sleeps, ask, look } = openWait();
    const stopped = ask(SHOP);
    await look(1, false);
    expect(await stopped).toEqual(NONE);
    const left = ask(SHOP, 10_000, () => true);
    await look();
    expect(await left).toEqual(NONE);
    expect(await ask(SHOP, 0)).toEqual(NONE);
    expect(sleeps).toEqual([]);
  });

  test('security: a third one of a client is answered at once, until one of the others has ended', async () => {
    const { sleeps, ask, look } = openWait();
    const ended: string[] = [];
    const wait = async (actor: KeyActor | typeof COMMAND_LINE) => {
      expect(await ask(actor, 500)).toEqual(NONE);
      ended.push(actor.kind);
    };
    const other = keyOf('other');
    const waiting = [SHOP, SHOP, SHOP, other, COMMAND_LINE, COMMAND_LINE, COMMAND_LINE].map(wait);
    await expect.poll(() => ended.toSorted()).toEqual([SHOP.kind, COMMAND_LINE.kind].toSorted());
    // Not all have begun to wait at the same moment.
    const looks = setInterval(() => sleeps.shift()?.end(true), 5);
    await Promise.all(waiting);
    clearInterval(looks);
    const again = ask(SHOP, 500);
    await look(1);
    expect(await again).toEqual(NONE);
  });
});
