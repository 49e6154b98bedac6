import { afterEach, expect, inject, test } from 'vitest';
import { RULE_TYPES } from '../../../src/domain/earning/rules/index.ts';
import { readStoredRules, writeRules } from '../../../src/domain/earning/terms/rules-json.ts';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { createGasTank } from '../../../src/services/payments/gas-tank.ts';
import { keepLog } from '../../services/fakes.ts';
import { deployToken, placeCode } from '../../support/anvil.ts';
import { ANVIL, createPayer } from '../../support/payer.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { oldToken } from '../../support/token.ts';
import { NOW } from '../service.ts';
import { openWatchedService, type WatchedService } from '../watched.ts';
import { type Answered, type Browser, browserOf, hidden, walletOn } from './browser.ts';
import { GIVEN } from './rule-samples.ts';

const ALICE = 'farcaster:1003';
const REFUND = `0x${'cd'.repeat(20)}` as const;
const NEW = '/my/gigs/new';

let watched: WatchedService;
afterEach(() => watched.close());

/** The form of an owner, with a cast of alice to be about. */
async function openForm(options: Parameters<typeof openWatchedService>[0] = {}) {
  watched = await openWatchedService({
    ...options,
    signIn: walletOn(inject('anvilUrl')),
    config: { ownerCreate: 'anybody' },
  });
  const { url } = watched.farcaster.post({ author: 'alice', text: 'Like this' });
  const browser = await browserOf(watched.service, ALICE, { at: NOW - 3_600_000 });
  const money = { asset: `anvil ${NATIVE_TOKEN_ADDRESS}`, amount: '0.5', refund_address: REFUND };
  const like = { gig_type: 'like', platform: 'farcaster', url, start: 'when_funded', duration: '1week' };
  return { browser, filled: { ...like, ...money } };
}

const preview = ({ text }: Answered) => /id="preview"[\s\S]*?<\/div>/.exec(text)?.[0].replace(/<[^>]*>/g, '') ?? '';
const fieldsOf = (page: Answered) => ({ key: hidden(page, 'key'), token: hidden(page, 'token') });

async function send(browser: Browser, path: string, filled: Record<string, string>): Promise<Answered> {
  return await browser.post(path, { ...filled, ...fieldsOf(await browser.get(path)) });
}

test('behavior: each rule that the API takes is chosen in the form, whose sentence the page of the gig shows', async () => {
  const { browser, filled } = await openForm();
  expect(Object.keys(GIVEN).toSorted()).toEqual(RULE_TYPES.toSorted());
  const held = await deployToken({ decimals: 18 });
  const { address, symbol } = held;
  // A preview knows the tokens of gigs alone.
  await seedToken(watched.service.store, { chainId: 31337, address, symbol, decimals: 18 });
  for (const [index, type] of RULE_TYPES.entries()) {
    const { fields, criteria, sum } = GIVEN[type] ?? { fields: {}, criteria: null, sum: null };
    const owner = await browserOf(watched.service, `farcaster:${2000 + index}`);
    const sent = { ...filled, rule: type, 'rule.hold.token': address, ...fields };
    const previewed = await send(owner, NEW, { ...sent, preview: '1' });
    expect([type, previewed.status]).toEqual([type, 200]);
    expect(preview(previewed)).toContain('You pay 0.525 ETH: 0.5 ETH reward and 0.025 ETH fee.');
    const created = await send(owner, NEW, sent);
    expect([type, created.status, created.text.match(/notice bad[^<]*<[^<]*/)?.[0]]).toEqual([type, 303, undefined]);
    const path = created.headers.get('location')?.replace('#saved', '') ?? '';
    const id = Number(path.split('/').at(-1));
    const told = (await watched.service.store.gig(id))?.earningCriteria ?? null;
    if (criteria === null) expect(told).toBeNull();
    else expect(told).toMatch(criteria);
    const sentence = told ?? 'The organizer decides who earns.';
    expect(preview(previewed)).toContain(sentence);
    if (sum !== null) expect(preview(previewed)).toContain(sum);
    expect((await browser.get(`/gigs/${id}`)).text).toContain(sentence);
  }
});

