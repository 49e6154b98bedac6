import { erc20Abi } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../../sandbox/anvil.ts';
import { placeRegistries, type Registries } from '../../../../sandbox/owners/registries.ts';
import type { Taps } from '../../../../src/domain/claims/tap.ts';
import { type Address, checksummed } from '../../../../src/domain/gigs/token.ts';
import { createTaps } from '../../../../src/sign-in/jfs.ts';
import { anvilClients, deployToken, freshAddress, type TestToken } from '../../../support/anvil.ts';
import { countTransactions } from '../../../support/count-transactions.ts';
import {
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { openEndpoint } from '../../../support/proxies.ts';
import { seedAddress, seedGig, seedTips, seedToken } from '../../../support/store.ts';
import { type AppKey, createAppKey, PATIENT, signHeader, signTap, type TapSaid } from '../../../support/taps.ts';
import { NOW } from '../../service.ts';
import { changeTill, type TillOptions, till, useTill } from '../../till.ts';
import { MEDIA_TYPE, readCard, targetOf, textsOf } from './shapes.ts';

const ORIGIN = 'http://gigclaim.test';
const ALICE = { fid: 1001, address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' } as const;
const SAID = { fid: ALICE.fid, audience: ORIGIN };

let anvil: AnvilProcess;
let registries: Registries;
let token: TestToken;
let app: AppKey;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10 });
  registries = await placeRegistries(anvil.url);
});
afterAll(() => anvil.stop());

const clock = () => till?.service.time.now ?? NOW;
const taps = (): Taps => createTaps({ publicUrl: ORIGIN, rpcUrls: [anvil.url], clock, timing: PATIENT });
const tapsOver = (endpoint: string): Taps => createTaps({ publicUrl: ORIGIN, rpcUrls: [endpoint], clock });
useTill(() => ({ taps: taps() }));
beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  app = createAppKey();
  await registries.addKey(app.key, ALICE.fid);
});

const sign = (said: Partial<TapSaid> = {}, by = app) => signTap(by, { ...SAID, at: clock(), ...said });

async function post(path: string, tap: string, headers: Record<string, string> = {}) {
  const response = await till.service.app.request(path, {
    method: 'POST',
    headers,
    body: new TextEncoder().encode(tap),
  });
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe(MEDIA_TYPE);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const card = readCard(text);
  return { status: response.status, card, texts: textsOf(card), text };
}

const path = (url: string) => url.slice(ORIGIN.length);
const claims = () => till.service.store.claims({ limit: 99 });

