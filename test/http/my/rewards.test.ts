import { erc20Abi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { type Address, checksummed } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { blockByHand } from '../../../src/services/earning/decide/block-account.ts';
import { anvilClients, deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { label } from '../service.ts';
import { changeTill, till, useTill } from '../till.ts';
import { type Answered, type Browser, browserOf, hidden, openBrowser, signIn, walletOn } from './browser.ts';

const ALICE = {
  fid: '1001',
  address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  path: '/my/rewards/farcaster/1001',
} as const;
const BOB_FID = '1002';
const BOB_ON_X = '1700000000000001002';
const X_PATH = `/my/rewards/x/${BOB_ON_X}`;
const HOUR = 3_600_000;

let token: TestToken;
useTill(() => ({ signIn: walletOn(inject('anvilUrl')) }));
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});

const alices = () => browserOf(till.service, `farcaster:${ALICE.fid}`);

async function balanceOf(address: string): Promise<bigint> {
  const args: [Address] = [`0x${address.slice(2)}`];
  return await anvilClients().public.readContract({
    address: token.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args,
  });
}

/** What the form of a page would send. */
function formOf(page: Answered) {
  return { token: hidden(page, 'token'), key: hidden(page, 'key') };
}

const claims = () => till.service.store.claims({ limit: 9 });

/** Links an account to a wallet, from `validFrom` on, as its post would. */
async function link(owner: string, wallet: string, validFrom: number | null): Promise<void> {
  const { service } = till;
  const mention = {
    platform: 'twitter',
    postId: '7',
    replyTo: '7',
    threadId: '7',
    authorId: BOB_ON_X,
    authorUsername: 'bob',
  };
  const made = { ...mention, version: 1, text: '@gigclaim link', postedAt: service.time.now } as const;
  const id = await service.store.transaction((tx) =>
    tx.insertMention(made, { now: service.time.now, source: 'webhook' }),
  );
  const insert =
    'insert into owner_links (owner, wallet, post_id, mention_id, created_at, valid_from) values (?, ?, ?, ?, ?, ?)';
  await service.sql(insert, owner, wallet.toLowerCase(), '7', id, service.time.now, validFrom);
}