test('error: a token that lies about balances is refused beside its field, and one that nobody knows as well', async () => {
  const { browser, filled } = await openForm();
  const lying = await placeCode(oldToken({ text: '0x4f4c44', decimals: 18n }));
  const held = { 'rule.hold.amount': '5', 'rule.hold.hours': '24', 'rule.hold.pays.type': 'split' };
  const hold = { ...filled, url: '', gig_type: 'hold', rule: 'hold', 'rule.hold.token': lying, ...held };
  const { status, text } = await send(browser, NEW, hold);
  const said = /id="rule\.hold\.token-problem">([^<]*)</.exec(text)?.[1];
  const told = `Token to hold names ${checksummed(lying)}, which tells balances that cannot be.`;
  expect([status, said]).toEqual([400, told]);
  const gate = { rule: 'split', 'gates.min_holding.token': lying, 'gates.min_holding.amount': '1' };
  const gated = await send(browser, NEW, { ...filled, ...gate });
  expect(/id="gates\.min_holding\.token-problem">([^<]*)</.exec(gated.text)?.[1]).toBe(told);
  const token = await deployToken({ decimals: 6 });
  const made = await send(browser, NEW, { ...filled, ...gate, 'gates.min_holding.token': token.address });
  expect(made.status).toBe(303);
  expect((await stored(1))?.gates.min_holding).toEqual({ token: checksummed(token.address), amount: '1' });
  const edit = await browser.get('/my/gigs/1/edit');
  expect(edit.text).toContain(`name="gates.min_holding.token" value="${checksummed(token.address)}"`);
});

test('behavior: a preview shows whose post the gig is about, which is asked once', async () => {
  const { browser, filled } = await openForm();
  const sent = { ...filled, rule: 'fixed', 'rule.fixed.amount': '0.1', preview: '1' };
  const { url } = watched.farcaster.post({ author: 'alice', text: `${'Long '.repeat(40)}\n<b>second</b>` });
  const shown = preview(await send(browser, NEW, { ...sent, url }));
  expect(shown).toMatch(/The cast of @alice Farcaster 1001\s+(Long ){27}Long…/);
  watched.farcaster.faults.api = 'server_error';
  expect(preview(await send(browser, NEW, { ...sent, url }))).toContain('The cast of @alice');
  // A platform that does not answer keeps nothing else from being shown.
  const unread = preview(await send(browser, NEW, { ...sent, url: `https://farcaster.xyz/alice/0x${'9'.repeat(8)}` }));
  expect([unread.includes('The cast of'), unread.includes('You pay')]).toEqual([false, true]);
});

test('error: a preview says that its platform knows no such post', async () => {
  const { browser, filled } = await openForm();
  const url = `https://farcaster.xyz/alice/0x${'9'.repeat(8)}`;
  const shown = preview(
    await send(browser, NEW, { ...filled, url, rule: 'fixed', 'rule.fixed.amount': '0.1', preview: '1' }),
  );
  expect(shown).toContain('Farcaster knows no such cast.');
});

test('behavior: a preview says when an account would get less than the gas of its payment', async () => {
  const { payer, tank } = createPayer();
  const gasTank = createGasTank({ address: tank, chains: [ANVIL], payers: { payer: () => payer }, log: keepLog().log });
  const { browser, filled } = await openForm({ gasTank });
  await gasTank.look();
  const isDust = async (amount: string) => {
    const sent = { ...filled, rule: 'fixed', 'rule.fixed.amount': amount, preview: '1' };
    return preview(await send(browser, NEW, sent)).includes('less than the gas of its payment');
  };
  expect([await isDust('0.000000000000001'), await isDust('0.1')]).toEqual([true, false]);
});

test('behavior: a copy keeps the words by which a client’s gig is earned, and for how long it is awarded', async () => {
  const { browser } = await openForm();
  const criteria = { earningCriteria: 'Whoever draws best', awardDays: 30, client: `owner:${ALICE}` };
  await seedGig(watched.service.store, { gigType: 'custom_bounty', ...criteria });
  const { text } = await browser.get(`${NEW}?from=1`);
  expect(text).toMatch(/name="how_to_earn"[^>]*>Whoever draws best</);
  expect(text).toMatch(/name="award_days" value="30"/);
});