async function balanceOf(address: Address): Promise<bigint> {
  const call = { address: token.address, abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const;
  return await anvilClients().public.readContract(call);
}

describe('a claim by tap', () => {
  test('behavior: pays the primary verified address, and the ledger, the audit trail and the events say how it came', async () => {
    const gig = await till.gig(token, [{ fid: '1001', amount: 1_500_000n }]);
    const before = await balanceOf(ALICE.address);
    const { status, card, texts } = await post('/tap/claim', sign());
    expect([status, card.effects]).toEqual([200, ['confetti']]);
    const [claim] = await claims();
    expect(claim).toMatchObject({ source: 'snap', platformUserId: '1001', recipient: ALICE.address });
    expect(claim?.postId).toMatch(/^snap:[0-9a-f]{32}$/);
    const [payment] = await till.service.store.paymentsOfClaim(claim?.id ?? 0);
    const hash = payment?.hash ?? '';
    expect(texts.slice(0, 3)).toEqual([
      'Paid',
      'Paid: 1.5 USDC',
      `to ${checksummed(ALICE.address).slice(0, 6)}…79C8 on Anvil, transaction ${hash.slice(0, 6)}…${hash.slice(-4)}`,
    ]);
    expect((await balanceOf(ALICE.address)) - before).toBe(1_500_000n);
    const events = await till.service.store.auditEvents({ limit: 9 });
    const opened = events.find(({ action }) => action === 'claim.open');
    expect(opened).toMatchObject({ actor: 'account', subjectId: String(claim?.id) });
    expect(JSON.parse(opened?.detail ?? '')).toMatchObject({ gigs: [gig.id], post: claim?.postId, source: 'snap' });
  });

  test('security: the same tap twenty times at once, and again later, is one claim and one payment', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const before = await balanceOf(ALICE.address);
    const tap = sign();
    const all = await Promise.all(Array.from({ length: 20 }, () => post('/tap/claim', tap)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    await till.gig(token, [{ fid: '1001', amount: 7n }]);
    expect((await post('/tap/claim', tap)).texts).toContain('Paid: 0.000005 USDC');
    expect([(await claims()).length, (await balanceOf(ALICE.address)) - before]).toEqual([1, 5n]);
    till.service.time.now += 301_000;
    expect((await post('/tap/claim', tap)).status).toBe(401);
    expect(await claims()).toHaveLength(1);
    expect((await post('/tap/claim', sign())).texts).toContain('Paid: 0.000007 USDC');
    expect((await balanceOf(ALICE.address)) - before).toBe(12n);
  });

  test('behavior: with nothing to claim shows what there is, and writes nothing', async () => {
    const { wrap, count } = countTransactions();
    await changeTill({ taps: taps(), wrap });
    const { status, texts } = await post('/tap/claim', sign());
    expect([status, texts[0], count()]).toEqual([200, 'Nothing to claim right now', 0]);
    expect(await claims()).toEqual([]);
  });

  test('behavior: that is not paid within the patience of a client is on its way, and a look finds it paid', async () => {
    await changeTill({ pays: false, taps: taps() });
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const since = till.service.time.now;
    const { card, texts } = await post('/tap/claim', sign());
    expect([card.effects, texts[0], texts[1]]).toEqual([undefined, 'On its way', 'On its way: 0.000005 USDC']);
    expect(till.service.time.now - since).toBeLessThanOrEqual(4_000);
    const again = path(targetOf(card, 'Look again'));
    expect((await post(again, sign())).texts[0]).toBe('On its way');
    const mine = await post('/tap', sign());
    expect(mine.texts.slice(0, 2)).toEqual(['Your claim is being paid', 'On its way: 0.000005 USDC']);
    const payAndLook = async () => {
      await till.pay();
      return (await post(again, sign())).texts[0];
    };
    await expect.poll(payAndLook).toBe('Paid');
    // Somebody else's look shows nothing of it.
    const other = createAppKey();
    await registries.addKey(other.key, 1002);
    expect((await post(again, sign({ fid: 1002 }, other))).texts[0]).toBe('Nothing to claim right now');
  });

  test('security: pays whom the platform names now, never an address that a tap names', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const [primary, other, thief] = [freshAddress(), freshAddress(), freshAddress()];
    till.farcaster.addUser({ id: '1001', username: 'alice', verifiedAddresses: [primary, other] });
    await post(`/tap/claim?recipient=${thief}`, sign({ payload: { inputs: { recipient: thief, address: thief } } }));
    expect([await balanceOf(primary), await balanceOf(other), await balanceOf(thief)]).toEqual([5n, 0n, 0n]);
  });

  test('security: without a primary address nothing is claimed, whatever else is verified, and the card says what to do', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    for (const verifiedAddresses of [[], [freshAddress(), freshAddress()]]) {
      till.farcaster.addUser({ id: '1001', username: 'alice', verifiedAddresses, hasPrimary: false });
      const { status, texts } = await post('/tap/claim', sign());
      const sentence =
        'A tap pays your primary verified address, and you have none. ' +
        'Set one in your Farcaster app, or post: “@gigclaim claim my rewards”.';
      expect([status, texts]).toEqual([400, [sentence, 'Try again']]);
      expect(await claims()).toEqual([]);
    }
    till.farcaster.addUser({ id: '1001', username: 'alice', verifiedAddresses: [ALICE.address] });
    expect((await post('/tap/claim', sign())).texts[0]).toBe('Paid');
  });

  test('behavior: an account that opted out may tap', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const account = { platform: 'farcaster', platformUserId: '1001' };
    await till.service.store.transaction((tx) => tx.setOptedOut(account, true, NOW));
    expect((await post('/tap/claim', sign())).texts[0]).toBe('Paid');
  });
});

