import { beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { deleteWebhook, MOST_REPLAYED, replayEvents } from '../../../src/services/events/webhooks.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { createCourier } from './world.ts';

/** How many replays the store says are queued besides. */
let others: number;
const { store } = storePerCase({
  wrap: (store) => ({
    ...store,
    transaction: (run, options) =>
      store.transaction((tx) => {
        const countQueuedReplays = async (endpoint: number) => others + (await tx.countQueuedReplays(endpoint));
        return run(Object.assign(Object.create(tx), { countQueuedReplays }));
      }, options),
  }),
});
const courier = perCase(() => createCourier(store));
let gigs: readonly [number, number];
let id: number;
beforeEach(async () => {
  others = 0;
  const of = async () => (await seedGig(store, { client: 'shop' })).id;
  gigs = [await of(), await of()];
  id = await courier.endpoint('https://a.example/');
});

type Which = Parameters<typeof replayEvents>[1]['which'];
const replay = (which: Which, endpointId = id) =>
  replayEvents({ store, clock: courier.clock }, { id: endpointId, actor: COMMAND_LINE, which });
const queued = async () => {
  const all = await store.eventDeliveries({ endpointId: id, limit: 2_000 });
  return all.flatMap(({ replay: isReplay, seq }) => (isReplay ? seq : [])).toSorted((a, b) => a - b);
};
/** Released events, of which none waits to be delivered for the first time. */
async function happen(...of: readonly number[]): Promise<void> {
  await courier.happen(...of);
  await courier.release();
}

describe('events that are sent again', () => {
  test('behavior: are one, those of a gig, or those of a time', async () => {
    await happen(gigs[0], gigs[1], gigs[0]);
    const from = courier.clock();
    courier.advance(1_000);
    await happen(gigs[1]);
    expect(await replay({ seq: 2 })).toBe(1);
    expect(await queued()).toEqual([2]);
    expect(await replay({ gigId: gigs[0] })).toBe(2);
    expect(await queued()).toEqual([1, 2, 3]);
    expect(await replay({ since: from + 1_000, until: from + 1_001 })).toBe(1);
    expect(await queued()).toEqual([1, 2, 3, 4]);
    expect(await replay({ seq: 99 })).toBe(0);
  });

  test('behavior: may be more than one transaction queues', async () => {
    await happen(...Array.from({ length: 501 }, () => gigs[0]));
    expect(await replay({ gigId: gigs[0] })).toBe(501);
    expect(await queued()).toHaveLength(501);
  });

  test('security: are so many at most that ten thousand wait', async () => {
    await happen(gigs[0], gigs[0], gigs[0]);
    others = MOST_REPLAYED - 2;
    expect(await replay({ gigId: gigs[0] })).toBe(2);
    expect(await queued()).toEqual([1, 2]);
    const message = `Webhook ${id} has 10000 events still to be sent again: wait until it has taken some`;
    await expect(replay({ gigId: gigs[0] })).rejects.toMatchObject({ refusal: { code: 'invalid_request', message } });
    expect(await queued()).toEqual([1, 2]);
  });

  test('error: are none of an endpoint that is paused or is not there', async () => {
    await happen(gigs[0]);
    await expect(replay({ seq: 1 }, id + 1)).rejects.toMatchObject({ refusal: { code: 'webhook_not_found' } });
    await store.transaction((tx) => tx.pauseWebhookEndpoint(id, { because: 'gone', now: courier.clock() }));
    const message = `Webhook ${id} is paused: resume it first`;
    await expect(replay({ seq: 1 })).rejects.toMatchObject({ refusal: { code: 'invalid_request', message } });
    expect(await queued()).toEqual([]);
  });

  test('security: are in the audit, with what was asked for', async () => {
    await happen(gigs[0]);
    await replay({ seq: 1 });
    const [event] = await store.auditEvents({ limit: 1 });
    expect(event).toMatchObject({ action: 'webhook.replay', detail: '{"seq":1}' });
    const remove = () => deleteWebhook(courier.deps, { id, actor: COMMAND_LINE });
    await remove();
    expect(await store.webhookEndpoint(id)).toBeNull();
    const [deleted] = await store.auditEvents({ limit: 1 });
    expect(deleted).toMatchObject({ action: 'webhook.delete', subjectId: String(id) });
    expect(deleted?.detail).toContain('"host":"a.example"');
    await expect(remove()).rejects.toMatchObject({ refusal: { code: 'webhook_not_found' } });
  });
});
