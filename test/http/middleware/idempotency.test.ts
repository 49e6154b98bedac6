import { beforeAll, expect, test } from 'vitest';
import { DomainError } from '../../../src/domain/errors.ts';
import { createOnce as createProcessOnce, fingerprint } from '../../../src/http/middleware/idempotency.ts';
import { deployToken, fundToken } from '../../support/anvil.ts';
import { seedToken } from '../../support/store.ts';
import { label, NOW, seedLocalGig, service, shareService } from '../service.ts';
import { create, knowDegen, refusal, TERMS, told } from '../terms.ts';

const REUSED = refusal(
  409,
  'This Idempotency-Key was used with another body: send the same body to get the first response again, or use a new key',
);
const MALFORMED = refusal(400, 'Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces');
const OWNER = { platform: 'farcaster', platform_user_id: '8004', username: 'alice' };

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

const post = (path: string, body: unknown, key: string, headers: Record<string, string> = {}) =>
  service.send('POST', path, body, { 'idempotency-key': key, ...headers });
const createOnce = (key: string, terms: object = {}) => post('/api/gigs/create', { ...TERMS, ...terms }, key);
const newestGig = async () => (await service.store.gigs({ phase: 'all', now: NOW, limit: 1 }))[0]?.id ?? 0;

async function liveGig(): Promise<number> {
  const token = await seedToken(service.store, { chainId: 31337 });
  return (await seedLocalGig(service.store, token, { live: true, startTime: NOW })).id;
}

/** Twenty copies at once: all are answered alike, to the byte. Answers that one answer. */
async function allAlike(copy: () => Promise<Response>): Promise<string> {
  const answers = await Promise.all(Array.from({ length: 20 }, copy));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  for (const answer of answers) {
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json');
  }
  expect(new Set(texts).size).toBe(1);
  return texts[0] ?? '';
}

test('behavior: twenty copies of one creation make one gig', async () => {
  const before = await newestGig();
  const text = await allAlike(() => createOnce('twenty', { owners: [OWNER] }));
  expect(JSON.parse(text)).toMatchObject({ gig_id: before + 1 });
  expect(await newestGig()).toBe(before + 1);
  expect(await service.store.gigOwners(before + 1)).toHaveLength(1);
});

test('behavior: twenty copies of one batch award its tips once', async () => {
  const id = await liveGig();
  const text = await allAlike(() =>
    post(`/api/gigs/${id}/tips`, { tips: [{ platform: 'x', platform_user_id: '5', value: 60 }] }, 'twenty'),
  );
  expect(JSON.parse(text)).toMatchObject({ remaining: '40' });
  expect(await service.store.gig(id)).toMatchObject({ awardedAmount: 60_000_000_000_000_000_000n });
});

test('behavior: twenty copies of one owner add it once', async () => {
  const id = await liveGig();
  await allAlike(() => post(`/api/gigs/${id}/owners`, OWNER, 'twenty'));
  expect(await service.store.gigOwners(id)).toHaveLength(1);
});

test('behavior: the first answer stands, whatever became of the gig since', async () => {
  const first = await createOnce('stands', { amount: 10 });
  const text = await first.text();
  const { gig_id: id } = JSON.parse(text);
  expect((await service.send('PATCH', `/api/gigs/${id}`, { amount: 99 })).status).toBe(200);
  service.time.now = NOW + 366 * 86_400_000;
  expect(await (await createOnce('stands', { amount: 10 })).text()).toBe(text);
  service.time.now = NOW;

  const live = await liveGig();
  const tips = { tips: [{ platform: 'x', platform_user_id: '5', value: 100 }] };
  const awarded = await (await post(`/api/gigs/${live}/tips`, tips, 'stands')).text();
  service.time.now = NOW + 2 * 86_400_000;
  expect(await (await post(`/api/gigs/${live}/tips`, tips, 'stands')).text()).toBe(awarded);
  service.time.now = NOW;

  const owned = await (await post(`/api/gigs/${live}/owners`, OWNER, 'stands')).text();
  await label(service.store, 'farcaster', '8005', 'alice');
  expect(await (await post(`/api/gigs/${live}/owners`, OWNER, 'stands')).text()).toBe(owned);
  expect(await service.store.account({ platform: 'farcaster', platformUserId: '8005' })).toMatchObject({
    username: 'alice',
  });
});

test('error: the same key with another body is refused and changes nothing', async () => {
  expect((await createOnce('once')).status).toBe(201);
  const newest = await newestGig();
  for (const terms of [{ amount: 11 }, { amount: '10' }, { how_to_earn: null }, { amount: 'nonsense' }]) {
    expect(await told(createOnce('once', terms))).toEqual(REUSED);
  }
  expect(await told(post('/api/gigs/create', [], 'once'))).toEqual(REUSED);
  expect(await newestGig()).toBe(newest);

  const id = await liveGig();
  const tips = (value: number) => ({ tips: [{ platform: 'x', platform_user_id: '5', value }] });
  expect((await post(`/api/gigs/${id}/tips`, tips(1), 'once')).status).toBe(201);
  expect(await told(post(`/api/gigs/${id}/tips`, tips(2), 'once'))).toEqual(REUSED);
  expect((await post(`/api/gigs/${id}/owners`, OWNER, 'once')).status).toBe(201);
  expect(await told(post(`/api/gigs/${id}/owners`, { ...OWNER, platform: 'x' }, 'once'))).toEqual(REUSED);
  expect(await service.store.gig(id)).toMatchObject({ awardedAmount: 1_000_000_000_000_000_000n });
});

