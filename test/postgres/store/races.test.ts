import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { roundsPayout } from '../../../src/domain/earning/payouts/rounds.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { claimRewards } from '../../../src/services/claims/claim-rewards.ts';
import { divideRound } from '../../../src/services/earning/ways/rounds.ts';
import { prepareEnd } from '../../../src/services/ends/end-gig.ts';
import { planRefund } from '../../../src/services/ends/plan-refund.ts';
import { removeOwner } from '../../../src/services/gigs/owners.ts';
import { prepareStart, startGig } from '../../../src/services/gigs/start-gig.ts';
import { findOrAddToken } from '../../../src/services/gigs/terms/tokens.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { withIdempotency } from '../../../src/services/idempotency.ts';
import { createApiKey, rotateApiKey } from '../../../src/services/operators/api-keys.ts';
import { recordMnemonic } from '../../../src/services/payments/mnemonic.ts';
import { retryPayment } from '../../../src/services/payments/retry-payment.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { createLedger } from '../../services/fakes.ts';
import { decideAs, sampleAccount, sampleAct, sampleReply, seedActs, seedGigWithRules } from '../../support/earning.ts';
import { sendPayments } from '../../support/payments.ts';
import {
  confirmOne,
  gasOfGig,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import { type Instances, openInstances, tally } from './instances.ts';

const UNIT = 10n ** 18n;
const DAY = 86_400_000;
const WORDS = 'test test test test test test test test test test test junk';
const OTHER_WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

let instances: Instances;
let store: Store;
beforeEach(async () => {
  instances = await openInstances();
  store = instances.stores[0];
});
afterEach(() => instances.close());

const clockAt = (now: number) => () => now;
const clock = clockAt(SEEDED_AT);
const people = (count: number) => Array.from({ length: count }, (_, index) => sampleAccount(1_001 + index));

const given = (turn: number, value: string) => {
  return { ...sampleAccount(5_000 + turn), username: `user${turn}`, value, userAddress: null };
};

/** Awards one tip by request. */
async function award(
  by: Store,
  { id: gigId }: Gig,
  { turn, value = '10', now = SEEDED_AT }: { turn: number; value?: string; now?: number },
) {
  await by.transaction((tx) => awardTips(tx, { gigId, tips: [given(turn, value)] }, { actor: COMMAND_LINE, now }));
  return 'awarded' as const;
}

async function claim(by: Store, postId: string, { platform, platformUserId } = sampleAccount(1_001)) {
  const wallets = createWallets(WORDS);
  const deps = { store: by, platforms: new Map(), wallets, clock, newId: randomUUID, wakePayments: () => undefined };
  const text = `claim my rewards ${seedAddress(0xcafe)}`;
  const post = { platform, platformUserId, postId, source: 'url', text, postedAt: SEEDED_AT, retry: true } as const;
  return await claimRewards(deps, post);
}

const awardedBy = async (gig: Gig) => (await store.gig(gig.id))?.awardedAmount;
const tipsOf = (gig: Gig) => store.tipsOfGig(gig.id, { limit: 1_000 });

describe('at the same time, on two instances', () => {
  test('security: awards never exceed the reward, and each tip has a number of its own', async () => {
    const gig = await seedGig(store, { live: true });
    const outcomes = await instances.atOnce(50, (by, turn) => award(by, gig, { turn }));
    expect(tally(outcomes)).toEqual({ awarded: 10, reward_exceeded: 40 });
    expect(await awardedBy(gig)).toBe(100n * UNIT);
    expect((await tipsOf(gig)).map(({ number }) => number)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test('security: one of many starts makes a gig live', async () => {
    const gig = await seedGig(store);
    const ledger = createLedger();
    ledger.fund(gig.walletAddress, 105n * UNIT);
    const outcomes = await instances.atOnce(50, async (by, turn) => {
      const deps = { store: by, chains: ledger.chains, payers: null, treasury: seedAddress(0xfee), clock, randomBytes };
      return (await startGig(deps, { gigId: gig.id, holder: `start ${turn}`, actor: COMMAND_LINE })).status;
    });
    const { live, gig_in_progress: busy = 0, gig_already_live: late = 0 } = tally(outcomes);
    expect([live, busy + late]).toEqual([1, 49]);
    expect(await store.gigTransactions(gig.id)).toHaveLength(1);
    expect(await store.paymentsOfGig(gig.id)).toMatchObject([{ kind: 'fee', state: 'planned' }]);
  });

  test('behavior: a new token that several requests add is written down once', async () => {
    const { chains } = createLedger();
    const [{ chain }] = chains.list() as [ReturnType<(typeof chains)['reader']>];
    const addresses = Array.from({ length: 100 }, (_, index) => seedAddress(0xdead00 + index));
    for (const address of addresses) {
      const request = { chain, address, actor: COMMAND_LINE };
      const add = (by: Store) => findOrAddToken({ store: by, chains, payers: null, clock }, request);
      const added = await Promise.all([...instances.stores, ...instances.stores].map(add));
      expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    }
    expect(await store.auditEvents({ limit: 1_000 })).toHaveLength(addresses.length);
  });

  test('security: an account that owns a gig no more when its start is committed does not start it', async () => {
    const owner = sampleAccount(1_001);
    const gig = await seedGig(store, { owners: [owner] });
    const ledger = createLedger();
    ledger.fund(gig.walletAddress, 105n * UNIT);
    const deps = { store, chains: ledger.chains, payers: null, treasury: seedAddress(0xfee), clock, randomBytes };
    const actor = { kind: 'account', ...owner, requestId: 'mention:1' } as const;
    const { commit, abandon } = await prepareStart(deps, { gigId: gig.id, holder: 'mention:1:a', actor });
    await removeOwner({ store: instances.stores[1], clock }, { gigId: gig.id, owner, actor: COMMAND_LINE });
    const started = store.transaction((tx) => commit(tx, clock()));
    await expect(started).rejects.toMatchObject({ refusal: { code: 'not_gig_owner' } });
    await abandon();
    expect(await store.gig(gig.id)).toMatchObject({ status: 'created' });
  });

  test('security: a post makes one claim, and a tip is paid by one of several posts', async () => {
    const gigs = [await seedGig(store, { live: true }), await seedGig(store, { live: true })];
    for (const gig of gigs) await seedTips(store, gig, [sampleAccount(1_001), sampleAccount(1_001)]);
    const outcomes = await instances.atOnce(30, async (by, turn) => (await claim(by, `post ${turn % 3}`)).claim.id);
    const ids = new Set(outcomes.filter((outcome) => typeof outcome === 'number'));
    expect(ids.size).toBe(1);
    expect(await store.claims({ limit: 10 })).toHaveLength(3);
    expect(await store.payments({ limit: 10 })).toMatchObject([{ amount: 2n * UNIT }, { amount: 2n * UNIT }]);
  });

  test('security: requests under one idempotency key have one effect and one answer', async () => {
    const gig = await seedGig(store, { live: true });
    const key = { scope: 'client:a POST /tips', key: 'k', fingerprint: 'f' };
    const bodies = new Set<string>();
    const outcomes = await instances.atOnce(20, async (by, turn) => {
      const tips = [given(turn, '1')];
      const { body, isFirst } = await withIdempotency({ store: by, clock }, key, {
        prepared: { commit: (tx, now) => awardTips(tx, { gigId: gig.id, tips }, { actor: COMMAND_LINE, now }) },
        render: ({ tips }) => ({ status: 201, body: `tip of ${tips[0]?.platformUserId}` }),
      });
      bodies.add(body);
      return isFirst ? 'done' : 'repeated';
    });
    expect(tally(outcomes)).toEqual({ done: 1, repeated: 19 });
    expect(bodies.size).toBe(1);
    expect(await tipsOf(gig)).toHaveLength(1);
  });

  test('security: a tip is voided or claimed, and the sum of the gig follows', async () => {
    const gig = await seedGig(store, { live: true });
    const accounts = people(12);
    const tips = await seedTips(store, gig, accounts);
    const outcomes = await instances.atOnce(24, async (by, turn) => {
      const index = Math.floor(turn / 2);
      if (turn % 2 === 0) {
        await voidTips({ store: by, clock }, { tipIds: [tips[index]?.id ?? 0], reason: 'wrong', actor: COMMAND_LINE });
        return 'void';
      }
      await claim(by, `post ${index}`, accounts[index]);
      return 'claimed';
    });
    const { void: voided = 0, claimed = 0 } = tally(outcomes);
    expect(voided + claimed).toBe(12);
    expect(await awardedBy(gig)).toBe(BigInt(claimed) * UNIT);
    expect((await store.payments({ limit: 50 })).length).toBe(claimed);
  });

  test('security: nothing is awarded after a gig is settled', async () => {
    const gig = await seedGig(store, { live: true, awardDays: 5 });
    const now = SEEDED_AT + 2 * DAY;
    const outcomes = await instances.atOnce(30, async (by, turn) => {
      if (turn !== 7) return await award(by, gig, { turn, value: '1', now });
      const end = prepareEnd({ gigId: gig.id, ending: 'settle', actor: COMMAND_LINE, holder: randomUUID() });
      await carryOut({ store: by, clock: clockAt(now) }, end);
      return 'settled';
    });
    const { awarded = 0, settled, gig_not_running: late = 0 } = tally(outcomes);
    expect([settled, awarded + late]).toEqual([1, 29]);
    const events = await store.auditEvents({ limit: 100, gigId: gig.id });
    const close = events.find(({ action }) => action === 'gig.close');
    expect(JSON.parse(close?.detail ?? '{}')).toMatchObject({ awarded: String(await awardedBy(gig)) });
  });

  test('security: a refund is planned once', async () => {
    const gig = await seedGig(store, { live: true, refundAddress: seedAddress(0xbacc) });
    await store.transaction((tx) => tx.settleGig(gig.id, SEEDED_AT + DAY));
    const unchanged = { gig, audit: null, error: null, frozen: null, change: null } as const;
    const outcomes = await instances.atOnce(20, async (by) => {
      const deps = { store: by, clock: clockAt(SEEDED_AT + DAY), refundDelayMs: 0, reconcile: async () => unchanged };
      return (await planRefund(deps, { gigId: gig.id, actor: COMMAND_LINE, isApproved: true })).kind;
    });
    expect(tally(outcomes)).toEqual({ planned: 1, planned_before: 19 });
    expect(await store.paymentsOfGig(gig.id)).toMatchObject([{ kind: 'refund', amount: 100n * UNIT }]);
  });

  test('security: a failed payment is planned again once', async () => {
    const gig = await seedGig(store, { live: true });
    await seedTips(store, gig, [sampleAccount(1_001), sampleAccount(1_001)]);
    const { payouts } = await seedClaim(store, sampleClaim(sampleAccount(1_001), 'p'));
    const failed = [await seedFee(store, gig), ...payouts];
    for (const { id } of failed) await store.transaction((tx) => tx.failPayment(id, { reason: 'no', now: SEEDED_AT }));
    const outcomes = await instances.atOnce(20, async (by, turn) => {
      const deps = { store: by, clock, treasury: null };
      const planned = await retryPayment(deps, { paymentId: failed[turn % 2]?.id ?? 0, actor: COMMAND_LINE });
      return planned?.kind ?? 'nothing';
    });
    expect(tally(outcomes)).toEqual({ fee: 1, payout: 1, nothing: 18 });
    expect(await store.payments({ limit: 9, state: 'planned' })).toHaveLength(2);
  });

  test('security: the gas tank sends one transaction at a time, and each payment in one', async () => {
    const fees: Payment[] = [];
    for (let count = 0; count < 10; count += 1) fees.push(await seedFee(store, await seedGig(store, { live: true })));
    const sent = await instances.atOnce(10, async (by, turn) => {
      const payments = [{ id: fees[turn]?.id ?? 0, numbers: [2n ** 255n], gas: 1n }];
      const transaction = { chainId: 8453, nonce: 3, attempt: sampleAttempt(turn + 1) };
      const kept = await by.transaction((tx) => tx.insertTankTransaction(transaction, { payments, now: SEEDED_AT }));
      return kept === null ? 'refused' : 'kept';
    });
    expect(tally(sent)).toEqual({ kept: 1, refused: 9 });
    expect(await store.openTankTransactions(8453)).toHaveLength(1);
    expect(await store.paymentDepths()).toMatchObject({ planned: 9, sent: 1 });
  });

  test('security: what a gig has paid is the sum of all that is confirmed', async () => {
    const gig = await seedGig(store, { live: true });
    const payouts: Payment[] = [];
    for (const [index, account] of people(20).entries()) {
      await seedTips(store, gig, [account]);
      payouts.push(...(await seedClaim(store, sampleClaim(account, `p${index}`))).payouts);
    }
    const ids = payouts.map(({ id }) => id);
    await sendPayments(store, ids);
    const landed = { hash: seedHash(1), blockNumber: 9n, gasUsed: 70n };
    const where = { ...landed, recipient: seedAddress(0xcafe), now: SEEDED_AT };
    const confirmed = await instances.atOnce(40, async (by, turn) => {
      const id = ids[turn % 20] ?? 0;
      return await by.transaction((tx) => confirmOne(tx, id, { ...where, numbers: [BigInt(turn % 20)] }));
    });
    expect(tally(confirmed)).toEqual({ true: 20, false: 20 });
    expect(await store.amountPaidByGig(gig.id)).toBe(20n * UNIT);
    expect(await gasOfGig(store, gig.id)).toEqual({ gasUsed: 1_400n, tips: 20 });
  });

  test('security: a round is divided once, and reserves what it divides', async () => {
    const rule = { type: 'split', roundMs: DAY, maxAmount: 100n * UNIT } as const;
    const gig = await seedGigWithRules(store, { rules: { rule, holdMs: 0 } });
    const acts = people(4).map(({ platformUserId }) => sampleAct(platformUserId));
    await seedActs(store, gig, acts);
    await store.transaction(async (tx) => {
      for (const account of people(4)) await decideAs(tx, gig, account, { part: { round: 1, weight: 1n } });
    });
    const payout = roundsPayout({ ...rule, weightOf: () => 1n });
    const later = clockAt(SEEDED_AT + 2 * DAY);
    const outcomes = await instances.atOnce(12, async (by) => {
      const divided = await divideRound({ store: by, clock: later }, { gig, payout, holdMs: 0 }, 1);
      return divided === null ? 'late' : 'divided';
    });
    expect(tally(outcomes)).toEqual({ divided: 1, late: 11 });
    expect(await store.lastRound(gig.id)).toMatchObject({ number: 1, members: 4, reserved: 100n * UNIT });
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 100n * UNIT });
  });

  test('security: an act that comes while its account is refused holds the account again', async () => {
    const gig = await seedGigWithRules(store);
    const accounts = people(20);
    const first = accounts.map(({ platformUserId: id }) => sampleReply(id, `0xa${id}`));
    await seedActs(store, gig, first);
    await instances.atOnce(40, async (by, turn) => {
      const account = accounts[Math.floor(turn / 2)] ?? sampleAccount(0);
      if (turn % 2 === 0)
        return await seedActs(by, gig, [sampleReply(account.platformUserId, `0xb${account.platformUserId}`)]);
      return await by.transaction(async (tx) => {
        const acts = await tx.observations(gig.id, account);
        if (acts.length > 1) return 0;
        await decideAs(tx, gig, account, { to: 'refused', reason: 'withdrawn' });
        return 1;
      });
    });
    expect(await store.earningCounts(gig.id)).toEqual([{ state: 'held', count: 20 }]);
  });

  test('security: an act that many webhooks tell of is kept once', async () => {
    const gig = await seedGigWithRules(store);
    const added = await instances.atOnce(20, (by) => seedActs(by, gig, [sampleAct(1_001)], { source: 'webhook' }));
    expect(tally(added)).toEqual({ 1: 1, 0: 19 });
    expect(await store.observations(gig.id, sampleAccount(1_001))).toHaveLength(1);
  });

  test('security: a key that ends at once is replaced by one new key', async () => {
    const deps = { store, clock, randomBytes, actor: COMMAND_LINE };
    const { record } = await createApiKey(deps, { name: 'a', expiresAt: null });
    const outcomes = await instances.atOnce(10, async (by) => {
      await rotateApiKey({ ...deps, store: by }, { id: record.id, oldUntil: null });
      return 'rotated';
    });
    expect(tally(outcomes)).toEqual({ rotated: 1, invalid_request: 9 });
    expect(await store.apiKeys()).toHaveLength(2);
  });

  test('security: a new database is tied to the words of one instance', async () => {
    const told = await instances.atOnce(2, async (by, turn) => {
      const wallets = createWallets(turn === 0 ? WORDS : OTHER_WORDS);
      return (await recordMnemonic({ store: by, clock }, wallets)) === null ? 'tied' : 'refused';
    });
    expect(tally(told)).toEqual({ tied: 1, refused: 1 });
  });
});
