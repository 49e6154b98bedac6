import { describe, expect, test } from 'vitest';
import type { RefusalReason } from '../../../src/domain/earning/earning.ts';
import {
  endedEvent,
  fundedEvent,
  type NewEvent,
  paymentEvent,
  refusedEvent,
  waitingEvent,
} from '../../../src/domain/events/event.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Actor } from '../../../src/domain/operators/actor.ts';
import { ownerClient } from '../../../src/domain/owners/owner.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { recordGigEvent } from '../../../src/services/operators/audit-events.ts';
import { ownerActor } from '../../../src/services/owners/sessions.ts';
import { decideAs, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { perCase } from '../../support/per-case.ts';
import {
  type GigSeed,
  SEEDED_AT,
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedMention,
} from '../../support/store.ts';
import { openNotified, VERIFIER } from './world.ts';

const world = perCase(openNotified);
const OWNERS = [sampleAccount(1003), sampleAccount(1004), { platform: 'twitter', platformUserId: '5' }];

const happen = (...events: readonly NewEvent[]) => world.store.transaction((tx) => tx.insertEvents(events));
const gigOf = (seed: GigSeed = {}) => seedGig(world.store, { live: true, title: 'Launch week', ...seed });

/** What is shown once all that has happened is read and sent. */
async function shown(seconds = 1): Promise<string[]> {
  await world.pass(seconds);
  return world.shown();
}

describe('tips', () => {
  test('behavior: each account is told at once what it was awarded, and within the hour nothing more', async () => {
    const gig = await gigOf();
    await world.award(gig.id, { 1001: '2', 1002: '3' });
    const first = ['1001 You earned 2 DEGEN', '1002 You earned 3 DEGEN'];
    const words = 'DEGEN from gig 1: Launch week. Open to claim.';
    expect(await shown()).toEqual([`${first[0]} | 2 ${words}`, `${first[1]} | 3 ${words}`]);
    for (const value of ['1', '0.5', '0.25']) {
      await world.award(gig.id, { 1001: value });
      await world.pass(40);
    }
    expect(world.shown()).toHaveLength(2);
    world.advance(HOUR_MS);
    expect((await shown()).slice(2)).toEqual([`1001 You earned 1.75 DEGEN | 1.75 ${words}`]);
  });

  test('behavior: tips of another gig are told by themselves, half a minute later; void ones are not', async () => {
    const [one, other] = [await gigOf(), await gigOf({ title: null })];
    await world.award(one.id, { 1001: '2' });
    await world.award(other.id, { 1001: '2', 1002: '1' });
    const [tip] = await world.store.tipsOfGig(other.id, { limit: 1 });
    await world.store.transaction((tx) => tx.voidTip(tip?.id ?? 0, { reason: 'test', now: world.clock() }));
    expect(await shown(29)).toHaveLength(1);
    expect((await shown(3)).slice(1)).toEqual(['1001 You earned 2 DEGEN | 2 DEGEN from gig 2. Open to claim.']);
  });

  test('behavior: what was voided or claimed while it waited is not told', async () => {
    const gig = await gigOf();
    await world.award(gig.id, { 1001: '2', 1002: '2' });
    await shown();
    await world.award(gig.id, { 1001: '40', 1002: '5' });
    await world.award(gig.id, { 1001: '1' });
    await world.pass(1);
    const [newest] = await world.store.tipsOfGig(gig.id, { limit: 9 });
    expect(newest).toMatchObject({ platformUserId: '1001' });
    const mistake = (await world.store.tipsOfGig(gig.id, { limit: 9 })).find(
      ({ amount }) => amount === 40n * 10n ** 18n,
    );
    await world.store.transaction((tx) => tx.voidTip(mistake?.id ?? 0, { reason: 'test', now: world.clock() }));
    const claim = sampleClaim(sampleAccount(1002), '0xc2', { createdAt: world.clock() });
    const { payouts } = await seedClaim(world.store, claim, world.clock());
    await seedConfirmed(world.store, payouts[0]?.id ?? 0, { hash: seedHash(2), now: world.clock() });
    world.advance(HOUR_MS);
    // Of the three that are left to 1001 it was told two.
    expect((await shown()).slice(2)).toEqual([
      '1001 You earned 3 DEGEN | 3 DEGEN from gig 1: Launch week. Open to claim.',
    ]);
    expect((await world.kept()).filter((line) => line.includes('dropped'))).toEqual(['1002 tips dropped 0']);
  });

  test('behavior: winners of a raffle have won, and the others were not drawn', async () => {
    const gig = await seedGigWithRules(world.store, { rules: { rule: { type: 'raffle', winners: 1 } }, title: 'Luck' });
    await world.award(gig.id, { 1001: '100' });
    await happen(refusedEvent(gig.id, [{ ...sampleAccount(1002), reason: 'not_drawn' }], world.clock()));
    expect(await shown()).toEqual([
      '1001 You won 100 DEGEN | 100 DEGEN from gig 1: Luck. Open to claim.',
      '1002 Gig 1: you weren’t drawn | The draw of gig 1: Luck chose other accounts. Open to check it.',
    ]);
  });
});

/** A claim of an account for a tip of one whole token, with the fate of its payment `later` milliseconds afterwards. */
async function claimed(later: number, fate: 'payment.confirmed' | 'payment.failed', account = sampleAccount(1001)) {
  const gig = await gigOf();
  await world.award(gig.id, { [account.platformUserId]: '1' }, account.platform);
  await world.pass(31);
  const made = world.clock();
  const seeded = await seedClaim(world.store, sampleClaim(account, '0xc1', { createdAt: made }), made);
  const [payment] = seeded.payouts;
  if (payment === undefined) throw new Error('nothing was planned');
  world.advance(later);
  const now = world.clock();
  const hash = seedHash(1);
  const wallet = gig.walletAddress;
  if (fate === 'payment.confirmed') {
    await seedConfirmed(world.store, payment.id, { hash, now });
    const part = { amount: payment.amount, numbers: [1n] };
    await happen(paymentEvent({ ...payment, wallet }, { type: fate, hash, ...part }, now));
  } else {
    const reason = 'the transfer would revert: FREE @money';
    await world.store.transaction((tx) => tx.failPayment(payment.id, { reason, now }));
    await happen(paymentEvent({ ...payment, wallet }, { type: fate, reason }, now));
  }
  await world.pass(40);
  return world.shown().slice(1);
}

describe('claims', () => {
  test('behavior: a payment that took longer than the answer to the claim is told', async () => {
    expect(await claimed(20_000, 'payment.confirmed')).toEqual(['1001 Paid: 1 DEGEN | 0x0000…cafE received 1 DEGEN.']);
  });

  test('behavior: what the answer to the claim has said is not told again', async () => {
    expect(await claimed(19_999, 'payment.confirmed')).toEqual([]);
  });

  test('security: a failure is told in words that no token has chosen', async () => {
    expect(await claimed(HOUR_MS, 'payment.failed')).toEqual([
      '1001 Your claim was not paid | 1 DEGEN: the token rejects the transfer. You can claim again.',
    ]);
  });
});

describe('refusals', () => {
  /** A gig with an act of 1001 that was refused. */
  async function refused(reason: RefusalReason): Promise<Gig> {
    const gig = await seedGigWithRules(world.store, { title: 'Likes' });
    await seedActs(world.store, gig, [sampleAct(1001)]);
    const account = sampleAccount(1001);
    await world.store.transaction((tx) => decideAs(tx, gig, account, { to: 'refused', reason }));
    await happen(refusedEvent(gig.id, [{ ...account, reason }], world.clock()));
    return gig;
  }

  test.each([
    ['score_too_low', 'Your Farcaster score is 0.9; this gig requires 0.55.'],
    ['same_address', 'A verified address of the account has already earned from this gig.'],
    ['reward_used_up', 'The reward was used up.'],
  ] as const)('behavior: %s is told with its reason', async (reason, words) => {
    await refused(reason);
    expect(await shown()).toEqual([`1001 Gig 1: not eligible | ${words}`]);
  });

  test.each(['withdrawn', 'own_account', 'account_gone', 'before_start'] as const)(
    'behavior: %s is told nobody, who caused it or did not take part',
    async (reason) => {
      await refused(reason);
      expect(await shown()).toEqual([]);
    },
  );

  test('behavior: one that another act has undone meanwhile is told nobody', async () => {
    const gig = await refused('text_too_short');
    await world.store.transaction((tx) => decideAs(tx, gig, sampleAccount(1001), { to: 'held', reason: null }));
    expect(await shown()).toEqual([]);
    expect(await world.kept()).toEqual(['1001 refused dropped 0']);
  });
});

describe('owners', () => {
  const actor: Actor = { kind: 'account', ...sampleAccount(1003), requestId: 'mention:1' };
  const act = (action: 'gig.start' | 'gig.stop', gigId: number, by: Actor = actor) =>
    world.store.transaction((tx) =>
      recordGigEvent(tx, { actor: by, now: world.clock() }, { action, gigId, detail: {} }),
    );

  test('behavior: those who did not start a gig are told that it is live, on platforms with notifications', async () => {
    const gig = await gigOf({ owners: OWNERS });
    await act('gig.start', gig.id);
    expect(await shown()).toEqual(['1004 Gig 1 is live | Gig 1: Launch week. It ends on 2 Jan 2026, 00:00 UTC.']);
    const byItself = await gigOf({ owners: OWNERS, title: null, startTime: SEEDED_AT + DAY_MS });
    await act('gig.start', byItself.id, { kind: 'job', name: 'start funded gigs' });
    expect((await shown(40)).slice(1)).toEqual([
      '1003 Gig 2 is started | Gig 2. It begins on 2 Jan 2026, 00:00 UTC.',
      '1004 Gig 2 is started | Gig 2. It begins on 2 Jan 2026, 00:00 UTC.',
    ]);
  });

  test('behavior: who signed in with a wallet is not told of its own act, by any account that is linked to it', async () => {
    const wallet = `0x${'cd'.repeat(20)}`;
    const mentionId = await seedMention(world.store);
    await world.database.sql(
      'insert into owner_links (owner, wallet, post_id, mention_id, created_at, valid_from) values (?, ?, ?, ?, ?, ?)',
      ...['farcaster:1003', wallet, '7', mentionId, 1, 1],
    );
    const gig = await gigOf({ owners: OWNERS });
    const owner = `wallet:${wallet}`;
    const signedIn = { name: owner, client: ownerClient(owner), newUntil: null, at: world.clock() };
    await act('gig.start', gig.id, ownerActor(signedIn, null));
    expect((await shown()).map((line) => line.slice(0, 4))).toEqual(['1004']);
  });

  test('security: who was removed from the owners of a gig is told nothing more of it', async () => {
    const gig = await gigOf({ owners: OWNERS, gigType: 'custom_bounty' });
    await happen(waitingEvent(gig.id, 1, world.clock()));
    await shown();
    await happen(waitingEvent(gig.id, 2, world.clock()));
    await world.pass(31);
    await world.store.transaction((tx) => tx.removeGigOwner(gig.id, sampleAccount(1004)));
    world.advance(HOUR_MS);
    expect((await shown()).slice(2).map((line) => line.slice(0, 4))).toEqual(['1003']);
  });

  test('behavior: a gig that is funded waits for its owners; one that starts by itself does not', async () => {
    const gig = await seedGig(world.store, { owners: OWNERS.slice(0, 1) });
    const byItself = await seedGig(world.store, { owners: OWNERS.slice(0, 1), start: 'when_funded' });
    await happen(fundedEvent(gig, world.clock()), fundedEvent(byItself, world.clock()));
    const words = 'Its wallet holds exactly 105 DEGEN. You can start it now.';
    expect(await shown(40)).toEqual([`1003 Gig 1 is funded | ${words}`]);
    const refused = await seedGig(world.store, { owners: OWNERS.slice(0, 1), start: 'when_funded' });
    const refusal = { code: 'token_not_allowed', tryAt: world.clock() };
    await world.store.transaction((tx) => tx.refuseStart(refused.id, refusal));
    await happen(fundedEvent(refused, world.clock()));
    expect((await shown()).slice(1)).toEqual([
      '1003 Gig 3 needs you | Its wallet holds 105 DEGEN, but it could not start. See why.',
    ]);
  });

  test('behavior: an end is told with what is awarded, and until when owners may award the rest', async () => {
    const gig = await gigOf({ owners: OWNERS, awardDays: 14 });
    await world.award(gig.id, { 1001: '40' });
    world.advance(DAY_MS);
    await happen(endedEvent(gig.id, world.clock()));
    const until = '40 of 100 DEGEN awarded. You can award tips until 16 Jan 2026, 00:00 UTC.';
    expect((await shown()).filter((line) => !line.startsWith('1001'))).toEqual(
      ['1003', '1004'].map((fid) => `${fid} Gig 1 ended and needs you | ${until}`),
    );
  });

  test('behavior: an end of which nothing is left to do is told without a request', async () => {
    const gig = await gigOf({ owners: OWNERS });
    await act('gig.stop', gig.id);
    world.advance(DAY_MS / 2);
    await happen(endedEvent(gig.id, world.clock()));
    world.advance(DAY_MS / 2);
    expect(await shown()).toContain('1004 Gig 1 ended | Gig 1: Launch week. 0 of 100 DEGEN awarded.');
  });

  test('behavior: submissions that wait for people are counted for an hour; a verifier’s are not told', async () => {
    const gig = await gigOf({ owners: OWNERS.slice(0, 1), gigType: 'custom_bounty' });
    const other = await gigOf({ owners: OWNERS, gigType: 'custom_bounty', verifier: VERIFIER });
    await happen(waitingEvent(gig.id, 1, world.clock()), waitingEvent(other.id, 2, world.clock()));
    await shown(31);
    await happen(waitingEvent(gig.id, 2, world.clock()));
    await happen(waitingEvent(gig.id, 3, world.clock()));
    await world.pass(31);
    world.advance(HOUR_MS);
    const words = 'for your decision in gig 1: Launch week.';
    expect(await shown()).toEqual([
      `1003 Gig 1 needs you | 1 submission waits ${words}`,
      `1003 Gig 1 needs you | 5 submissions wait ${words}`,
    ]);
  });
});

describe('what is read', () => {
  test('behavior: what happened before notifications were turned on, or a day before it is read, is no news', async () => {
    const gig = await gigOf({ duration: 9 * DAY_MS });
    await world.award(gig.id, { 1001: '1' });
    await world.database.sql('delete from notification_reader');
    expect(await shown()).toEqual([]);
    await world.award(gig.id, { 1002: '1' });
    world.advance(DAY_MS);
    await world.award(gig.id, { 1004: '1' });
    expect((await shown()).map((line) => line.slice(0, 4))).toEqual(['1004']);
  });

  test('behavior: accounts that want none, and those on X, have none queued', async () => {
    const gig = await gigOf();
    await world.store.transaction((tx) => tx.setNotificationsOff(sampleAccount(1001), true, world.clock()));
    await world.store.transaction((tx) => tx.setOptedOut(sampleAccount(1002), true, world.clock()));
    await world.award(gig.id, { 1001: '1', 1002: '1' });
    await happen({ type: 'tip.voided', at: world.clock(), gigId: gig.id, facts: {} });
    await shown(2);
    expect(await world.kept()).toEqual([]);
    await world.store.transaction((tx) => tx.setNotificationsOff(sampleAccount(1001), false, world.clock()));
    await world.award(gig.id, { 1001: '1' });
    expect((await shown()).map((line) => line.slice(0, 4))).toEqual(['1001']);
  });

  test('behavior: of many tips each is told once, in the order in which they were awarded', async () => {
    const gig = await gigOf({ rewardAmount: 10n ** 24n });
    const ids = Array.from({ length: 450 }, (_, index) => String(20_000 + index));
    await world.award(gig.id, Object.fromEntries(ids.map((id) => [id, '1'])));
    await world.award(gig.id, Object.fromEntries(ids.slice(0, 250).map((id) => [id, '1'])));
    await world.read();
    const rows = await world.database.sql(
      'select platform_user_id as id, count, amount from notifications order by id',
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows.map(({ count }) => Number(count))).toEqual(ids.map((_, index) => (index < 250 ? 2 : 1)));
    expect(BigInt(String(rows[0]?.['amount']))).toBe(2n * 10n ** 18n);
  });
});
