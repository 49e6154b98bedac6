import { decodeFunctionData, erc20Abi, getAddress } from 'viem';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { endOwnerSessions } from '../../../src/services/owners/sessions.ts';
import { deployToken, fundToken, type TestToken } from '../../support/anvil.ts';
import { seedGigWithRules } from '../../support/earning.ts';
import { seedGig, seedMention, seedToken } from '../../support/store.ts';
import { forThisTest, NOW, openService, seedLocalGig, service } from '../service.ts';
import { ALICE, alice, listed, MINUTE, textOf, useAlice } from './alice.ts';
import { type Browser, browserOf, openBrowser } from './browser.ts';

const WALLET = `0x${'ab'.repeat(20)}` as const;
let token: TestToken;

useAlice();

test('behavior: an owner’s page lists the gigs that it created or that list it, newest first, each with the next step', async () => {
  const first = await listed();
  await seedGig(service.store, { client: 'acme' });
  await seedGig(service.store, { client: 'owner:farcaster:1004' });
  const own = await seedGig(service.store, { client: 'owner:farcaster:1003' });
  const both = await listed({ live: true, client: 'owner:farcaster:1003' });
  const page = await alice.get('/my');
  expect([...page.text.matchAll(/href="\/my\/gigs\/(\d+)"/g)].map(([, id]) => Number(id))).toEqual([
    both.id,
    own.id,
    first.id,
  ]);
  const text = await textOf(alice, '/my');
  expect(text).toContain('0 DEGEN awarded, 100 DEGEN left');
  // Of the one that has started.
  expect(text).toMatch(/DEGEN on Base 1 100 DEGEN 0 DEGEN 100 DEGEN/);
  expect(text).toMatch(/The gig’s wallet must hold exactly 105 DEGEN ?\. Then start the gig\./);
});

test('behavior: the page of a gig shows how far it is, its rules with what they decided, and where its money returns', async () => {
  const client = 'owner:farcaster:1003';
  const step = async (id: number) => /aria-current="step">(\w+)/.exec((await alice.get(`/my/gigs/${id}`)).text)?.[1];
  const cancelled = await seedGig(service.store, { client });
  const cancel = `/my/gigs/${cancelled.id}/cancel`;
  expect((await alice.submit(cancel, cancel)).status).toBe(303);
  const created = await seedGig(service.store, { client });
  const scheduled = await seedGig(service.store, { client, live: true, startTime: NOW + MINUTE });
  const live = await seedGigWithRules(service.store, { client, startTime: NOW - MINUTE });
  const ended = await seedGig(service.store, { client, live: true, startTime: NOW - 100 * 86_400_000 });
  const gigs = [cancelled, created, scheduled, live, ended];
  expect(await Promise.all(gigs.map(({ id }) => step(id)))).toEqual(['Cancelled', 'Created', 'Paid', 'Live', 'Ended']);
  expect((await alice.get(`/my/gigs/${live.id}`)).text).toContain('>Ends<br>');
  const text = await textOf(alice, `/my/gigs/${live.id}`);
  for (const said of ['Awarded 0', 'On hold 0', 'Refused 0', 'Returns to', 'Left: not awarded 100 DEGEN'])
    expect(text).toContain(said);
  // What the rules award needs no list.
  expect(text).not.toContain('Award its tips from a list.');
});

test('behavior: an owner whose gig got too much raises its reward to what fits, as the page showed it', async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token, { client: 'owner:farcaster:1003', startTime: NOW });
  const page = `/my/gigs/${gig.id}`;
  await fundToken(token, gig.walletAddress, 210n * 10n ** 18n);
  const offered = await textOf(alice, page);
  for (const said of ['too much. Raise the reward to 200 DEGEN', ', or cancel for a full refund.'])
    expect(offered).toContain(said);
  const late = await alice.submit(page, `${page}/raise`, { amount: '199' });
  expect([late.status, late.text.includes('holds something else by now')]).toEqual([409, true]);
  expect((await alice.submit(page, `${page}/raise`, { amount: '200' })).headers.get('location')).toBe(page);
  expect(await service.store.gig(gig.id)).toMatchObject({ rewardAmount: 200n * 10n ** 18n });
  expect(await textOf(alice, page)).toContain('The gig is funded. Start it.');
  // A client's gig that lists its owners is the client's to change.
  const other = await seedLocalGig(service.store, token, { owners: [ALICE], client: 'acme', startTime: NOW });
  await fundToken(token, other.walletAddress, 210n * 10n ** 18n);
  expect((await alice.get(`/my/gigs/${other.id}`)).text).not.toMatch(/Raise the reward|\/edit"/);
  expect((await alice.submit(page, `/my/gigs/${other.id}/raise`, { amount: '200' })).status).toBe(409);
});

