import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Address } from '../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../src/domain/operators/actor.ts';
import { rotateApiKey } from '../../src/services/operators/api-keys.ts';
import { deployToken, fundToken } from '../support/anvil.ts';
import { sampleClaim, seedClaim, seedTips, seedToken } from '../support/store.ts';
import { NOW, seedLocalGig, service, useService } from './service.ts';
import { create, knowDegen, TERMS } from './terms.ts';

useService();
beforeEach(async () => {
  await knowDegen(service);
});

const OWNER = { platform: 'farcaster', platform_user_id: '8004', username: 'alice' };

const deps = () => ({ store: service.store, clock: () => NOW, randomBytes, actor: COMMAND_LINE });

const newKey = (name: string, client = name) => service.newKey({ name, client });

/** The newest lines of the audit trail about a gig, the oldest of them first, without their ids and times. */
async function linesOf(gigId: number) {
  const events = await service.store.auditEvents({ limit: 50, gigId });
  return events.toReversed().map(({ id: _, at: __, detail, ...event }) => ({ ...event, detail: JSON.parse(detail) }));
}

describe('what a key does', () => {
  test('behavior: is written down with the key, its client, the request and what was done', async () => {
    const { key, record } = await newKey('till', 'shop');
    const headers = (id: string) => ({ 'x-api-key': key, 'x-request-id': id });
    const { gig_id: gigId } = await create(service, { owners: [OWNER] }, headers('req-1'));
    await service.send('PATCH', `/api/gigs/${gigId}`, { amount: 20, how_to_earn: 'x'.repeat(300) }, headers('req-2'));
    await service.send('POST', `/api/gigs/${gigId}/owners`, { ...OWNER, platform: 'x' }, headers('req-3'));
    const by = { actor: 'api_key', actorName: 'till', apiKeyId: record.id, client: 'shop', gigId } as const;
    const gig = { ...by, subject: 'gig', subjectId: String(gigId) };
    expect(await linesOf(gigId)).toEqual([
      {
        ...gig,
        requestId: 'req-1',
        action: 'gig.create',
        detail: {
          reward: '10000000000000000000',
          fee: '500000000000000000',
          token: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
        },
      },
      {
        ...by,
        requestId: 'req-1',
        action: 'owner.add',
        subject: 'account',
        subjectId: 'farcaster:8004',
        detail: { username: 'alice' },
      },
      {
        ...gig,
        requestId: 'req-2',
        action: 'gig.change',
        detail: { amount: { from: '10', to: '20' }, how_to_earn: { from: null, to: `${'x'.repeat(200)}…` } },
      },
      {
        ...by,
        requestId: 'req-3',
        action: 'owner.add',
        subject: 'account',
        subjectId: 'twitter:8004',
        detail: { username: 'alice' },
      },
    ]);
    expect(await service.store.gig(gigId)).toMatchObject({ client: 'shop', createdBy: record.id });
  });

  test('behavior: a start and a batch of tips are written down, and a tip names its key', async () => {
    const { key, record } = await newKey('shop');
    const headers = { 'x-api-key': key, 'x-request-id': 'req-7' };
    const token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
    const gig = await seedLocalGig(service.store, token, { startTime: NOW });
    await service.store.transaction((tx) => tx.assignGig(gig.id, 'shop'));
    await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
    expect((await service.start(gig.id, headers)).status).toBe(200);
    const tips = [
      { ...OWNER, value: 1 },
      { platform: 'x', platform_user_id: '9', value: '0.5' },
    ];
    expect((await service.send('POST', `/api/gigs/${gig.id}/tips`, { tips }, headers)).status).toBe(201);
    expect(await linesOf(gig.id)).toMatchObject([
      { action: 'gig.start', apiKeyId: record.id, requestId: 'req-7', detail: { amount: '100000000000000000000' } },
      {
        action: 'tips.award',
        apiKeyId: record.id,
        requestId: 'req-7',
        detail: { count: 2, sum: '1500000000000000000', first_id: 1, last_id: 2 },
      },
    ]);
    expect(await service.store.tip(2)).toMatchObject({ awardedBy: record.id });
  });

  test('error: what is refused or repeated is not written down', async () => {
    const { key } = await newKey('shop');
    const once = { 'x-api-key': key, 'idempotency-key': 'k' };
    const { gig_id: gigId } = await create(service, {}, once);
    await create(service, {}, once);
    await service.send('PATCH', `/api/gigs/${gigId}`, { amount: 0 }, { 'x-api-key': key });
    expect(await linesOf(gigId)).toHaveLength(1);
  });

  test('behavior: a token that a key makes known is written down with the key, once, also when the gig is refused', async () => {
    const { key, record } = await newKey('till', 'shop');
    const headers = (id: string) => ({ 'x-api-key': key, 'x-request-id': id });
    const symbols = ['FIRST', 'SECOND', 'THIRD'];
    const tokens: Address[] = [];
    for (const symbol of symbols) tokens.push((await deployToken({ decimals: 2, symbol })).address);
    const [first, second, third] = tokens;
    const post = (id: string, terms: object) =>
      service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }, headers(id));
    const created = await Promise.all([
      post('req-1', { token_address: first }),
      post('req-1', { token_address: first, amount: 11 }),
    ]);
    expect(created.map(({ status }) => status)).toEqual([201, 201]);
    const changed = await service.send('PATCH', '/api/gigs/1', { token_address: second }, headers('req-2'));
    expect(changed.status).toBe(200);
    expect((await post('req-3', { token_address: third, amount: '0.001' })).status).toBe(400);
    expect((await post('req-4', { token_address: third })).status).toBe(201);
    const events = await service.store.auditEvents({ limit: 50 });
    const added = events.toReversed().filter(({ action }) => action === 'token.add');
    const by = {
      actor: 'api_key',
      actorName: 'till',
      apiKeyId: record.id,
      client: 'shop',
      subject: 'token',
      gigId: null,
    };
    const idOf = async (address: Address) => String((await service.store.token(31337, address))?.id);
    const [one, two, three] = await Promise.all(tokens.map(idOf));
    expect(new Set([one, two, three]).size).toBe(3);
    expect(added.map(({ detail, ...event }) => ({ ...event, detail: JSON.parse(detail) }))).toMatchObject([
      { ...by, requestId: 'req-1', subjectId: one, detail: { address: first, chain: 'anvil', symbol: 'FIRST' } },
      { ...by, requestId: 'req-2', subjectId: two, detail: { address: second, chain: 'anvil', symbol: 'SECOND' } },
      { ...by, requestId: 'req-3', subjectId: three, detail: { address: third, chain: 'anvil', symbol: 'THIRD' } },
    ]);
  });

  test('security: neither a key nor its hash nor an idempotency key is in the trail', async () => {
    const { key, record } = await newKey('shop');
    await create(service, {}, { 'x-api-key': key, 'idempotency-key': 'secret-order' });
    const text = JSON.stringify(await service.store.auditEvents({ limit: 50 }));
    expect(text).toContain('gig.create');
    for (const secret of [key, record.hash, 'secret-order']) expect(text).not.toContain(secret);
  });
});

