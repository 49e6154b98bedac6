import { describe, expect, test } from 'vitest';
import { decideAs, SAMPLE_FACTS, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
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
} from '../../support/store.ts';
import { operator, useOperator } from '../operator.ts';
import { serveService } from '../serve.ts';
import { NOW, service } from '../service.ts';

const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
const CAST = `0x${'ab'.repeat(20)}`;

useOperator();

const pathOf = (text: string) => `/admin/find?q=${encodeURIComponent(text)}`;

/** Where a search leads; null when it does not. */
async function leadsTo(text: string): Promise<string | null> {
  const response = await operator.get(pathOf(text));
  expect([text, response.status]).toEqual([text, response.headers.has('location') ? 303 : 200]);
  return response.headers.get('location');
}

/** Bob's mention, and the claim by which its tip is paid. */
async function seedPaid() {
  const { store } = service;
  const gig = await seedGig(store, { live: true, externalUrl: 'https://x.com/dan/status/77' });
  await seedTips(store, gig, [{ ...BOB }]);
  await seedMention(store, { postId: CAST, authorId: '1002', authorUsername: 'Bob' }, NOW);
  const { claim, payouts } = await seedClaim(store, sampleClaim(BOB, CAST), NOW);
  const paid = payouts[0]?.id ?? 0;
  await seedSent(store, [paid], { nonce: 0, attempt: sampleAttempt(1) });
  return { gig, claim, paid };
}

test('behavior: a page of an explorer or of this service, a hash without 0x, #1 and a title lead to what they are about', async () => {
  const { gig, paid } = await seedPaid();
  const titled = await seedGig(service.store, { title: 'Like our launch cast' });
  const { hash } = sampleAttempt(1);
  for (const text of [hash.slice(2), `https://basescan.org/tx/${hash}`]) {
    expect(await leadsTo(text)).toBe(`/admin/payments/${paid}`);
  }
  for (const text of [
    `#${gig.id}`,
    `https://gigs.example/gigs/${gig.id}`,
    `http://localhost:3000/my/gigs/${gig.id}/award`,
  ]) {
    expect(await leadsTo(text)).toBe(`/admin/gigs/${gig.id}`);
  }
  expect(await leadsTo('  Like our  launch cast ')).toBe(`/admin/gigs/${titled.id}`);
  expect(await leadsTo('Like our launch')).toBeNull();
});

describe('a search that has one hit', () => {
  test('behavior: leads to a record by its number, and to an account by handle, id and profile', async () => {
    await seedPaid();
    for (const [text, path] of [
      ['gig 1', '/admin/gigs/1'],
      ['Claim #1', '/admin/claims/1'],
      ['payment 1', '/admin/payments/1'],
      ['mention 1', '/admin/mentions/1'],
      ['tip 1', '/admin/accounts/farcaster/1002?list=tips&before=2#tip-1'],
      ['@bob', '/admin/accounts/farcaster/1002'],
      ['BOB', '/admin/accounts/farcaster/1002'],
      ['farcaster:1002', '/admin/accounts/farcaster/1002'],
      ['https://farcaster.xyz/bob', '/admin/accounts/farcaster/1002'],
    ] as const)
      expect([text, await leadsTo(text)]).toEqual([text, path]);
    await seedMention(
      service.store,
      { platform: 'twitter', postId: '501', authorId: '2222', authorUsername: null },
      NOW,
    );
    for (const text of ['x:2222', 'twitter:2222']) expect(await leadsTo(text)).toBe('/admin/accounts/x/2222');
    for (const text of ['https://x.com/i/status/501', '501']) expect(await leadsTo(text)).toBe('/admin/mentions/2');
    expect(await leadsTo('https://x.com/dan/status/77')).toBe('/admin/gigs/1');
    expect(await leadsTo(seedAddress(1))).toBe('/admin/gigs/1');
    expect((await operator.get('/admin/accounts/farcaster/1002?list=tips&before=2')).status).toBe(200);
  });

  test('behavior: a transaction leads to its payment, by each attempt and by the one that was included', async () => {
    const { paid } = await seedPaid();
    expect(await leadsTo(seedHash(1))).toBe(`/admin/payments/${paid}`);
    const { store } = service;
    await store.transaction((tx) => tx.addTankAttempt(1, { attempt: sampleAttempt(2), now: NOW }));
    await seedConfirmed(store, paid, { hash: seedHash(2), now: NOW });
    for (const hash of [seedHash(1), seedHash(2), seedHash(2).toUpperCase().replace('0X', '0x')])
      expect(await leadsTo(hash)).toBe(`/admin/payments/${paid}`);
    expect(await leadsTo(seedHash(3))).toBeNull();
  });

  test('behavior: an event leads to its delivery or its gig, a request to what it changed', async () => {
    await seedGig(service.store, { client: 'test' });
    expect(await leadsTo('request-of-alice')).toBeNull();
    const owner = { platform: 'farcaster', platform_user_id: 1002 };
    await service.send('POST', '/api/gigs/1/owners', owner, { 'x-request-id': 'request-of-alice' });
    const before = (await service.store.auditEvents({ limit: 1 }))[0]?.id ?? 0;
    expect(await leadsTo('request-of-alice')).toBe(`/admin/audit?before=${before + 1}#event-${before}`);
    expect(await operator.said(`/admin/audit?before=${before + 1}`)).toContain('Request request-of-alice');
    await service.store.transaction((tx) => tx.insertEvents([{ type: 'gig.stopped', at: NOW, gigId: 1, facts: {} }]));
    await service.sql('update events set seq = 1');
    const [event] = await service.store.eventsAfter({
      after: 0,
      types: ['gig.stopped'],
      client: null,
      gigId: 1,
      limit: 1,
    });
    expect(await leadsTo(event?.uid ?? '')).toBe('/admin/gigs/1');
  });
});

