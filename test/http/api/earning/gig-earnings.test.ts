import { beforeAll, describe, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { SEEDED_AT, seedGig, seedTips } from '../../../support/store.ts';
import { label, service, shareService } from '../../service.ts';
import { dataOf, refusal, told } from '../../terms.ts';

const ONE = 10n ** 18n;
const DAY_MS = 86_400_000;

let gig: Gig;
let manual: Gig;

/** Of five accounts one is awarded, one accepted, one held, and two refused. */
shareService();
beforeAll(async () => {
  service.time.now = SEEDED_AT;
  gig = await seedGigWithRules(service.store);
  manual = await seedGig(service.store, { live: true });
  const acts = [1, 2, 3, 4, 5].map((id) => sampleAct(id, { rankedAt: SEEDED_AT }));
  await seedActs(service.store, gig, acts, { dueAt: SEEDED_AT + DAY_MS });
  await service.store.transaction(async (tx) => {
    for (const id of [1, 2]) await decideAs(tx, gig, sampleAccount(id));
    await awardAs(tx, gig, sampleAccount(1), { amount: 2n * ONE });
    const young = { ...SAMPLE_FACTS, username: 'mallory', registeredAt: SEEDED_AT - 3 * DAY_MS };
    await decideAs(tx, gig, sampleAccount(4), { to: 'refused', reason: 'too_young', facts: young });
    await decideAs(tx, gig, sampleAccount(5), { to: 'refused', reason: 'account_gone', facts: null });
  });
  await label(service.store, 'farcaster', '3', 'Carol.eth');
});

const get = (path: string, headers: Record<string, string> = {}) => told(service.app.request(path, { headers }));
const ask = (identifiers: string, id = gig.id) => get(`/api/gigs/${id}/earnings?identifiers=${identifiers}`);
const list = (query = '', id = gig.id) => get(`/api/gigs/${id}/earnings${query}`, { 'x-api-key': service.key });

const NONE = { username: null, reason: null, settles_at: null, amount: null, facts: null, candidate: null };

describe('the record of a gig with rules', () => {
  test('behavior: shows its rules, what was earned, and when the last acts are decided about', async () => {
    const { body } = await get(`/api/gigs/${gig.id}`);
    expect(body).toMatchObject({
      data: {
        payout_interval_ms: null,
        earning_rules: {
          rule: { type: 'fixed', amount: '2' },
          gates: {
            min_score: 0.55,
            min_account_age_days: 7,
            min_followers: 0,
            verified_address: true,
            spam_label: 'not_spam',
            min_letters: 10,
          },
          hold_hours: 12,
          tips_by_request: true,
        },
        earning: {
          settles_at: '2026-01-02T12:00:00.000Z',
          next_division_at: null,
          counts: { held: 1, eligible: 1, awarded: 1, refused: 2 },
          sums: { held: '0', eligible: '0', awarded: '2', refused: '0' },
        },
      },
    });
    expect(await dataOf(get('/api/gigs?status=all'))).toMatchObject([
      { id: manual.id, earning_rules: null, earning: null },
      (body as { data: object }).data,
    ]);
  });

  test('behavior: a gig with rounds shows how long one is', async () => {
    const rule = { type: 'split', roundMs: 3_600_000, maxAmount: ONE } as const;
    const { id } = await seedGigWithRules(service.store, { rules: { rule } });
    expect(await dataOf(get(`/api/gigs/${id}`))).toMatchObject({
      payout_interval_ms: 3_600_000,
      earning_rules: { rule: { type: 'split', round_hours: 1, max_amount: '1' } },
      earning: {
        next_division_at: '2026-01-01T13:00:00.000Z',
        counts: { held: 0, eligible: 0, awarded: 0, refused: 0 },
        sums: { held: '0', eligible: '0', awarded: '0', refused: '0' },
      },
    });
  });

  test('behavior: what a divided round has still to hand out is the sum of the accepted', async () => {
    const rule = { type: 'split', roundMs: 3_600_000, maxAmount: 5n * ONE } as const;
    const divided = await seedGigWithRules(service.store, { rules: { rule } });
    const sums = async () => {
      const { body } = await get(`/api/gigs/${divided.id}`);
      return (body as { data: { earning: { sums: object } } }).data.earning.sums;
    };
    await seedActs(service.store, divided, [sampleAct(1), sampleAct(2)]);
    const part = { round: 1, weight: 1n };
    await service.store.transaction(async (tx) => {
      for (const id of [1, 2]) await decideAs(tx, divided, sampleAccount(id), { part });
    });
    expect(await sums()).toEqual({ held: '0', eligible: '0', awarded: '0', refused: '0' });
    await service.store.transaction(async (tx) => {
      const round = { number: 1, pool: 7n * ONE, total: 2n, members: 2, reserved: 6n * ONE, now: SEEDED_AT };
      await tx.divideRound(divided.id, round);
      await awardAs(tx, divided, sampleAccount(1), { amount: 3n * ONE });
      await tx.handOut(divided.id, 1, { amount: 3n * ONE, isOver: false });
    });
    expect(await sums()).toEqual({ held: '0', eligible: '3', awarded: '3', refused: '0' });
  });

  test('behavior: once everything is decided it says when that was', async () => {
    const { id } = await seedGigWithRules(service.store);
    await service.sql('update watches set over_at = ? where gig_id = ?', SEEDED_AT + 3 * DAY_MS, id);
    expect(await dataOf(get(`/api/gigs/${id}`))).toMatchObject({ earning: { settles_at: '2026-01-04T00:00:00.000Z' } });
  });
});

describe('why an account earns', () => {
  test('behavior: anyone learns what becomes of named accounts, without what is known of them', async () => {
    const account = (id: string) => ({ ...NONE, platform: 'farcaster', platform_user_id: id });
    expect(await ask('1,2,3,4,5,6,@nobody')).toEqual({
      status: 200,
      body: {
        data: [
          { ...account('1'), username: 'alice', state: 'awarded', sentence: 'Awarded 2 DEGEN.', amount: '2' },
          { ...account('2'), username: 'alice', state: 'eligible', sentence: 'Approved. The tip is pending.' },
          {
            ...account('3'),
            username: 'Carol.eth',
            state: 'held',
            sentence: 'Held until 2 Jan 2026, 00:00 UTC. The decision follows.',
            settles_at: '2026-01-02T00:00:00.000Z',
          },
          {
            ...account('4'),
            username: 'mallory',
            state: 'refused',
            reason: 'too_young',
            sentence: 'Not eligible: the account was 3 days old; this gig requires 7.',
          },
          {
            ...account('5'),
            state: 'refused',
            reason: 'account_gone',
            sentence: 'Not eligible: the account no longer exists.',
          },
          { ...account('6'), state: 'none', sentence: 'No activity that counts for this gig was found.' },
          {
            ...account('6'),
            platform_user_id: null,
            username: 'nobody',
            state: 'none',
            sentence: 'This service knows no account with this handle: use its id.',
          },
        ],
        next_cursor: null,
      },
    });
  });

  test('behavior: an award whose tip was voided says so, and why', async () => {
    const cheated = await seedGigWithRules(service.store);
    await seedActs(service.store, cheated, [sampleAct(7), sampleAct(8)]);
    await service.store.transaction(async (tx) => {
      for (const id of [7, 8]) {
        await decideAs(tx, cheated, sampleAccount(id), { facts: null });
        await awardAs(tx, cheated, sampleAccount(id), { amount: ONE });
      }
      const tipId = (await tx.earning(cheated.id, sampleAccount(7)))?.tipId ?? 0;
      await tx.voidTip(tipId, { reason: 'Sold likes.', now: SEEDED_AT });
    });
    const voided = { state: 'awarded', sentence: 'Awarded 1 DEGEN, but the operator voided the tip: Sold likes.' };
    expect(await ask('7,8', cheated.id)).toMatchObject({ body: { data: [voided, { sentence: 'Awarded 1 DEGEN.' }] } });
    expect(await list('', cheated.id)).toMatchObject({ body: { data: [{ sentence: 'Awarded 1 DEGEN.' }, voided] } });
  });

  test('behavior: an account is named by its id or its handle, once', async () => {
    const { body } = await ask('3,@carol.eth,03,,CAROL.ETH');
    expect(body).toMatchObject({ data: [{ platform_user_id: '3' }, { platform_user_id: '3' }] });
    expect(await dataOf(get(`/api/gigs/${gig.id}/earnings?identifiers=1&identifiers=2`))).toMatchObject([
      { platform_user_id: '1' },
      { platform_user_id: '2' },
    ]);
  });

  test('behavior: of a held account that is due, and of a gig whose tips are awarded by request', async () => {
    service.time.now = SEEDED_AT + DAY_MS;
    expect(await ask('3')).toMatchObject({ body: { data: [{ sentence: 'Held. The decision is due now.' }] } });
    service.time.now = SEEDED_AT;
    expect(await dataOf(ask('3', manual.id))).toMatchObject([
      { state: 'none', sentence: 'Tips of this gig are awarded by request; the service watches nobody.' },
    ]);
  });

  test('error: names that are none, none, too many, and an unknown gig', async () => {
    expect(await ask('a b')).toEqual(
      refusal(
        400,
        '"a b" is neither a Farcaster FID (a whole number of at most 20 digits) nor a username on Farcaster',
      ),
    );
    expect(await ask(',')).toEqual(refusal(400, 'identifiers must name at least one account'));
    const many = Array.from({ length: 101 }, (_, index) => index + 1).join(',');
    expect(await ask(many)).toEqual(refusal(400, 'identifiers: at most 100 are allowed, got 101'));
    expect(await ask('1', 987_654)).toEqual(refusal(404, 'Gig with id 987654 not found'));
  });

  test('behavior: a client lists all with what was known of them, newest first, page by page', async () => {
    const first = await list('?limit=3');
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: [
          { platform_user_id: '5', facts: null },
          {
            platform_user_id: '4',
            facts: {
              score: 0.9,
              followers: 12,
              registered_at: '2025-12-29T00:00:00.000Z',
              spam_label: 'unknown',
              verified_addresses: 1,
              letters: 20,
            },
          },
          { platform_user_id: '3', facts: null },
        ],
        next_cursor: expect.any(String),
      },
    });
    const { next_cursor: cursor } = first.body as { next_cursor: string };
    expect(await list(`?limit=3&cursor=${cursor}`)).toMatchObject({
      body: { data: [{ platform_user_id: '2' }, { platform_user_id: '1', amount: '2' }], next_cursor: null },
    });
    expect(await list('', manual.id)).toEqual({ status: 200, body: { data: [], next_cursor: null } });
  });
});

