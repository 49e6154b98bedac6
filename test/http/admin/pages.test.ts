import { describe, expect, test } from 'vitest';
import { freshAddress } from '../../support/anvil.ts';
import {
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedMention,
  seedSent,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import { TANK } from '../gas-tank.ts';
import { operateOn, operator, seedFailedReply, useOperator } from '../operator.ts';
import { NOW, service } from '../service.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const UNIT = 10n ** 18n;

useOperator({ gasTank: TANK });

/** A payout of 3 whole tokens to alice that failed before anything was signed. */
async function seedFailedPayout() {
  const gig = await seedGig(service.store, { live: true });
  await seedTips(service.store, gig, [{ ...ALICE, amount: 3n * UNIT }]);
  const { payouts } = await seedClaim(service.store, sampleClaim(ALICE, '0x1'), NOW);
  const id = payouts[0]?.id ?? 0;
  await service.store.transaction((tx) => tx.failPayment(id, { reason: 'its token refused it', now: NOW }));
  return { gig, id };
}

/** A gig for 100 of the local chain's own coin, in a wallet that holds nothing. */
async function seedNativeGig(): Promise<void> {
  const { id: tokenId } = await seedToken(service.store, {
    chainId: 31337,
    decimals: 18,
    symbol: 'ETH',
    isNative: true,
    address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  });
  await seedGig(service.store, { tokenId, walletAddress: freshAddress });
}

describe('the overview', () => {
  test('behavior: says what needs attention, and how platforms, chains and gas tank stand', async () => {
    await seedFailedReply(service.store);
    const { gig } = await seedFailedPayout();
    await service.store.transaction((tx) => tx.freezeGig(gig.id, { reason: 'less arrived than was sent', now: NOW }));
    const page = await operator.said('/admin');
    expect(page).toContain('Needs attention 1 reply failed 1 payment failed');
    const tank = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    expect(page).toContain(
      `The gas tank on Anvil is low: ${tank} holds 0.015123456789 ETH, less than the 0.02 ETH that 100 transfers of a token cost now. Send ETH on Anvil (chain id 31337) to ${tank}: it pays the gas of all payments.`,
    );
    expect(page).toContain('Gig 1 is frozen, because less arrived than was sent. See gig show 1 and payment list, ');
    expect(await operator.read('/admin')).toMatch(/<a href="\/admin\/gigs\/1">(<bdi[^>]*>)?Gig 1 is frozen, because/);
    expect(page).toContain('Mentions received 0 handled 1 ignored 0 failed 0');
    expect(page).toContain('Replies due 0 held 0 sending 0 unknown 0 sent 0 failed 1');
    expect(page).toContain('Payments planned 0 sent 0 confirmed 0 failed 1');
    expect(page).toContain('Platforms No platform is enabled.');
    expect(page).toContain('Anvil not asked yet not yet');
    expect(page).toContain('Anvil low 0.0151234 ETH low below 0.02 ETH – Base not read yet – –');
    const whole = '<span class="number" title="0.015123456789 ETH">';
    expect(await operator.read('/admin')).toContain(whole);
    expect(page).toContain('On every chain at 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  });

  test('behavior: has nothing to ask for when all is well', async () => {
    await operateOn();
    await seedNativeGig();
    await operator.read('/admin/gigs/1');
    const page = await operator.said('/admin');
    expect(page).toContain('Nothing needs your attention.');
    expect(page).toContain('Anvil answers just now');
    expect(page).toContain('Gas tank Off: without GIG_WALLET_MNEMONIC gigs can neither be created nor paid.');
    service.time.now += 180_001;
    const silent = await operator.said('/admin');
    expect(silent).toContain('The endpoint of Anvil gives no valid answer. Set RPC_URL_31337 to a JSON-RPC endpoint ');
    expect(silent).toContain('Anvil silent 3 min ago');
  });
});

describe('lists', () => {
  test('behavior: what an answered mention waited for before is no error of it', async () => {
    const { store } = service;
    await seedMention(store, { postId: '0xa1' }, NOW);
    const lease = { lease: 'worker', now: NOW, until: NOW + 60_000, platforms: ['farcaster'] } as const;
    const wait = { lease: 'worker', until: NOW, reason: 'the payment is under way' };
    await store.transaction((tx) => tx.leaseMention(lease));
    await store.transaction((tx) => tx.postponeMention(1, wait));
    expect(await operator.said('/admin/mentions')).toContain('the payment is under way');
    await store.transaction((tx) => tx.leaseMention(lease));
    await store.transaction((tx) => tx.markAnswered(1, 'worker'));
    for (const path of ['/admin/mentions', '/admin/mentions/1'])
      expect(await operator.said(path)).not.toContain('under way');
  });

  test('error: a mention with a time that no calendar has breaks neither its page nor the list', async () => {
    await seedMention(service.store, { postedAt: -9e15 }, 9e15);
    expect(await operator.said('/admin/mentions')).toContain('no time: 9000000000000000');
    expect(await operator.said('/admin/mentions/1')).toContain('Posted no time: -9000000000000000');
  });

  test('behavior: mentions show who said what and what became of it, all or in one state', async () => {
    await seedFailedReply(service.store, { mention: '@gigclaim claims please' });
    await seedMention(service.store, { postId: '0xb2', text: 'second', authorId: '1002', authorUsername: null }, NOW);
    const all = await operator.said('/admin/mentions');
    expect(all).toContain('all received 1 handled 1 ignored 0 failed 0');
    expect(all).toContain('mention 2 received just now Farcaster 1002 second');
    expect(all).toContain('mention 1 handled just now @ alice Farcaster 1001 @gigclaim claims please');
    expect(await operator.said('/admin/mentions?state=received')).not.toContain('mention 1');
    expect(await operator.said('/admin/mentions?state=failed')).toContain('No mentions are failed.');
    const one = await operator.said('/admin/mentions/1');
    expect(one).toContain('Mention 1 handled');
    expect(one).toContain('by webhook Attempts 1');
    expect(one).toContain('Reply reply 1 failed');
  });

  test('behavior: replies show their error and a button to try again, which only failed ones have', async () => {
    await seedFailedReply(service.store);
    const page = await operator.read('/admin/replies?state=failed');
    expect(page).toContain('forbidden: Neynar said no');
    expect(page).toContain('<form method="post" action="/admin/replies/1/retry">');
    await service.store.transaction((tx) => tx.retryReply(1, NOW));
    expect(await operator.read('/admin/replies')).not.toContain('/retry"');
    expect(await operator.said('/admin/replies?state=failed')).toContain('No replies are failed.');
  });

  test('behavior: payments, claims and gigs show amounts, states and what belongs together', async () => {
    const { gig } = await seedFailedPayout();
    await seedFee(service.store, gig, {}, NOW);
    const payments = await operator.said('/admin/payments');
    expect(payments).toContain('payment 2 planned just now 5 DEGEN fee on Base to 0x0000…0FEE');
    expect(payments).toContain('3 DEGEN payout on Base');
    expect(payments).toContain('For gig 1 , claim 1 its token refused it');
    expect(await operator.said('/admin/payments?state=planned')).not.toContain('payout');
    expect(await operator.said('/admin/claims?state=failed')).toContain('3 DEGEN (failed)');
    expect(await operator.said('/admin/claims?state=paid')).toContain('No claims are paid.');
    expect(await operator.said('/admin/claims/1')).toContain('Claim 1 failed');
    const gigs = await operator.said('/admin/gigs?state=ended');
    expect(gigs).toContain('gig 1 ended created 1 Jan 2026 Mention on Farcaster : 100 DEGEN for mention on Farcaster');
    const one = await operator.said('/admin/gigs/1');
    expect(one).toContain('Reward 100 DEGEN Fee 5 DEGEN Required 105 DEGEN Awarded 3 DEGEN In the wallet unknown:');
    expect(one).toContain('payment 2 planned');
  });

  test('behavior: a confirmed payment links to its chain’s explorer and shows each attempt by its hash', async () => {
    const gig = await seedGig(service.store, { live: true });
    await seedTips(service.store, gig, [ALICE, ALICE]);
    const { payouts } = await seedClaim(service.store, sampleClaim(ALICE, '0x1'), NOW);
    const id = payouts[0]?.id ?? 0;
    const transaction = await seedSent(service.store, [id], { nonce: 7, attempt: sampleAttempt(1), now: NOW });
    await service.store.transaction((tx) => tx.addTankAttempt(transaction, { attempt: sampleAttempt(2), now: NOW }));
    expect(await operator.said(`/admin/payments/${id}`)).toContain(
      `Transaction ${transaction} of the gas tank (nonce 7): under way Tips`,
    );
    await seedConfirmed(service.store, id, { hash: seedHash(2), blockNumber: 88n, gasUsed: 61_000n, now: NOW });
    const page = await operator.read(`/admin/payments/${id}`);
    expect(page).toContain(`href="https://basescan.org/tx/${seedHash(2)}"`);
    expect(page).toContain(`href="https://basescan.org/tx/${seedHash(1)}"`);
    const text = await operator.said(`/admin/payments/${id}`);
    expect(text).toContain('Numbers 0, 1');
    expect(text).toContain('Block 88 Gas used 61000');
  });

  test('behavior: gigs that are not live say what their wallet lacks', async () => {
    await seedNativeGig();
    expect(await operator.said('/admin/gigs/1')).toMatch(/In the wallet 0 ETH at block [0-9]+: 105 ETH are missing/);
  });

  test('behavior: a live gig whose window has not begun says when it does', async () => {
    await seedGig(service.store, { live: true, startTime: NOW + 86_400_000 });
    expect(await operator.said('/admin/gigs?state=live')).toContain('gig 1 live, starts 22 Nov 2026 ');
    expect(await operator.said('/admin/gigs/1')).toContain('Mention on Farcaster gig 1 live, starts 22 Nov 2026 ');
  });

  test('behavior: keys show names, ends and last uses', async () => {
    const { store } = service;
    const expiring = { name: 'shop', expiresAt: NOW + 1_000 };
    await service.newKey(expiring);
    const { record } = await service.newKey({ name: 'old' });
    await store.transaction((tx) => tx.revokeApiKey(record.id, NOW + 500));
    service.time.now = NOW + 1_000;
    const page = await operator.said('/admin/keys');
    expect(page).toContain(
      'key 1 usable created 21 Nov 2026, 09:30:00 UTC test For client test : operator Last used just now , expires never',
    );
    expect(page).toContain('key 2 expired');
    expect(page).toContain(
      'shop For client shop : gigs:read, gigs:write, tips:write, claims:read, events:read, webhooks:write Last used never , expires 21 Nov 2026, 09:30:01 UTC',
    );
    expect(page).toContain(
      'old For client old : gigs:read, gigs:write, tips:write, claims:read, events:read, webhooks:write Last used never , revoked 21 Nov 2026, 09:30:00 UTC',
    );
  });

  test('behavior: come in pages of fifty, in one state as well', async () => {
    for (let count = 1; count <= 51; count += 1) await seedFailedReply(service.store);
    const first = await operator.read('/admin/replies?state=failed');
    expect(first.match(/id="reply-/g)).toHaveLength(50);
    expect(first).toContain('href="/admin/replies?state=failed&amp;before=2"');
    const second = await operator.read('/admin/replies?state=failed&before=2');
    expect(second.match(/id="reply-[0-9]+"/g)).toEqual(['id="reply-1"']);
    expect(second).toContain('href="/admin/replies?state=failed">Newest');
    expect(second).not.toContain('>Older<');
    expect(await operator.read('/admin/mentions')).toContain('href="/admin/mentions?before=2"');
  });

  test('behavior: a claim of a rare state is found behind many others', async () => {
    await seedFailedPayout();
    for (let post = 2; post <= 502; post += 1) await seedClaim(service.store, sampleClaim(ALICE, `0x${post}`), NOW);
    const first = await operator.read('/admin/claims?state=failed');
    expect(first).toContain('None on this page; there may be older ones.');
    expect(first).toContain('href="/admin/claims?state=failed&amp;before=3"');
    expect(await operator.read('/admin/claims?state=failed&before=3')).toContain('id="claim-1"');
  });

  test.each(['mentions', 'replies', 'payments', 'claims', 'gigs'])(
    'error: %s that are not there are 404, and queries that mean nothing are 400',
    async (list) => {
      for (const id of ['9', '0', '99999999999999999999']) {
        expect([id, (await operator.get(`/admin/${list}/${id}`)).status]).toEqual([id, 404]);
      }
      const odd = await operator.get(`/admin/${list}?state=odd`);
      expect([odd.status, await odd.text()]).toEqual([400, expect.stringContaining('state must be one of ')]);
      expect((await operator.get(`/admin/${list}?before=x`)).status).toBe(400);
    },
  );
});

describe('a retry', () => {
  test('behavior: of a reply lets it be looked up and sent, and says so once', async () => {
    const id = await seedFailedReply(service.store);
    expect(await operator.said(`/admin/replies/${id}?retried`)).toContain('The retry failed.');
    await operator.read('/admin/replies');
    const answer = await operator.submit(`/admin/replies/${id}/retry`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/admin/replies/${id}?retried`]);
    expect(await service.store.reply(id)).toMatchObject({ state: 'unknown', attempts: 0 });
    expect(await operator.said(`/admin/replies/${id}?retried`)).toContain(
      'looks for the reply on Farcaster, and sends it if it is not there',
    );
    expect(service.lines).toContainEqual(expect.objectContaining({ replyId: id, operator: 'test' }));
    const again = await operator.submit(`/admin/replies/${id}/retry`);
    expect(again.status).toBe(409);
    expect(await again.text()).toContain(`Reply ${id} is unknown; only a failed one can be retried.`);
    expect((await operator.submit('/admin/replies/99/retry')).status).toBe(404);
  });

  test('behavior: of a reply that was sent since leaves no trace of what went wrong before', async () => {
    const id = await seedFailedReply(service.store);
    await operator.read('/admin/replies');
    await operator.submit(`/admin/replies/${id}/retry`);
    expect(await operator.said(`/admin/replies/${id}?retried`)).toContain('Last error forbidden: Neynar said no');
    await service.sql(`update replies set state = 'sent', sent_at = ?, post_id = '0xabc' where id = ?`, NOW, id);
    const sent = await operator.said(`/admin/replies/${id}?retried`);
    expect(sent).toContain(`Reply ${id} sent`);
    expect(sent).not.toMatch(/Last error|Neynar said no|ried again/);
  });

  test('behavior: of a payment plans it again for its claim, once', async () => {
    const { id } = await seedFailedPayout();
    const answer = await operator.submit(`/admin/payments/${id}/retry`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/admin/payments/2?again=${id}`]);
    expect(await service.store.payment(2)).toMatchObject({ state: 'planned', amount: 3n * UNIT, claimId: 1 });
    expect(await operator.said(`/admin/payments/2?again=${id}`)).toContain(
      'Payment 1 is planned again as this payment',
    );
    const again = await operator.submit(`/admin/payments/${id}/retry`);
    expect(again.status).toBe(409);
    expect(await again.text()).toContain('Nothing is left to pay: its tips were claimed or planned again since.');
    const planned = await operator.submit('/admin/payments/2/retry');
    expect(planned.status).toBe(409);
    expect(await planned.text()).toContain('Payment 2 is planned; only one that failed can be retried.');
    expect(await service.store.payments({ limit: 9 })).toHaveLength(2);
    expect((await operator.submit('/admin/payments/99/retry')).status).toBe(404);
  });
});

describe('every page', () => {
  const HOSTILE = `<script>hostile()</script>"'><img src=x onerror=hostile()>`;

  test('security: shows hostile text of every field as text', async () => {
    const { store } = service;
    await seedFailedReply(store, { text: HOSTILE, mention: HOSTILE, error: HOSTILE, username: HOSTILE });
    const { id: tokenId } = await seedToken(store, { symbol: HOSTILE, name: HOSTILE, address: seedAddress(7) });
    const terms = { howToEarn: HOSTILE, earningCriteria: HOSTILE, externalUrl: HOSTILE, verifier: HOSTILE };
    const gig = await seedGig(store, { ...terms, tokenId, live: true, owners: [ALICE] });
    await seedTips(store, gig, [{ ...ALICE }]);
    const claim = sampleClaim(ALICE, HOSTILE, { publicId: HOSTILE });
    const { payouts } = await seedClaim(store, claim, NOW);
    await store.transaction(async (tx) => {
      await tx.failPayment(payouts[0]?.id ?? 0, { reason: HOSTILE, now: NOW });
      await tx.freezeGig(gig.id, { reason: HOSTILE, now: NOW });
    });
    const { key } = await service.newKey({ name: HOSTILE, scopes: ['operator'] });
    await operator.submit('/admin/session', { key });
    const lists = ['', '/mentions', '/replies', '/payments', '/claims', '/gigs', '/keys'];
    const records = ['/mentions/1', '/replies/1', '/payments/1', '/claims/1', '/gigs/1'];
    for (const path of [...lists, ...records]) {
      const page = await operator.read(`/admin${path}`);
      expect([path, page.includes('<script>hostile'), page.includes('<img')]).toEqual([path, false, false]);
      expect([path, page.includes('&lt;script&gt;hostile()&lt;/script&gt;&quot;&#39;&gt;&lt;img')]).toEqual([
        path,
        true,
      ]);
    }
    const addresses = [`/admin/replies?state=${HOSTILE}&before=${HOSTILE}`, `/admin/${encodeURI(HOSTILE)}`];
    for (const address of addresses) expect(await operator.read(encodeURI(address))).not.toContain('<script>hostile');
    operator.cookie = '';
    const asked = await operator.submit('/admin/session', { key: HOSTILE, next: HOSTILE });
    expect(await asked.text()).not.toContain('hostile');
  });

  test('security: makes visible what people hide in their text', async () => {
    await seedFailedReply(service.store, { mention: 'claims\u200b\u202e evil\u0007\nnext' });
    expect(await operator.read('/admin/mentions')).toContain('<bdi>claims�� evil�\nnext</bdi>');
  });

  test('security: shows no key, no signed bytes and no cookie', async () => {
    const gig = await seedGig(service.store, { live: true });
    const { id } = await seedFee(service.store, gig, {}, NOW);
    const raw = `0x02${'5ec7e7'.repeat(8)}` as const;
    await seedSent(service.store, [id], { nonce: 0, attempt: { ...sampleAttempt(3), raw }, now: NOW });
    const [{ hash } = { hash: '' }] = await service.store.apiKeys();
    const secrets = [service.key, hash, raw, '5ec7e75ec7e7', operator.cookie.split('=')[1] ?? 'no cookie'];
    for (const path of ['', '/payments', `/payments/${id}`, '/gigs/1', '/keys']) {
      const page = await operator.read(`/admin${path}`);
      for (const secret of secrets) expect([path, page.includes(secret)]).toEqual([path, false]);
    }
  });

  test('behavior: is answered with 304 to whoever has it, until something of it changes', async () => {
    await seedFailedReply(service.store);
    const first = await operator.get('/admin/replies');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
    const same = await operator.get('/admin/replies', { 'if-none-match': etag });
    expect([same.status, await same.text()]).toEqual([304, '']);
    const quiet = service.lines.filter((line) => line['msg'] === 'request' && line['status'] === 304);
    expect(quiet.map((line) => line['level'])).toEqual(['debug']);
    await service.store.transaction((tx) => tx.retryReply(1, NOW));
    expect((await operator.get('/admin/replies', { 'if-none-match': etag })).status).toBe(200);
    operator.cookie = '';
    expect((await operator.get('/admin/replies', { 'if-none-match': etag })).status).toBe(401);
  });

  test('behavior: counts as a request of its client', async () => {
    await operateOn({ config: { rateLimitPerMinute: 3 } });
    expect((await operator.get('/admin/gigs')).status).toBe(200);
    const refused = await operator.get('/admin/gigs');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('behavior: works below a path of the public address', async () => {
    await operateOn({ config: { publicUrl: 'https://example.org/gigs' } });
    const page = await operator.read('/admin/replies');
    const links = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links).toContain('/gigs/admin/mentions');
    expect(links.filter((link) => !link.startsWith('/gigs/') && link !== '#main')).toEqual([]);
    const answer = await operator.submit('/admin/logout');
    expect(answer.headers.get('location')).toBe('/gigs/admin');
  });
});
