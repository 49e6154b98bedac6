import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE, type Scope } from '../../../src/domain/operators/actor.ts';
import { keyActor } from '../../../src/domain/operators/api-key.ts';
import { changeWebhook, prepareWebhook } from '../../../src/services/events/webhooks.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../../src/services/operators/api-keys.ts';
import { webhookPaused } from '../../../src/services/operators/conditions/webhooks.ts';
import { findOrphans, pauseExpired } from '../../../src/services/operators/key-webhooks.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase } from '../events/world.ts';
import { createSurroundings } from './looking.ts';

const { store, wire, courier } = courierPerCase();
let gigId: number;
beforeEach(async () => {
  gigId = (await seedGig(store, { client: 'shop', live: true })).id;
});

const keys = () => ({ store, clock: courier.clock, randomBytes, actor: COMMAND_LINE });
const sleep = async () => true;
const webhooks = () => ({ ...keys(), sender: courier.sender, newId: randomUUID, sleep });

async function newKey(client: string, ...scopes: readonly Scope[]) {
  return (await createApiKey(keys(), { name: client, client, scopes, expiresAt: null })).record;
}
type Key = Awaited<ReturnType<typeof newKey>>;

/** A webhook that this key makes. */
async function newWebhook(key: Key, allClients = false): Promise<number> {
  const wanted = { url: wire.url, types: [], allClients, actor: keyActor(key, null) };
  return (await carryOut(webhooks(), prepareWebhook(webhooks(), wanted))).id;
}
const change = (id: number, by: Key, wanted: { url?: string; types?: []; paused?: boolean }) =>
  changeWebhook(webhooks(), { id, actor: keyActor(by, null), ...wanted });
const isPaused = async (id: number) => (await store.webhookEndpoint(id))?.pausedAt !== null;
/** How many requests the receiver gets for one more event of the client `shop`. */
async function sent(): Promise<number> {
  const before = wire.seqs().length;
  await courier.happen(gigId);
  await courier.deliver();
  return wire.seqs().length - before;
}

/** What is told of webhooks that are paused. */
async function told(): Promise<string[]> {
  const found = await webhookPaused.find(createSurroundings(store).deps);
  return found.map((each) => (each && 'text' in each ? each.text : 'unknown'));
}