describe('an account on Farcaster', () => {
  test('behavior: sees what it can claim, claims it with a button, and is paid at its verified address', async () => {
    const gig = await till.gig(token, [{ fid: ALICE.fid, amount: 1_500_000n }]);
    await label(till.service.store, 'farcaster', ALICE.fid, 'alice');
    const browser = await alices();
    const page = await browser.get('/my/rewards');
    expect(page.status).toBe(200);
    for (const shown of ['@alice', '1.5 <bdi>USDC', 'Claim everything', checksummed(ALICE.address)])
      expect(page.text).toContain(shown);
    const before = await balanceOf(ALICE.address);
    const form = formOf(page);
    const answer = await browser.post(ALICE.path, { ...form, recipient: ALICE.address });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, ALICE.path]);
    expect((await balanceOf(ALICE.address)) - before).toBe(1_500_000n);
    const after = await browser.get(ALICE.path);
    expect(after.text).toMatch(/<h2 id="latest">[\s\S]*1\.5 <bdi>USDC[\s\S]*Paid/);
    expect(after.text).not.toContain('Claim everything');
    expect(await claims()).toMatchObject([{ source: 'page', postId: `page:${form.key}`, recipient: ALICE.address }]);
    const events = await till.service.store.auditEvents({ limit: 9 });
    const opened = events.find(({ action }) => action === 'claim.open');
    expect(opened).toMatchObject({ actor: 'owner', actorName: 'farcaster:1001', subject: 'claim', subjectId: '1' });
    expect(JSON.parse(opened?.detail ?? '')).toEqual({
      gigs: [gig.id],
      recipient: ALICE.address,
      tips: 1,
      post: `page:${form.key}`,
      source: 'page',
    });
  });

  test('security: a second click, a reload and an old form show the same claim, and pay nothing more', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const browser = await alices();
    const fields = { ...formOf(await browser.get('/my/rewards')), recipient: ALICE.address };
    const before = await balanceOf(ALICE.address);
    const both = await Promise.all([browser.post(ALICE.path, fields), browser.post(ALICE.path, fields)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    await till.gig(token, [{ fid: ALICE.fid, amount: 7n }]);
    expect((await browser.post(ALICE.path, fields)).status).toBe(303);
    expect((await balanceOf(ALICE.address)) - before).toBe(5n);
    expect(await claims()).toHaveLength(1);
    const next = { ...formOf(await browser.get('/my/rewards')), recipient: ALICE.address };
    expect(next.key).not.toBe(fields.key);
    expect((await browser.post(ALICE.path, next)).status).toBe(303);
    expect((await balanceOf(ALICE.address)) - before).toBe(12n);
  });

  test('behavior: chooses another of its verified addresses from a list', async () => {
    const [first, second] = [freshAddress(), freshAddress()];
    till.farcaster.addUser({ id: ALICE.fid, username: 'alice', verifiedAddresses: [first, second] });
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const browser = await alices();
    const page = await browser.get('/my/rewards');
    const options = [...page.text.matchAll(/<option value="(0x[0-9a-f]{40})">/g)].map(([, address]) => address);
    expect(options).toEqual([first, second]);
    expect((await browser.post(ALICE.path, { ...formOf(page), recipient: second })).status).toBe(303);
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([0n, 5n]);
  });

  test('security: an address that it did not verify, or has not verified any more, is not paid', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const browser = await alices();
    const page = await browser.get('/my/rewards');
    const thief = freshAddress();
    for (const recipient of [thief, '', '0x12', till.service.url]) {
      const refused = await browser.post(ALICE.path, { ...formOf(page), recipient });
      expect([refused.status, refused.text.includes('recipient must be an address of the list')]).toEqual([409, true]);
    }
    till.farcaster.addUser({ id: ALICE.fid, username: 'alice', verifiedAddresses: [thief] });
    const late = await browser.post(ALICE.path, { ...formOf(page), recipient: ALICE.address });
    expect(late.status).toBe(409);
    till.farcaster.addUser({ id: ALICE.fid, username: 'alice', verifiedAddresses: [] });
    expect((await browser.post(ALICE.path, { ...formOf(page), recipient: ALICE.address })).status).toBe(409);
    expect((await browser.get('/my/rewards')).text).toContain('has no verified Ethereum address');
    expect(await claims()).toEqual([]);
  });

  test('error: while the platform does not answer nothing is claimed, and the page says so', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const browser = await alices();
    const fields = { ...formOf(await browser.get('/my/rewards')), recipient: ALICE.address };
    await till.farcaster.stop();
    const refused = await browser.post(ALICE.path, fields);
    expect([refused.status, refused.text.includes('Farcaster does not answer right now')]).toEqual([409, true]);
    expect(refused.text).not.toContain('Claim everything');
    expect(await claims()).toEqual([]);
  });

  test('behavior: what failed is claimed anew with a new form, and the old form changes nothing', async () => {
    await changeTill({ signIn: walletOn(inject('anvilUrl')), pays: false });
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const { store, time } = till.service;
    const browser = await alices();
    const fields = { ...formOf(await browser.get('/my/rewards')), recipient: ALICE.address };
    expect((await browser.post(ALICE.path, fields)).status).toBe(303);
    await store.transaction((tx) => tx.failPayment(1, { reason: 'paused', now: time.now }));
    expect((await browser.post(ALICE.path, fields)).status).toBe(303);
    expect(await store.paymentsOfClaim(1)).toHaveLength(1);
    const again = await browser.get(ALICE.path);
    expect(again.text).toContain('it can be claimed again');
    expect((await browser.post(ALICE.path, { ...formOf(again), recipient: ALICE.address })).status).toBe(303);
    expect(await store.paymentsOfClaim(2)).toMatchObject([{ state: 'planned', amount: 5n }]);
  });

  test('behavior: gets what is its own when the bot may not answer it, or when it may not earn any more', async () => {
    const { store, clock } = { store: till.service.store, clock: () => till.service.time.now };
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const account = { platform: 'farcaster', platformUserId: ALICE.fid } as const;
    await store.transaction((tx) => tx.setOptedOut(account, true, clock()));
    await blockByHand({ store, clock }, { account, reason: 'a farm', actor: COMMAND_LINE });
    const browser = await alices();
    const before = await balanceOf(ALICE.address);
    const fields = { ...formOf(await browser.get('/my/rewards')), recipient: ALICE.address };
    expect((await browser.post(ALICE.path, fields)).status).toBe(303);
    expect((await balanceOf(ALICE.address)) - before).toBe(5n);
  });

  test('error: too many claims of a client are refused before the platform is asked', async () => {
    const config = { claimLimits: { client: 1, inAll: 5 } };
    await changeTill({ signIn: walletOn(inject('anvilUrl')), config });
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const browser = await alices();
    const page = await browser.get('/my/rewards');
    const claim = () => browser.post(ALICE.path, { ...formOf(page), recipient: freshAddress() });
    expect([(await claim()).status, (await claim()).status]).toEqual([409, 429]);
  });
});

