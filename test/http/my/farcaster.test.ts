import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAppClient, viemConnector } from '@farcaster/auth-client';
import { createPublicClient, createWalletClient, encodeAbiParameters, encodeFunctionData, http } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { createFarcasterRelay, type FarcasterRelay } from '../../../sandbox/networks/farcaster-relay.ts';
import { confirmSignIn } from '../../../sandbox/owners/farcaster-app.ts';
import { placeRegistries, type Registries } from '../../../sandbox/owners/registries.ts';
import { KEY_REGISTRY_STAND_IN } from '../../../sandbox/owners/registries-artifact.ts';
import type { SignInWays } from '../../../src/domain/owners/sign-in.ts';
import { createFarcasterSignIn } from '../../../src/sign-in/farcaster.ts';
import { createSignIn } from '../../../src/sign-in/registry.ts';
import { siteOf } from '../../../src/sign-in/site.ts';
import { forThisTest, openService, service, useService } from '../service.ts';
import { type Browser, hidden, ORIGIN, openBrowser } from './browser.ts';

const FID = 1003;
const MINUTE = 60_000;
/** Farcaster's, on chain 10. */
const KEY_REGISTRY = '0x00000000fc1237824fb747abde0ff18990e59b7e';
let anvil: AnvilProcess;
let registries: Registries;
let relay: FarcasterRelay;
let browser: Browser;
let signIn: SignInWays;
const custody = privateKeyToAccount(generatePrivateKey());
const auth = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10 });
  registries = await placeRegistries(anvil.url);
  await registries.register(custody.address, FID);
  await registries.authorize(auth.address, FID);
  relay = createFarcasterRelay();
  await relay.start(0);
  signIn = {
    wallet: null,
    farcaster: createFarcasterSignIn({ site: siteOf(ORIGIN), relayUrl: relay.url, rpcUrls: [anvil.url] }),
  };
});
afterAll(async () => {
  await relay.stop();
  await anvil.stop();
});
useService(() => openService({ signIn }));
beforeEach(async () => {
  // The library holds a message's times against the machine's clock.
  service.time.now = Date.now();
  browser = openBrowser(service);
});

interface Waiting {
  readonly path: string;
  readonly nonce: string;
  readonly channel: string;
}

/** Begins a sign-in, as the button of the page does. */
async function begin(from = browser): Promise<Waiting> {
  const answer = await from.post('/my/sign-in/farcaster', {});
  expect(answer.status).toBe(303);
  const path = answer.headers.get('location') ?? '';
  const query = new URL(path, ORIGIN).searchParams;
  return { path, nonce: query.get('nonce') ?? '', channel: query.get('channel') ?? '' };
}

/** Has a person confirm in the app. */
async function confirm(
  { channel, nonce }: Waiting,
  other: { by?: PrivateKeyAccount; fid?: number; domain?: string; nonce?: string; uri?: string } = {},
) {
  const uri = `${ORIGIN}/my/sign-in`;
  const places = { relay: relay.url, registries: anvil.url };
  await confirmSignIn(places, { channel, nonce, domain: 'gigclaim.test', uri, fid: FID, by: custody, ...other });
}

function open({ nonce, channel }: Waiting, from = browser) {
  return from.post('/my/sign-in/farcaster/session', { nonce, channel });
}

