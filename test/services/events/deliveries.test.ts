import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { answerWith } from '../../support/alert-receiver.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase } from './world.ts';

const HOUR = 3_600_000;

const { store, wire, courier } = courierPerCase();
/** Ids of two gigs of the client `shop`, and of one of `rival`. */
let gigs: readonly [number, number, number];
beforeEach(async () => {
  const of = async (client: string) => (await seedGig(store, { client })).id;
  gigs = [await of('shop'), await of('shop'), await of('rival')];
});

const deliveries = (endpointId: number | null = null) => store.eventDeliveries({ endpointId, limit: 100 });
const states = async () => (await deliveries()).map(({ seq, state }) => `${seq} ${state}`).reverse();

describe('an event', () => {
  test('security: is signed so that Standard Webhooks’ own library takes it, by the secret of its endpoint alone', async () => {
    const id = await courier.endpoint(wire.url);
    const other = await courier.endpoint(wire.url, { client: 'rival' });
    await courier.happen(gigs[0]);
    await courier.deliver();
    const [event] = wire.received;
    const salt = async (of: number) => (await store.webhookEndpoint(of))?.salt ?? '';
    const secret = courier.sender.secretOf(await salt(id));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const headers = event?.headers as Record<string, string>;
    const at = Number(headers['webhook-timestamp']) * 1_000;
    expect(at).toBe(Math.floor(courier.clock() / 1_000) * 1_000);
    // The library compares the time with the machine's.
    const verify = (key: string) => new Webhook(key).sign(event?.id ?? '', new Date(at), event?.text ?? '');
    expect(headers['webhook-signature']).toBe(verify(secret));
    expect(headers['webhook-signature']).not.toBe(verify(courier.sender.secretOf(await salt(other))));
    expect(event?.body).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'tip.voided',
      timestamp: new Date(courier.clock()).toISOString(),
      seq: 1,
      data: { gig_id: gigs[0], tip_id: 1, amount: '1' },
    });
    expect(event?.id).toBe(event?.body.id);
  });

  test('behavior: is signed by both secrets for a day after a rotation', async () => {
    const id = await courier.endpoint(wire.url);
    const old = (await store.webhookEndpoint(id))?.salt;
    await store.transaction((tx) => tx.rotateWebhookSalt(id, { salt: 'ab'.repeat(16), now: courier.clock() }));
    expect(await store.webhookEndpoint(id)).toMatchObject({ salt: 'ab'.repeat(16), oldSalt: old });
    await courier.happen(gigs[0]);
    await courier.deliver();
    courier.advance(24 * HOUR);
    await courier.happen(gigs[0]);
    await courier.deliver();
    const signatures = wire.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
    expect(signatures).toEqual([2, 1]);
  });

  test('security: goes to the endpoints of its gig’s client, and to those for all, of its type', async () => {
    const own = await courier.endpoint(wire.url);
    const all = await courier.endpoint(wire.url, { client: null });
    await courier.endpoint(wire.url, { client: 'rival' });
    await courier.endpoint(wire.url, { types: ['gig.started'] });
    await courier.happen(gigs[0]);
    await courier.deliver();
    expect((await deliveries()).map(({ endpointId }) => endpointId).sort()).toEqual([own, all]);
    expect(wire.received).toHaveLength(2);
  });

  test('behavior: is none of an endpoint that was made later', async () => {
    await courier.happen(gigs[0]);
    await courier.release();
    const id = await courier.endpoint(wire.url);
    expect((await store.webhookEndpoint(id))?.fromSeq).toBe(1);
    await courier.happen(gigs[1]);
    await courier.deliver();
    expect(wire.seqs()).toEqual([2]);
  });
});