test('behavior: an owner starts a funded gig, stops it and settles it', async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token, { owners: [ALICE], client: 'acme', startTime: NOW });
  const page = `/my/gigs/${gig.id}`;
  expect(await textOf(alice, page)).toContain('Not funded yet: send 105 DEGEN more.');
  const { uri, chain } = JSON.parse((await alice.get(`${page}/missing`)).text);
  expect([uri, chain.chainId]).toEqual([expect.stringMatching(/^ethereum:0x\w+@31337\/transfer\?/), '0x7a69']);
  const batch = JSON.parse((await alice.get(`${page}/safe.json`)).text);
  const [transfer, ...others] = batch.transactions;
  expect([batch.chainId, transfer.to.toLowerCase(), transfer.value, others]).toEqual(['31337', token.address, '0', []]);
  const call = decodeFunctionData({ abi: erc20Abi, data: transfer.data });
  expect([call.functionName, call.args]).toEqual(['transfer', [getAddress(gig.walletAddress), 105n * 10n ** 18n]]);
  const refused = await alice.submit(page, `${page}/start`);
  expect([refused.status, refused.text.includes('is not funded')]).toEqual([409, true]);
  await fundToken(token, gig.walletAddress, 105n * 10n ** 18n);
  service.time.now += 3_000;
  const funded = await textOf(alice, page);
  expect(funded).toContain('The gig is funded. Start it.');
  expect(JSON.parse((await alice.get(`${page}/missing`)).text).uri).toBeNull();
  expect((await alice.get(`${page}/safe.json`)).status).toBe(400);
  expect(funded).toContain('The wallet holds exactly what the gig needs');
  expect((await alice.submit(page, `${page}/start`)).headers.get('location')).toBe(page);
  expect(await service.store.gig(gig.id)).toMatchObject({ status: 'live' });
  expect((await alice.submit(page, `${page}/start`)).status).toBe(409);
  expect(await textOf(alice, `${page}/stop`)).toContain('You can’t undo this.');
  expect((await alice.submit(`${page}/stop`, `${page}/stop`)).status).toBe(303);
  service.time.now += MINUTE;
  expect((await alice.submit(`${page}/settle`, `${page}/settle`)).status).toBe(303);
  expect(await service.store.gig(gig.id)).toMatchObject({ settledAt: service.time.now });
  const trail = await service.store.auditEvents({ limit: 4, before: undefined });
  expect(trail.map(({ action, actor, actorName }) => [action, actor, actorName])).toEqual([
    ['gig.close', 'owner', 'farcaster:1003'],
    ['gig.stop', 'owner', 'farcaster:1003'],
    ['gig.start', 'owner', 'farcaster:1003'],
    ['session.open', 'owner', 'farcaster:1003'],
  ]);
});

test('behavior: an owner cancels a gig that has not started', async () => {
  const { id } = await listed();
  expect((await alice.submit(`/my/gigs/${id}/cancel`, `/my/gigs/${id}/cancel`)).status).toBe(303);
  expect(await service.store.gig(id)).toMatchObject({ cancelledAt: NOW });
  expect((await alice.submit(`/my/gigs/${id}`, `/my/gigs/${id}/stop`)).status).toBe(409);
});

test('security: owners of a client’s gig change owners only where its terms let them award', async () => {
  const closed = await listed();
  const open = await listed({ ownersMayAward: true });
  const fields = { platform: 'farcaster', account: '1005' };
  const refused = await alice.submit('/my', `/my/gigs/${closed.id}/owners`, fields);
  const problem = `You can&#39;t add owners to gig ${closed.id}: the client that created it doesn&#39;t let its owners do that.`;
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(problem)]);
  expect(await service.store.gigOwners(closed.id)).toHaveLength(1);
  expect((await alice.get(`/my/gigs/${closed.id}`)).text).not.toContain('Add owner');
  // What would be refused is not offered.
  const running = await listed({ live: true, startTime: NOW - MINUTE });
  expect((await alice.get(`/my/gigs/${running.id}`)).text).not.toMatch(/Award from a list|Award its tips/);
  expect((await alice.submit('/my', `/my/gigs/${open.id}/owners`, fields)).status).toBe(303);
  expect(await service.store.gigOwners(open.id)).toHaveLength(2);
  expect((await alice.submit('/my', `/my/gigs/${open.id}/owners/remove`, fields)).status).toBe(303);
  expect((await alice.submit('/my', `/my/gigs/${open.id}/owners`, { ...fields, account: 'a b' })).status).toBe(409);
  expect(await service.store.gigOwners(open.id)).toHaveLength(1);
});