describe('what else knows of earnings', () => {
  test('behavior: an account has completed a gig when its earning is not refused', async () => {
    const check = async (id: string) => {
      const body = { gigId: gig.id, platformUserId: id };
      return (await told(service.send('POST', '/api/tasks/check-completed', body))).body;
    };
    for (const id of ['1', '2', '3', 'carol.eth'])
      expect(await check(id)).toEqual({ success: true, isCompleted: true });
    for (const id of ['4', '5', '6']) expect(await check(id)).toEqual({ success: true, isCompleted: false });
    // A tip by request counts, whatever the rules have decided.
    await seedTips(service.store, gig, [{ ...sampleAccount(4), amount: 1n }]);
    expect(await check('4')).toEqual({ success: true, isCompleted: true });
  });

  test('behavior: tips by request are refused where the rules leave none', async () => {
    const award = (id: number) => {
      const tips = [{ platform: 'farcaster', platform_user_id: '8004', value: 1 }];
      return told(service.send('POST', `/api/gigs/${id}/tips`, { tips }));
    };
    const strict = await seedGigWithRules(service.store, { rules: { tipsByRequest: false } });
    expect(await award(strict.id)).toEqual(
      refusal(400, `Gig with id ${strict.id} awards tips by its rules alone: their tips_by_request is false`),
    );
    expect((await service.store.gig(strict.id))?.awardedAmount).toBe(0n);
    expect(await award(gig.id)).toMatchObject({ status: 201 });
  });
});