describe('tries', () => {
  const replay = (endpointId: number, which: { seq: number } | { gigId: number }) =>
    store.transaction((tx) => tx.replayEvents({ endpointId, which, after: 0, now: courier.clock(), limit: 10 }));
  /** Each hour for 73 hours something is done, and what is due is delivered. */
  async function deliverHourly(act: () => Promise<void> = async () => undefined): Promise<void> {
    for (let hours = 0; hours < 73; hours += 1) {
      await act();
      await courier.deliver();
      courier.advance(HOUR);
    }
  }

  test('behavior: a gig’s events keep their order behind one that is refused, and other gigs go on', async () => {
    await courier.endpoint(wire.url);
    const [first, second] = gigs;
    wire.choose(({ body }) => answerWith(body.data.gig_id === first ? 500 : 204));
    await courier.happen(first, first, second, first, second);
    await courier.deliver();
    expect(wire.seqs()).toEqual([1, 3, 5]);
    expect(await states()).toEqual(['1 queued', '2 queued', '3 delivered', '4 queued', '5 delivered']);
    wire.react(answerWith(204));
    courier.advance(10_000);
    await courier.deliver();
    expect(wire.seqs()).toEqual([1, 3, 5, 1, 2, 4]);
    expect(new Set(wire.received.filter(({ body }) => body.seq === 1).map(({ id }) => id)).size).toBe(1);
  });

  test('behavior: what cannot be reached is asked for nothing until its wait is over, and the wait doubles', async () => {
    const id = await courier.endpoint('http://127.0.0.1:1025/');
    await courier.happen(...gigs.slice(0, 2));
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      await courier.deliver();
      const [, head] = await deliveries(id);
      waits.push((head?.nextAt ?? 0) - courier.clock());
      courier.advance(waits.at(-1) ?? 0);
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000]);
    const [later, head] = await deliveries(id);
    expect([head?.tries, later?.tries]).toEqual([4, 0]);
    expect(head).toMatchObject({ error: 'cannot be reached', status: null, state: 'queued' });
  });

  test('behavior: 2xx accepts an event, whatever its body holds', async () => {
    await courier.endpoint(wire.url);
    wire.react((response) => void response.writeHead(200).end('x'.repeat(200_000)));
    await courier.happen(gigs[0], gigs[0]);
    await courier.deliver();
    expect(wire.seqs()).toEqual([1, 2]);
    expect(await states()).toEqual(['1 delivered', '2 delivered']);
  });

  test.each([
    [429, '120', 120, [1, 1, 2]],
    [503, '86400', 3_600, [1, 1, 2]],
    // What was refused waits no less than without the header.
    [429, '1', 1, [1, 2]],
  ])('behavior: %i with Retry-After: %s is asked for nothing for %i s', async (status, asked, waits, then) => {
    await courier.endpoint(wire.url);
    wire.react(answerWith(status, { 'retry-after': asked }));
    await courier.happen(gigs[0], gigs[1]);
    await courier.deliver();
    wire.react(answerWith(204));
    courier.advance(waits * 1_000 - 1);
    await courier.deliver();
    expect(wire.seqs()).toEqual([1]);
    courier.advance(1);
    await courier.deliver();
    expect(wire.seqs()).toEqual(then);
  });

  test('behavior: 410 pauses an endpoint, and it gets what it missed when it is resumed', async () => {
    const id = await courier.endpoint(wire.url);
    wire.react(answerWith(410));
    await courier.happen(gigs[0], gigs[1]);
    await courier.deliver();
    expect(wire.received).toHaveLength(1);
    expect(await store.webhookEndpoint(id)).toMatchObject({ pausedBecause: 'gone', pausedAt: courier.clock() });
    expect(await store.troubledWebhooks()).toEqual([{ id, client: 'shop', because: 'gone' }]);
    await courier.happen(gigs[0]);
    await courier.deliver();
    expect(await deliveries()).toHaveLength(2);
    wire.react(answerWith(204));
    courier.advance(100 * HOUR);
    await store.transaction((tx) => tx.resumeWebhookEndpoint(id, courier.clock()));
    await courier.deliver();
    expect(wire.seqs()).toEqual([1, 1, 2, 3]);
    expect(await store.troubledWebhooks()).toEqual([]);
  });

  test('behavior: an endpoint that takes nothing for 72 hours is paused, and nothing is given up', async () => {
    const id = await courier.endpoint(wire.url);
    wire.react(answerWith(503));
    await courier.happen(gigs[0]);
    await deliverHourly();
    expect(await store.webhookEndpoint(id)).toMatchObject({ pausedBecause: 'silent' });
    expect(await states()).toEqual(['1 queued']);
  });

  test('behavior: one event that is refused for 72 hours is given up, frees its gig, and can be sent again', async () => {
    const id = await courier.endpoint(wire.url);
    wire.choose(({ body }) => answerWith(body.seq === 1 ? 500 : 204));
    await courier.happen(gigs[0], gigs[0]);
    await deliverHourly(() => courier.happen(gigs[1]));
    await courier.deliver();
    expect((await states()).slice(0, 2)).toEqual(['1 failed', '2 delivered']);
    expect(await store.webhookEndpoint(id)).toMatchObject({ pausedAt: null });
    expect(courier.eventCounter.tally().given_up).toBe(1);
    wire.react(answerWith(204));
    expect(await replay(id, { seq: 1 })).toEqual({ count: 1, last: 1 });
    await courier.deliver();
    expect(wire.seqs().at(-1)).toBe(1);
    expect((await deliveries())[0]).toMatchObject({ seq: 1, state: 'delivered', replay: true });
  });

  test('behavior: what is sent again holds up nothing new', async () => {
    const id = await courier.endpoint(wire.url);
    await courier.happen(gigs[0], gigs[0]);
    await courier.deliver();
    expect(await replay(id, { gigId: gigs[0] })).toEqual({ count: 2, last: 2 });
    await courier.happen(gigs[0]);
    await courier.deliver();
    expect(wire.seqs()).toEqual([1, 2, 3, 1, 2]);
  });

  test('behavior: one request at a time for an endpoint, two for a client', async () => {
    for (let each = 0; each < 4; each += 1) await courier.endpoint(wire.url);
    wire.react((response) => void setTimeout(() => response.writeHead(204).end(), 20));
    await courier.happen(gigs[0], gigs[1], gigs[0], gigs[1]);
    await courier.release();
    const lanes = Array.from({ length: 8 }, async () => {
      for (let idle = 0; idle < 40; idle += 1) {
        if (!(await courier.deliverOne())) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    await Promise.all(lanes);
    expect(wire.received).toHaveLength(16);
    expect(wire.most()).toBe(2);
  });
});

describe('what ended', () => {
  test('behavior: is forgotten after 30 days, and the events stay', async () => {
    await courier.endpoint(wire.url);
    await courier.happen(gigs[0]);
    await courier.deliver();
    const forget = () =>
      store.transaction((tx) => tx.deleteOldDeliveries({ before: courier.clock() - 30 * 24 * HOUR, limit: 10 }));
    expect(await forget()).toBe(0);
    courier.advance(30 * 24 * HOUR + 1);
    expect(await forget()).toBe(1);
    expect(await store.lastEventSeq()).toBe(1);
  });
});
