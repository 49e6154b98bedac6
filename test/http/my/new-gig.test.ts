import { afterEach, expect, inject, test } from 'vitest';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import type { OwnerCreators } from '../../../src/domain/owners/owner-gigs.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { deployToken } from '../../support/anvil.ts';
import { seedWatchedGig } from '../../support/earning.ts';
import { seedGig, seedMention, seedToken } from '../../support/store.ts';
import { NOW, service, setUp } from '../service.ts';
import { openWatchedService } from '../watched.ts';
import { type Answered, type Browser, browserOf, hidden, walletOn } from './browser.ts';

const ALICE = 'farcaster:1003';
const WALLET = `wallet:0x${'ab'.repeat(20)}`;
const REFUND = `0x${'cd'.repeat(20)}` as const;
const NATIVE = `anvil ${NATIVE_TOKEN_ADDRESS}`;
const PAGE = '/my/gigs/new';
const POST = 'https://farcaster.xyz/alice/0x1234abcd';
afterEach(() => service.close());

async function open(ownerCreate: OwnerCreators, wrap?: (store: Store) => Store, rpcUrl = inject('anvilUrl')) {
  await setUp({
    signIn: walletOn(inject('anvilUrl')),
    rpcUrl,
    config: { ownerCreate },
    ...(wrap === undefined ? {} : { wrap }),
  });
}

function fields(changes: Record<string, string> = {}): Record<string, string> {
  const like = { gig_type: 'like', platform: 'farcaster', url: POST, keyword: '', how_to_earn: '' };
  const money = { rule: 'manual', asset: NATIVE, amount: '0.5', refund_address: REFUND };
  return { ...like, ...money, start: 'now', start_time: '', duration: '1week', ...changes };
}

async function fill(browser: Browser, changes: Record<string, string> = {}): Promise<Record<string, string>> {
  const page = await browser.get(PAGE);
  return { ...fields(changes), key: hidden(page, 'key') };
}

/** What stands beside a field. */
function beside({ text }: Answered, field: string): string | undefined {
  return new RegExp(`id="${field}-problem">([^<]*)<`).exec(text)?.[1]?.replaceAll('&#39;', "'");
}

const submit = (browser: Browser, sent: Record<string, string>) => browser.submit('/my', PAGE, sent);
const gigs = () => service.store.gigs({ phase: 'all', now: NOW, limit: 200 });

test('behavior: an account creates a gig, which is its client’s and lists it; the form sent twice creates one', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  expect((await alice.get('/my')).text).toContain(`href="${PAGE}"`);
  const sent = await fill(alice);
  const answers = await Promise.all([submit(alice, sent), submit(alice, sent)]);
  const later = await submit(alice, sent);
  expect([...answers, later].map(({ status }) => status)).toEqual([303, 303, 303]);
  const places = new Set([...answers, later].map(({ headers }) => headers.get('location')));
  expect(places.size).toBe(1);
  const [gig, ...more] = await gigs();
  expect([gig?.client, gig?.rewardAmount, gig?.feeAmount, gig?.refundAddress, more]).toEqual([
    `owner:${ALICE}`,
    5n * 10n ** 17n,
    25n * 10n ** 15n,
    REFUND,
    [],
  ]);
  expect([...places]).toEqual([`/my/gigs/${gig?.id}#saved`]);
  expect(await service.store.gigOwners(gig?.id ?? 0)).toEqual([
    { platform: 'farcaster', platformUserId: '1003', username: null },
  ]);
  expect(await service.store.earningRules(gig?.id ?? 0)).toBeNull();
  const page = await alice.get(`/my/gigs/${gig?.id}`);
  expect([page.status, page.text.includes('id="pay"')]).toEqual([200, true]);
  expect(page.text).toMatch(/wallet\.js\?v=[^"]+"><\/script>\s*<script type="module" src="\/assets\/find-wallets\.js/);
  const [created] = (await service.store.auditEvents({ limit: 10, before: undefined })).filter(
    ({ action }) => action === 'gig.create',
  );
  expect([created?.actor, created?.actorName]).toEqual(['owner', ALICE]);
});

test('security: a form’s key is its owner’s: two owners with one key create a gig each', async () => {
  await open('anybody');
  const places = [];
  for (const owner of [ALICE, WALLET]) {
    const browser = await browserOf(service, owner);
    const answer = await submit(browser, { ...(await fill(browser)), key: 'a'.repeat(32) });
    places.push(answer.headers.get('location'));
  }
  expect(places).toEqual(['/my/gigs/1#saved', '/my/gigs/2#saved']);
  expect((await gigs()).map(({ client }) => client)).toEqual([`owner:${WALLET}`, `owner:${ALICE}`]);
});

test('error: a key that has created a gig creates no other one', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  const sent = await fill(alice);
  expect((await submit(alice, sent)).status).toBe(303);
  const changed = await submit(alice, { ...sent, amount: '0.6' });
  expect([changed.status, changed.text.includes('This form has created a gig already')]).toEqual([400, true]);
  expect((await submit(alice, { ...sent, key: '' })).status).toBe(400);
  expect(await gigs()).toHaveLength(1);
  // The form that is shown again has another key.
  expect((await submit(alice, { ...sent, amount: '0.6', key: hidden(changed, 'key') })).status).toBe(303);
  expect(await gigs()).toHaveLength(2);
});