describe('a search that has several hits or none', () => {
  test('behavior: lists each with a sentence, and keeps what was searched for in the box', async () => {
    const { gig, paid } = await seedPaid();
    const post = await operator.said(pathOf(CAST));
    expect(post).toContain('2 hits');
    expect(post).toContain('mention 1 Mention 1 by @ Bob Farcaster 1002 is received: ');
    expect(post).toContain(
      'claim 1 Claim 1 of @ Bob Farcaster 1002 to 0x000000000000000000000000000000000000cafE is pending.',
    );
    expect(await operator.read(pathOf(CAST))).toContain(`name="q" value="${CAST}"`);
    const short = await operator.said(pathOf('farcaster.xyz/bob/0xabababab'));
    expect(short).toContain('2 hits');
    await seedFee(service.store, gig, { recipient: seedAddress(0xcafe) });
    const address = await operator.said(pathOf(seedAddress(0xcafe)));
    expect(address).toContain('3 hits');
    expect(address).toContain(`Payment ${paid} is a payout of 1 DEGEN from gig 1 , sent.`);
    expect(await leadsTo('1002')).toBe('/admin/accounts/farcaster/1002');
  });

  test('behavior: a post that counts in a gig leads to who posted it', async () => {
    const gig = await seedGigWithRules(service.store, { gigType: 'reply' });
    await seedActs(service.store, gig, [{ ...sampleAct(7), kind: 'reply', objectId: CAST }]);
    const account = sampleAccount(7);
    expect(await leadsTo(CAST)).toBe(`/admin/accounts/farcaster/${account.platformUserId}`);
    const page = await operator.said(`/admin/accounts/farcaster/${account.platformUserId}`);
    expect(page).toContain('Held. The decision is due now.');
  });

  test('behavior: says what can be searched for', async () => {
    expect(await operator.said('/admin/find')).toContain(
      'Search for a handle (@alice), an account (farcaster:1001, x:2222),',
    );
    expect(await operator.said(pathOf('nobody'))).toContain('Nothing found Search for a handle');
  });

  test('security: hostile texts find nothing, are escaped, and break nothing', async () => {
    await seedPaid();
    const html = '"><script>alert(1)</script>';
    expect(await operator.read(pathOf(html))).not.toContain('<script>alert');
    expect(await operator.read(pathOf(html))).toContain('&lt;script&gt;');
    for (const text of [
      '%',
      '_',
      '%%bob%%',
      'b_b',
      '@b%b',
      'farcaster:100_',
      'x:%',
      '\u0000',
      'gig 1\u0000',
      "' or 1=1 --",
      '0x%',
    ])
      expect(await operator.said(pathOf(text))).toContain('Nothing found');
    for (const kind of ['@', 'farcaster:', 'https://farcaster.xyz/', 'gig ', 'evt_', '0x'])
      expect(await operator.said(pathOf(`${kind}${'9'.repeat(1_000_000)}`))).toContain('Nothing found');
  });

  test('security: is for operators only', async () => {
    operator.cookie = '';
    for (const path of ['/admin/find?q=gig', '/admin/accounts/farcaster/1002'])
      expect((await operator.get(path)).status).toBe(401);
  });
});

