import { beforeEach, expect, inject, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { decideAs, SAMPLE_FACTS, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { seedGig } from '../../support/store.ts';
import { NOW, openService, service, useService } from '../service.ts';
import { type Browser, browserOf, walletOn } from './browser.ts';

const OWNER = 'farcaster:1003';
const MINUTE = 60_000;
const RULES = { rule: { type: 'verifier', maxAmount: 5n * 10n ** 18n } } as const;
let owner: Browser;
let gig: Gig;
let ids: readonly number[];

async function seedBounty(client: string, ownersMayAward = false): Promise<Gig> {
  const owners = [{ platform: 'farcaster', platformUserId: '1003' }];
  const terms = {
    gigType: 'custom_bounty',
    startTime: NOW - 1_000,
    rewardAmount: 4n * 10n ** 18n,
    client,
    owners,
    ownersMayAward,
    rules: RULES,
  } as const;
  const bounty = await seedGigWithRules(service.store, terms);
  const acts = [1, 2].map((id) => ({ ...sampleAct(id), kind: 'submission', objectId: `0x0${id}` }) as const);
  await seedActs(service.store, bounty, acts);
  await service.store.transaction(async (tx) => {
    for (const id of [1, 2])
      await decideAs(tx, bounty, sampleAccount(id), { facts: { ...SAMPLE_FACTS, username: '<b>x' } });
  });
  return bounty;
}

async function idsOf({ id: gigId }: Gig): Promise<number[]> {
  return (await service.store.earnings({ gigId, limit: 9 })).map((each) => each.observationId);
}

useService(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
beforeEach(async () => {
  owner = await browserOf(service, OWNER, { at: NOW - 60 * MINUTE });
  gig = await seedBounty(`owner:${OWNER}`);
  ids = await idsOf(gig);
});

const page = ({ id }: Gig = gig) => `/my/gigs/${id}/submissions`;
const decide = (id: number | undefined, fields: Record<string, string>, browser = owner, of = gig) =>
  browser.submit('/my', `${page(of)}/${id}`, fields);

test('behavior: an owner awards one submission and refuses another', async () => {
  expect((await owner.get(`/my/gigs/${gig.id}`)).text).toContain(`href="${page()}"`);
  const shown = await owner.get(page());
  expect(shown.text.split('aria-label="Decide on')).toHaveLength(3);
  expect(shown.text).not.toContain('<b>x');
  expect((await decide(ids[0], { award: '1.5', refuse: '' })).headers.get('location')).toBe(page());
  expect((await decide(ids[1], { award: '', refuse: 'not it' })).status).toBe(303);
  expect((await owner.get(page())).text).toContain('No submissions to review.');
  const states = (await service.store.earnings({ gigId: gig.id, limit: 9 })).map(({ state }) => state).sort();
  expect(states).toEqual(['awarded', 'refused']);
  const [event] = await service.store.auditEvents({ limit: 1, before: undefined });
  expect([event?.action, event?.actor, event?.actorName]).toEqual(['gig.decide', 'owner', OWNER]);
});

test('behavior: entries that are not passed are there, each with why', async () => {
  const acts = [3, 4].map((id) => ({ ...sampleAct(id), kind: 'submission', objectId: `0x0${id}` }) as const);
  await seedActs(service.store, gig, acts);
  const short = {
    to: 'refused',
    reason: 'text_too_short',
    facts: { ...SAMPLE_FACTS, username: 'brief', letters: 3 },
  } as const;
  await service.store.transaction((tx) => decideAs(tx, gig, sampleAccount(3), short));
  await decide(ids[0], { refuse: 'not it' });
  const [, notPassed = ''] = (await owner.get(page())).text.split('<h2>Not passed</h2>');
  expect(notPassed.match(/<tr><th scope="row">/g)).toHaveLength(2);
  expect(notPassed).toMatch(
    /<bdi>brief<.*\n.*Not eligible: the text has 3 letters besides links and names; this gig requires 10\./,
  );
  expect(notPassed).toMatch(/>held<.*Held\. The decision is due now\./);
  // The numbers of the gig's page lead to the accounts.
  const { text } = await owner.get(`/my/gigs/${gig.id}`);
  for (const [state, words] of [
    ['held', 'Held. The decision is due now.'],
    ['eligible', 'Passed the checks and waits for a decision.'],
    ['refused', 'Not eligible: the verifier refused the submission: not it.'],
  ] as const) {
    const path = `/my/gigs/${gig.id}/report?state=${state}`;
    expect(text).toContain(`href="${path}"`);
    expect((await owner.get(path)).text).toContain(words);
  }
});

test('error: a decision that is wrong says why, and keeps what was typed', async () => {
  for (const [fields, problem] of [
    [{}, 'Enter an amount or a reason, not both.'],
    [{ award: '5.1' }, 'This gig pays at most 5 '],
    [{ award: '4.5' }, 'The award is more than what is left of the reward, which is 4 '],
    [{ award: '-1' }, 'The award must be a positive decimal number'],
  ] as const) {
    const refused = await decide(ids[0], fields);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(`role="alert">${problem}`)]);
    for (const typed of Object.values(fields)) expect(refused.text).toContain(`value="${typed}"`);
  }
  expect((await decide(999, { award: '1' })).status).toBe(409);
  expect((await owner.get(page(await seedGig(service.store, { client: `owner:${OWNER}` })))).status).toBe(409);
});

test('security: decisions only where the owner may, and not in a new session', async () => {
  const fresh = await browserOf(service, OWNER);
  const soon = await decide(ids[0], { award: '1' }, fresh);
  expect([soon.status, soon.text.includes('10 minutes after your sign-in.')]).toEqual([409, true]);
  const closed = await seedBounty('acme');
  expect((await decide((await idsOf(closed))[0], { award: '1' }, owner, closed)).status).toBe(409);
  const open = await seedBounty('acme', true);
  expect((await decide((await idsOf(open))[0], { award: '1' }, owner, open)).status).toBe(303);
  expect((await service.store.earnings({ gigId: gig.id, limit: 9 })).map(({ state }) => state)).toEqual([
    'eligible',
    'eligible',
  ]);
});
