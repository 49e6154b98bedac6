import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { OPERATIONS } from '../../../src/http/api/operations.ts';
import { awardAs, decideAs, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { planPayouts, sampleClaim, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { read, shareDocument } from '../document.ts';
import { forThisTest, NOW, openService, type Service, seedLocalGig, service, shareService } from '../service.ts';
import { create, DEGEN, knowDegen, TERMS } from '../terms.ts';

const UNKNOWN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const OWNER = { platform: 'x', platform_user_id: '1541815603606036480', username: 'bob' };
const TIPS = { tips: [{ platform: 'farcaster', platform_user_id: 8004, value: '0.5', user_address: DEGEN }] };
const LARGE = `{"text":"${'x'.repeat(70_000)}"}`;

/** The service, on a chain that does not answer. */
let cutOff: Service;
let live: Gig;

shareService();
shareDocument();
beforeAll(async () => {
  // Nothing listens on that port.
  cutOff = await openService({ rpcUrl: 'http://127.0.0.1:9' });
  for (const each of [service, cutOff]) await knowDegen(each);
  live = await seedLocalGig(service.store, await seedToken(service.store, { chainId: 31337 }), {
    live: true,
    startTime: NOW,
    platform: 'twitter',
    gigType: 'like',
    verifier: 'us',
    externalUrl: 'https://x.com/alice/status/1',
  });
});
afterAll(() => cutOff.close());

const once = { 'idempotency-key': 'once' };
const stranger = { 'x-api-key': 'wrong' };

test('behavior: answers of the creation fit the document', async () => {
  const path = '/api/gigs/create';
  const hold = (body: unknown, status: number, headers?: Record<string, string>, at = service) =>
    read.hold(path, 'post', at.send('POST', path, body, headers), status);
  await hold(TERMS, 201, once);
  await hold({ ...TERMS, token_address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }, 201);
  await hold({}, 400);
  await hold('{', 400);
  await hold(TERMS, 400, { 'idempotency-key': 'a b' });
  await hold(TERMS, 401, stranger);
  await hold({ ...TERMS, chain: 'base' }, 404);
  await hold({ ...TERMS, token_address: UNKNOWN }, 404);
  await hold({}, 409, once);
  await hold(LARGE, 413);
  await hold({ ...TERMS, token_address: UNKNOWN }, 503, {}, cutOff);
});

test('behavior: answers of the list, the types and the record fit the document', async () => {
  const hold = (path: string, url: string, status: number) => read.hold(path, 'get', service.app.request(url), status);
  await create(service, { owners: [OWNER] });
  await hold('/api/gigs', '/api/gigs', 200);
  await hold('/api/gigs', '/api/gigs?status=all&limit=1', 200);
  await hold('/api/gigs', '/api/gigs?status=ended', 200);
  await hold('/api/gigs', '/api/gigs?limit=0', 400);
  await hold('/api/gigs/types', '/api/gigs/types', 200);
  await hold('/api/gigs/{id}', `/api/gigs/${live.id}`, 200);
  await hold('/api/gigs/{id}', `/api/gigs/${(await seedGig(service.store)).id}`, 200);
  await hold('/api/gigs/{id}', '/api/gigs/0', 400);
  await hold('/api/gigs/{id}', '/api/gigs/987654', 404);
});

test('behavior: answers of a change fit the document', async () => {
  const { gig_id: id } = await create(service);
  const { id: lonely } = await seedLocalGig(cutOff.store, await seedToken(cutOff.store, { chainId: 31337 }));
  const hold = (of: number, body: unknown, status: number, headers?: Record<string, string>, at = service) =>
    read.hold('/api/gigs/{id}', 'patch', at.send('PATCH', `/api/gigs/${of}`, body, headers), status);
  await hold(id, { amount: 20 }, 200);
  await hold(id, { amount: 0, duration: 'ever' }, 400);
  await hold(live.id, { amount: 1 }, 400);
  await hold(id, { amount: 1 }, 401, stranger);
  await hold(987_654, {}, 404);
  await hold(id, { chain: 'base' }, 404);
  await service.store.transaction((tx) => tx.lockGig(id, { holder: 'other', now: NOW, until: NOW + 1 }));
  await hold(id, { amount: 1 }, 409);
  await hold(id, LARGE, 413);
  await hold(lonely, { token_address: UNKNOWN }, 503, {}, cutOff);
});

test('behavior: answers of a new owner fit the document', async () => {
  const hold = (of: number, body: unknown, status: number, headers?: Record<string, string>) =>
    read.hold('/api/gigs/{id}/owners', 'post', service.send('POST', `/api/gigs/${of}/owners`, body, headers), status);
  await hold(live.id, OWNER, 201, once);
  await hold(live.id, { platform: 'farcaster', platform_user_id: 8004 }, 201);
  await hold(live.id, {}, 400);
  await hold(live.id, '', 400);
  await hold(live.id, OWNER, 401, stranger);
  await hold(987_654, OWNER, 404);
  await hold(live.id, {}, 409, once);
  await hold(live.id, LARGE, 413);
});

test('behavior: answers of what a client reads of its gigs fit the document', async () => {
  await seedTips(service.store, live, [{ platform: 'twitter', platformUserId: '9' }]);
  await service.store.transaction(async (tx) => {
    const claim = await tx.insertClaim(sampleClaim({ platform: 'twitter', platformUserId: '9' }, 'post'));
    await planPayouts(tx, claim, await tx.takeTips(claim, { now: NOW, lockTimeout: NOW + 1 }), NOW);
  });
  for (const path of ['/api/gigs/{id}/owners', '/api/gigs/{id}/payouts']) {
    const ask = async (id: number, key = service.key) =>
      await service.app.request(path.replace('{id}', String(id)), { headers: { 'x-api-key': key } });
    await read.hold(path, 'get', ask(live.id), 200);
    await read.hold(path, 'get', ask(0), 400);
    await read.hold(path, 'get', ask(live.id, 'wrong'), 401);
    await read.hold(path, 'get', ask(987_654), 404);
  }
});

test('behavior: answers of earnings, and the records of gigs with rules, fit the document', async () => {
  const gig = await seedGigWithRules(service.store);
  await seedActs(service.store, gig, [sampleAct(8004), sampleAct(8005), sampleAct(8006)]);
  await service.store.transaction(async (tx) => {
    await decideAs(tx, gig, sampleAccount(8004));
    await awardAs(tx, gig, sampleAccount(8004));
    await decideAs(tx, gig, sampleAccount(8005), { to: 'refused', reason: 'too_young' });
  });
  await read.hold('/api/gigs/{id}', 'get', service.app.request(`/api/gigs/${gig.id}`), 200);
  await read.hold('/api/gigs', 'get', service.app.request('/api/gigs?status=all'), 200);
  const path = '/api/gigs/{id}/earnings';
  const hold = async (of: number, query: string, status: number, key = service.key) => {
    const headers = { 'x-api-key': key };
    await read.hold(path, 'get', service.app.request(`/api/gigs/${of}/earnings${query}`, { headers }), status);
  };
  await hold(gig.id, '', 200);
  await hold(gig.id, '?limit=1', 200);
  await hold(gig.id, '?identifiers=8004,8005,8006,8007,@nobody', 200, '');
  await hold(live.id, '?identifiers=8004', 200, '');
  await hold(gig.id, '?identifiers=a+b', 400, '');
  await hold(gig.id, '', 401, 'wrong');
  await hold(987_654, '?identifiers=8004', 404, '');
});

test('behavior: answers of tips fit the document', async () => {
  const hold = (of: number, body: unknown, status: number, headers?: Record<string, string>) =>
    read.hold('/api/gigs/{id}/tips', 'post', service.send('POST', `/api/gigs/${of}/tips`, body, headers), status);
  await hold(live.id, TIPS, 201, once);
  await hold(live.id, { tips: [{ ...OWNER, value: 1e-7 }] }, 201);
  await hold(live.id, { tips: [{}] }, 400);
  await hold(live.id, { tips: [{ ...OWNER, value: 1_000 }] }, 400);
  await hold((await create(service)).gig_id, TIPS, 400);
  await hold(live.id, TIPS, 401, stranger);
  await hold(987_654, TIPS, 404);
  await hold(live.id, {}, 409, once);
  await hold(live.id, LARGE, 413);
});

test('behavior: answers of a check fit the document', async () => {
  const path = '/api/tasks/check-completed';
  const hold = (body: unknown, status: number) => read.hold(path, 'post', service.send('POST', path, body), status);
  await hold({ gigId: live.id, platformUserId: '8004' }, 200);
  await hold({}, 400);
  await hold('', 400);
  await hold({ gigId: 987_654, platformUserId: '8004' }, 404);
  await hold(LARGE, 413);
});

/** Those that change gigs, each with a path of it: all that may be repeated take a key for that, and PATCH needs none. */
const KEYED = OPERATIONS.filter(
  ({ method, scope, path }) => /post|patch/.test(method) && scope && /gigs/.test(path),
).map(({ method, path }) => {
  const [named, url] = ['{id}', '1'].map((id) => path.replace(':id{[0-9]+}', id));
  return [method === 'post' ? 'POST' : 'PATCH', named ?? '', url ?? ''] as const;
});

test('behavior: every operation says when it is asked too often, and when it breaks', async () => {
  const slow = await forThisTest(openService({ config: { rateLimitPerMinute: 1 } }));
  const broken = async () => {
    throw new Error('broken');
  };
  const wrap = (store: Service['store']) => ({ ...store, apiKeyByHash: broken, gig: broken, gigs: broken });
  const faulty = await forThisTest(openService({ wrap }));
  await slow.app.request('/api/gigs/types');
  const check = '/api/tasks/check-completed';
  for (const [method, path, url] of [...KEYED, ['POST', check, check] as const]) {
    const body = { gigId: 1, platformUserId: '1' };
    await read.hold(path, method.toLowerCase(), slow.send(method, url, body), 429);
    await read.hold(path, method.toLowerCase(), faulty.send(method, url, body), 500);
  }
  for (const [path, url = path] of [['/api/gigs'], ['/api/gigs/{id}', '/api/gigs/1']] as const) {
    await read.hold(path, 'get', slow.app.request(url), 429);
    await read.hold(path, 'get', faulty.app.request(url), 500);
  }
  await read.hold('/api/gigs/types', 'get', slow.app.request('/api/gigs/types'), 429);
});

test.each(KEYED)('behavior: %s %s says what is in its path and its headers', (method, path) => {
  const parameters = read.operation(path, method.toLowerCase()).parameters ?? [];
  expect(parameters.map(({ name, in: place, required = false }) => [name, place, required])).toEqual([
    ...(path.includes('{id}') ? [['id', 'path', true]] : []),
    ...(method === 'POST' ? [['Idempotency-Key', 'header', false]] : []),
  ]);
});

test('behavior: what may be sent is documented as it is sent, before it is read', () => {
  const requests: [method: string, path: string, good: object[], bad: object[]][] = [
    [
      'post',
      '/api/gigs/create',
      [
        TERMS,
        { ...TERMS, amount: '0.5', platform: 'twitter', url: null, owners: [OWNER, { ...OWNER, username: null }] },
      ],
      [
        {},
        { ...TERMS, amount: true },
        { ...TERMS, start_time: 1 },
        { ...TERMS, owners: [{}] },
        { ...TERMS, chain: null },
      ],
    ],
    ['patch', '/api/gigs/{id}', [{}, { amount: 1 }, { how_to_earn: null }], [{ amount: null }, { platform: 'y' }]],
    ['post', '/api/gigs/{id}/owners', [OWNER, { platform: 'farcaster', platform_user_id: 1 }], [{ platform: 'x' }]],
    ['post', '/api/gigs/{id}/tips', [TIPS], [{}, { tips: [] }, { tips: [OWNER] }]],
    [
      'post',
      '/api/tasks/check-completed',
      [
        { gigId: 1, platformUserId: 8004 },
        { gigId: '1', platformUserId: '@a' },
      ],
      [{ gigId: 1 }],
    ],
  ];
  for (const [method, path, good, bad] of requests) {
    const { requestBody } = read.operation(path, method);
    expect(requestBody?.required).toBe(true);
    const schema = read.requestSchema(path, method);
    const reference = String(requestBody?.content?.['application/json']?.schema['$ref']);
    const { example } = read.document.components.schemas[reference.replace('#/components/schemas/', '')] ?? {};
    for (const body of [...good, example]) expect(schema.safeParse(body).error?.issues ?? []).toEqual([]);
    for (const body of bad) expect(schema.safeParse(body).success).toBe(false);
  }
  const { schemas } = read.document.components;
  expect(schemas['CreateGigRequest']).toMatchObject({
    required: ['chain', 'token_address', 'amount', 'start_time', 'duration', 'gig_type'],
    properties: { platform: { enum: ['farcaster', 'x', 'twitter'] } },
  });
  // A default would move a gig when a generated client fills it in, and make others send the field.
  expect(JSON.stringify(read.document)).not.toContain('"default":');
  expect(JSON.stringify(schemas['ChangeGigRequest'])).not.toContain('"required"');
});