test('behavior: a form that an earlier release has answered creates nothing more, and goes to the gigs', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  const sent = await fill(alice);
  expect((await submit(alice, sent)).status).toBe(303);
  await service.sql('update idempotency_keys set body = ?', '7');
  const again = await submit(alice, sent);
  expect([again.status, again.headers.get('location'), (await gigs()).length]).toEqual([303, '/my', 1]);
});

test('behavior: the linked wallet of an account is proposed for refunds, once its link is valid', async () => {
  await open('anybody');
  const { store } = service;
  const alice = await browserOf(service, ALICE);
  const proposed = async () => /name="refund_address" value="([^"]*)"/.exec((await alice.get(PAGE)).text)?.[1];
  const account = { platform: 'farcaster', platformUserId: '1003' };
  const mentionId = await seedMention(store, { authorId: account.platformUserId });
  const link = { wallet: REFUND, postId: '0x7', mentionId, createdAt: NOW } as const;
  await store.transaction((tx) => tx.insertLink(account, link));
  expect(await proposed()).toBe('');
  const made = await store.linkOf(account);
  await store.transaction((tx) => tx.confirmLink(made?.id ?? 0, NOW));
  expect((await proposed())?.toLowerCase()).toBe(REFUND);
  await store.transaction((tx) => tx.endLinkOf(account, NOW));
  expect(await proposed()).toBe('');
});

test('error: a choice that is not in its list is refused beside its field', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  for (const [field, label] of [
    ['start', 'Start'],
    ['rule', 'Who gets what'],
  ] as const) {
    for (const forged of ['evil', 'constructor', '__proto__', '']) {
      const answer = await submit(alice, await fill(alice, { [field]: forged }));
      expect([field, forged, answer.status, beside(answer, field)]).toEqual([
        field,
        forged,
        400,
        `${label} must be one of the list.`,
      ]);
    }
  }
  expect(await gigs()).toEqual([]);
});