describe('somebody else', () => {
  test('security: reaches no account but its own, and no form but that of its session', async () => {
    await till.gig(token, [
      { fid: ALICE.fid, amount: 5n },
      { fid: BOB_FID, amount: 6n },
    ]);
    const [alice, bob] = [await alices(), await browserOf(till.service, `farcaster:${BOB_FID}`)];
    const fields = { ...formOf(await alice.get('/my/rewards')), recipient: ALICE.address };
    const bobs = formOf(await bob.get('/my/rewards'));
    // Another account, with the own form.
    expect((await bob.get(ALICE.path)).status).toBe(404);
    expect((await bob.post(ALICE.path, { ...fields, token: bobs.token })).status).toBe(404);
    // A form of another session, also of the same account in another browser.
    expect((await bob.post(ALICE.path, fields)).status).toBe(403);
    expect((await (await alices()).post(ALICE.path, fields)).status).toBe(403);
    expect((await openBrowser(till.service).post(ALICE.path, fields)).status).toBe(401);
    expect((await alice.post(ALICE.path, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await alice.post(ALICE.path, { ...fields, token: '' })).status).toBe(403);
    for (const key of ['', 'a', `${fields.key}0`, fields.key.toUpperCase().replace(/[0-9]/g, 'A')]) {
      expect((await alice.post(ALICE.path, { ...fields, key })).status).toBe(409);
    }
    expect(await claims()).toEqual([]);
    expect((await alice.post(ALICE.path, fields)).status).toBe(303);
    // The key of another account's form shows and pays nothing of it.
    const borrowed = await bob.post('/my/rewards/farcaster/1002', {
      ...bobs,
      key: fields.key,
      recipient: ALICE.address,
    });
    expect([borrowed.status, borrowed.text.includes('was used for another account')]).toEqual([409, true]);
    expect(await claims()).toHaveLength(1);
  });

  test('security: no session, one that is over, an operator’s and a key open nothing', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const { app, key, time } = till.service;
    const alice = await alices();
    const fields = { ...formOf(await alice.get('/my/rewards')), recipient: ALICE.address };
    const gets = ['/my/rewards', ALICE.path];
    const nobody = openBrowser(till.service);
    const operator = openBrowser(till.service);
    operator.cookies.set('gigclaim_admin', 'a'.repeat(43));
    for (const browser of [nobody, operator]) {
      for (const path of gets) expect((await browser.get(path)).status).toBe(401);
      expect((await browser.post(ALICE.path, fields)).status).toBe(401);
    }
    for (const path of gets) expect((await app.request(path, { headers: { 'x-api-key': key } })).status).toBe(401);
    time.now += 12 * HOUR;
    for (const path of gets) expect((await alice.get(path)).status).toBe(401);
    expect((await alice.post(ALICE.path, fields)).status).toBe(401);
    expect(await claims()).toEqual([]);
  });
});

