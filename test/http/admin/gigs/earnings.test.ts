import { describe, expect, test } from 'vitest';
import {
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { seedGig } from '../../../support/store.ts';
import { operator, useOperator } from '../../operator.ts';
import { service } from '../../service.ts';

useOperator();

const block = (fields: Record<string, string>, headers?: Record<string, string>) =>
  operator.submit('/admin/blocked', fields, headers);
const FORM = { platform: 'farcaster', platform_user_id: '666', reason: 'sells likes' };

describe('the page of what is earned from a gig', () => {
  test('behavior: shows each account with state, reason and facts, and filters by state', async () => {
    const gig = await seedGigWithRules(service.store);
    await seedActs(service.store, gig, [sampleAct(1), sampleAct(2)]);
    const facts = { ...SAMPLE_FACTS, username: '<b>mallory', score: 500_000 };
    await service.store.transaction((tx) =>
      decideAs(tx, gig, sampleAccount(2), { to: 'refused', reason: 'score_too_low', facts }),
    );
    expect(await operator.read(`/admin/gigs/${gig.id}`)).toContain(`href="/admin/gigs/${gig.id}/earnings"`);
    const path = `/admin/gigs/${gig.id}/earnings`;
    const page = await operator.said(path);
    expect(page).toContain('held 1 eligible 0 awarded 0 refused 1');
    expect(page).toContain(
      'Not eligible: the Farcaster score is 0.5; this gig requires 0.55. Score 0.5 · 12 followers ·',
    );
    expect(page).toContain('Held. The decision is due now.');
    expect(await operator.read(path)).not.toContain('<b>mallory');
    expect(await operator.said(`${path}?state=refused`)).not.toContain('about to be decided');
    expect(await operator.read(path)).toContain(`href="${path}?state=held"`);
    expect((await operator.get(`${path}?state=drawn`)).status).toBe(400);
  });

  test('error: of a manual gig and of none there is none', async () => {
    const { id } = await seedGig(service.store);
    expect((await operator.get(`/admin/gigs/${id}/earnings`)).status).toBe(400);
    expect((await operator.get('/admin/gigs/99/earnings')).status).toBe(404);
    expect(await operator.read(`/admin/gigs/${id}`)).not.toContain('/earnings"');
  });

  test('security: is for operators only', async () => {
    const gig = await seedGigWithRules(service.store);
    operator.cookie = '';
    for (const path of [`/admin/gigs/${gig.id}/earnings`, '/admin/blocked'])
      expect((await operator.get(path)).status).toBe(401);
  });
});

describe('the page of submissions to a bounty', () => {
  const rules = { rule: { type: 'verifier', maxAmount: 5n * 10n ** 18n } } as const;
  async function seedBounty() {
    const gig = await seedGigWithRules(service.store, { gigType: 'custom_bounty', rules });
    const acts = [1, 2].map((id) => ({ ...sampleAct(id), kind: 'submission', objectId: `0x0${id}` }) as const);
    await seedActs(service.store, gig, acts);
    await service.store.transaction(async (tx) => {
      for (const id of [1, 2])
        await decideAs(tx, gig, sampleAccount(id), { facts: { ...SAMPLE_FACTS, username: '<b>x' } });
    });
    const ids = (await service.store.earnings({ gigId: gig.id, limit: 9 })).map((each) => each.observationId);
    return { gig, ids, path: `/admin/gigs/${gig.id}/candidates` };
  }

  test('behavior: shows each with a form, which awards, refuses, or says what is wrong', async () => {
    const { gig, ids, path } = await seedBounty();
    expect(await operator.read(`/admin/gigs/${gig.id}`)).toContain(`href="${path}"`);
    const page = await operator.read(path);
    expect(page).not.toContain('<b>x');
    expect(page).toContain('https://farcaster.xyz/~/conversations/0x01');
    expect(await operator.said(path)).toContain('Its text cannot be read now: ');
    expect(await operator.said(path)).toContain('They are decided by hand.');
    const decide = (id: number | undefined, fields: Record<string, string>) => operator.submit(`${path}/${id}`, fields);
    const either = 'Enter an amount or a reason, not both.';
    for (const [fields, problem] of [
      [{}, either],
      [{ award: '5.1' }, 'This gig pays at most 5 '],
      [{ award: '1', refuse: 'not &quot;it&quot;' }, either],
      [{ award: '-1' }, 'The award must be a positive decimal number'],
    ] as const) {
      const refused = await decide(ids[0], fields);
      const shown = await refused.text();
      expect([fields, refused.status, shown]).toEqual([
        fields,
        409,
        expect.stringContaining(`role="alert">${problem}`),
      ]);
      const kept = Object.values(fields).map((typed) => `value="${typed.replaceAll('&', '&amp;')}"`);
      for (const value of kept) expect(shown.split(value)).toHaveLength(2);
    }
    expect((await decide(999, { award: '1' })).status).toBe(409);
    expect((await decide(ids[0], { award: '1.5', refuse: '' })).status).toBe(303);
    expect((await decide(ids[1], { award: '', refuse: 'not it' })).status).toBe(303);
    expect((await decide(ids[1], { award: '1' })).status).toBe(409);
    expect(await operator.said(path)).toContain('No submission waits for a decision.');
    expect(await operator.said(`/admin/gigs/${gig.id}/earnings`)).toContain(
      'Not eligible: the verifier refused the submission: not it.',
    );
  });

  test('security: is for operators only, and for bounties', async () => {
    const { ids, path } = await seedBounty();
    const other = await seedGigWithRules(service.store);
    expect((await operator.get(`/admin/gigs/${other.id}/candidates`)).status).toBe(400);
    operator.cookie = '';
    expect((await operator.get(path)).status).toBe(401);
    expect((await operator.submit(`${path}/${ids[0]}`, { award: '1' })).status).not.toBe(303);
  });
});

describe('the page of blocked accounts', () => {
  test('behavior: blocks and unblocks an account, and records who did it', async () => {
    expect(await operator.said('/admin/blocked')).toContain('No account is blocked.');
    const blocked = await block({ ...FORM, platform_user_id: ' 666 ' });
    expect([blocked.status, blocked.headers.get('location')]).toEqual([303, '/admin/blocked']);
    expect(await operator.said('/admin/blocked')).toContain('Farcaster 666 sells likes Unblock');
    expect(await service.store.isBlocked(sampleAccount(666))).toBe(true);
    const undone = await operator.submit('/admin/blocked/1/unblock');
    expect([undone.status, undone.headers.get('location')]).toEqual([303, '/admin/blocked']);
    expect(await service.store.isBlocked(sampleAccount(666))).toBe(false);
    expect((await operator.submit('/admin/blocked/1/unblock')).status).toBe(404);
    const events = await service.store.auditEvents({ limit: 2 });
    expect(events).toMatchObject([
      { action: 'account.unblock', actor: 'operator', actorName: 'test', subjectId: 'farcaster:666' },
      { action: 'account.block', actor: 'operator', actorName: 'test', detail: '{"reason":"sells likes"}' },
    ]);
  });

  test('error: says what is wrong with a form, and changes nothing', async () => {
    await operator.read('/admin/blocked');
    const refused = async (fields: Partial<typeof FORM>) => {
      const response = await block({ ...FORM, ...fields });
      return [response.status, (await response.text()).match(/role="alert">([^<]*)</)?.[1]];
    };
    const digits = 'The id of the account must be digits only, such as 1001: usernames change hands.';
    expect(await refused({ reason: ' ' })).toEqual([400, 'reason must have 1 to 500 characters']);
    expect(await refused({ platform: 'myspace' })).toEqual([400, 'Choose a platform that is listed.']);
    expect(await refused({ platform_user_id: 'bob' })).toEqual([400, digits]);
    expect(await refused({ platform: 'x' })).toEqual([409, expect.stringContaining('Nothing is watched on X')]);
    expect(await operator.read('/admin/blocked')).not.toContain('<option value="x">');
    await block(FORM);
    expect(await refused({})).toEqual([409, 'farcaster:666 is blocked already.']);
    expect(await service.store.blockedAccounts({ limit: 9 })).toHaveLength(1);
  });

  test('error: the answer to a refused form is not updated, which would take away why', async () => {
    expect(await operator.read('/admin/blocked')).toMatch(/id="live" class="stack-wide" data-every="[0-9]+"/);
    const refused = await (await block({ ...FORM, reason: ' ' })).text();
    expect(refused).toContain('role="alert">reason must');
    expect(refused).toContain('id="live" class="stack-wide">');
  });

  test('security: takes a form from its own page with the token of the session only', async () => {
    await operator.read('/admin/blocked');
    expect((await block(FORM, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await block({ ...FORM, token: 'another' })).status).toBe(403);
    await block({ ...FORM, reason: '<script>alert(1)</script>' });
    expect(await operator.read('/admin/blocked')).not.toContain('<script>alert');
    operator.cookie = '';
    expect((await block({ ...FORM, platform_user_id: '7' })).status).toBe(401);
    expect(await service.store.isBlocked(sampleAccount(7))).toBe(false);
  });
});
