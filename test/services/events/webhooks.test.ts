import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { EventSender } from '../../../src/domain/events/endpoint.ts';
import type { EventType } from '../../../src/domain/events/event.ts';
import { type Actor, COMMAND_LINE, type OwnerActor, type Scope } from '../../../src/domain/operators/actor.ts';
import { keyActor } from '../../../src/domain/operators/api-key.ts';
import type { WebhookContext } from '../../../src/services/events/context.ts';
import {
  changeWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  prepareWebhook,
  reachedClient,
  readSecret,
  replayEvents,
  rotateSecret,
  testWebhook,
  urlProblems,
} from '../../../src/services/events/webhooks.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { seedGig } from '../../support/store.ts';
import { courierPerCase, writeEvents } from './world.ts';

const HOOK = 'https://a.example/hook?secret=1';
const { store, courier } = courierPerCase();

const sleeps: number[] = [];
function deps(change: Partial<WebhookContext> = {}): WebhookContext {
  const { clock, sender } = courier;
  const sleep = async (ms: number) => sleeps.push(ms) > 0;
  const randomBytes = (size: number) => Buffer.alloc(size, 7);
  return { store, clock, sender, newId: () => `id-${sleeps.length}`, randomBytes, sleep, ...change };
}

async function keyOf(client: string, ...scopes: readonly Scope[]): Promise<Actor> {
  const made = { store, clock: courier.clock, randomBytes: deps().randomBytes, actor: COMMAND_LINE };
  const randomBytes = (size: number) => createHash('sha512').update(`${client}${scopes}`).digest().subarray(0, size);
  const request = { name: client, client, scopes, expiresAt: null };
  return keyActor((await createApiKey({ ...made, randomBytes }, request)).record, 'request-1');
}

interface Wanted {
  readonly url?: string;
  readonly types?: readonly EventType[];
  readonly allClients?: boolean;
}
const create = (actor: Actor, { url = HOOK, types = [], allClients = false }: Wanted = {}, using = deps()) =>
  carryOut(using, prepareWebhook(using, { url, types, allClients, actor }));
const change = (id: number, actor: Actor, wanted: Partial<Wanted> & { paused?: boolean }, using = deps()) =>
  changeWebhook(using, { id, actor, ...wanted });
const notFound = (id: number) => ({ refusal: { code: 'webhook_not_found', webhookId: id } });

/** The audit entries since the last call, oldest first. */
let seen = 0;
async function audit() {
  const all = (await store.auditEvents({ limit: 100 })).filter(({ action }) => action.startsWith('webhook.'));
  const fresh = all.toReversed().slice(seen > all.length ? 0 : seen);
  seen = all.length;
  return fresh.map(({ action, subject, subjectId, gigId, at, detail }) => {
    expect([subject, gigId, at]).toEqual(['webhook', null, courier.clock()]);
    return [action, Number(subjectId), JSON.parse(detail)];
  });
}

const owner: OwnerActor = {
  kind: 'owner',
  owner: 'farcaster:1003',
  client: 'owner:farcaster:1003',
  newUntil: null,
  at: 1,
  requestId: null,
};

test('security: a client reaches its own endpoints, and who acts for the operator those of all', async () => {
  const [shop, rival, desk] = [
    await keyOf('shop', 'webhooks:write'),
    await keyOf('rival', 'webhooks:write'),
    await keyOf('desk', 'operator'),
  ];
  const everyone = { kind: 'job', name: 'a' } as const;
  expect([shop, desk, owner, COMMAND_LINE, everyone].map(reachedClient)).toEqual([
    'shop',
    null,
    'owner:farcaster:1003',
    null,
    null,
  ]);
  const { id } = await create(shop);
  const { id: all } = await create(desk, { allClients: true });
  const listed = async (actor: Actor) => (await listWebhooks(deps(), actor)).map((endpoint) => endpoint.id);
  expect([await listed(shop), await listed(rival), await listed(desk)]).toEqual([[id], [], [id, all]]);
  for (const reached of [shop, desk, COMMAND_LINE])
    expect(await findWebhook(store, { id, actor: reached })).toMatchObject({ id });
  for (const [of, actor] of [
    [id, rival],
    [id, owner],
    [all, shop],
    [99, desk],
  ] as const) {
    await expect(findWebhook(store, { id: of, actor })).rejects.toMatchObject(notFound(of));
    await expect(change(of, actor, { paused: false })).rejects.toMatchObject(notFound(of));
    await expect(deleteWebhook(deps(), { id: of, actor })).rejects.toMatchObject(notFound(of));
    await expect(readSecret(deps(), { id: of, actor })).rejects.toMatchObject(notFound(of));
    await expect(rotateSecret(deps(), { id: of, actor, key: null })).rejects.toMatchObject(notFound(of));
    await expect(testWebhook(deps(), { id: of, actor })).rejects.toMatchObject(notFound(of));
    await expect(replayEvents(deps(), { id: of, actor, which: { seq: 1 } })).rejects.toMatchObject(notFound(of));
  }
});

