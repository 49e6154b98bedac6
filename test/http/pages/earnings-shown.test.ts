import { beforeAll, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import {
  awardAs,
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../support/earning.ts';
import { seedGig } from '../../support/store.ts';
import { label, NOW, service, shareService } from '../service.ts';
import { open, openPages } from './scene.ts';

const ONE = 10n ** 18n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RULES =
  'Each account that likes the cast gets 2 DEGEN, first come, until the reward is used up; it needs a verified address.';

let gig: Gig;

/** Of 54 accounts 51 are awarded, one is accepted, one held for 12 hours more, and mallory (54) refused. */
shareService(openPages);
beforeAll(async () => {
  gig = await seedGigWithRules(service.store, {
    startTime: NOW - HOUR,
    rewardAmount: 1_000n * ONE,
    earningCriteria: RULES,
  });
  const ids = Array.from({ length: 54 }, (_, index) => index + 1);
  const acts = ids.map((id) => sampleAct(id, { rankedAt: NOW - HOUR + id }));
  await seedActs(service.store, gig, acts, { now: NOW, dueAt: NOW + 12 * HOUR });
  await service.store.transaction(async (tx) => {
    for (const id of ids.slice(0, 52)) {
      await decideAs(tx, gig, sampleAccount(id), { now: NOW, facts: { ...SAMPLE_FACTS, username: `liker${id}` } });
    }
    for (const id of ids.slice(0, 51)) await awardAs(tx, gig, sampleAccount(id), { amount: 2n * ONE, now: NOW });
    const facts = { ...SAMPLE_FACTS, username: 'mallory', registeredAt: NOW - HOUR - 3 * DAY };
    await decideAs(tx, gig, sampleAccount(54), { to: 'refused', reason: 'too_young', facts, now: NOW });
  });
  await label(service.store, 'farcaster', '54', 'mallory');
});

describe('the page of a gig with rules', () => {
  test('behavior: shows the rules in a sentence, how many earn, and what comes next', async () => {
    const { status, text } = await open(service, `/gigs/${gig.id}`);
    expect(status).toBe(200);
    expect(text).toContain(`Earned by the rules ${RULES}`);
    expect(text).toContain('Awarded 51 (102 DEGEN ) Approved, tip pending 1 On hold 1 Refused 1');
    expect(text).toContain(
      'The next decisions follow from 21 Nov 2026, 21:30 UTC on. Final decisions: after 22 Nov 2026, 20:30 UTC .',
    );
  });

  test('behavior: a raffle and a bounty say in their own words what accounts wait for', async () => {
    const raffle = await seedGigWithRules(service.store, {
      startTime: NOW - HOUR,
      rules: { rule: { type: 'raffle', winners: 1 } },
    });
    const bounty = await seedGigWithRules(service.store, {
      startTime: NOW - HOUR,
      gigType: 'custom_bounty',
      rules: { rule: { type: 'verifier', maxAmount: ONE } },
    });
    for (const each of [raffle, bounty]) {
      await seedActs(service.store, each, [sampleAct(70)]);
      await service.store.transaction((tx) => decideAs(tx, each, sampleAccount(70), { facts: SAMPLE_FACTS }));
    }
    expect((await open(service, `/gigs/${raffle.id}`)).text).toContain('Accepted for the draw 1');
    const { text } = await open(service, `/gigs/${bounty.id}`);
    expect(text).toContain('To be decided 1');
    expect(text).toContain(
      'Submissions are decided by hand. Submissions still undecided at 29 Nov 2026, 08:30 UTC are refused.',
    );
    expect(text).toContain(`To submit your work, mention the bot with "submit ${bounty.id} …", or reply to the cast.`);
    const account = (await open(service, '/claim/farcaster/70')).text;
    expect(account).toContain(`gig ${raffle.id} Accepted Accepted for the draw.`);
    expect(account).toContain(`gig ${bounty.id} To be decided Passed the checks`);
  });

  test('behavior: page and list say what counts where the gig does not', async () => {
    const boost = await seedGigWithRules(service.store, { startTime: NOW - HOUR, gigType: 'boost' });
    const { text } = await open(service, `/gigs/${boost.id}`);
    expect(text).toContain('What to do Recast or quote the cast.');
    expect((await open(service, '/gigs')).text).toContain('Recast or quote the cast.');
  });

  test('behavior: lists who was awarded, newest act first, page by page', async () => {
    const first = await open(service, `/gigs/${gig.id}`);
    expect(first.text).toContain('@liker51 2 DEGEN 21 Nov 2026, 08:30 UTC 21 Nov 2026, 09:30 UTC @liker50 2 DEGEN');
    expect(first.text).toContain('Earlier accounts');
    expect(first.text).not.toContain('@liker1 2 DEGEN');
    expect(first.page).toContain('<a href="/claim/farcaster/51">');
    const older = /href="(\/gigs\/[0-9]+\?cursor=[0-9]+)#earned"/.exec(first.page)?.[1] ?? '';
    const second = await open(service, older);
    expect(second.text).toContain('Awarded @liker1 2 DEGEN');
    expect(second.text).not.toContain('Earlier accounts');
    expect(second.text).not.toContain('@liker51');
  });

  test('behavior: shows who earned most, twenty by amount and then by rank, without voided tips', async () => {
    const board = await seedGigWithRules(service.store, {
      startTime: NOW - HOUR,
      rewardAmount: 1_000n * ONE,
      rules: { rule: { type: 'split', roundMs: DAY, maxAmount: 100n * ONE } },
    });
    const ids = Array.from({ length: 25 }, (_, index) => index + 101);
    await seedActs(
      service.store,
      board,
      ids.map((id) => sampleAct(id, { rankedAt: NOW - HOUR + id })),
      { now: NOW },
    );
    const amounts = new Map([
      [103, 9n * ONE],
      [120, 10n * ONE],
      [124, 90n * ONE],
    ]);
    await service.store.transaction(async (tx) => {
      for (const id of ids) {
        const facts = { ...SAMPLE_FACTS, username: id === 120 ? null : `fan${id}` };
        await decideAs(tx, board, sampleAccount(id), { now: NOW, facts });
        await awardAs(tx, board, sampleAccount(id), { amount: amounts.get(id) ?? ONE, now: NOW });
      }
      const tipId = (await tx.earning(board.id, sampleAccount(124)))?.tipId ?? 0;
      await tx.voidTip(tipId, { reason: 'sold likes: https://evil.example/<b>', now: NOW });
    });
    const { text, page } = await open(service, `/gigs/${board.id}`);
    expect(text).toContain(
      'Top earners The largest awards; equal ones by rank Rank Account Amount 1 FID 120 10 DEGEN 2 @fan103 9 DEGEN 3 @fan101 1 DEGEN 4 @fan102',
    );
    expect(text).toContain('20 @fan119 1 DEGEN Awarded accounts, newest act first');
    expect(text).toContain('@fan124 90 DEGEN voided');
    expect(text).not.toContain('Among the');
    expect(page).toContain('<a href="/claim/farcaster/103">');
    const asked = await open(service, `/gigs/${board.id}?account=124`);
    expect(asked.text).toContain('@fan124 : Awarded 90 DEGEN, but the operator voided the tip: sold likes: b.');
    expect(asked.page).not.toContain('evil.example');
  });

  test.each([
    ['54', '@mallory : Not eligible: the account was 3 days old; this gig requires 7.'],
    ['@Mallory', '@mallory : Not eligible: the account was 3 days old; this gig requires 7.'],
    ['https://farcaster.xyz/mallory', '@mallory : Not eligible: the account was 3 days old; this gig requires 7.'],
    ['53', 'FID 53 : Held until 21 Nov 2026, 21:30 UTC. The decision follows.'],
    ['52', '@liker52 : Approved. The tip is pending.'],
    ['1', '@liker1 : Awarded 2 DEGEN.'],
    ['99', 'FID 99 : No activity that counts for this gig was found.'],
    ['nobody', '@nobody : This service knows no account with this handle: use its id.'],
  ])('behavior: tells anyone who asks for %s why', async (account, told) => {
    const { text } = await open(service, `/gigs/${gig.id}?account=${encodeURIComponent(account)}`);
    expect(text).toContain(`Your result ${told}`);
  });

  test('error: a name that is none, and a cursor that is none', async () => {
    for (const query of ['account=a%20b', 'cursor=x', 'account=%3Cscript%3E']) {
      const { status, page } = await open(service, `/gigs/${gig.id}?${query}`);
      expect(status).toBe(400);
      expect(page).not.toContain('<script>');
    }
  });

  test('behavior: before the start it waits, and at the end it says when all was decided', async () => {
    const target = { kind: 'keyword', keyword: '$degen' } as const;
    const planned = await seedGig(service.store, { startTime: NOW + HOUR });
    const stored = await service.store.earningRules(gig.id);
    await service.store.transaction((tx) =>
      tx.storeEarningRules(planned.id, { given: null, rules: stored?.rules ?? '', target }),
    );
    const before = await open(service, `/gigs/${planned.id}`);
    expect(before.text).toContain('The service watches the gig from its start. No account has earned yet.');
    const over = await seedGigWithRules(service.store, { startTime: NOW - 2 * DAY });
    await service.sql('update watches set gone_at = ? where gig_id = ?', NOW - DAY, over.id);
    expect((await open(service, `/gigs/${over.id}`)).text).toContain(
      'The target of the gig has been gone since 20 Nov 2026, 09:30 UTC ; activity seen before then counts. No one is on hold.',
    );
    await service.sql('update watches set over_at = ? where gig_id = ?', NOW, over.id);
    expect((await open(service, `/gigs/${over.id}`)).text).toContain(
      'All accounts were decided at 21 Nov 2026, 09:30 UTC .',
    );
  });

  test('behavior: a gig whose tips are awarded by request shows none of it', async () => {
    const manual = await seedGig(service.store, { live: true, startTime: NOW - HOUR });
    const { text } = await open(service, `/gigs/${manual.id}?account=54`);
    expect(text).not.toContain('Earned by the rules');
    expect(text).not.toContain('Why did');
  });
});

describe('the page of an account', () => {
  test('behavior: says why it earned nothing from a gig, and until when it is held', async () => {
    const mallory = await open(service, '/claim/farcaster/54');
    expect(mallory.text).toContain(
      `Pending and declined Tips that are not awarded, and why From State Why Like the cast gig ${gig.id} Refused Not eligible: the account was 3 days old; this gig requires 7.`,
    );
    expect((await open(service, '/claim/farcaster/@mallory')).text).toContain('this gig requires 7.');
    expect((await open(service, '/claim/farcaster/53')).text).toContain(
      `gig ${gig.id} Held Held until 21 Nov 2026, 21:30 UTC. The decision follows.`,
    );
  });

  test('behavior: an account that was awarded everything, or did nothing, shows none of it', async () => {
    for (const id of ['1', '99']) {
      expect((await open(service, `/claim/farcaster/${id}`)).text).not.toContain('Pending and declined');
    }
  });
});