test('security: an account may not cancel or change owners in its first 10 minutes, and may read, start and stop', async () => {
  const fresh = await browserOf(service, 'farcaster:1003');
  const { id } = await listed({ ownersMayAward: true });
  const live = await listed({ live: true, startTime: NOW - MINUTE });
  const fields = { platform: 'farcaster', account: '1005' };
  expect(await textOf(fresh, `/my/gigs/${id}`)).toContain('You signed in just now');
  for (const path of ['cancel', 'owners', 'owners/remove']) {
    const refused = await fresh.submit('/my', `/my/gigs/${id}/${path}`, fields);
    expect([path, refused.status, refused.text.includes('10 minutes after your sign-in.')]).toEqual([path, 409, true]);
  }
  expect((await fresh.submit('/my', `/my/gigs/${live.id}/stop`)).status).toBe(303);
  service.time.now += 10 * MINUTE;
  expect((await fresh.submit('/my', `/my/gigs/${id}/owners`, fields)).status).toBe(303);
  expect((await fresh.submit('/my', `/my/gigs/${id}/cancel`)).status).toBe(303);
});

test('behavior: a wallet need not wait', async () => {
  const wallet = await browserOf(service, `wallet:${WALLET}`);
  const { id } = await seedGig(service.store, { client: `owner:wallet:${WALLET}` });
  expect((await wallet.submit('/my', `/my/gigs/${id}/cancel`)).status).toBe(303);
});

test('behavior: a wallet that holds too much says how much, and never asks for more', async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
  const gig = await seedLocalGig(service.store, token, { owners: [ALICE], client: 'acme', startTime: NOW });
  await fundToken(token, gig.walletAddress, 106n * 10n ** 18n);
  const text = await textOf(alice, `/my/gigs/${gig.id}`);
  expect(text).toContain('The wallet holds 1 DEGEN too much.');
  expect(text).toMatch(/You sent 1 DEGEN ?too much\. Cancel for a full refund\./);
  expect(text).not.toContain('Send exactly');
  expect(text).not.toContain('PATCH');
});

test('error: what an owner does not find keeps the menu, and a gig of others is as one that is not there', async () => {
  const { id } = await seedGig(service.store, { client: 'acme' });
  for (const gigId of [id, 99]) {
    const missing = await alice.get(`/my/gigs/${gigId}`);
    expect([missing.status, missing.text.includes('Sign out')]).toEqual([404, true]);
    expect(missing.text.replaceAll('&#39;', "'")).toContain(`You don't own gig ${gigId}, or it doesn't exist.`);
  }
  const account = await alice.get('/my/rewards/farcaster/9');
  expect([account.status, account.text.includes('Sign out'), account.text.includes('own gig')]).toEqual([
    404,
    true,
    false,
  ]);
});

test('error: who comes with a session that is over reads that it has ended', async () => {
  const ended = 'Your session has ended. Sign in again.';
  expect((await openBrowser(service).get('/my/rewards')).text).not.toContain(ended);
  const deps = { store: service.store, clock: () => NOW };
  await endOwnerSessions(deps, { owner: 'farcaster:1003', actor: COMMAND_LINE });
  const asked = await alice.get('/my/rewards');
  expect([asked.status, asked.text.includes(ended)]).toEqual([401, true]);
});