describe('a webhook of a key that ends', () => {
  test('security: one of a revoked operator key gets no client’s events, until somebody resumes it', async () => {
    const desk = await newKey('desk', 'operator');
    const id = await newWebhook(desk, true);
    expect(await sent()).toBe(1);
    await courier.happen(gigId);
    expect(await revokeApiKey(keys(), desk.id)).toEqual({ paused: [id], kept: [] });
    expect(await sent()).toBe(0);
    expect((await store.auditEvents({ limit: 1 }))[0]).toMatchObject({
      action: 'webhook.pause',
      subjectId: String(id),
      detail: JSON.stringify({ api_key: desk.id }),
    });
    await changeWebhook(webhooks(), { id, actor: COMMAND_LINE, paused: false });
    expect([await sent(), await findOrphans(store, courier.clock())]).toEqual([3, []]);
  });

  test('security: a rotation without a time pauses it; with one the new key keeps it, and pauses it at its own end', async () => {
    const old = await newKey('shop', 'webhooks:write');
    const id = await newWebhook(old);
    const oldUntil = courier.clock() + 1_000;
    const second = await rotateApiKey(keys(), { id: old.id, oldUntil, scopes: ['gigs:write'] });
    expect(second.webhooks).toEqual({ paused: [], kept: [id] });
    courier.advance(1_000);
    expect([await sent(), await findOrphans(store, courier.clock())]).toEqual([1, []]);
    const third = await rotateApiKey(keys(), { id: second.record.id, oldUntil: null });
    expect([third.webhooks, await sent()]).toEqual([{ paused: [id], kept: [] }, 0]);
    expect((await findOrphans(store, courier.clock())).map(({ apiKeyId }) => apiKeyId)).toEqual([second.record.id]);
  });

  test('security: a successor that is no operator keeps none for all clients', async () => {
    const desk = await newKey('desk', 'operator');
    const [all, own] = [await newWebhook(desk, true), await newWebhook(desk)];
    const oldUntil = courier.clock() + 1_000;
    const { webhooks: ended } = await rotateApiKey(keys(), { id: desk.id, oldUntil, scopes: ['webhooks:write'] });
    expect(ended).toEqual({ paused: [all], kept: [own] });
  });

  test('security: of a key that expires it is paused from then on, and the pause is told, until somebody resumes it', async () => {
    const end = courier.clock() + 1_000;
    const { record: key } = await createApiKey(keys(), { name: 'shop', scopes: ['webhooks:write'], expiresAt: end });
    const [id, asked] = [await newWebhook(key), await newWebhook(key)];
    await change(asked, key, { paused: true });
    await pauseExpired(courier.deps);
    expect([await sent(), await told()]).toEqual([1, []]);
    courier.advance(1_000);
    await pauseExpired(courier.deps);
    expect([await sent(), await told()]).toEqual([
      0,
      [`Webhook ${id} of shop is paused: its key ${key.id} has expired`],
    ]);
    const event = { action: 'webhook.pause', actor: 'job', subjectId: String(id), at: end };
    const [first, second] = await store.auditEvents({ limit: 2 });
    expect([first, second?.actor]).toMatchObject([
      { ...event, detail: JSON.stringify({ api_key: key.id }) },
      'api_key',
    ]);
    await changeWebhook(webhooks(), { id, actor: COMMAND_LINE, paused: false });
    await pauseExpired(courier.deps);
    expect([await sent(), await told()]).toEqual([2, []]);
  });

  test('security: what a rotated key makes until its end is paused then; what its successor keeps goes on', async () => {
    const old = await newKey('shop', 'webhooks:write');
    const kept = await newWebhook(old);
    await rotateApiKey(keys(), { id: old.id, oldUntil: courier.clock() + 1_000 });
    const late = await newWebhook(old);
    courier.advance(1_000);
    await pauseExpired(courier.deps);
    expect([await isPaused(kept), await isPaused(late)]).toEqual([false, true]);
  });

  test('security: it goes with the key that chose its URL or resumed it last, whichever made it', async () => {
    const [till, leaked] = [await newKey('shop', 'webhooks:write'), await newKey('shop', 'webhooks:write')];
    const [moved, typed] = [await newWebhook(till), await newWebhook(till)];
    await change(moved, leaked, { url: `${wire.url}?to=elsewhere` });
    await change(typed, leaked, { types: [] });
    expect((await revokeApiKey(keys(), leaked.id)).paused).toEqual([moved]);
    await change(moved, till, { url: wire.url, paused: false });
    expect((await revokeApiKey(keys(), till.id)).paused).toEqual([moved, typed]);
  });

  test('security: of a key that is no operator it is made for its own client alone', async () => {
    const shop = await newKey('shop', 'webhooks:write');
    const refusal = { code: 'scope_missing', scope: 'operator' };
    await expect(newWebhook(shop, true)).rejects.toMatchObject({ refusal });
    expect(await store.webhookEndpoint(await newWebhook(shop))).toMatchObject({ client: 'shop' });
  });

  test('security: a request that a key began before its end neither makes nor resumes one afterwards', async () => {
    const key = await newKey('shop', 'webhooks:write');
    const id = await newWebhook(key);
    await revokeApiKey(keys(), key.id);
    const refused = { refusal: { code: 'invalid_api_key' } };
    await expect(newWebhook(key)).rejects.toMatchObject(refused);
    await expect(change(id, key, { paused: false })).rejects.toMatchObject(refused);
    expect([await isPaused(id), (await store.webhookEndpoints(null)).length]).toEqual([true, 1]);
  });
});
