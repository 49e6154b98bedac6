import { afterEach, expect, test } from 'vitest';
import { AdapterError } from '../../src/domain/errors.ts';
import { createDeliveryCounter } from '../../src/services/deliveries/deliver-next.ts';
import { ANSWERED } from '../services/fakes.ts';
import { isOnPostgres } from '../support/database.ts';
import { seedFee, seedGig, seedMention } from '../support/store.ts';
import { TANK } from './gas-tank.ts';
import { bothPlatforms, castEvent, signFarcaster } from './platforms.ts';
import { forThisTest, NOW, openService, service, setUp } from './service.ts';

/** What is said of the engine on which the tests run. */
const ENGINE = isOnPostgres()
  ? {
      engine: 'postgres',
      standbys: { synchronous: 0, asynchronous: 0, unknown: 0 },
      connections: ['transactions', 'reads', 'lookups'].map((pool) => expect.objectContaining({ pool, waiting: 0 })),
    }
  : { engine: 'sqlite', standbys: null, connections: [] };

afterEach(() => service.close());

async function metrics(): Promise<string[]> {
  const response = await service.app.request('/metrics');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain');
  return (await response.text()).split('\n');
}

test('behavior: health says that the process is up, whatever the store does', async () => {
  await setUp({
    wrap: (store) => ({
      ...store,
      checkWritable: async () => {
        throw new Error('read only');
      },
    }),
  });
  const response = await service.app.request('/health');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ status: 'ok' });
});

test('behavior: ready shows the store, each chain and each platform', async () => {
  await setUp({ platforms: await bothPlatforms() });
  service.health.sent('farcaster', ANSWERED);
  service.health.failed(
    'twitter',
    new AdapterError({ retry: 'safe', reason: 'rate_limited', message: 'slow down', retryAfterMs: 90_000 }),
  );
  const response = await service.app.request('/ready');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    ready: true,
    status: 'degraded',
    reasons: [
      {
        kind: 'platform_paused',
        subject: 'x',
        text: 'X is paused: rate limited (429)',
        remedy:
          'Check the keys, the credits and the state of the bot’s account; waiting work continues after the pause.',
      },
    ],
    store: { writable: true, ...ENGINE, instances: 1, clock_ahead_ms: 0 },
    chains: [{ chain: 'anvil', chain_id: 31337, last_success: null }],
    platforms: [
      { platform: 'farcaster', last_success: '2026-11-21T09:30:00.000Z', paused: null },
      {
        platform: 'twitter',
        last_success: null,
        paused: { reason: 'rate limited (429)', until: '2026-11-21T09:31:30.000Z' },
      },
    ],
    gigs: { frozen: 0, overdue: 0 },
    gas_tank: null,
  });
});

test('behavior: ready and the metrics show the gas tank, low or not seen yet', async () => {
  await setUp({ gasTank: TANK });
  const response = await service.app.request('/ready');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    ready: true,
    gas_tank: {
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      balances: [
        { chain: 'anvil', balance: '0.015123456789', low: true, top_ups_held: false },
        { chain: 'base', balance: null, low: null, top_ups_held: false },
      ],
    },
  });
  const lines = await metrics();
  expect(lines).toContain('gigclaim_gas_tank_wei{chain="anvil"} 15123456789000000');
  expect(lines).toContain('gigclaim_gas_tank_low{chain="anvil"} 1');
  expect(lines.join('\n')).not.toContain('chain="base"');
});

test('behavior: ready and the metrics count the gigs that are frozen, which makes nothing unready', async () => {
  await setUp();
  for (const reason of ['it does not add up', 'payment 9 moved another amount than planned', null]) {
    const { id } = await seedGig(service.store, { live: true });
    await service.store.transaction((tx) => tx.freezeGig(id, { reason, now: NOW }));
  }
  const response = await service.app.request('/ready');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    ready: true,
    status: 'degraded',
    gigs: { frozen: 2 },
    reasons: [
      { kind: 'gig_frozen', subject: 'gig 1', text: 'Gig 1 is frozen, because it does not add up' },
      { subject: 'gig 2', text: 'Gig 2 is frozen, because payment 9 moved another amount than planned' },
    ],
  });
  expect(await metrics()).toContain('gigclaim_gigs_frozen 2');
});

test('behavior: the metrics count the gigs whose refund is due and not planned', async () => {
  await setUp();
  for (const days of [2, 4, 5]) {
    const { id } = await seedGig(service.store, {
      live: true,
      refundAddress: '0x00000000000000000000000000000000000000b1',
    });
    await service.store.transaction((tx) => tx.settleGig(id, NOW - days * 86_400_000));
  }
  expect(await metrics()).toContain('gigclaim_refunds_waiting 2');
});