describe('a tap that is refused', () => {
  const refused = async (tap: string, status: number) => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    for (const where of ['/tap/claim', '/tap', '/tap/gigs/1', '/tap/claims/1']) {
      const { status: answered, texts } = await post(where, tap);
      expect([where, answered, texts.at(-1)]).toEqual([where, status, 'Try again']);
    }
    expect(await claims()).toEqual([]);
  };
  test.each<[string, () => string]>([
    ['for another audience', () => sign({ audience: 'https://other.test' })],
    ['ten minutes old', () => sign({ at: clock() - 600_000 })],
    ['by an unknown key', () => sign({}, createAppKey())],
    ['by another FID', () => sign({ payload: { user: { fid: 1002 } } })],
    ['of a FID that the key does not belong to', () => sign({ fid: 1002 })],
    ['over a changed payload', () => sign().replace(/\.[^.]*\./, `.${sign({ at: clock() - 1_000 }).split('.')[1]}.`)],
  ])('security: %s is a card with status 401, and changes nothing', async (_, make) => {
    await refused(make(), 401);
  });

  test('behavior: by a key that a registry which is behind does not know yet pays nobody and says so, until it knows', async () => {
    const added = createAppKey();
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const early = await post('/tap/claim', sign({}, added));
    expect([early.status, early.texts[0]]).toEqual([401, expect.stringContaining('may not sign for your account')]);
    expect(await claims()).toEqual([]);
    await registries.addKey(added.key, ALICE.fid);
    expect((await post('/tap/claim', sign({}, added))).texts[0]).toBe('Paid');
  });

  test('security: by a key that was removed claims nothing at once, and shows nothing after a minute', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    expect((await post('/tap', sign())).status).toBe(200);
    await registries.removeKey(app.key, ALICE.fid);
    expect((await post('/tap', sign())).status).toBe(200);
    expect((await post('/tap/claim', sign())).status).toBe(401);
    expect((await post('/tap', sign())).status).toBe(401);
    expect(await claims()).toEqual([]);
  });

  test('security: the header of a request that reads a card claims nothing', async () => {
    await refused(signHeader(app, { ...SAID, at: clock() }), 400);
  });

  test('error: in a wrong shape is a card with status 400', async () => {
    await refused('no tap', 400);
    const large = await post('/tap/claim', 'a'.repeat(20_000));
    expect(large.status).toBe(413);
  });

  test('error: an endpoint of chain 10 that hangs or lies is a card that says to try again, and nothing is paid', async () => {
    const { url } = await openEndpoint(() => () => undefined);
    const lying = await openEndpoint(() => ({ result: '0x' }));
    for (const endpoint of [url, lying.url]) {
      await changeTill({ taps: tapsOver(endpoint) });
      await till.gig(token, [{ fid: '1001', amount: 5n }]);
      const { status, texts } = await post('/tap/claim', sign());
      expect([status, texts[0]]).toEqual([503, expect.stringContaining('Try again')]);
      expect(await claims()).toEqual([]);
    }
  });

  test('error: while Farcaster is silent nothing is claimed, and a later tap claims', async () => {
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    await till.farcaster.stop();
    const { status, texts } = await post('/tap/claim', sign());
    expect([status, texts[0]]).toEqual([503, expect.stringContaining('Farcaster does not answer')]);
    expect(await claims()).toEqual([]);
  });

  test('error: a platform that hangs is answered within the patience of a client', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    await changeTill({
      taps: taps(),
      wrapPlatform: (platform) => ({ ...platform, primaryAddress: hangs }),
    });
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    const { status, texts } = await post('/tap/claim', sign());
    expect([status, texts]).toEqual([200, ['This takes longer than usual. Look again in a moment.', 'Try again']]);
  });

  test('error: a clock that is set back while a platform hangs does not lengthen the patience of a client', async () => {
    const hangs = () => new Promise<never>(() => undefined);
    const real = taps();
    const verify: Taps['verify'] = async (...sent) => {
      const tap = await real.verify(...sent);
      till.service.time.now -= 3_600_000;
      return tap;
    };
    const wrapPlatform: TillOptions['wrapPlatform'] = (platform) => ({ ...platform, primaryAddress: hangs });
    await changeTill({ taps: { ...real, verify }, wrapPlatform });
    await till.gig(token, [{ fid: '1001', amount: 5n }]);
    expect((await post('/tap/claim', sign())).status).toBe(200);
  });

  test('security: an account has a limit of claims from all addresses together', async () => {
    await changeTill({ taps: taps(), config: { claimLimits: { client: 2, inAll: 3 } } });
    const claim = (fid: number = ALICE.fid, by = app) => post('/tap/claim', sign({ fid }, by));
    expect([(await claim()).status, (await claim()).status]).toEqual([200, 200]);
    const { status, texts } = await claim();
    expect([status, texts[0]]).toEqual([429, 'Too many requests: at most 2 a minute are allowed']);
    const other = createAppKey();
    await registries.addKey(other.key, 1002);
    expect((await claim(1002, other)).status).toBe(200);
    expect((await claim(1002, other)).status).toBe(429);
    expect((await post('/tap', sign())).status).toBe(200);
  });

  test('security: an address has a limit of taps, before their signature is looked at', async () => {
    await changeTill({ taps: taps(), config: { rateLimitPerMinute: 2 } });
    const forged = sign({}, createAppKey());
    const statuses = [await post('/tap', forged), await post('/tap', forged), await post('/tap', sign())];
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 429]);
  });
});