test('behavior: a preview creates nothing', async () => {
  const { browser, filled } = await openForm();
  await send(browser, NEW, { ...filled, rule: 'fixed', 'rule.fixed.amount': '0.1', preview: '1' });
  expect(await watched.service.store.gigs({ phase: 'all', now: NOW, limit: 9 })).toEqual([]);
});

test('error: what is wrong with a rule or a gate stands beside its own field, and a choice is never replaced', async () => {
  const { browser, filled } = await openForm();
  const CASES: readonly [Record<string, string>, field: string, problem: string][] = [
    [
      { rule: 'fixed' },
      'rule.fixed.amount',
      'Amount for each account must be a positive decimal number such as 10 or 0.5, without sign or exponent.',
    ],
    [
      { rule: 'fixed', 'rule.fixed.amount': '0.6' },
      'rule.fixed.amount',
      'Amount for each account must be at most the reward.',
    ],
    [
      { rule: 'raffle', 'rule.raffle.winners': '1.5' },
      'rule.raffle.winners',
      'Winners must be a whole number from 1 to 1000.',
    ],
    [
      { rule: 'split', 'rule.split.round_hours': 'day' },
      'rule.split.round_hours',
      'Round length, in hours must be a whole number from 1 to 4320.',
    ],
    [
      { rule: 'weighted', 'gates.min_score': '7' },
      'gates.min_score',
      'Minimum score must be a number from 0 to 1 with at most six decimals.',
    ],
    [
      { rule: 'weighted', 'gates.spam_label': 'evil' },
      'gates.spam_label',
      'Spam label must be one of not_spam, trusted, any.',
    ],
    [
      { rule: 'weighted', hold_hours: '1000' },
      'hold_hours',
      'Hours before a decision must be a whole number from 0 to 168.',
    ],
    [{ rule: 'verifier' }, 'rule', '&quot;I choose: I decide on each submission&quot; is for bounties only.'],
    [
      { gig_type: 'other', rule: 'weighted', how_to_earn: 'x' },
      'rule',
      'Who gets what must be awards from a list: the service cannot see what is done.',
    ],
    [
      { gig_type: 'hold', rule: 'hold', 'rule.hold.token': '0x1', 'rule.hold.hours': '1', 'rule.hold.amount': '1' },
      'rule.hold.token',
      'Token to hold must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum.',
    ],
    [
      { gig_type: 'hold', rule: 'fixed', 'rule.fixed.amount': '0.1' },
      'rule',
      'Who gets what must be the one for holding a token.',
    ],
    [{ gig_type: 'follow', url: '', rule: 'weighted' }, 'url', 'Post or profile is required for rules of follow gigs.'],
    [
      { platform: 'x', url: 'https://x.com/alice/status/1700000000000000001', rule: 'weighted' },
      'rule',
      'This service watches no gigs on X, so choose to award from a list.',
    ],
  ];
  for (const [changes, field, problem] of CASES) {
    const { status, text } = await send(browser, NEW, { ...filled, ...changes });
    const said = new RegExp(`id="${field.replaceAll('.', '\\.')}-problem">([^<]*)<`).exec(text)?.[1];
    expect([changes, status, said]).toEqual([changes, 400, problem]);
    expect(/<(?:input|select)[^>]* autofocus/.exec(text)?.[0]).toContain(`name="${field}"`);
  }
});

const stored = async (id: number) => {
  const rules = await watched.service.store.earningRules(id);
  return rules && writeRules(readStoredRules(rules.rules), 18);
};