test('error: ready is 503 when the database is not writable', async () => {
  await setUp({
    wrap: (store) => ({
      ...store,
      checkWritable: async () => {
        throw new Error('read only');
      },
    }),
  });
  const response = await service.app.request('/ready');
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    ready: false,
    status: 'degraded',
    reasons: [],
    store: { writable: false },
  });
  expect(service.lines).toContainEqual(
    expect.objectContaining({ level: 'error', error: expect.objectContaining({ message: 'read only' }) }),
  );
});

test('behavior: metrics time requests by route, never by what a caller wrote', async () => {
  await setUp();
  await service.app.request('/api/claim?identifiers=1');
  await service.app.request('/api/claim?identifiers=2');
  await service.app.request('/api/claim');
  await service.app.request('/invented/by/the/caller');
  await service.app.request('/api/invented');
  await service.app.request('/api/claim', { method: 'PROPFIND' });
  const lines = await metrics();
  const name = 'gigclaim_http_request_duration_seconds_count';
  expect(lines).toContain(`${name}{method="GET",route="/api/claim",status="200"} 2`);
  expect(lines).toContain(`${name}{method="GET",route="/api/claim",status="400"} 1`);
  expect(lines).toContain(`${name}{method="GET",route="unmatched",status="404"} 2`);
  expect(lines).toContain(`${name}{method="other",route="unmatched",status="405"} 1`);
  expect(lines.join('\n')).not.toContain('invented');
  expect(lines.some((line) => line.startsWith('process_cpu_seconds_total '))).toBe(true);
});

test('behavior: routes are named without what their parameters must match', async () => {
  await setUp({ platforms: await bothPlatforms() });
  const asked: [method: string, path: string, route: string][] = [
    ['GET', '/api/gigs/1', '/api/gigs/:id'],
    ['PATCH', '/api/gigs/1', '/api/gigs/:id'],
    ['POST', '/api/gigs/1/owners', '/api/gigs/:id/owners'],
    ['POST', '/api/gigs/1/tips', '/api/gigs/:id/tips'],
    ['GET', '/gigs/1', '/gigs/:id'],
    ['GET', '/claim/x/bob/image.png', '/claim/:platform/:id/image.png'],
    ['OPTIONS', '/api/gigs/1', '/api/gigs/:id'],
  ];
  for (const [method, path] of asked) await service.app.request(path, { method });
  const text = (await metrics()).join('\n');
  for (const [method, , route] of asked) expect(text).toContain(`{method="${method}",route="${route}",`);
  for (const [, route = ''] of text.matchAll(/route="([^"]*)"/g)) expect(route).toMatch(/^(?:unmatched|[\w/:.-]+)$/);
});

