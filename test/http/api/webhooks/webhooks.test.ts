import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { saltsThatSign } from '../../../../src/domain/events/endpoint.ts';
import type { Scope } from '../../../../src/domain/operators/actor.ts';
import { createEventSender } from '../../../../src/endpoints/sender.ts';
import { newSigningKey } from '../../../services/events/world.ts';
import { answerWith } from '../../../support/alert-receiver.ts';
import { openEventReceiver, type TestEventReceiver } from '../../../support/event-receiver.ts';
import { seedGig } from '../../../support/store.ts';
import { NOW, openService, type Service, type ServiceOptions } from '../../service.ts';

const signingKey = newSigningKey();
let service: Service;
let wire: TestEventReceiver;
/** Of the client `test`. */
let own: string;
beforeEach(async () => {
  wire = await openEventReceiver();
  const sender = createEventSender({ signingKey, allowPrivate: true, clock: () => NOW, timeoutMs: 2_000 });
  await reopen({ sender });
});
afterEach(async () => {
  await service.close();
  await wire.close();
});

async function reopen(options: ServiceOptions): Promise<void> {
  service = await openService(options);
  own = await keyOf('test', 'events:read', 'webhooks:write');
}

async function keyOf(client: string, ...scopes: readonly Scope[]): Promise<string> {
  return (await service.newKey({ name: client, scopes })).key;
}

interface Said {
  readonly status: number;
  readonly body: Record<string, unknown> & { data?: Record<string, unknown> };
  readonly headers: Headers;
}