test('behavior: terms are edited until the gig is live, in the form with what it has, and a copy begins with them', async () => {
  const { browser, filled } = await openForm();
  const rule = { rule: 'raffle', 'rule.raffle.winners': '3', 'gates.min_followers': '5' };
  await send(browser, NEW, { ...filled, ...rule, title: 'Birds' });
  const edit = await browser.get('/my/gigs/1/edit');
  for (const shown of [
    'value="Birds"',
    'name="rule.raffle.winners" value="3"',
    'name="gates.min_followers" value="5"',
  ]) {
    expect(edit.text).toContain(shown);
  }
  const changed = { ...filled, ...rule, title: 'Two birds', amount: '0.7' };
  const saved = await browser.post('/my/gigs/1/edit', { ...changed, ...fieldsOf(edit) });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/my/gigs/1#saved']);
  const gig = await watched.service.store.gig(1);
  expect([gig?.title, gig?.rewardAmount]).toEqual(['Two birds', 7n * 10n ** 17n]);
  expect((await stored(1))?.rule).toEqual({ type: 'raffle', winners: 3 });
  // A form that was loaded before would undo what was changed since.
  const late = await browser.post('/my/gigs/1/edit', { ...changed, title: 'Late', ...fieldsOf(edit) });
  expect([late.status, late.text.includes('was changed since this form was loaded')]).toEqual([400, true]);
  expect(/id="title-problem">([^<]*)/.exec(late.text)?.[1]).toBe('The gig has now: Two birds');
  expect((await browser.get(`${NEW}?from=1`)).text).toContain('value="Two birds"');
  expect((await browser.get(`${NEW}?from=9`)).status).toBe(404);
});

test('behavior: what the form does not show of a gig stays when something else is edited', async () => {
  const { browser, filled } = await openForm();
  const { store } = watched.service;
  const owners = [{ platform: 'farcaster', platformUserId: '1003' }] as const;
  const terms = {
    client: 'acme',
    owners,
    ownersMayAward: true,
    earningCriteria: 'Whom we like.',
    awardDays: 3,
    externalUrl: filled.url,
  };
  const local = await seedToken(store, { chainId: 31337, address: `0x${'7c'.repeat(20)}` });
  const { id, token } = await seedGig(store, { ...terms, tokenId: local.id });
  const page = await browser.get(`/my/gigs/${id}/edit`);
  const asset = /<option value="(\w+ 0x\w+)" selected/.exec(page.text)?.[1] ?? '';
  expect(asset).toContain(token.address);
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  const kept = { gig_type: 'like', rule: 'manual', start: 'now', duration: '1week', asset };
  const own = Object.fromEntries(['amount', 'url', 'refund_address'].map((name) => [name, value(name)]));
  const saved = await browser.post(`/my/gigs/${id}/edit`, {
    ...filled,
    ...kept,
    ...own,
    title: 'New',
    ...fieldsOf(page),
  });
  expect([saved.status, saved.text.match(/role="alert">.*/g)]).toEqual([303, null]);
  const gig = await store.gig(id);
  expect([gig?.title, gig?.earningCriteria, gig?.awardDays]).toEqual(['New', 'Whom we like.', 3]);
});

/** What a browser would send of a form that nobody has touched. */
function untouched({ text }: Answered): Record<string, string> {
  const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  const fields: [string | undefined, string | undefined][] = [
    ...[...text.matchAll(/<input[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => !tag.includes('type="radio"') || / checked/.test(tag))
      .map((tag): [string | undefined, string | undefined] => [attribute(tag, 'name'), attribute(tag, 'value')]),
    ...[...text.matchAll(/<select id="([^"]*)"[\s\S]*?<\/select>/g)].map(
      ([select, name]): [string | undefined, string | undefined] => [
        name,
        (/<option value="([^"]*)" selected/.exec(select) ?? /<option value="([^"]*)"/.exec(select))?.[1],
      ],
    ),
    ...[...text.matchAll(/<textarea id="([^"]*)"[^>]*>([^<]*)</g)].map(
      ([, name, value]): [string | undefined, string | undefined] => [name, value],
    ),
  ];
  return Object.fromEntries(fields.filter((field): field is [string, string] => field[0] !== undefined));
}

test('behavior: what the form shows of the rules is kept when the reward changes, also what had followed from it', async () => {
  const { browser, filled } = await openForm();
  const created = await send(browser, NEW, { ...filled, rule: 'weighted' });
  expect(created.status).toBe(303);
  expect(await stored(1)).toMatchObject({ rule: { type: 'weighted', max_amount: '0.05' } });
  const edited = { ...untouched(await browser.get('/my/gigs/1/edit')), amount: '1' };
  expect(edited).toMatchObject({ 'rule.weighted.max_amount': '0.05' });
  const shown = await browser.post('/my/gigs/1/edit', { ...edited, preview: '1' });
  expect(preview(shown)).toContain('at most 0.05 ETH each');
  expect((await browser.post('/my/gigs/1/edit', edited)).status).toBe(303);
  expect(await stored(1)).toMatchObject({ rule: { type: 'weighted', max_amount: '0.05' } });
});