describe('a new endpoint', () => {
  test('behavior: belongs to its maker’s client and key, and is in the audit without its URL', async () => {
    const shop = await keyOf('shop', 'webhooks:write');
    await audit();
    const made = await create(shop, { types: ['gig.started', 'gig.ended'] });
    expect(made).toEqual({
      id: 1,
      client: 'shop',
      url: HOOK,
      types: ['gig.started', 'gig.ended'],
      salt: '07'.repeat(16),
      oldSalt: null,
      rotatedAt: null,
      createdAt: courier.clock(),
      apiKeyId: 1,
      fromSeq: 0,
      pausedAt: null,
      pausedBecause: null,
    });
    expect(await create(COMMAND_LINE, { allClients: true })).toMatchObject({ client: null, apiKeyId: null, types: [] });
    expect(await audit()).toEqual([
      ['webhook.create', 1, { host: 'a.example', types: 'gig.started gig.ended' }],
      ['webhook.create', 2, { host: 'a.example', types: '' }],
    ]);
  });

  test('error: is refused without a signing key, an allowed URL, the scope for all clients, or a key that works', async () => {
    const shop = await keyOf('shop', 'webhooks:write');
    const off = deps({ sender: null });
    await expect(create(shop, {}, off)).rejects.toMatchObject({ refusal: { code: 'signing_off' } });
    expect(() => urlProblems(off, HOOK)).toThrow();
    expect(urlProblems(deps(), HOOK)).toEqual([]);
    const details = ['url must name no user'];
    const invalid = { refusal: { code: 'validation_failed', details } };
    expect(urlProblems(deps(), 'https://me@a.example/')).toEqual(details);
    await expect(create(shop, { url: 'https://me@a.example/' })).rejects.toMatchObject(invalid);
    const scope = { refusal: { code: 'scope_missing', scope: 'operator' } };
    await expect(create(shop, { allClients: true })).rejects.toMatchObject(scope);
    const gone: Actor = { kind: 'api_key', id: 99, name: 'x', client: 'shop', scopes: [], requestId: null };
    await expect(create(gone)).rejects.toMatchObject({ refusal: { code: 'invalid_api_key' } });
    expect(await listWebhooks(deps(), COMMAND_LINE)).toEqual([]);
  });

  test('security: is one of ten of its client at most', async () => {
    for (let count = 0; count < 10; count += 1) await create(owner);
    await expect(create(owner)).rejects.toMatchObject({ refusal: { code: 'too_many_webhooks' } });
    await create(COMMAND_LINE);
    expect(await listWebhooks(deps(), COMMAND_LINE)).toHaveLength(11);
  });
});