async function ask(
  method: string,
  path: string,
  { key, body, ...headers }: { key?: string; body?: unknown } & Record<string, unknown> = {},
): Promise<Said> {
  const response = await service.app.request(path, {
    method,
    headers: { 'x-api-key': key ?? own, ...(headers as Record<string, string>) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
}

const create = (body: unknown = { url: wire.url }, more = {}) => ask('POST', '/api/webhooks', { body, ...more });

/** Releases what was written. */
const release = () =>
  service.store.transaction((tx) => tx.releaseEvents({ holder: 'test', now: NOW, until: NOW + 1_000, limit: 100 }));

describe('a webhook', () => {
  test('behavior: is created once under a key, without its secret, and read back', async () => {
    const made = await create({ url: wire.url, types: ['tips.awarded'] }, { 'idempotency-key': 'k' });
    const data = {
      id: 1,
      url: wire.url,
      types: ['tips.awarded'],
      all_clients: false,
      state: 'active',
      paused_because: null,
      paused_at: null,
      from_seq: 0,
      created_at: new Date(NOW).toISOString(),
    };
    expect([made.status, made.body]).toEqual([201, { data }]);
    const again = await create({ url: wire.url, types: ['tips.awarded'] }, { 'idempotency-key': 'k' });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([made.body, 'true']);
    expect((await ask('GET', '/api/webhooks')).body).toEqual({ data: [data] });
    expect((await ask('GET', '/api/webhooks/1')).body).toEqual({ data });
    const kept = await service.store.auditEvents({ limit: 1 });
    expect(kept[0]).toMatchObject({ action: 'webhook.create', subject: 'webhook', subjectId: '1' });
    expect(kept[0]?.detail).not.toContain('/events');
  });

  test('security: leaves each change in the audit trail, with its client and without its secret', async () => {
    await create();
    await ask('PATCH', '/api/webhooks/1', { body: { types: ['tips.awarded'] } });
    await ask('POST', '/api/webhooks/1/secret');
    await ask('POST', '/api/webhooks/1/replay', { body: { seq: 1 } });
    const secret = String((await ask('GET', '/api/webhooks/1/secret')).body.data?.['secret']);
    expect((await ask('DELETE', '/api/webhooks/1')).status).toBe(204);
    const trail = (await service.store.auditEvents({ limit: 50 })).filter(({ subject }) => subject === 'webhook');
    expect(trail.toReversed().map(({ action, subjectId, client }) => [action, subjectId, client])).toEqual(
      ['create', 'change', 'rotate', 'replay', 'delete'].map((act) => [`webhook.${act}`, '1', 'test']),
    );
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify(trail)).not.toContain(secret);
  });

  test('error: is refused with all that is wrong at once', async () => {
    const said = await create({ url: 'ftp://shop.example', types: ['tips.awarded', 'x', 'y'] });
    expect([said.status, said.body['code']]).toEqual([400, 'validation_failed']);
    expect(said.body['details']).toEqual([
      expect.stringMatching(/^types\[1\] must be one of gig\.created, /),
      expect.stringMatching(/^types\[2\] must be one of /),
      'url must begin with https://',
    ]);
    expect((await create({})).body['details']).toEqual(['url must be a string']);
  });

  test('error: a client has ten, and another client its own', async () => {
    for (let each = 0; each < 10; each += 1) expect((await create()).status).toBe(201);
    expect((await create()).body).toMatchObject({ code: 'too_many_webhooks' });
    expect((await create({ url: wire.url }, { key: await keyOf('other', 'webhooks:write') })).status).toBe(201);
    expect((await ask('DELETE', '/api/webhooks/1')).status).toBe(204);
    expect((await ask('GET', '/api/webhooks/1')).body).toMatchObject({ code: 'webhook_not_found' });
    expect((await create()).status).toBe(201);
  });

  test('security: only an operator’s key has one for all clients', async () => {
    const wanted = { url: wire.url, all_clients: true };
    expect((await create(wanted)).body).toMatchObject({ code: 'scope_missing' });
    const made = await create(wanted, { key: await keyOf('desk', 'operator') });
    expect(made.body.data).toMatchObject({ all_clients: true });
    expect((await ask('GET', '/api/webhooks/1')).status).toBe(404);
  });

  test('error: is 503 while the operator has set no key', async () => {
    await service.close();
    await reopen({});
    expect([(await create()).status, (await create()).body]).toEqual([
      503,
      expect.objectContaining({
        code: 'signing_off',
        error: 'Events are turned off: the operator has not set SIGNING_KEY',
      }),
    ]);
  });

  test('behavior: is changed, paused and resumed', async () => {
    await create();
    const change = async (body: unknown) => (await ask('PATCH', '/api/webhooks/1', { body })).body;
    expect(await change({ types: ['gig.ended'], paused: true })).toMatchObject({
      data: { types: ['gig.ended'], state: 'paused', paused_because: 'asked', url: wire.url },
    });
    expect(await change({ url: 'gopher://x' })).toMatchObject({ details: ['url must begin with https://'] });
    expect(await change({ paused: false })).toMatchObject({ data: { state: 'active', paused_at: null } });
    expect(await change({ paused: 'yes' })).toMatchObject({ details: ['paused must be true or false'] });
  });

  test('security: its secret is derived, rotated, and in no table', async () => {
    await create();
    const secret = async (method: string) => (await ask(method, '/api/webhooks/1/secret')).body.data?.['secret'];
    const first = await secret('GET');
    expect(await secret('GET')).toBe(first);
    const second = await secret('POST');
    expect([second, await secret('GET')]).toEqual([expect.stringMatching(/^whsec_/), second]);
    expect(second).not.toBe(first);
    const kept = JSON.stringify(await service.store.webhookEndpoint(1));
    for (const each of [first, second]) expect(kept + service.logText()).not.toContain(String(each).slice(6));
  });

  test('security: a rotation that is repeated, because its answer was lost, changes nothing', async () => {
    await create();
    const rotate = async (key: string) => {
      const { body, headers } = await ask('POST', '/api/webhooks/1/secret', { 'idempotency-key': key });
      return [body.data?.['secret'], headers.get('idempotent-replayed')];
    };
    const salts = async () => {
      const endpoint = await service.store.webhookEndpoint(1);
      return endpoint === null ? [] : saltsThatSign(endpoint, NOW);
    };
    const [before = ''] = await salts();
    const [secret] = await rotate('a');
    expect(await rotate('a')).toEqual([secret, 'true']);
    expect(await salts()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), before]);
    const [other, isRepeat] = await rotate('b');
    expect([other === secret, isRepeat]).toEqual([false, null]);
    expect((await ask('POST', '/api/webhooks/1/secret', { 'idempotency-key': 'a b' })).status).toBe(400);
  });

  test('security: not more than 10,000 events are queued to be sent again, however often that is asked for', async () => {
    await create();
    const gigId = (await seedGig(service.store, { client: 'test' })).id;
    const some = Array.from({ length: 600 }, () => ({ type: 'tip.voided', at: NOW, gigId, facts: {} }) as const);
    await service.store.transaction((tx) => tx.insertEvents(some));
    for (let each = 0; each < 6; each += 1) await release();
    const replay = async () => {
      const { status, body } = await ask('POST', '/api/webhooks/1/replay', { body: { gig_id: gigId } });
      return [status, body.data?.['count'] ?? body['error']];
    };
    for (let each = 0; each < 16; each += 1) expect(await replay()).toEqual([202, 600]);
    expect(await replay()).toEqual([202, 400]);
    expect(await replay()).toEqual([
      400,
      'Webhook 1 has 10000 events still to be sent again: wait until it has taken some',
    ]);
    expect(await service.store.countQueuedReplays(1)).toBe(10_000);
  });

  test('behavior: a test is sent at once, and tells what was answered', async () => {
    await create();
    expect((await ask('POST', '/api/webhooks/1/test')).body).toEqual({ data: { status: 204 } });
    expect(wire.received[0]?.body).toMatchObject({ type: 'webhook.test', data: { webhook_id: 1 } });
    wire.react(answerWith(500));
    expect((await ask('POST', '/api/webhooks/1/test')).body).toEqual({ data: { status: 500 } });
    await ask('PATCH', '/api/webhooks/1', { body: { url: 'http://127.0.0.1:1025/' } });
    expect((await ask('POST', '/api/webhooks/1/test')).body).toEqual({
      data: { status: null, error: 'cannot be reached' },
    });
  });

  test('behavior: events are sent again by place, gig or time, and listed', async () => {
    await create();
    const gig = await seedGig(service.store, { client: 'test' });
    const event = { type: 'gig.ended', at: NOW, gigId: gig.id, facts: {} } as const;
    await service.store.transaction((tx) => tx.insertEvents([event]));
    await release();
    const client = (await service.store.webhookEndpoint(1))?.client;
    expect(client).toBe('test');
    const replay = async (body: unknown) => {
      const said = await ask('POST', '/api/webhooks/1/replay', { body });
      return [said.status, said.body.data?.['count'] ?? said.body['details'] ?? said.body['error']];
    };
    expect(await replay({ seq: 1 })).toEqual([202, 1]);
    expect(await replay({ seq: 2 })).toEqual([202, 0]);
    expect(await replay({ gig_id: gig.id })).toEqual([202, 1]);
    const [since, until] = [new Date(NOW).toISOString(), new Date(NOW + 1).toISOString()];
    expect(await replay({ since, until })).toEqual([202, 1]);
    expect(await replay({ since, until: since })).toEqual([202, 0]);
    expect(await replay({ seq: 1, gig_id: 1 })).toEqual([400, [expect.any(String)]]);
    const listed = await ask('GET', '/api/webhooks/1/deliveries?limit=3');
    expect(listed.body).toMatchObject({ next_cursor: expect.any(String), data: { length: 3 } });
    await ask('PATCH', '/api/webhooks/1', { body: { paused: true } });
    expect(await replay({ seq: 1 })).toEqual([400, 'Webhook 1 is paused: resume it first']);
  });
});