test('security: a request that fails because another instance has carried it out is answered with that response', async () => {
  const deps = { store: service.store, clock: () => NOW };
  const key = { scope: 'two instances', key: 'k', fingerprint: 'f' };
  const render = (body: string) => ({ status: 201, body });
  const refused = new DomainError({ code: 'gig_already_live', gigId: 1 });
  // As two processes do, neither of which knows what the other is at.
  const [one, other] = [createProcessOnce(deps), createProcessOnce(deps)];
  const answered = await one(key, render, async () => {
    await other(key, render, () => ({ commit: async () => 'first' }));
    throw refused;
  });
  expect(answered).toEqual({ status: 201, body: 'first', isFirst: false });
  const fail = () => Promise.reject(refused);
  await expect(one({ ...key, key: 'another' }, render, fail)).rejects.toBe(refused);
  await expect(one({ ...key, fingerprint: 'g' }, render, fail)).rejects.toMatchObject({
    refusal: { code: 'key_reused' },
  });
});

test('error: of two bodies at the same time under one key one is made and the other refused', async () => {
  const before = await newestGig();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => createOnce('race', { amount: index + 1 })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect(await newestGig()).toBe(before + 1);
});

test('behavior: neither the order of the names in the body nor its white space matters', async () => {
  const reversed = Object.fromEntries(Object.entries({ ...TERMS, owners: [OWNER] }).reverse());
  const owner = Object.fromEntries(Object.entries(OWNER).reverse());
  const first = await createOnce('order', { owners: [OWNER] });
  const again = await post('/api/gigs/create', JSON.stringify({ ...reversed, owners: [owner] }, null, 3), 'order');
  expect(again.status).toBe(201);
  expect(await again.text()).toBe(await first.text());
  // The order of a list does matter.
  const two = [OWNER, { ...OWNER, platform_user_id: '1' }];
  expect((await createOnce('list', { owners: two })).status).toBe(201);
  expect(await told(createOnce('list', { owners: two.toReversed() }))).toEqual(REUSED);
});

test('security: callers share no keys, nor do routes or gigs', async () => {
  const before = await newestGig();
  const stranger = { 'x-api-key': (await service.newKey({ name: 'other', scopes: ['operator'] })).key };
  expect((await createOnce('shared')).status).toBe(201);
  expect((await post('/api/gigs/create', { ...TERMS, amount: 77 }, 'shared', stranger)).status).toBe(201);
  expect(await newestGig()).toBe(before + 2);
  for (const id of [await liveGig(), await liveGig()]) {
    expect((await post(`/api/gigs/${id}/owners`, OWNER, 'shared')).status).toBe(201);
    const tips = { tips: [{ platform: 'x', platform_user_id: '5', value: 1 }] };
    expect((await post(`/api/gigs/${id}/tips`, tips, 'shared')).status).toBe(201);
    expect(await service.store.ownsGig(id, { platform: 'farcaster', platformUserId: '8004' })).toBe(true);
  }
  const wrong = await told(
    createOnce('shared', {}).then(() => post('/api/gigs/create', TERMS, 'shared', { 'x-api-key': 'no' })),
  );
  expect(wrong).toEqual(refusal(401, 'Invalid API key'));
});

test('security: a gig has one path, so that writing it differently awards nothing twice', async () => {
  const id = await liveGig();
  const tips = { tips: [{ platform: 'x', platform_user_id: '5', value: 1 }] };
  expect((await post(`/api/gigs/${id}/tips`, tips, 'path')).status).toBe(201);
  const encoded = [...String(id)].map((digit) => `%3${digit}`).join('');
  for (const path of [
    `0${id}/tips`,
    `${encoded}/tips`,
    `${id}/tip%73`,
    `${id}/tips/`,
    `/${id}/tips`,
    `./${id}/tips?a`,
  ]) {
    await post(`/api/gigs/${path}`, tips, 'path');
  }
  expect(await service.store.gig(id)).toMatchObject({ awardedAmount: 1_000_000_000_000_000_000n });
});

test('behavior: keys tell upper from lower case', async () => {
  const [lower, upper] = await Promise.all([createOnce('case'), createOnce('CASE')]);
  expect(await lower.text()).not.toBe(await upper.text());
});

