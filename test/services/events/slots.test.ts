import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { changeWebhook, deleteWebhook, type TestAnswer, testWebhook } from '../../../src/services/events/webhooks.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { openEventReceiver } from '../../support/event-receiver.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase } from './world.ts';

/** A new endpoint counts as a slow one for less. */
const SETTLED_MS = 11 * 60_000;
const LANES = 16;

/** Receivers of clients whose answers the test withholds, and of one that answers at once. */
const { store, wire: slow, courier } = courierPerCase({ timeoutMs: 60_000 });
const fast = perCase(() => openEventReceiver());
let held: ServerResponse[];
beforeEach(() => {
  held = [];
});

const hold = (response: ServerResponse) => void held.push(response);
const letGo = () => {
  for (const response of held.splice(0)) response.writeHead(204).end();
};
const gigOf = async (client: string) => (await seedGig(store, { client })).id;

/** Clients with endpoints of the slow receiver, and a gig of each. */
async function slowClients(count: number, endpoints: number): Promise<number[]> {
  const gigs: number[] = [];
  for (let each = 0; each < count; each += 1) {
    for (let one = 0; one < endpoints; one += 1) await courier.endpoint(slow.url, { client: `slow-${each}` });
    gigs.push(await gigOf(`slow-${each}`));
  }
  return gigs;
}

/** Fills all lanes; ends when what they may ask is asked. */
async function fill(): Promise<{ readonly lanes: Promise<boolean[]> }> {
  await courier.release();
  const lanes = Promise.all(Array.from({ length: LANES }, () => courier.deliverOne()));
  await expect.poll(() => store.isEventDeliveryDue(courier.clock())).toBe(false);
  return { lanes };
}

describe('requests under way', () => {
  test('security: go to clients in turn, the one that was asked longest ago first', async () => {
    const [gig = 0] = await slowClients(1, 6);
    await courier.endpoint(fast.url, { client: 'shop' });
    await courier.happen(gig, await gigOf('shop'));
    await courier.release();
    courier.advance(1);
    await courier.deliverOne();
    await courier.deliverOne();
    expect([slow.received.length, fast.received.length]).toEqual([1, 1]);
  });

  test('security: eight clients that answer slowly hold up nobody who answers fast', async () => {
    const gigs = await slowClients(8, 2);
    await courier.endpoint(fast.url, { client: 'shop' });
    const shop = await gigOf('shop');
    courier.advance(SETTLED_MS);
    slow.react((response) => {
      courier.advance(1_001);
      response.writeHead(204).end();
    });
    await courier.happen(...gigs);
    await courier.deliver();
    slow.react(hold);
    await courier.happen(...gigs);
    const { lanes } = await fill();
    await courier.happen(shop);
    await courier.release();
    await courier.deliverOne();
    expect(fast.seqs()).toEqual([17]);
    slow.react(answerWith(204));
    letGo();
    await lanes;
    await courier.deliver(LANES);
    expect(new Set(slow.seqs())).toEqual(new Set(Array.from({ length: 16 }, (_, index) => index + 1)));
  });

  test('security: end a slot neither by a pause nor by a deletion', async () => {
    const [gig = 0] = await slowClients(1, 4);
    slow.react(hold);
    await courier.happen(gig);
    const { lanes } = await fill();
    const actor = COMMAND_LINE;
    for (const paused of [true, false]) await changeWebhook(manager(), { id: 1, actor, paused });
    await deleteWebhook(manager(), { id: 2, actor });
    expect(await courier.deliverOne()).toBe(false);
    expect(slow.received).toHaveLength(2);
    slow.react(answerWith(204));
    letGo();
    await lanes;
    await courier.deliver(LANES);
    expect(slow.received).toHaveLength(4);
  });
});

/** What manages endpoints, with a clock that its waits move. */
function manager() {
  const sleep = async (ms: number) => {
    courier.advance(ms);
    return true;
  };
  return { ...courier.deps, randomBytes: (size: number) => randomBytes(size), sleep };
}

describe('a test of an endpoint', () => {
  const ask = (id: number): Promise<TestAnswer> => testWebhook(manager(), { id, actor: COMMAND_LINE });

  test('security: takes a place among the requests of its client', async () => {
    const [gig = 0] = await slowClients(1, 3);
    slow.react(hold);
    const tests = [ask(1), ask(2)];
    await expect.poll(() => held.length).toBe(2);
    await courier.happen(gig);
    await courier.deliver();
    expect(slow.received).toHaveLength(2);
    slow.react(answerWith(204));
    letGo();
    expect(await Promise.all(tests)).toEqual([{ status: 204 }, { status: 204 }]);
    await courier.deliver();
    expect(slow.received).toHaveLength(5);
  });

  test('error: is not sent while the client’s places are taken, which it says', async () => {
    const [gig = 0] = await slowClients(1, 3);
    slow.react(hold);
    await courier.happen(gig);
    const { lanes } = await fill();
    expect(await ask(3)).toEqual({
      status: null,
      error: 'was not asked, because other requests to webhooks are still under way: try again in a minute',
    });
    expect(slow.received).toHaveLength(2);
    letGo();
    await lanes;
  });

  test('behavior: of an endpoint that waits or is paused is sent, and leaves it as it was', async () => {
    const id = await courier.endpoint('http://127.0.0.1:1025/', { client: 'shop' });
    await courier.happen(await gigOf('shop'));
    await courier.deliver();
    expect(await ask(id)).toEqual({ status: null, error: 'cannot be reached' });
    courier.advance(9_999);
    expect(await courier.deliverOne()).toBe(false);
    courier.advance(1);
    expect(await courier.deliverOne()).toBe(true);
    await changeWebhook(manager(), { id, actor: COMMAND_LINE, paused: true, url: fast.url });
    expect(await ask(id)).toEqual({ status: 204 });
    expect(fast.received.map(({ body }) => body.type)).toEqual(['webhook.test']);
    expect(await store.webhookEndpoint(id)).toMatchObject({ pausedBecause: 'asked' });
  });
});