test('behavior: the page shows a code, and once the person has confirmed a button that signs in', async () => {
  const waiting = await begin();
  const page = await browser.get(waiting.path);
  expect(page.status).toBe(200);
  expect(page.text).toContain('data-every="3"');
  expect(page.text).toContain(`href="https://farcaster.xyz/~/siwf?channelToken=${waiting.channel}"`);
  expect(page.text).toContain('<svg');
  const parameters = relay.channels.get(waiting.channel)?.parameters;
  expect(parameters).toMatchObject({
    nonce: waiting.nonce,
    domain: 'gigclaim.test',
    siweUri: 'http://gigclaim.test/my/sign-in',
    acceptAuthAddress: true,
  });
  expect((await open(waiting)).status).toBe(401);
  await confirm(waiting);
  const confirmed = await browser.get(waiting.path);
  expect(confirmed.text).toContain('You confirmed');
  const answer = await browser.post('/my/sign-in/farcaster/session', {
    nonce: hidden(confirmed, 'nonce'),
    channel: hidden(confirmed, 'channel'),
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/my']);
  expect((await browser.get('/my')).text).toContain('farcaster 1003');
  const [session] = await service.store.openOwnerSessions('farcaster:1003', service.time.now);
  expect(session?.label).toBe('Farcaster, another program');
  expect((await browser.get(waiting.path)).text).toContain('This sign-in is over');
});

test('behavior: an auth address of the account signs in as well', async () => {
  const waiting = await begin();
  await confirm(waiting, { by: auth });
  expect((await open(waiting)).status).toBe(303);
});

test('security: what the account has removed, or has for another purpose, does not sign in', async () => {
  const { abi } = KEY_REGISTRY_STAND_IN;
  const key = encodeAbiParameters([{ type: 'address' }], [stranger.address]);
  const node = createWalletClient({ transport: http(anvil.url) });
  const [account] = await node.getAddresses();
  if (account === undefined) throw new Error('the node has no accounts');
  const say = async (state: number, type: number) => {
    const data = encodeFunctionData({ abi, functionName: 'set', args: [BigInt(FID), key, state, type] });
    const hash = await node.sendTransaction({ account, to: KEY_REGISTRY, data, chain: null });
    await createPublicClient({ transport: http(anvil.url) }).waitForTransactionReceipt({ hash });
  };
  for (const [state, type, status] of [
    [1, 2, 303],
    [2, 2, 401],
    [1, 1, 401],
  ] as const) {
    await say(state, type);
    const waiting = await begin();
    await confirm(waiting, { by: stranger });
    expect([state, type, (await open(waiting)).status]).toEqual([state, type, status]);
  }
});

test('security: neither a stranger for somebody’s FID, nor the account for another FID, signs in', async () => {
  // Of FIDs so large one number stands for several.
  const unsafe = { by: privateKeyToAccount(generatePrivateKey()), fid: 2 ** 53 };
  await registries.register(unsafe.by.address, unsafe.fid);
  for (const wrong of [{ by: stranger }, { fid: FID + 1 }, { by: auth, fid: FID + 1 }, unsafe]) {
    const waiting = await begin();
    await confirm(waiting, wrong);
    expect((await open(waiting)).status).toBe(401);
  }
  expect(await service.store.openOwnerSessions('farcaster:1003', service.time.now)).toEqual([]);
});

test('security: a message for another site or with another nonce opens nothing', async () => {
  for (const wrong of [{ domain: 'evil.example' }, { nonce: 'f'.repeat(32) }, { uri: `${ORIGIN}/other` }]) {
    const waiting = await begin();
    await confirm(waiting, wrong);
    expect((await open(waiting)).status).toBe(401);
  }
});

/** Has a person confirm a message that was changed so, and adds this to its signature. */
async function confirmSaying(change: (message: string) => string, ending = ''): Promise<Waiting> {
  const waiting = await begin();
  await confirm(waiting);
  const channel = relay.channels.get(waiting.channel);
  if (channel?.answer == null) throw new Error('the channel has no answer');
  const message = change(channel.answer.message);
  channel.answer = { ...channel.answer, message, signature: (await custody.signMessage({ message })) + ending };
  return waiting;
}

test('security: a message that names another scheme than that of the site opens nothing', async () => {
  for (const [scheme, status] of [
    ['http://', 303],
    ['https://', 401],
    ['evil://', 401],
  ] as const) {
    expect((await open(await confirmSaying((message) => scheme + message))).status).toBe(status);
  }
});

test('security: a message that is longer than any app’s is not read: the library takes quadratic time', async () => {
  const naming = (length: number) =>
    confirmSaying((message) => `${message}\n- https://example.com/`.padEnd(length, 'a'));
  expect((await open(await naming(4_000))).status).toBe(303);
  expect((await open(await naming(4_001))).status).toBe(401);
});

test('error: a signature that ERC-8010 wraps opens nothing', async () => {
  expect((await open(await confirmSaying((message) => message, '8010'.repeat(16)))).status).toBe(401);
});

test('error: a relay that answers with null or a link of 5,000 characters is said to be away', async () => {
  const answers = { open: 'null', status: 'null' };
  const channelToken = 'a'.repeat(32);
  const fake = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'POST' ? answers.open : answers.status);
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  const { port } = fake.address() as AddressInfo;
  const farcaster = createFarcasterSignIn({
    site: siteOf(ORIGIN),
    relayUrl: `http://127.0.0.1:${port}`,
    rpcUrls: [anvil.url],
  });
  const odd = await forThisTest(openService({ signIn: { wallet: null, farcaster } }));
  const visitor = openBrowser(odd);
  const long = JSON.stringify({ channelToken, url: `https://farcaster.xyz/${'a'.repeat(5_000)}` });
  for (answers.open of ['null', '7', '[]', '{}', long]) {
    const page = await visitor.post('/my/sign-in/farcaster', {});
    expect([answers.open.slice(0, 9), page.status]).toEqual([answers.open.slice(0, 9), 503]);
  }
  answers.open = JSON.stringify({ channelToken, url: 'https://farcaster.xyz/a' });
  const { path } = await begin(visitor);
  for (answers.status of ['null', '7', '[]', '{}', long]) expect((await visitor.get(path)).status).toBe(503);
  expect(JSON.stringify(odd.lines)).not.toContain('TypeError');
  fake.close();
});

test('security: an answer opens one session, in the browser that was shown the code', async () => {
  const waiting = await begin();
  await confirm(waiting);
  const other = openBrowser(service);
  expect((await open(waiting, other)).status).toBe(401);
  expect((await other.get(waiting.path)).text).toContain('This sign-in is over');
  await begin(other);
  expect((await open(waiting, other)).status).toBe(401);
  expect((await open(waiting)).status).toBe(303);
  expect((await open(waiting)).status).toBe(401);
});

test('security: the answer of one sign-in does not open another', async () => {
  const [first, second] = [await begin(), await begin()];
  await confirm(first);
  expect((await open({ ...second, channel: first.channel })).status).toBe(401);
});

test('security: after 10 minutes a sign-in is over', async () => {
  const waiting = await begin();
  await confirm(waiting);
  service.time.now += 10 * MINUTE;
  expect((await open(waiting)).status).toBe(401);
});

test('security: the relay is not asked for what this browser has not begun', async () => {
  const client = createAppClient({ relay: relay.url, ethereum: viemConnector({ rpcUrl: anvil.url }) });
  const { data } = await client.createChannel({ siweUri: ORIGIN, domain: 'gigclaim.test' });
  const page = await browser.get(`/my/sign-in/farcaster?nonce=${'a'.repeat(32)}&channel=${data?.channelToken}`);
  expect([page.status, page.text.includes('This sign-in is over')]).toEqual([200, true]);
});

test('error: a relay or a chain that does not answer is said, and opens nothing', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const options = { site: siteOf(ORIGIN), relayUrl: relay.url, rpcUrls: [anvil.url] };
  const away = await forThisTest(
    openService({
      signIn: { wallet: null, farcaster: createFarcasterSignIn({ ...options, relayUrl: nowhere }) },
    }),
  );
  const page = await openBrowser(away).post('/my/sign-in/farcaster', {});
  expect([page.status, page.text.includes('Farcaster does not answer right now')]).toEqual([503, true]);
  const offChain = await forThisTest(
    openService({
      signIn: { wallet: null, farcaster: createFarcasterSignIn({ ...options, rpcUrls: [nowhere], timeoutMs: 2_000 }) },
    }),
  );
  offChain.time.now = Date.now();
  const other = openBrowser(offChain);
  const waiting = await begin(other);
  await confirm(waiting);
  const answer = await open(waiting, other);
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []]);
  expect(JSON.stringify(offChain.lines)).not.toContain(nowhere);
});

test('behavior: doctor’s questions are answered by the relay and the registries', async () => {
  await expect(signIn.farcaster?.askRelay()).resolves.toBeUndefined();
  await expect(signIn.farcaster?.askRegistries()).resolves.toBeUndefined();
  const wrong = createFarcasterSignIn({
    site: siteOf(ORIGIN),
    relayUrl: anvil.url,
    rpcUrls: [relay.url],
    timeoutMs: 2_000,
  });
  await expect(wrong.askRelay()).rejects.toMatchObject({ name: 'AdapterError' });
  await expect(wrong.askRegistries()).rejects.toMatchObject({ name: 'AdapterError' });
});

test('security: only the ways that the operator names are open', () => {
  const facts = { publicUrl: ORIGIN, relayUrl: relay.url, rpcUrls: [anvil.url], ask: async () => false };
  for (const ways of [[], ['wallet'], ['farcaster'], ['wallet', 'farcaster']] as const) {
    const made = Object.entries(createSignIn({ ...facts, ways })).filter(([, way]) => way !== null);
    expect(made.map(([name]) => name)).toEqual(ways);
  }
});