test('security: a wallet reaches the gigs that list an account linked to it, from the link’s confirmation to its end', async () => {
  const gig = await listed({ ownersMayAward: true });
  const path = `/my/gigs/${gig.id}`;
  const [wallet, contract] = [
    await browserOf(service, `wallet:${WALLET}`),
    await browserOf(service, `wallet:31337:${WALLET}`),
  ];
  const mentionId = await seedMention(service.store, { authorId: ALICE.platformUserId });
  const link = { wallet: WALLET, postId: '0x7', mentionId, createdAt: NOW } as const;
  await service.store.transaction((tx) => tx.insertLink(ALICE, link));
  const looks = async () => [(await wallet.get(path)).status, (await contract.get(path)).status];
  expect(await looks()).toEqual([404, 404]);
  const made = await service.store.linkOf(ALICE);
  await service.store.transaction((tx) => tx.confirmLink(made?.id ?? 0, NOW));
  expect(await looks()).toEqual([200, 404]);
  expect((await wallet.get('/my')).text).toContain(`href="${path}"`);
  expect((await wallet.submit(`${path}/cancel`, `${path}/cancel`)).status).toBe(303);
  await service.store.transaction((tx) => tx.endLinkOf(ALICE, NOW));
  expect(await looks()).toEqual([404, 404]);
  expect((await wallet.get('/my')).text).not.toContain(`href="${path}"`);
});

test('security: a wallet sees who has linked an account to it, and ends the links of strangers', async () => {
  const { store } = service;
  const wallet = await browserOf(service, `wallet:${WALLET}`);
  const stranger = { platform: 'twitter', platformUserId: '66' };
  for (const [account, to] of [
    [ALICE, WALLET],
    [stranger, WALLET],
    [{ ...ALICE, platformUserId: '7' }, `0x${'99'.repeat(20)}`],
  ] as const) {
    const mentionId = await seedMention(store, {
      authorId: account.platformUserId,
      postId: `0x${account.platformUserId}`,
    });
    await store.transaction((tx) =>
      tx.insertLink(account, { wallet: to, postId: `${mentionId}`, mentionId, createdAt: NOW }),
    );
  }
  const made = await store.linkOf(ALICE);
  await store.transaction((tx) => tx.confirmLink(made?.id ?? 0, NOW));
  const waits = /Linked accounts Linked .*1003.* Since .* Pending X 66 It works 10 minutes after/;
  expect(await textOf(wallet, '/my')).toMatch(waits);
  const later = await store.linkOf(stranger);
  await store.transaction((tx) => tx.confirmLink(later?.id ?? 0, NOW + 1));
  expect(await textOf(wallet, '/my')).toMatch(waits);
  expect((await alice.get('/my')).text).not.toContain('Linked accounts');
  const contract = await browserOf(service, `wallet:31337:${WALLET}`);
  expect((await contract.get('/my')).text).not.toContain('Linked accounts');
  const end = (browser: Browser, platform: string, account: string) =>
    browser.submit('/my', '/my/links/end', { platform, account });
  const elsewhere = [end(alice, 'twitter', '66'), end(contract, 'twitter', '66'), end(wallet, 'farcaster', '7')];
  for (const answer of await Promise.all(elsewhere)) expect(answer.headers.get('location')).toBe('/my');
  expect(await store.linksTo(WALLET)).toHaveLength(2);
  expect(await store.linksTo(`0x${'99'.repeat(20)}`)).toHaveLength(1);
  await end(wallet, 'twitter', '66');
  expect((await store.linksTo(WALLET)).map(({ platformUserId }) => platformUserId)).toEqual(['1003']);
  const [ended] = await store.auditEvents({ limit: 1, before: undefined });
  expect([ended?.action, ended?.actorName, ended?.subjectId]).toEqual([
    'account.unlink',
    `wallet:${WALLET}`,
    'twitter:66',
  ]);
});

test('behavior: a gig is named by its title, and the owner reads what to do with it', async () => {
  const starts = { start: 'when_funded', startUntil: NOW + 60 * MINUTE } as const;
  const own = { client: 'owner:farcaster:1003', title: 'Launch week' };
  const waits = await seedGig(service.store, { ...own, ...starts });
  const live = await seedGig(service.store, { ...own, live: true, startTime: NOW - MINUTE });
  expect(await textOf(alice, '/my')).toContain(`Launch week gig ${live.id}`);
  const page = await textOf(alice, `/my/gigs/${waits.id}`);
  expect(page).toContain(`Launch week gig ${waits.id}`);
  expect(page).toContain('The gig starts within a minute.');
  expect(page).toContain('You created this gig.');
  expect(await textOf(alice, `/my/gigs/${live.id}`)).toContain('Award its tips from a list.');
});

test('behavior: every page leads on: to sign in, to the gigs and to the bot’s commands', async () => {
  for (const path of ['/', '/gigs', '/commands', '/my', '/my/sign-in']) {
    const { text } = await openBrowser(service).get(path);
    for (const target of ['/my', '/gigs', '/commands']) expect(text).toContain(`<a href="${target}"`);
  }
  const { text } = await alice.get('/my');
  for (const target of ['/gigs', '/commands']) expect(text).toContain(`<a href="${target}"`);
  const closed = await forThisTest(openService());
  expect((await openBrowser(closed).get('/')).text).not.toContain('Sign in');
});

