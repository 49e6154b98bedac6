import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { deployWallet } from '../../support/sign-in-contracts.ts';
import { NOW, openService, service, useService } from '../service.ts';
import { askMessage, type Browser, openBrowser, signIn, walletOn } from './browser.ts';

let browser: Browser;
const alice = privateKeyToAccount(generatePrivateKey());
const mallory = privateKeyToAccount(generatePrivateKey());
const MINUTE = 60_000;

useService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
beforeEach(async () => {
  browser = openBrowser(service);
});

function open(fields: Record<string, string>, signature: string, from = browser) {
  return from.post('/my/sign-in/wallet/session', { ...fields, signature });
}

test('behavior: a wallet signs the message of the page and sees its gigs', async () => {
  const { page, message } = await askMessage(browser, alice.address);
  expect(page.status).toBe(200);
  expect(message.split('\n').slice(0, 2)).toEqual([
    'gigclaim.test wants you to sign in with your Ethereum account:',
    alice.address,
  ]);
  expect(message).toContain('\nURI: http://gigclaim.test/my/sign-in\nVersion: 1\nChain ID: 31337\n');
  const answer = await signIn(browser, alice);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/my']);
  const cookie = answer.headers.getSetCookie().join();
  expect(cookie).toMatch(/^gigclaim_my=[\w-]{43}; Max-Age=43200; Path=\/my; HttpOnly; SameSite=Lax$/);
  const mine = await browser.get('/my');
  expect(mine.status).toBe(200);
  expect(mine.text).toContain(`wallet ${alice.address}`);
  expect(mine.text).toContain('You own no gigs yet.');
  expect(mine.headers.get('cache-control')).toBe('no-store');
  expect(mine.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

test('security: a nonce opens one session', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  expect((await open(fields, signature)).status).toBe(303);
  const again = await open(fields, signature);
  expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
});

test('security: of two at the same time, one opens a session', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  const answers = await Promise.all([open(fields, signature), open(fields, signature), open(fields, signature)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
});

test('security: a browser that has a secret of another form gets a new one', async () => {
  browser.cookies.set('gigclaim_sign_in', 'guessed');
  expect((await signIn(browser, alice)).status).toBe(303);
  expect(browser.cookies.get('gigclaim_sign_in')).toMatch(/^[\w-]{43}$/);
});

test('security: another browser cannot use what this one was shown', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  const other = openBrowser(service);
  expect((await open(fields, signature, other)).status).toBe(401);
  await askMessage(other, alice.address);
  expect((await open(fields, signature, other)).status).toBe(401);
  expect((await open(fields, signature)).status).toBe(303);
});

test('security: a message of another site, chain, time or wallet opens nothing', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const changes: [string, string, string?][] = [
    ['gigclaim.test wants', 'evil.example wants'],
    ['URI: http://gigclaim.test/', 'URI: http://evil.example/'],
    ['Chain ID: 31337', 'Chain ID: 8453'],
    ['Chain ID: 31337', 'Chain ID: 8453', '8453'],
    ['Expiration Time: 2026', 'Expiration Time: 2027'],
    [alice.address, mallory.address],
    ['nothing.', 'nothing,'],
  ];
  for (const [from, to, chain] of changes) {
    const changed = message.replace(from, to);
    expect(changed).not.toBe(message);
    const signature = await alice.signMessage({ message: changed });
    const sent = { ...fields, message: changed, chain: chain ?? '31337' };
    expect([to, (await open(sent, signature)).status]).toEqual([to, 401]);
    // The right message with the signature of the other one.
    expect([to, (await open(fields, signature)).status]).toEqual([to, 401]);
    // Refusals are counted by the minute.
    service.time.now += MINUTE;
  }
  const stolen = await mallory.signMessage({ message });
  service.time.now += MINUTE;
  expect((await open(fields, stolen)).status).toBe(401);
  expect((await open(fields, await alice.signMessage({ message }))).status).toBe(303);
});

test('behavior: a signature is read with or without 0x, in either case and in quotes', async () => {
  for (const written of [
    (signed: string) => signed.slice(2),
    (signed: string) => `0X${signed.slice(2).toUpperCase()}`,
    (signed: string) => ` "${signed}"\n`,
    (signed: string) => `'${signed}'`,
  ]) {
    const { fields, message } = await askMessage(browser, alice.address);
    expect((await open(fields, written(await alice.signMessage({ message })))).status).toBe(303);
  }
});

test('error: what is no signature is refused with its own reason, also one that ERC-8010 wraps', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  const ending = '8010'.repeat(16);
  for (const written of [
    '',
    'yes',
    '0x',
    `${signature}0`,
    `0x${'ab'.repeat(9_000)}`,
    `0x${ending}`,
    signature + ending,
  ]) {
    const answer = await open(fields, written);
    expect([answer.status, answer.text.includes('The signature must be 0x')]).toEqual([400, true]);
  }
  expect((await open(fields, signature)).status).toBe(303);
});

test('security: after 10 minutes a sign-in is over', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  service.time.now = NOW + 10 * MINUTE;
  expect((await open(fields, signature)).status).toBe(401);
});