test('behavior: a wallet is proposed for refunds, and a gig starts at a time', async () => {
  await open('anybody');
  const browser = await browserOf(service, WALLET);
  expect((await browser.get(PAGE)).text).toMatch(/name="refund_address" value="0x[aA][bB]/);
  const sent = await fill(browser, { start: 'at', start_time: '2026-12-01T10:30' });
  expect((await submit(browser, sent)).status).toBe(303);
  const [gig] = await gigs();
  expect([gig?.client, gig?.startTime]).toEqual([`owner:${WALLET}`, Date.UTC(2026, 11, 1, 10, 30)]);
  expect(await service.store.gigOwners(gig?.id ?? 0)).toEqual([]);
});

test('error: what is wrong stands beside its field, and what was typed stays', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  const wrong = { url: '<b>x', amount: '-1', start: 'at', start_time: 'soon', duration: 'ever', refund_address: '0x1' };
  const answer = await submit(alice, await fill(alice, wrong));
  expect(answer.status).toBe(400);
  expect(beside(answer, 'amount')).toMatch(/^Reward must be a positive decimal number such as 10 or 0.5,/);
  expect(beside(answer, 'start_time')).toBe('Choose a start time.');
  expect(beside(answer, 'duration')).toMatch(/^Duration must be one of/);
  expect(beside(answer, 'refund_address')).toMatch(/^Refund address must be an address/);
  expect(beside(answer, 'url')).toMatch(/^Post or profile must be the URL of a post/);
  expect(beside(answer, 'gig_type')).toBeUndefined();
  expect(answer.text).toMatch(/id="amount" name="amount" value="-1"[^>]*aria-invalid="true"/);
  expect(answer.text).toContain('value="&lt;b&gt;x"');
  const none = await submit(alice, await fill(alice, { refund_address: '', url: '' }));
  expect([beside(none, 'refund_address'), beside(none, 'url')]).toEqual([
    'Refund address is required: without it no money can be returned.',
    'Post or profile is required for like gigs.',
  ]);
  // The service finds this one, after the form.
  const later = await submit(alice, await fill(alice, { amount: `0.${'0'.repeat(18)}1` }));
  expect([later.status, beside(later, 'amount')]).toEqual([400, expect.stringMatching(/^Reward has more decimals/)]);
  const bounty = await submit(alice, await fill(alice, { gig_type: 'custom_bounty', url: '', rule: 'verifier' }));
  expect(beside(bounty, 'how_to_earn')).toBe('What to do is required for bounties.');
  expect(await gigs()).toHaveLength(0);
});

test('security: only tokens that are offered, on an enabled chain', async () => {
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  let offered = false;
  await open('anybody', (store) => ({
    ...store,
    offeredTokens: async () => {
      const known = await store.token(31337, token.address);
      return known !== null && offered ? [known, { ...known, chainId: 8453 }] : [];
    },
  }));
  await seedToken(service.store, { chainId: 31337, address: token.address, decimals: 6, symbol: 'USDC', name: 'USD' });
  const alice = await browserOf(service, ALICE);
  const sent = await fill(alice, { asset: `anvil ${token.address}` });
  const refused = await submit(alice, sent);
  expect([refused.status, refused.text.includes('This token is not offered here')]).toEqual([400, true]);
  expect((await submit(alice, { ...sent, asset: `base ${NATIVE_TOKEN_ADDRESS}` })).status).toBe(400);
  expect((await submit(alice, { ...sent, asset: 'x' })).status).toBe(400);
  offered = true;
  const page = await alice.get(PAGE);
  expect([...page.text.matchAll(/<option value="(\w+ 0x\w+)"/g)].map(([, value]) => value)).toEqual([
    NATIVE,
    `anvil ${token.address}`,
  ]);
  expect((await submit(alice, sent)).status).toBe(303);
  expect((await gigs()).map((gig) => gig.rewardAmount)).toEqual([500_000n]);
});

test('security: a contract’s wallet on another chain is offered nothing here', async () => {
  await open('anybody');
  const browser = await browserOf(service, `wallet:8453:0x${'ab'.repeat(20)}`);
  expect((await submit(browser, await fill(browser))).status).toBe(400);
  expect(await gigs()).toHaveLength(0);
});

test('security: nobody, or the owners whom the operator lists, or anybody creates gigs', async () => {
  await open('nobody');
  const alice = await browserOf(service, ALICE);
  expect((await alice.get('/my')).text).not.toContain(PAGE);
  expect((await alice.get(PAGE)).status).toBe(403);
  const refused = await submit(alice, { ...fields(), key: 'k' });
  expect([refused.status, refused.text.includes('has not allowed you')]).toEqual([400, true]);
  await service.close();
  await open('listed', (store) => ({ ...store, isOwnerAllowed: async (owner: string) => owner === ALICE }));
  const [listed, other] = [await browserOf(service, ALICE), await browserOf(service, 'farcaster:1004')];
  expect([(await listed.get(PAGE)).status, (await other.get(PAGE)).status]).toEqual([200, 403]);
  expect((await other.submit('/my', PAGE, { ...fields(), key: 'k' })).status).toBe(400);
});