describe('GET /api/events', () => {
  const write = async (client: string) => {
    const gig = await seedGig(service.store, { client });
    const event = { type: 'gig.ended', at: NOW, gigId: gig.id, facts: {} } as const;
    await service.store.transaction((tx) => tx.insertEvents([event]));
    await release();
    return gig.id;
  };
  const read = async (query: string, key?: string) => {
    const said = await ask('GET', `/api/events?${query}`, key === undefined ? {} : { key });
    const data = (said.body['data'] ?? []) as { seq: number; id: string }[];
    return { ...said, seqs: data.map(({ seq }) => seq), next: String(said.body['next_after']), data };
  };

  test('security: tells the events of the client’s gigs, and an operator those of all', async () => {
    const gigId = await write('test');
    const foreign = await write('rival');
    expect((await read('after=0')).seqs).toEqual([1]);
    expect((await read(`gig_id=${gigId}`)).seqs).toEqual([1]);
    expect((await read(`gig_id=${foreign}`)).body).toMatchObject({ code: 'gig_not_found' });
    const operator = await keyOf('desk', 'operator');
    expect((await read('', operator)).seqs).toEqual([1, 2]);
    expect((await read(`gig_id=${foreign}&types=gig.ended`, operator)).seqs).toEqual([2]);
    expect((await read('types=gig.started', operator)).seqs).toEqual([]);
  });

  test('behavior: goes on at its cursor', async () => {
    for (let each = 0; each < 3; each += 1) await write('test');
    const first = await read('limit=2');
    expect([first.seqs, first.next]).toEqual([[1, 2], `2-${first.data[1]?.id.slice(4, 12)}`]);
    const second = await read(`after=${first.next}`);
    expect([second.seqs, (await read(`after=${second.next}`)).seqs]).toEqual([[3], []]);
    expect((await read(`after=${second.next}`)).next).toBe(second.next);
    expect((await read('after=latest')).next).toBe(second.next);
    expect((await read('after=2')).seqs).toEqual([3]);
  });

  test('behavior: passes over events of other types, so the next read does not look at them again', async () => {
    await write('test');
    await write('rival');
    const { seqs, next } = await read('after=0&types=gig.started');
    expect([seqs, next]).toEqual([[], (await read('after=latest')).next]);
    await write('test');
    expect((await read(`after=${next}`)).seqs).toEqual([3]);
    expect((await read(`after=${next}&types=gig.started`)).next).toMatch(/^3-/);
  });

  test('error: refuses a cursor of another ledger, and says where to begin again', async () => {
    await write('test');
    for (const cursor of ['1-00000000', '2', '9-abcdef01', 'x', '-1', '1-']) {
      const { status, body } = await read(`after=${cursor}`);
      expect([cursor, status, body['code'], body['error']]).toEqual([
        cursor,
        400,
        'invalid_cursor',
        'The cursor names no event of this ledger: read again with after=0',
      ]);
    }
    for (const query of ['wait=26', 'wait=x', 'limit=0', 'gig_id=x', 'types=nothing']) {
      expect([query, (await read(query)).body['code']]).toEqual([query, 'invalid_request']);
    }
  });

  test('behavior: a request that waits is answered by the next event, and one more than two at once', async () => {
    let looks = 0;
    await service.close();
    const happened = Promise.withResolvers<void>();
    await reopen({
      whileWaiting: async () => {
        await wait(5);
        looks += 1;
        if (looks === 4) await write('test');
        if (looks === 2) happened.resolve();
      },
    });
    const waiting = [read('wait=25'), read('wait=25')];
    await happened.promise;
    expect((await read('wait=25')).seqs).toEqual([]);
    expect((await Promise.all(waiting)).map(({ seqs }) => seqs)).toEqual([[1], [1]]);
  });

  test('behavior: a stop ends what waits', async () => {
    service.stopping.now = true;
    expect((await read('wait=25')).seqs).toEqual([]);
  });
});