test('behavior: in an edited gig another rule is chosen without clearing what nobody has typed', async () => {
  const { browser, filled } = await openForm();
  await send(browser, NEW, { ...filled, rule: 'weighted', 'gates.min_followers': '5' });
  const form = untouched(await browser.get('/my/gigs/1/edit'));
  expect([form['gates.min_score'], form['gates.min_followers'], form['hold_hours']]).toEqual(['', '5', '']);
  const sent = { ...form, 'gates.min_followers': '', rule: 'manual' };
  expect((await browser.post('/my/gigs/1/edit', sent)).status).toBe(303);
  expect(await stored(1)).toBeNull();
});

test('behavior: a form of an earlier version that is refused keeps what it does not have', async () => {
  const { browser, filled } = await openForm();
  await send(browser, NEW, { ...filled, rule: 'weighted', award_days: '40' });
  const { award_days: _, ...form } = untouched(await browser.get('/my/gigs/1/edit'));
  const refused = await browser.post('/my/gigs/1/edit', {
    ...form,
    url: `https://farcaster.xyz/alice/0x${'9'.repeat(8)}`,
  });
  expect(refused.text).toMatch(/name="award_days" value="40"/);
});

test('behavior: a form that is saved as it was shown changes nothing', async () => {
  const { browser, filled } = await openForm();
  await send(browser, NEW, { ...filled, rule: 'weighted', how_to_earn: 'One\nTwo' });
  const before = await watched.service.store.gig(1);
  const { start: _, ...form } = untouched(await browser.get('/my/gigs/1/edit'));
  expect((await browser.post('/my/gigs/1/edit', { ...form, start: 'when_funded' })).status).toBe(303);
  expect((await watched.service.store.gig(1))?.howToEarn).toBe(before?.howToEarn);
  const [last] = await watched.service.store.auditEvents({ limit: 1 });
  expect(last).toMatchObject({ action: 'gig.change', detail: {} });
});

test('security: a copy of another owner’s gig returns its money to who copies it, and no token is chosen in place of its own', async () => {
  const { filled } = await openForm();
  const { store } = watched.service;
  const address = `0x${'ab'.repeat(20)}`;
  const wallet = await browserOf(watched.service, `wallet:${address}`, { at: NOW - 3_600_000 });
  const local = await seedToken(store, { chainId: 31337, address: `0x${'7d'.repeat(20)}` });
  const { id } = await seedGig(store, {
    client: `owner:wallet:${address}`,
    refundAddress: REFUND,
    tokenId: local.id,
    externalUrl: filled.url,
  });
  const own = untouched(await wallet.get(`${NEW}?from=${id}`));
  expect([own['refund_address']?.toLowerCase(), own['asset']]).toEqual([REFUND, '']);
  const listed = await seedGig(store, {
    client: 'acme',
    owners: [{ platform: 'farcaster', platformUserId: '1003' }],
    refundAddress: REFUND,
  });
  const alice = await browserOf(watched.service, ALICE);
  expect(untouched(await alice.get(`${NEW}?from=${listed.id}`))['refund_address']).toBe('');
});

test('behavior: who has to sign in anew returns to the form that was sent', async () => {
  const { browser, filled } = await openForm();
  const sent = { ...filled, ...fieldsOf(await browser.get(NEW)) };
  browser.cookies.clear();
  const asked = await browser.post(NEW, sent);
  expect([asked.status, /name="next" value="([^"]*)"/.exec(asked.text)?.[1]]).toEqual([401, '/gigs/new']);
  expect((await browser.post('/my/sessions/end', sent)).text).not.toContain('name="next" value="/');
});

test('error: a live gig and the gig of somebody else cannot be edited', async () => {
  const { browser } = await openForm();
  const { store } = watched.service;
  const live = await seedGig(store, { client: `owner:${ALICE}`, live: true, startTime: NOW - 1_000 });
  const other = await seedGig(store, { client: 'acme' });
  expect((await browser.get(`/my/gigs/${live.id}/edit`)).status).toBe(400);
  expect((await browser.get(`/my/gigs/${other.id}/edit`)).status).toBe(404);
});