test('behavior: a request that failed leaves its key free', async () => {
  for (const terms of [
    { amount: 0 },
    { chain: 'base' },
    { token_address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' },
  ]) {
    expect((await createOnce('free', terms)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await createOnce('free')).status).toBe(201);

  const { gig_id: id } = await create(service);
  const tips = { tips: [{ platform: 'x', platform_user_id: '5', value: 1 }] };
  expect((await post(`/api/gigs/${id}/tips`, tips, 'free')).status).toBe(400);
  await service.store.transaction(async (tx) => {
    await tx.lockGig(id, { holder: 'a', now: NOW, until: NOW + 1 });
    await tx.markLive(id, { holder: 'a', startTime: NOW, endTime: NOW + 604_800_000 });
  });
  expect((await post(`/api/gigs/${id}/tips`, tips, 'free')).status).toBe(201);

  expect((await post(`/api/gigs/${id}/owners`, {}, 'free')).status).toBe(400);
  expect((await post(`/api/gigs/${id}/owners`, OWNER, 'free')).status).toBe(201);
});

test('behavior: without the header every request is a new one', async () => {
  const before = await newestGig();
  await create(service);
  await create(service);
  expect(await newestGig()).toBe(before + 2);
});

test.each(['', ' ', 'a b', 'a'.repeat(256), 'key\tkey', 'schlüssel'])('error: %j is no key', async (key) => {
  const before = await newestGig();
  expect(await told(createOnce(key))).toEqual(MALFORMED);
  expect(await told(post('/api/gigs/1/owners', OWNER, key))).toEqual(MALFORMED);
  expect(await told(post('/api/gigs/1/tips', { tips: [] }, key))).toEqual(MALFORMED);
  expect(await newestGig()).toBe(before);
});

test.each(['~', '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}', 'a'.repeat(255)])('behavior: %j is a key', async (key) => {
  const answer = await createOnce(key);
  expect(answer.status).toBe(201);
  expect(await (await createOnce(key)).text()).toBe(await answer.text());
});

test('security: a body nested without end is refused', async () => {
  const deep = `{"owners":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const objects = `{"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
  for (const body of [deep, objects]) {
    expect(await told(post('/api/gigs/create', body, 'deep'))).toEqual(
      refusal(400, 'Body is nested more than 100 levels deep'),
    );
    expect((await service.send('POST', '/api/gigs/create', body)).status).toBe(400);
  }
});

test('behavior: a fingerprint knows no order of names, and tells everything else apart', () => {
  expect(fingerprint({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } })).toBe(
    fingerprint({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 }),
  );
  const bodies = [
    ...[null, [], {}, '', 0, false, [null], [[]], [{}], { a: 1 }, { a: '1' }, { a: [1] }, { a: null }, { b: 1 }],
    ...[[1, 2], [2, 1], [1, [2]], { a: { b: 1 } }, { a: { b: 1, c: 2 } }, { a: { b: 1 }, c: 2 }, 'a', '"a"'],
    ...[JSON.parse('{"__proto__":1}'), JSON.parse('{"a":{"__proto__":1}}'), { 1: 'a', b: 2 }, { '1b': 'a2' }],
  ];
  expect(new Set(bodies.map(fingerprint)).size).toBe(bodies.length);
  expect(fingerprint({ a: 1 })).toMatch(/^[0-9a-f]{64}$/);
});

test('security: a body nested a hundred deep has a fingerprint, a deeper one has none', () => {
  const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(fingerprint(nested(101))).toMatch(/^[0-9a-f]{64}$/);
  for (const depth of [102, 100_000]) {
    expect(() => fingerprint(nested(depth))).toThrow(
      expect.objectContaining({
        refusal: { code: 'invalid_request', message: 'Body is nested more than 100 levels deep' },
      }),
    );
  }
});

test('behavior: a repeated start and each end give the first success again, and say that they do', async () => {
  const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token);
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  const repeated = async (path: string, body: unknown, again = body) => {
    const [first, second] = [await post(path, body, 'ends'), await post(path, again, 'ends')];
    expect([path, first.status, first.headers.get('idempotent-replayed')]).toEqual([path, 200, null]);
    expect([path, second.status, second.headers.get('idempotent-replayed')]).toEqual([path, 200, 'true']);
    expect(await second.text()).toBe(await first.text());
  };
  await repeated('/api/gigs/start', { gig_id: gig.id });
  // Without the key it answers as published.
  expect(await told(service.start(gig.id))).toEqual(refusal(400, 'Gig is already live'));
  expect(await told(post('/api/gigs/start', { gig_id: gig.id + 1 }, 'ends'))).toEqual(REUSED);
  // No body of an end is read, so that none makes it another request.
  await repeated(`/api/gigs/${gig.id}/stop`, {}, { a: 1 });
  await repeated(`/api/gigs/${gig.id}/settle`, {});
  await repeated(`/api/gigs/${(await seedLocalGig(service.store, token)).id}/cancel`, {});
});

test('behavior: a start that was refused is tried again under the same key', async () => {
  const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token);
  const start = () => post('/api/gigs/start', { gig_id: gig.id }, 'later');
  expect((await start()).status).toBe(400);
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  expect((await start()).status).toBe(200);
});

test('behavior: twenty copies of one start make the gig live once, and all are told so', async () => {
  const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token);
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post('/api/gigs/start', { gig_id: gig.id }, 'start')),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
});