test('behavior: every counter is there from the start, at 0 for each label that it can have', async () => {
  await setUp();
  const lines = await metrics();
  for (const platform of ['farcaster', 'twitter']) {
    expect(lines).toContain(`gigclaim_mentions_received_total{platform="${platform}"} 0`);
    for (const outcome of ['stored', 'nothing_new', 'bad_signature', 'unreadable', 'failed']) {
      expect(lines).toContain(`gigclaim_webhooks_total{platform="${platform}",outcome="${outcome}"} 0`);
    }
  }
  const counters = lines.filter((line) => /^# TYPE gigclaim_\w+ counter$/.test(line));
  for (const source of ['webhook', 'look', 'sweep', 'start']) {
    expect(lines).toContain(`gigclaim_observations_total{source="${source}"} 0`);
  }
  for (const name of ['earning_looks', 'earning_sweeps', 'gigs_settled']) {
    expect(lines).toContain(`gigclaim_${name}_total 0`);
  }
  for (const outcome of ['answered', 'failed']) {
    expect(lines).toContain(`gigclaim_verifier_questions_total{outcome="${outcome}"} 0`);
  }
  for (const outcome of ['delivered', 'failed', 'given_up']) {
    for (const what of ['alert', 'event', 'notification']) {
      expect(lines).toContain(`gigclaim_${what}_deliveries_total{outcome="${outcome}"} 0`);
    }
  }
  expect(counters).toHaveLength(10);
});

test('behavior: nothing is wrong with a service on which all is well', async () => {
  await setUp();
  expect(await (await service.app.request('/ready')).json()).toMatchObject({ ready: true, status: 'ok', reasons: [] });
});

test('behavior: ready names a hundred reasons at most', async () => {
  await setUp();
  for (let each = 0; each < 101; each += 1) {
    const { id } = await seedGig(service.store, { live: true });
    await service.store.transaction((tx) => tx.freezeGig(id, { reason: 'it does not add up', now: NOW }));
  }
  const ready: unknown = await (await service.app.request('/ready')).json();
  expect(ready).toMatchObject({ gigs: { frozen: 101 }, reasons: { length: 100 } });
});

test('behavior: metrics count the open alerts by kind, and what became of their deliveries', async () => {
  const alertCounter = createDeliveryCounter();
  await setUp({ alertCounter });
  const condition = { kind: 'gas_tank_low', gigId: null, text: 'a', remedy: 'b' } as const;
  await service.store.transaction(async (tx) => {
    await tx.beginAlert({ ...condition, subject: 'base' }, NOW);
    await tx.beginAlert({ ...condition, subject: 'anvil' }, NOW);
    const id = await tx.beginAlert({ ...condition, subject: 'polygon' }, NOW);
    await tx.endAlert(id ?? 0, NOW);
  });
  alertCounter.tried('delivered');
  alertCounter.tried('failed', 2);
  const lines = await metrics();
  expect(lines).toContain('gigclaim_alerts_open{kind="gas_tank_low"} 2');
  expect(lines).toContain('gigclaim_alerts_open{kind="gig_frozen"} 0');
  expect(lines).toContain('gigclaim_alert_deliveries_total{outcome="delivered"} 1');
  expect(lines).toContain('gigclaim_alert_deliveries_total{outcome="failed"} 2');
  expect(lines).toContain('gigclaim_alert_deliveries_total{outcome="given_up"} 0');
});

test('behavior: metrics count the payments by state', async () => {
  await setUp();
  await seedFee(service.store, await seedGig(service.store));
  await seedFee(service.store, await seedGig(service.store));
  const lines = await metrics();
  expect(lines.join('\n')).toContain('# HELP gigclaim_transfers Payments by state: planned (waiting to be sent), ');
  expect(lines).toContain('gigclaim_transfers{state="planned"} 2');
  for (const state of ['signed', 'broadcast', 'confirmed', 'failed', 'replaced']) {
    expect(lines).toContain(`gigclaim_transfers{state="${state}"} 0`);
  }
  expect(lines.join('\n')).not.toContain('gigclaim_gas_tank');
});

test('behavior: metrics show the queues and the platforms', async () => {
  await setUp({ platforms: await bothPlatforms() });
  const id = await seedMention(service.store, { postedAt: NOW }, NOW);
  await seedMention(service.store, { postId: '0x00000000000000000000000000000000000000c2' }, NOW);
  await service.store.transaction((tx) => tx.queueReply({ mentionId: id, kind: 'answer', text: 'hello' }, NOW));
  service.health.heard('farcaster');
  const lines = await metrics();
  expect(lines).toContain('gigclaim_mentions_waiting 2');
  expect(lines).toContain('gigclaim_replies{state="queued"} 1');
  expect(lines).toContain('gigclaim_replies{state="failed"} 0');
  expect(lines).toContain('gigclaim_platform_paused{platform="farcaster"} 0');
  expect(lines).toContain('gigclaim_platform_last_success_timestamp_seconds{platform="farcaster"} 1795253400');
  expect(lines.join('\n')).not.toContain('last_success_timestamp_seconds{platform="twitter"}');
});

test('behavior: metrics count what webhooks bring', async () => {
  await setUp({ platforms: await bothPlatforms() });
  const post = (body: string, signature = signFarcaster(body)) =>
    service.app.request('/webhooks/farcaster', { method: 'POST', headers: { 'x-neynar-signature': signature }, body });
  await post(castEvent());
  await post(castEvent());
  await post(castEvent(), 'forged');
  await post('not json');
  const lines = await metrics();
  expect(lines).toContain('gigclaim_mentions_received_total{platform="farcaster"} 1');
  for (const outcome of ['stored', 'nothing_new', 'bad_signature', 'unreadable']) {
    expect(lines).toContain(`gigclaim_webhooks_total{platform="farcaster",outcome="${outcome}"} 1`);
  }
});

test('behavior: each app counts for itself', async () => {
  await setUp();
  await service.app.request('/api/claim?identifiers=1');
  const other = await forThisTest(openService());
  const text = await (await other.app.request('/metrics')).text();
  expect(text).not.toContain('route="/api/claim"');
});