describe('a change of an endpoint', () => {
  test('behavior: leaves what it does not name, and rests on the key that chose the URL or resumed it', async () => {
    const [shop, second] = [
      await keyOf('shop', 'webhooks:write'),
      await keyOf('shop', 'events:read', 'webhooks:write'),
    ];
    const made = await create(shop, { types: ['gig.started'] });
    const { id } = made;
    await audit();
    expect(await change(id, second, {})).toEqual(made);
    expect(await change(id, second, { types: ['gig.ended', 'tip.voided'] })).toEqual({
      ...made,
      types: ['gig.ended', 'tip.voided'],
    });
    expect(await change(id, second, { paused: true })).toMatchObject({
      apiKeyId: 1,
      pausedAt: courier.clock(),
      pausedBecause: 'asked',
    });
    expect(await change(id, second, { paused: true })).toMatchObject({ pausedBecause: 'asked' });
    expect(await change(id, second, { paused: false })).toMatchObject({ apiKeyId: 2, pausedAt: null });
    expect(await change(id, COMMAND_LINE, { paused: false })).toMatchObject({ apiKeyId: null });
    const url = 'https://b.example:8443/';
    expect(await change(id, shop, { url })).toEqual({ ...made, url, types: ['gig.ended', 'tip.voided'], apiKeyId: 1 });
    expect(await audit()).toEqual([
      ['webhook.change', id, { host: 'a.example', types: 'gig.ended tip.voided' }],
      ['webhook.pause', id, {}],
      ['webhook.resume', id, {}],
      ['webhook.change', id, { host: 'b.example:8443', types: 'gig.ended tip.voided' }],
    ]);
  });

  test('error: takes no URL that is not allowed, and nothing but a pause without a signing key', async () => {
    const { id } = await create(COMMAND_LINE);
    await expect(change(id, COMMAND_LINE, { url: 'http://me@a.example/' })).rejects.toMatchObject({
      refusal: { code: 'validation_failed' },
    });
    const off = deps({ sender: null });
    for (const wanted of [{ url: HOOK }, { types: [] }]) {
      await expect(change(id, COMMAND_LINE, wanted, off)).rejects.toMatchObject({ refusal: { code: 'signing_off' } });
    }
    expect(await change(id, COMMAND_LINE, { paused: true }, off)).toMatchObject({ url: HOOK, pausedBecause: 'asked' });
  });

  test('behavior: that resumes one gives all that waits its whole time again, however much, and of an active one nothing', async () => {
    const id = await courier.endpoint('http://127.0.0.1:1025/');
    await writeEvents(store, (await seedGig(store, { client: 'shop' })).id, 501);
    await courier.release();
    await courier.deliverOne();
    const waits = async () =>
      new Set(
        (await store.eventDeliveries({ endpointId: id, limit: 600 })).map(
          ({ tries, queuedAt }) => `${tries} ${queuedAt}`,
        ),
      );
    const before = courier.clock();
    courier.advance(60_000);
    await change(id, COMMAND_LINE, { paused: false });
    expect(await waits()).toEqual(new Set([`1 ${before}`, `0 ${before}`]));
    await change(id, COMMAND_LINE, { paused: true });
    await change(id, COMMAND_LINE, { paused: false });
    expect(await waits()).toEqual(new Set([`0 ${courier.clock()}`]));
  });

  test('behavior: a deletion is in the audit', async () => {
    const { id } = await create(COMMAND_LINE, { types: ['gig.ended'] });
    await audit();
    await deleteWebhook(deps(), { id, actor: COMMAND_LINE });
    expect(await audit()).toEqual([['webhook.delete', id, { host: 'a.example', types: 'gig.ended' }]]);
    await expect(findWebhook(store, { id, actor: COMMAND_LINE })).rejects.toMatchObject(notFound(id));
  });
});

test('security: a new secret derives from random bytes, or of a key from the one before, and is in the audit', async () => {
  const { id, salt } = await create(COMMAND_LINE);
  await audit();
  const rotate = (key: string | null) => rotateSecret(deps(), { id, actor: COMMAND_LINE, key });
  const derived = createHash('sha256').update(`${salt} key-1`).digest('hex').slice(0, 32);
  expect(await rotate('key-1')).toEqual({ secret: courier.sender.secretOf(derived), isRepeat: false });
  expect(await findWebhook(store, { id, actor: COMMAND_LINE })).toMatchObject({
    salt: derived,
    oldSalt: salt,
    rotatedAt: courier.clock(),
  });
  expect(await rotate(null)).toEqual({ secret: courier.sender.secretOf('07'.repeat(16)), isRepeat: false });
  expect(await readSecret(deps(), { id, actor: COMMAND_LINE })).toBe(courier.sender.secretOf('07'.repeat(16)));
  // A rotation without a key repeats none, whatever its key was.
  for (const key of ['null', null]) expect(await rotate(key)).toMatchObject({ isRepeat: false });
  expect(await audit()).toEqual(Array(4).fill(['webhook.rotate', id, {}]));
  const off = deps({ sender: null });
  for (const ask of [
    rotateSecret(off, { id, actor: COMMAND_LINE, key: null }),
    readSecret(off, { id, actor: COMMAND_LINE }),
  ]) {
    await expect(ask).rejects.toMatchObject({ refusal: { code: 'signing_off' } });
  }
  expect(await audit()).toEqual([]);
});