describe('an account on X', () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const address = wallet.address.toLowerCase();

  async function signedIn(): Promise<Browser> {
    const browser = openBrowser(till.service);
    expect((await signIn(browser, wallet)).status).toBe(303);
    return browser;
  }

  test('behavior: claims by its linked wallet once the link is valid, and is paid there', async () => {
    await till.gig(token, [{ xUserId: BOB_ON_X, amount: 5n }]);
    await link(`twitter:${BOB_ON_X}`, address, till.service.time.now + 1_000);
    const browser = await signedIn();
    const early = await browser.get('/my/rewards');
    expect([early.status, early.text.includes('Link pending.')]).toEqual([200, true]);
    const formToken = hidden(early, 'token');
    const claim = (fields: object) => browser.post(X_PATH, { token: formToken, recipient: address, ...fields });
    expect((await browser.get(X_PATH)).status).toBe(404);
    expect((await claim({ key: 'a'.repeat(32) })).status).toBe(404);
    till.service.time.now += 1_000;
    const page = await browser.get('/my/rewards');
    expect(page.text).toContain(checksummed(`0x${address.slice(2)}`));
    const { key } = formOf(page);
    const forged = await claim({ key, recipient: freshAddress() });
    expect(forged.status).toBe(409);
    expect((await claim({ key })).status).toBe(303);
    expect(await balanceOf(address)).toBe(5n);
    expect(await claims()).toMatchObject([
      { source: 'page', platform: 'twitter', platformUserId: BOB_ON_X, recipient: address },
    ]);
  });

  test('security: claims nothing while its link waits, after it ended, and when the account has opted out', async () => {
    await till.gig(token, [{ xUserId: BOB_ON_X, amount: 5n }]);
    await link(`twitter:${BOB_ON_X}`, address, null);
    const { service } = till;
    const browser = await signedIn();
    expect((await browser.get(X_PATH)).status).toBe(404);
    await service.sql('update owner_links set valid_from = ?', service.time.now);
    const page = await browser.get(X_PATH);
    const fields = { ...formOf(page), recipient: address };
    const account = { platform: 'twitter', platformUserId: BOB_ON_X } as const;
    await service.store.transaction((tx) => tx.setOptedOut(account, true, service.time.now));
    expect((await browser.post(X_PATH, fields)).status).toBe(404);
    await service.store.transaction((tx) => tx.setOptedOut(account, false, service.time.now));
    await service.sql('update owner_links set ended_at = ?', service.time.now);
    expect((await browser.post(X_PATH, fields)).status).toBe(404);
    expect((await browser.get(X_PATH)).status).toBe(404);
    expect(await claims()).toEqual([]);
  });

  test('security: a contract’s wallet speaks for no account, because elsewhere its address may be another’s', async () => {
    await till.gig(token, [{ xUserId: BOB_ON_X, amount: 5n }]);
    await link(`twitter:${BOB_ON_X}`, address, till.service.time.now);
    const browser = await browserOf(till.service, `wallet:31337:${address}`);
    expect((await browser.get('/my/rewards')).text).toContain('No account can be linked to a contract’s wallet');
    expect((await browser.get(X_PATH)).status).toBe(404);
  });

  test('behavior: a linked account on Farcaster is paid at its verified address, not at the wallet', async () => {
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    await link(`farcaster:${ALICE.fid}`, address, till.service.time.now);
    const browser = await signedIn();
    const form = formOf(await browser.get(ALICE.path));
    expect((await browser.post(ALICE.path, { ...form, recipient: address })).status).toBe(409);
    expect((await browser.post(ALICE.path, { ...form, recipient: ALICE.address })).status).toBe(303);
    expect(await claims()).toMatchObject([{ recipient: ALICE.address }]);
  });
});

describe('the public claim page', () => {
  const button = 'href="/my/rewards" target="_blank"';

  test('behavior: leads to the button where people can sign in for the platform', async () => {
    await till.gig(token, [
      { fid: ALICE.fid, amount: 5n },
      { xUserId: BOB_ON_X, amount: 5n },
    ]);
    const show = async (path: string) => await (await till.service.app.request(path)).text();
    for (const path of ['/claim/farcaster/1001', `/claim/x/${BOB_ON_X}`]) expect(await show(path)).toContain(button);
    await changeTill();
    await till.gig(token, [{ fid: ALICE.fid, amount: 5n }]);
    const page = await show('/claim/farcaster/1001');
    expect(page).toContain('How to claim');
    expect(page).not.toContain('/my/rewards');
  });
});