describe('idempotency keys', () => {
  const post = (key: string, terms: object = {}) => {
    const headers = { 'x-api-key': key, 'idempotency-key': 'order-1' };
    return service.send('POST', '/api/gigs/create', { ...TERMS, ...terms }, headers);
  };
  const idOf = async (response: Response) => Reflect.get(Object(await response.json()), 'gig_id');

  test('security: belong to a client: another one gets its own answer', async () => {
    const shop = await newKey('shop');
    const rival = await newKey('rival');
    const first = await idOf(await post(shop.key));
    const other = await idOf(await post(rival.key, { amount: 11 }));
    expect([first, other]).toEqual([1, 2]);
    expect(await service.store.gig(2)).toMatchObject({ client: 'rival' });
  });

  test('behavior: go on when the key is rotated, and the old key ends', async () => {
    const shop = await newKey('shop');
    const first = await idOf(await post(shop.key));
    const request = { id: shop.record.id, oldUntil: null };
    const rotated = await rotateApiKey({ ...deps(), actor: { kind: 'job', name: 'test' } }, request);
    expect((await post(shop.key)).status).toBe(401);
    expect(await idOf(await post(rotated.key))).toBe(first);
    expect((await post(rotated.key, { amount: 11 })).status).toBe(409);
    const change = await service.send('PATCH', `/api/gigs/${first}`, { amount: 12 }, { 'x-api-key': rotated.key });
    expect(change.status).toBe(200);
    expect(rotated.record).toMatchObject({ name: 'shop', client: 'shop', scopes: shop.record.scopes });
    const rotations = (await service.store.auditEvents({ limit: 50 })).filter(({ action }) => action === 'key.rotate');
    expect(rotations.map(({ actorName, subjectId }) => [actorName, subjectId])).toEqual([['test', String(request.id)]]);
    expect(JSON.parse(rotations[0]?.detail ?? '')).toMatchObject({ replaced_by: rotated.record.id, old_until: NOW });
  });
});

describe('what a client reads of its own gigs', () => {
  test('behavior: the owners, and the payouts page by page with the claims that they pay', async () => {
    const { key } = await newKey('shop');
    const token = await seedToken(service.store, { chainId: 31337 });
    const owners = [{ platform: 'farcaster', platformUserId: '8004' } as const];
    const gig = await seedLocalGig(service.store, token, { live: true, startTime: NOW, owners });
    const account = { platform: 'twitter', platformUserId: '9' } as const;
    const recipient = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as const;
    await service.store.transaction((tx) => tx.assignGig(gig.id, 'shop'));
    for (const post of ['1', '2']) {
      await seedTips(service.store, gig, [account]);
      await seedClaim(service.store, sampleClaim(account, post, { source: 'url', recipient }), NOW);
    }
    const get = async (path: string) =>
      await (await service.app.request(`/api/gigs/${gig.id}${path}`, { headers: { 'x-api-key': key } })).json();
    expect(await get('/owners')).toEqual({
      data: [{ gig_id: gig.id, platform: 'farcaster', platform_user_id: '8004', username: null }],
    });
    const payout = {
      claim_nonce: 'claim-2',
      source: 'url',
      platform: 'twitter',
      platform_user_id: '9',
      recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amount: '1',
      status: 'pending',
      reason: null,
      tx_hash: null,
      created_at: '2026-11-21T09:30:00.000Z',
    };
    expect(await get('/payouts?limit=1')).toEqual({ data: [payout], next_cursor: '2' });
    const last = { data: [{ ...payout, claim_nonce: 'claim-1' }], next_cursor: null };
    expect(await get('/payouts?limit=1&cursor=2')).toEqual(last);
    expect(await get('/payouts?limit=0')).toMatchObject({ error: 'limit must be a whole number from 1 to 100' });
  });
});
