import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { answerTo, ask, createApiClient } from '../../support/clients.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { databaseBytes, type Secrets, secretsIn, secretsOf } from './secrets.ts';
import { openWorld, type World } from './world.ts';

const PATIENCE_MS = 30_000;
const RPC_KEY = 'rpc-key-7f3aQz9LmWx2';

let world: World;
let proxy: Awaited<ReturnType<typeof serveRpcProxy>>;
/** Whether the chain's endpoint fails, and repeats the key that it was asked with. */
let rpcFails = false;
let secrets: Secrets;

const post = (path: string, body: unknown, key = world.apiKey) =>
  createApiClient(() => world.url, key)('POST', path, body);

/** API clients with good, wrong and misplaced keys. */
async function workThroughApi(): Promise<void> {
  const { live, startable, token } = world.seeded;
  const terms = {
    chain: 'anvil',
    token_address: token.address,
    amount: 10,
    start_time: '2026-01-01T00:00:00Z',
    duration: '1week',
    gig_type: 'mention',
  };
  expect((await post('/api/gigs/create', terms)).status).toBe(201);
  expect((await post('/api/gigs/start', { gig_id: startable.id })).status).toBe(200);
  const tip = (platform: string, id: string) => ({ platform, platform_user_id: id, value: 3 });
  const tips = [tip('farcaster', '1001'), tip('x', '1700000000000001002')];
  expect((await post(`/api/gigs/${live.id}/tips`, { tips })).status).toBe(201);
  expect((await post('/api/gigs/start', { gig_id: 1 }, `${world.apiKey}x`)).status).toBe(401);
  await fetch(`${world.url}/api/claim?identifiers=1001&x-api-key=${world.apiKey}`);
  await fetch(`${world.url}/api/claim?identifiers=${world.apiKey}`);
  await fetch(`${world.url}/ready`);
  await post('/webhooks/farcaster', { secret: world.credentials.farcaster.webhookSecrets[0] });
}

/** An operator who logs in and looks at every list; answers what the browser holds, and what its forms carry. */
async function workThroughPages(): Promise<Record<string, string>> {
  const form = (key: string) => ({
    method: 'POST',
    headers: { origin: world.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key }).toString(),
    redirect: 'manual' as const,
  });
  expect((await fetch(`${world.url}/admin/session`, form(`${world.apiKey}x`))).status).toBe(401);
  const answer = await fetch(`${world.url}/admin/session`, form(world.apiKey));
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const session = cookie.replace('gigclaim_admin=', '');
  expect(session.length).toBeGreaterThan(40);
  let formToken = '';
  for (const list of ['', '/mentions', '/replies', '/payments', '/claims', '/gigs', '/keys']) {
    const page = await (await fetch(`${world.url}/admin${list}`, { headers: { cookie } })).text();
    formToken = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? formToken;
    expect(secretsIn(Buffer.from(page), { ...secretsOf(world), session })).toEqual([]);
  }
  expect(formToken.length).toBeGreaterThan(40);
  return { session, 'token of the forms': formToken };
}

/** People who ask, claim and are paid, while networks and chain fail now and then. */
async function workThroughBot(): Promise<void> {
  const { farcaster, twitter } = world;
  for (const network of [farcaster, twitter]) {
    Object.assign(network.faults, { api: 'unauthorized', remaining: 1, route: 'any' });
    await network.waitForReply(network.post({ author: 'mallory', text: '@gigclaim claims' }).id, PATIENCE_MS);
  }
  // A reply that may have been sent is looked up only after a while.
  const late = [farcaster, twitter].map((network) => {
    Object.assign(network.faults, { api: 'html', remaining: 1, route: 'reply' });
    return ask(network, 'carol', 'claims');
  });
  await vi.waitFor(() => expect([farcaster.faults.api, twitter.faults.api]).toEqual(['none', 'none']), PATIENCE_MS);
  rpcFails = true;
  const failing = farcaster.post({ author: 'alice', text: '@gigclaim claim my rewards' });
  const refused = await post('/api/gigs/start', { gig_id: world.seeded.unfunded.id });
  expect(refused.status).toBe(503);
  await vi.waitFor(() => expect(world.service.output()).toContain('payments wait: chain does not answer'), PATIENCE_MS);
  rpcFails = false;
  expect(await answerTo(farcaster, failing)).toContain('Paid to');
  const address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  expect(await ask(twitter, 'bob', `claim my rewards ${address}`)).toContain('Paid to');
  await Promise.all(late);
}

beforeAll(async () => {
  world = await openWorld({
    env: { MENTION_POLL_SECONDS: '2' },
    rpcUrl: async (target) => {
      proxy = await serveRpcProxy(target, () => {
        const message = `no credits left for the key ${RPC_KEY} of ${proxy.url}/v2/${RPC_KEY}`;
        return rpcFails ? Promise.resolve({ error: { code: -32005, message } }) : undefined;
      });
      return `${proxy.url}/v2/${RPC_KEY}`;
    },
  });
  secrets = { ...secretsOf(world), 'key of the chain’s endpoint': RPC_KEY };
  await workThroughApi();
  Object.assign(secrets, await workThroughPages());
  await workThroughBot();
});

afterAll(async () => {
  await world.close();
  await proxy.close();
});

describe('after a busy run', () => {
  test('behavior: the search finds what is there, in whatever form', () => {
    const hash = createHash('sha256').update(world.apiKey).digest('hex');
    const there = { hash, name: 'fuzz', wallet: world.seeded.live.walletAddress };
    expect(secretsIn(databaseBytes(world), there)).toEqual(['hash', 'name', 'wallet']);
    for (const [name, secret] of Object.entries(secrets)) {
      const bytes = Buffer.from(secret);
      const hidden = [
        ...[
          bytes,
          bytes.toString('hex'),
          `Basic ${bytes.toString('base64')}`,
          Buffer.from(`x${bytes.toString('latin1')}`, 'latin1').toString('base64'),
        ],
        ...(typeof secret === 'string' ? [encodeURIComponent(secret)] : []),
      ];
      for (const each of hidden) {
        expect(secretsIn(Buffer.concat([Buffer.from('a'), Buffer.from(each), Buffer.from('z')]), secrets)).toContain(
          name,
        );
      }
    }
  });

  test('security: the database holds no usable key, mnemonic or secret', () => {
    expect(secretsIn(databaseBytes(world), secrets)).toEqual([]);
  });

  test('security: the log at its debug level holds no usable key, mnemonic or secret', () => {
    const log = world.service.output();
    expect(log).toMatch(/"level":"debug"/);
    expect(log).toMatch(/gig started/);
    expect(log).toMatch(/"level":"warn"/);
    expect(secretsIn(Buffer.from(log), secrets)).toEqual([]);
  });

  test('security: the metrics and the readiness hold none either', async () => {
    for (const path of ['/metrics', '/ready', '/api/openapi.json', '/api/docs']) {
      const body = await (await fetch(`${world.url}${path}`)).text();
      expect(secretsIn(Buffer.from(body), secrets)).toEqual([]);
    }
  });
});