test('security: a contract’s wallet reaches gigs of its own chain alone', async () => {
  const owner = `wallet:31337:${WALLET}`;
  const contract = await browserOf(service, owner);
  const { id: tokenId } = await seedToken(service.store, { chainId: 31337, address: `0x${'cd'.repeat(20)}` });
  const here = await seedGig(service.store, { client: `owner:${owner}`, tokenId });
  const elsewhere = await seedGig(service.store, { client: `owner:${owner}` });
  const key = await seedGig(service.store, { client: `owner:wallet:${WALLET}`, tokenId });
  const statuses = await Promise.all([here, elsewhere, key].map(({ id }) => contract.get(`/my/gigs/${id}`)));
  expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404]);
  expect([...(await contract.get('/my')).text.matchAll(/id="gig-(\d+)"/g)].map(([, id]) => Number(id))).toEqual([
    here.id,
  ]);
});

test('security: an account that no longer owns a gig does not reach it', async () => {
  const { id } = await listed({ owners: [ALICE, { platform: 'farcaster', platformUserId: '5' }] });
  expect((await alice.get(`/my/gigs/${id}`)).status).toBe(200);
  await service.store.transaction((tx) => tx.removeGigOwner(id, ALICE));
  expect((await alice.get(`/my/gigs/${id}`)).status).toBe(404);
  expect((await alice.submit('/my', `/my/gigs/${id}/cancel`)).status).toBe(404);
});

test('behavior: a gig’s page tells who earned, and its report has all accounts, also as CSV', async () => {
  const gig = await listed({ live: true, startTime: NOW - MINUTE, ownersMayAward: true });
  const tips = [{ platform: 'farcaster', platform_user_id: '2001', username: 'bob', value: 5 }];
  expect((await service.send('POST', `/api/gigs/${gig.id}/tips`, { tips })).status).toBe(201);
  const page = await alice.get(`/my/gigs/${gig.id}`);
  for (const path of [`/my/gigs/${gig.id}/report`, `/my/gigs/${gig.id}/report.csv`, `/gigs/${gig.id}/report`]) {
    expect(page.text).toContain(`href="${path}"`);
  }
  expect(await textOf(alice, `/my/gigs/${gig.id}`)).toMatch(/@ ?bob.*to claim.*5 DEGEN/);
  expect(await textOf(alice, `/my/gigs/${gig.id}/report`)).toMatch(/@ ?bob.*to claim.*5 DEGEN/);
  const csv = await alice.get(`/my/gigs/${gig.id}/report.csv`);
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.text).toContain('bob');
  expect((await alice.get(`/my/gigs/${gig.id}/report?before=x`)).status).toBe(400);
});

test('behavior: the operator ends all sessions of an owner at once', async () => {
  await browserOf(service, 'farcaster:1003');
  const other = await browserOf(service, 'farcaster:1004');
  const deps = { store: service.store, clock: () => service.time.now };
  expect(await endOwnerSessions(deps, { owner: 'farcaster:1003', actor: COMMAND_LINE })).toBe(2);
  expect(await endOwnerSessions(deps, { owner: 'farcaster:1003', actor: COMMAND_LINE })).toBe(0);
  expect((await alice.get('/my/gigs/1')).status).toBe(401);
  expect((await other.get('/my/gigs/1')).status).toBe(404);
  const [event] = await service.store.auditEvents({ limit: 1, before: undefined });
  expect(event).toMatchObject({
    action: 'session.close',
    actor: 'operator',
    subject: 'owner',
    subjectId: 'farcaster:1003',
  });
});

test('behavior: the page to sign in leads back to where the owner wanted to go, and nowhere else', async () => {
  const { id } = await listed();
  const nobody = await openBrowser(service).get(`/my/gigs/${id}`);
  expect([nobody.status, nobody.text.includes(`name="next" value="/gigs/${id}"`)]).toEqual([401, true]);
  for (const next of ['//evil.example', 'https://evil.example', '/..//evil', '/gigs/1\r\nset-cookie: a=b']) {
    const page = await openBrowser(service).get(`/my/sign-in?next=${encodeURIComponent(next)}`);
    expect(page.text).not.toContain('name="next"');
  }
});