test('security: ten attempts a minute, refused or not, then even the right signature waits', async () => {
  const { fields, message } = await askMessage(browser, alice.address);
  const signature = await alice.signMessage({ message });
  for (let times = 0; times < 10; times += 1) expect((await open(fields, '0x00')).status).toBe(401);
  expect((await open(fields, signature)).status).toBe(429);
  service.time.now += MINUTE;
  expect((await open(fields, signature)).status).toBe(303);
  // Wallets are free: each of these opens a session of another owner.
  const stranger = () => signIn(openBrowser(service), privateKeyToAccount(generatePrivateKey()));
  for (let times = 1; times < 10; times += 1) expect((await stranger()).status).toBe(303);
  const more = await askMessage(browser, alice.address);
  expect((await open(more.fields, await alice.signMessage(more))).status).toBe(429);
});

test('security: ten sign-ins a minute are begun, because each is stored', async () => {
  const begin = () => browser.post('/my/sign-in/wallet', { address: alice.address, chain: '31337' });
  for (let times = 0; times < 10; times += 1) expect((await begin()).status).toBe(200);
  expect((await begin()).status).toBe(429);
  service.time.now += MINUTE;
  expect((await begin()).status).toBe(200);
});

test('security: the database alone opens no session', async () => {
  await signIn(browser, alice);
  const token = browser.cookies.get('gigclaim_my') ?? '';
  const [session] = await service.store.openOwnerSessions(`wallet:${alice.address.toLowerCase()}`, NOW);
  expect(session?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(session)).not.toContain(token);
  const thief = openBrowser(service);
  thief.cookies.set('gigclaim_my', session?.hash ?? '');
  expect((await thief.get('/my/gigs/1')).status).toBe(401);
});

test('security: signing in again replaces the session of this browser', async () => {
  for (const _ of [1, 2]) {
    await signIn(browser, alice);
    expect(await service.store.openOwnerSessions(`wallet:${alice.address.toLowerCase()}`, NOW)).toHaveLength(1);
  }
});

test('behavior: a session ends after 12 hours, by signing out, and by its button in another session', async () => {
  await signIn(browser, alice);
  const other = openBrowser(service);
  await signIn(other, alice);
  const page = await browser.get('/my');
  const hashes = await service.store.openOwnerSessions(`wallet:${alice.address.toLowerCase()}`, service.time.now);
  const shown = [...page.text.matchAll(/name="session" value="([0-9a-f]{64})"/g)].map(([, hash]) => hash);
  expect(shown.toSorted()).toEqual(hashes.map(({ hash }) => hash).toSorted());
  expect(shown).toHaveLength(2);
  const own = page.text.match(/This session[\s\S]*?name="session" value="([0-9a-f]{64})"/)?.[1];
  const target = hashes.find(({ hash }) => hash !== own)?.hash ?? '';
  for (const session of ['f'.repeat(64), target]) {
    expect((await browser.submit('/my', '/my/sessions/end', { session })).status).toBe(303);
  }
  expect((await other.get('/my/gigs/1')).status).toBe(401);
  expect((await browser.submit('/my', '/my/sign-out')).headers.get('location')).toBe('/my/sign-in');
  expect(browser.cookies.has('gigclaim_my')).toBe(false);
  await signIn(browser, alice);
  service.time.now += 12 * 60 * MINUTE;
  expect((await browser.get('/my/gigs/1')).status).toBe(401);
  const trail = await service.store.auditEvents({ limit: 10, before: undefined });
  const owner = `wallet:${alice.address.toLowerCase()}`;
  // Neither that of a session that there is not, nor of one that ended by itself.
  const closed = trail.filter(({ action }) => action === 'session.close');
  expect(closed.map(({ actor, actorName, client }) => [actor, actorName, client])).toEqual(
    Array(2).fill(['owner', owner, `owner:${owner}`]),
  );
});

describe('a contract’s wallet', () => {
  async function openWith(rpcUrl: string) {
    const wallet = await deployWallet(alice.address);
    const other = await openService({ signIn: walletOn(rpcUrl) });
    return { wallet, other, visitor: openBrowser(other) };
  }

  test('security: opens a session for its own chain alone', async () => {
    const { wallet, other, visitor } = await openWith(inject('anvilUrl'));
    const signer = { address: wallet, signMessage: alice.signMessage };
    expect((await signIn(visitor, signer)).status).toBe(303);
    expect((await visitor.get('/my')).text).toContain('on Anvil');
    const [session] = await other.store.openOwnerSessions(`wallet:31337:${wallet}`, NOW);
    expect(session?.label).toBe('Wallet, another program');
    expect(await other.store.openOwnerSessions(`wallet:${wallet}`, NOW)).toEqual([]);
    await other.close();
  });

  test('security: refuses the signature of another key', async () => {
    const { wallet, other, visitor } = await openWith(inject('anvilUrl'));
    const signer = { address: wallet, signMessage: mallory.signMessage };
    expect((await signIn(visitor, signer)).status).toBe(401);
    await other.close();
  });

  test('error: cannot be asked while its chain does not answer, and a key’s wallet need not be', async () => {
    const { wallet, other, visitor } = await openWith('http://127.0.0.1:9');
    const signer = { address: wallet, signMessage: alice.signMessage };
    const answer = await signIn(visitor, signer);
    expect([answer.status, answer.text.includes('The chain of this wallet does not answer')]).toEqual([503, true]);
    expect((await signIn(visitor, alice)).status).toBe(303);
    await other.close();
  });
});
