import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { createFarcasterRelay } from '../../../sandbox/networks/farcaster-relay.ts';
import type { NetworkEnv } from '../../../sandbox/networks/faults.ts';
import { createNetworkServer, type NetworkServer } from '../../../sandbox/networks/server.ts';
import { keyOf } from '../../../sandbox/owners/keys.ts';
import { placeRegistries } from '../../../sandbox/owners/registries.ts';
import { person } from '../../../sandbox/people.ts';
import { createSignIn } from '../../../src/sign-in/registry.ts';
import { openService, type Service } from '../../http/service.ts';
import { openSandboxPage } from '../../support/sandbox-page.ts';

const ALICE = person('alice');
const relay = createFarcasterRelay();
let registries: AnvilProcess;
let service: Service;
let server: NetworkServer;
let page: Awaited<ReturnType<typeof openSandboxPage>>;

beforeAll(async () => {
  registries = await startAnvil({ chainId: 10 });
  await (await placeRegistries(registries.url)).register(keyOf(ALICE).address, ALICE.fid);
  await relay.start(0);
  // The service must know its address before it is made.
  const door = new Hono<NetworkEnv>();
  door.all('*', (c) => service.app.fetch(c.req.raw, c.env));
  server = createNetworkServer(door);
  const publicUrl = await server.start(0);
  const ways = ['farcaster', 'wallet'] as const;
  const ask = async () => false;
  const signIn = createSignIn({ publicUrl, ways, relayUrl: relay.url, rpcUrls: [registries.url], ask });
  service = await openService({ signIn });
  page = await openSandboxPage({ service: publicUrl, relay: relay.url, registries: registries.url });
});
beforeEach(() => {
  // The library holds a message's times against the machine's clock.
  service.time.now = Date.now();
});
afterAll(async () => {
  await page.close();
  await server.stop();
  await service.close();
  await relay.stop();
  await registries.stop();
});

function press(path: string, headers: Record<string, string> = {}, at = page.url): Promise<Response> {
  return fetch(`${at}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: at, 'user-agent': 'Mozilla/5.0 Firefox/140.0', ...headers },
  });
}

test.each([
  ['farcaster', 'farcaster 1001'],
  ['wallet', ALICE.address],
])('behavior: one click signs the visitor in as alice by %s, and leads to the pages of owners', async (way, label) => {
  const answer = await press(`/sign-in/${way}/alice`);
  const location = answer.headers.get('location') ?? '';
  expect([answer.status, location]).toEqual([303, `${server.url}/my`]);
  const [line = ''] = answer.headers.getSetCookie();
  expect(line).toMatch(/^gigclaim_my=[A-Za-z0-9_-]+; Max-Age=[0-9]+; Path=\/my; HttpOnly; SameSite=Lax$/);
  const mine = await fetch(location, { headers: { cookie: line.split(';')[0] ?? '' } });
  expect(await mine.text()).toContain(label);
  expect(await (await fetch(page.url)).text()).toContain('signed in as alice with');
});

test('behavior: the session is named after the visitor’s browser', async () => {
  await press('/sign-in/farcaster/alice');
  const [session] = await service.store.openOwnerSessions('farcaster:1001', service.time.now);
  expect(session?.label).toContain('Firefox');
});

test('behavior: who came by another name of this machine stays there', async () => {
  const answer = await press('/sign-in/wallet/alice', {}, page.url.replace('127.0.0.1', 'localhost'));
  expect(answer.headers.get('location')).toBe(`${server.url.replace('127.0.0.1', 'localhost')}/my`);
});

test('behavior: the policy of the page lets its forms lead to the service alone', async () => {
  const policy = (await fetch(page.url)).headers.get('content-security-policy') ?? '';
  const port = new URL(server.url).port;
  expect(policy).toContain(`form-action 'self' http://127.0.0.1:${port} http://localhost:${port};`);
  expect(policy).toContain("default-src 'none'");
});

test('error: an account that the registries do not know is not signed in, and the story says why', async () => {
  const answer = await press('/sign-in/farcaster/mallory');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/#person-mallory']);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(await (await fetch(page.url)).text()).toContain('could not sign in as mallory: This sign-in did not work');
});

test('error: nobody else can be signed in, nor in another way', async () => {
  for (const path of ['/sign-in/farcaster/eve', '/sign-in/email/alice']) {
    expect((await press(path)).headers.getSetCookie()).toEqual([]);
  }
});

test('security: another site signs nobody in', async () => {
  expect((await press('/sign-in/wallet/alice', { origin: 'https://example.org' })).status).toBe(403);
});