test('security: a megabyte in the address of a search is refused on the wire, and the service goes on', async () => {
  const served = await serveService();
  try {
    const inQuery = await fetch(`${served.origin}/admin/find?q=${'a'.repeat(1_000_000)}`).catch(() => null);
    expect([431, 414, undefined]).toContain(inQuery?.status);
    expect((await fetch(`${served.origin}/admin/find?q=%00%25_%3Cb%3E`)).status).toBe(401);
    expect((await fetch(`${served.origin}/health`)).status).toBe(200);
  } finally {
    await served.close();
  }
});

describe('the page of an account', () => {
  test('behavior: has its mentions, claims, tips and payments, and says why one is not done', async () => {
    const { gig } = await seedPaid();
    await seedTips(service.store, gig, [{ ...BOB }, { ...BOB }]);
    const page = await operator.said('/admin/accounts/farcaster/1002');
    expect(page).toContain('@ Bob Farcaster 1002 Farcaster, FID 1002.');
    expect(page).toContain('mention 1 : @gigclaim claims It waits to be handled.');
    expect(page).toContain('It is in a transaction that is not settled yet.');
    expect(page).toContain('Not claimed yet.');
    expect(page.indexOf('tip 3')).toBeLessThan(page.indexOf('tip 2'));
    await service.store.transaction((tx) => tx.failPayment(1, { reason: 'its token refused it', now: NOW }));
    await seedConfirmed(service.store, 1, { hash: seedHash(1), now: NOW });
    const paid = await operator.said('/admin/accounts/farcaster/1002');
    expect(paid).not.toContain('not settled yet');
    expect(paid).toContain('payment 1 confirmed');
  });

  test('behavior: says in the words of why what is not earned, and why a payment waits', async () => {
    const { store } = service;
    const gig = await seedGigWithRules(store);
    await seedActs(store, gig, [sampleAct(2)]);
    const facts = { ...SAMPLE_FACTS, score: 500_000 };
    await store.transaction((tx) =>
      decideAs(tx, gig, sampleAccount(2), { to: 'refused', reason: 'score_too_low', facts }),
    );
    const { platformUserId } = sampleAccount(2);
    expect(await operator.said(`/admin/accounts/farcaster/${platformUserId}`)).toContain(
      'Not eligible: the Farcaster score is 0.5; this gig requires 0.55.',
    );
    const paying = await seedGig(store, { live: true });
    await seedTips(store, paying, [{ ...BOB }]);
    await seedClaim(store, sampleClaim(BOB, CAST), NOW);
    await store.transaction((tx) => tx.freezeGig(paying.id, { reason: 'less arrived than was sent', now: NOW }));
    expect(await operator.said('/admin/accounts/farcaster/1002')).toContain(
      'The operator has frozen this gig’s payments for now; nothing is lost.',
    );
  });

  test('behavior: a list goes on page by page, and a wrong page or platform is refused', async () => {
    const gig = await seedGig(service.store, { live: true });
    await seedTips(
      service.store,
      gig,
      Array.from({ length: 70 }, () => ({ ...BOB, amount: 1n })),
    );
    const first = await operator.read('/admin/accounts/farcaster/1002');
    expect(first).toContain('href="/admin/accounts/farcaster/1002?list=tips&amp;before=61"');
    const page = await operator.read('/admin/accounts/farcaster/1002?list=tips&before=61');
    expect(page).toContain('id="tip-60"');
    expect(page).toContain('id="tip-11"');
    expect(page).not.toContain('id="tip-10"');
    expect(page).toContain('before=11"');
    expect(await operator.read('/admin/accounts/farcaster/1002?list=tips&before=11')).not.toContain('Older tips');
    for (const wrong of ['?list=tips&before=x', '?list=all'])
      expect((await operator.get(`/admin/accounts/farcaster/1002${wrong}`)).status).toBe(400);
    for (const wrong of ['threads/5', 'farcaster/bob', 'farcaster/0x1', 'x/%00', 'farcaster/123456789012345678901'])
      expect((await operator.get(`/admin/accounts/${wrong}`)).status).toBe(404);
    expect(await operator.said('/admin/accounts/farcaster/404')).toContain(
      'FID 404; the service has nothing else on record.',
    );
  });
});