describe('the card of the account that taps', () => {
  test('behavior: says token by token what it can claim, what was paid, and nothing of others', async () => {
    await till.gig(token, [
      { fid: '1001', amount: 5_000_000n / 5n },
      { fid: '1002', amount: 9n },
    ]);
    await post('/tap/claim', sign());
    await till.gig(token, [
      { fid: '1001', amount: 250_000n },
      { fid: '1001', amount: 250_000n },
    ]);
    const { texts, card, text } = await post('/tap', sign());
    // A tap of the same second would be the one that has claimed.
    till.service.time.now += 1_000;
    expect(texts.slice(0, 4)).toEqual(['You can claim', '0.5 USDC', '2 tips from 1 gig on Anvil', 'Paid: 1 USDC']);
    expect(targetOf(card, 'Claim all')).toBe(`${ORIGIN}/tap/claim`);
    expect(targetOf(card, 'Open my page')).toBe(`${ORIGIN}/claim/farcaster/1001`);
    expect(text).not.toContain('0.000009');
    expect((await post(path(targetOf(card, 'Claim all')), sign())).texts).toContain('Paid: 0.5 USDC');
  });

  test('behavior: of a gig without rules says what the account has earned from it; of one that is not there 404', async () => {
    await till.gig(token, [
      { fid: '1001', amount: 250_000n },
      { fid: '1001', amount: 500_000n },
      { fid: '1002', amount: 9n },
    ]);
    await till.gig(token, [{ fid: '1001', amount: 1_000_000n }]);
    const first = await post('/tap/gigs/1', sign());
    expect(first.texts.slice(0, 2)).toEqual(['You can claim', '1.75 USDC']);
    expect(first.texts).toContain('Gig 1: you earned 0.75 USDC.');
    await till.gig(token, [{ fid: '1002', amount: 9n }]);
    expect((await post('/tap/gigs/3', sign())).texts).toContain(
      'Gig 3: you have no tips. The organizer decides who earns.',
    );
    // What was paid was earned as well.
    await post('/tap/claim', sign());
    till.service.time.now += 1_000;
    const { texts } = await post('/tap/gigs/1', sign());
    expect(texts[0]).toBe('Nothing to claim right now');
    expect(texts).toContain('Gig 1: you earned 0.75 USDC.');
    expect((await post('/tap/gigs/99', sign())).status).toBe(404);
  });

  test('behavior: says in one sentence why it did not earn, and of another account nothing', async () => {
    const { store } = till.service;
    const gig = await seedGigWithRules(store, { startTime: NOW - 60_000 });
    const account = sampleAccount(ALICE.fid);
    await seedActs(store, gig, [sampleAct(ALICE.fid)], { now: NOW, dueAt: NOW });
    const facts = { ...SAMPLE_FACTS, score: 100_000 };
    const refusal = { to: 'refused', reason: 'score_too_low', facts, now: NOW } as const;
    await store.transaction((tx) => decideAs(tx, gig, account, refusal));
    const { texts } = await post('/tap', sign());
    expect(texts.filter((text) => text.startsWith(`Gig ${gig.id}: `))).toEqual([
      expect.stringMatching(/^Gig \d+: .*score.*\.$/),
    ]);
    const other = createAppKey();
    await registries.addKey(other.key, 1002);
    const theirs = await post('/tap', sign({ fid: 1002 }, other));
    expect(theirs.text).not.toContain(`Gig ${gig.id}`);
  });

  test('behavior: the longest symbols and amounts of many tokens keep the limits, before a claim and after it', async () => {
    await changeTill({ pays: false, taps: taps() });
    const { store } = till.service;
    for (let index = 1; index <= 9; index += 1) {
      const address = seedAddress(0xcafe00 + index);
      const names = { symbol: 'W'.repeat(20), name: 'N'.repeat(64), decimals: 0 };
      const { id: tokenId } = await seedToken(store, { ...names, address, chainId: 31337 });
      const gig = await seedGig(store, { live: true, tokenId, rewardAmount: 2n ** 255n });
      await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: '1001', amount: 2n ** 254n }]);
    }
    expect((await post('/tap', sign())).texts[0]).toBe('You can claim');
    expect((await post('/tap/claim', sign())).texts[0]).toBe('On its way');
    till.service.time.now += 1_000;
    expect((await post('/tap', sign())).texts[0]).toBe('Your claim is being paid');
  });

  test('behavior: a page of any client may send a tap', async () => {
    const { app: service } = till.service;
    const headers = { origin: 'https://farcaster.xyz', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
    expect((await post('/tap', sign(), headers)).status).toBe(200);
    const asked = await service.request('/tap/claim', { method: 'OPTIONS' });
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });
});

test('behavior: without cards there are no taps, and pages say nothing of them', async () => {
  await changeTill({});
  await till.gig(token, []);
  const { app: service } = till.service;
  expect((await service.request('/tap', { method: 'POST', body: sign() })).status).toBe(404);
  const page = await service.request('/gigs/1', { headers: { accept: MEDIA_TYPE } });
  expect([page.headers.get('content-type'), page.headers.get('link')]).toEqual(['text/html; charset=utf-8', null]);
});