test('security: an owner has three open gigs, and all owners together a hundred that wait', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  const client = `owner:${ALICE}`;
  await seedGig(service.store, { client, live: true, startTime: NOW - 1_000 });
  await seedGig(service.store, { client, live: true, startTime: NOW - 100_000_000_000 });
  await seedGig(service.store, { client });
  const sent = await fill(alice);
  const last = await Promise.all([submit(alice, sent), submit(alice, { ...sent, key: 'another' })]);
  expect(last.map(({ status }) => status).sort()).toEqual([303, 400]);
  const full = await alice.get(PAGE);
  expect([full.status, full.text.includes('You have 3 open gigs, and may have 3')]).toEqual([403, true]);
  // A repeated form still finds its gig.
  const first = last[0].status === 303 ? sent : { ...sent, key: 'another' };
  expect((await submit(alice, first)).status).toBe(303);
  const other = await browserOf(service, 'farcaster:1004');
  for (let count = 2; count < 100; count += 1) await seedGig(service.store, { client: `owner:x:${count}` });
  await seedGig(service.store, { client: 'acme' });
  const waits = await other.get(PAGE);
  expect([waits.status, waits.text.includes('Too many gigs on this service wait')]).toEqual([403, true]);
  // The places of owners whom the operator allowed are apart.
  await service.store.transaction((tx) => tx.allowOwner('farcaster:1004', NOW));
  expect((await other.get(PAGE)).status).toBe(200);
});

test('security: of strangers’ gigs platforms are asked about 300 at a time', async () => {
  await open('anybody');
  const alice = await browserOf(service, ALICE);
  const watch = (count: number) => seedWatchedGig(service.store, { client: `owner:x:${count}` });
  for (let count = 1; count < 300; count += 1) await watch(count);
  expect((await alice.get(PAGE)).status).toBe(200);
  await watch(300);
  const full = await alice.get(PAGE);
  expect([full.status, full.text.includes('Too many gigs run on this service')]).toEqual([403, true]);
  await service.store.transaction((tx) => tx.allowOwner(ALICE, NOW));
  expect((await alice.get(PAGE)).status).toBe(200);
});

test('security: what new gigs are about is asked of platforms within a share of each owner and a bound of all strangers', async () => {
  const watched = await openWatchedService({
    signIn: walletOn(inject('anvilUrl')),
    config: { ownerCreate: 'anybody' },
  });
  await setUp(async () => watched.service);
  const unknown = { rule: 'weighted', url: 'https://farcaster.xyz/nobody/0x1234abcd' };
  async function create(owner: string, times: number): Promise<string | undefined> {
    const browser = await browserOf(service, owner);
    const sent = await fill(browser, unknown);
    const answers = [];
    for (let count = 0; count < times; count += 1) answers.push(await submit(browser, sent));
    return /(?:You have|All owners together have) [^:]*/.exec(answers.at(-1)?.text ?? '')?.[0];
  }
  const own = 'You have asked about too many posts and accounts within an hour';
  expect([await create(ALICE, 20), await create(ALICE, 1)]).toEqual([undefined, own]);
  for (let count = 1; count < 10; count += 1) expect(await create(`farcaster:${2000 + count}`, 20)).toBeUndefined();
  expect(await create(WALLET, 1)).toBe(own.replace('You have', 'All owners together have'));
  // Owners whom the operator allowed have a share of their own alone.
  await service.store.transaction((tx) => tx.allowOwner(WALLET, NOW));
  expect([await create(WALLET, 20), await create(WALLET, 1)]).toEqual([undefined, own]);
  await watched.farcaster.stop();
});

test('error: a chain that does not answer creates nothing, and says so', async () => {
  await open('anybody', undefined, 'http://127.0.0.1:1');
  const alice = await browserOf(service, ALICE);
  const answer = await submit(alice, await fill(alice));
  expect([answer.status, answer.text.includes('Nothing was created')]).toEqual([400, true]);
  expect(await gigs()).toHaveLength(0);
});