describe('a test of an endpoint', () => {
  const ask = (id: number, sender: Partial<EventSender>, change: Partial<WebhookContext> = {}) =>
    testWebhook(deps({ sender: { ...courier.sender, ...sender }, ...change }), { id, actor: COMMAND_LINE });
  const fail = (message: string, status?: number) => {
    const error = new AdapterError({ retry: 'safe', reason: 'server_error', message, status });
    return { test: () => Promise.reject(error) };
  };

  test('behavior: has an id of its own, and tells the status or why there is none', async () => {
    const { id } = await create(COMMAND_LINE);
    const ids: string[] = [];
    const test = async (_: unknown, of: string) => ids.push(of) + 199;
    expect(await ask(id, { test }, { newId: () => 'new' })).toEqual({ status: 200 });
    expect(ids).toEqual(['test_new']);
    expect(await ask(id, fail('it says no', 503))).toEqual({ status: 503 });
    expect(await ask(id, fail('it hit it hard'))).toEqual({ status: null, error: 'hit it hard' });
    expect(await ask(id, fail('hit it hard'))).toEqual({ status: null, error: 'hit it hard' });
    const ours = { test: () => Promise.reject(new TypeError('ours')) };
    // Each gives its place back.
    for (let time = 0; time < 3; time += 1) await expect(ask(id, ours)).rejects.toThrow('ours');
    await expect(testWebhook(deps({ sender: null }), { id, actor: COMMAND_LINE })).rejects.toThrow();
  });

  test('error: waits some seconds for a place, as long as the service goes on, and a lost place is free after its lease', async () => {
    const { id } = await create(COMMAND_LINE);
    const request = { endpointId: id, lease: 'dead', now: courier.clock(), until: courier.clock() + 60_000 };
    const taken = await store.transaction((tx) => tx.takeSlot(request));
    expect(taken).not.toBeNull();
    const leases: { lease: string; until: number }[] = [];
    const transaction: Store['transaction'] = (run, options) =>
      store.transaction((tx) => {
        const takeSlot: typeof tx.takeSlot = (asked) => {
          leases.push({ lease: asked.lease, until: asked.until });
          return tx.takeSlot(asked);
        };
        return run(Object.assign(Object.create(tx), { takeSlot }));
      }, options);
    const answer = { test: async () => 204 };
    const busy = { status: null, error: expect.stringMatching(/^was not asked, .* try again in a minute$/) };
    sleeps.length = 0;
    expect(await ask(id, answer, { store: { ...store, transaction } })).toEqual(busy);
    expect(sleeps).toEqual(Array(19).fill(250));
    const until = courier.clock() + 30_000;
    expect(leases).toEqual(Array.from({ length: 20 }, (_, count) => ({ lease: `id-${count}`, until })));
    sleeps.length = 0;
    expect(await ask(id, answer, { sleep: async (ms) => sleeps.push(ms) < 0 })).toEqual(busy);
    expect(sleeps).toEqual([250]);
    courier.advance(60_000);
    expect(await ask(id, answer)).toEqual({ status: 204 });
  });
});

test('security: events that are sent again are at most ten thousand, though all are taken meanwhile', async () => {
  const { id } = await create(COMMAND_LINE);
  const asked: object[] = [];
  const transaction: Store['transaction'] = (run, options) =>
    store.transaction((tx) => {
      const replay: typeof tx.replayEvents = async ({ now: _, ...request }) => {
        asked.push(request);
        return { count: request.limit, last: request.after + request.limit };
      };
      return run(Object.assign(Object.create(tx), { replayEvents: replay, countQueuedReplays: async () => 0 }));
    }, options);
  const which = { gigId: 1 };
  const replayed = replayEvents({ ...deps(), store: { ...store, transaction } }, { id, actor: COMMAND_LINE, which });
  expect(await replayed).toBe(10_000);
  const pages = Array.from({ length: 20 }, (_, page) => ({ endpointId: id, which, after: page * 500, limit: 500 }));
  expect(asked).toEqual(pages);
});
