import { afterEach, beforeEach, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import { newSigningKey } from '../../services/events/world.ts';
import { answerWith } from '../../support/alert-receiver.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { openEventReceiver, type TestEventReceiver } from '../../support/event-receiver.ts';
import { run } from '../../support/process.ts';
import { SEEDED_AT, seedGig } from '../../support/store.ts';

const EVENTS = 8;
const signingKey = newSigningKey();

let database: TestDatabase;
let wire: TestEventReceiver;
beforeEach(async () => {
  database = await createTestDatabase();
  wire = await openEventReceiver();
});
afterEach(async () => {
  await wire.close();
  await database.remove();
});

const start = () => run('test/support/event-child.ts', { args: [database.url, signingKey] });

test('security: a process that is killed with any request under way leaves nothing unsent, and sends it under its id', async () => {
  const store = await database.open();
  const endpoint = { client: 'shop', url: wire.url, types: [], salt: 'ab'.repeat(16), apiKeyId: null };
  await store.transaction((tx) => tx.insertWebhookEndpoint({ ...endpoint, createdAt: SEEDED_AT }));
  const gigs = [await seedGig(store, { client: 'shop' }), await seedGig(store, { client: 'shop' })];
  for (let each = 0; each < EVENTS; each += 1) {
    const gigId = gigs[each % 2]?.id ?? 0;
    await store.transaction((tx) => tx.insertEvents([{ type: 'tip.voided', at: each, gigId, facts: {} }]));
  }
  await store.close();
  // Each process dies with its first request, and the one after it sends that again.
  for (let each = 0; each < EVENTS; each += 1) {
    const child = start();
    const isEven = each % 2 === 0;
    let requests = 0;
    wire.choose(() => (response) => {
      requests += 1;
      if (requests === 1 && !isEven) answerWith(204)(response);
      else child.child.kill('SIGKILL');
    });
    expect(await child.ended).toBe('SIGKILL');
  }
  wire.react(answerWith(204));
  const last = start();
  expect(await last.ended, last.output()).toBe(0);
  const after = await database.open();
  const events = await after.eventsAfter({ after: 0, client: 'shop', types: EVENT_TYPES, gigId: null, limit: 100 });
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
  expect(new Set(wire.received.map(({ id }) => id))).toEqual(new Set(events.map(({ uid }) => uid)));
  for (const { id } of gigs) {
    const seqs = wire.received.filter(({ body }) => body.data.gig_id === id).map(({ body }) => body.seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  }
  const states = (await after.eventDeliveries({ endpointId: 1, limit: 100 })).map(({ state }) => state);
  expect(states).toEqual(Array(EVENTS).fill('delivered'));
  await after.close();
});
