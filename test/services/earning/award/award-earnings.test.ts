import { expect, test } from 'vitest';
import type { Rule } from '../../../../src/domain/earning/rules/index.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import { ENGINE, giveTips } from '../../../../src/services/earning/award/award-earnings.ts';
import { refuseEligible, refusePaid } from '../../../../src/services/earning/award/refuse.ts';
import { commandGig } from '../../../../src/services/gigs/command-gig.ts';
import type { StoreTx } from '../../../../src/store/port/index.ts';
import {
  decideAs,
  SAMPLE_FACTS,
  sampleAccount,
  sampleAct,
  seedActs,
  seedGigWithRules,
} from '../../../support/earning.ts';
import { outcomeOf } from '../../../support/outcomes.ts';
import { storePerCase } from '../../../support/per-case.ts';
import { SEEDED_AT, seedAddress } from '../../../support/store.ts';
import { learnPayment } from '../gigs.ts';

const { store } = storePerCase();
const now = SEEDED_AT + 9_000;

const FIXED: Rule = { type: 'fixed', amount: 5n };
const SPLIT: Rule = { type: 'split', roundMs: 3_600_000, maxAmount: 10n ** 18n };

/** A gig in which these accounts are eligible; each has the handle and the address of its id, and in rounds its weight. */
async function eligible(ids: readonly number[], rule = FIXED): Promise<Gig> {
  const gig = await seedGigWithRules(store, { rules: { rule } });
  await seedActs(
    store,
    gig,
    ids.map((id) => sampleAct(id)),
  );
  await store.transaction(async (tx) => {
    for (const id of ids) {
      const facts = { ...SAMPLE_FACTS, username: `user-${id}` };
      const part = rule === SPLIT ? { round: 1, weight: BigInt(id) } : null;
      await decideAs(tx, gig, sampleAccount(id), { facts, part, addresses: [seedAddress(id)] });
    }
  });
  return gig;
}

const earningOf = async (gig: Gig, id: number) => {
  const earning = await store.earning(gig.id, sampleAccount(id));
  if (earning === null) throw new TypeError(`account ${id} has no earning`);
  return earning;
};

async function give({ id: gigId, ...gig }: Gig, amounts: readonly (readonly [number, bigint])[], actor = ENGINE) {
  const awards = await Promise.all(
    amounts.map(async ([id, amount]) => ({ earning: await earningOf({ id: gigId, ...gig }, id), amount })),
  );
  return await store.transaction(async (tx) => {
    const commanded = await commandGig(tx, { gigId, actor, act: 'award' });
    return await giveTips(tx, commanded, actor === ENGINE ? { awards, now } : { awards, now, actor });
  });
}

test('behavior: each award is a tip of its account, with its handle, and all are one entry of the audit', async () => {
  const gig = await eligible([12, 11]);
  expect(await give(gig, [])).toBe(0n);
  expect(await store.auditEvents({ gigId: gig.id, limit: 9 })).toEqual([]);
  expect(
    await give(gig, [
      [12, 7n],
      [11, 5n],
    ]),
  ).toBe(12n);
  const tips = (await store.tipsOfGig(gig.id, { limit: 9 })).toReversed();
  const shared = { gigId: gig.id, platform: 'farcaster', userAddress: null, createdAt: now };
  expect(tips).toMatchObject([
    { ...shared, platformUserId: '12', amount: 7n },
    { ...shared, platformUserId: '11', amount: 5n },
  ]);
  for (const { id, platformUserId, amount } of tips) {
    const earned = { state: 'awarded', tipId: id, amount, updatedAt: now };
    expect(await earningOf(gig, Number(platformUserId))).toMatchObject(earned);
    expect(await store.account(sampleAccount(platformUserId))).toMatchObject({ username: `user-${platformUserId}` });
  }
  const detail = { count: 2, sum: '12', first_id: tips[0]?.id, last_id: tips[1]?.id };
  const [entry] = await store.auditEvents({ gigId: gig.id, limit: 9 });
  expect(entry).toMatchObject({ action: 'tips.award', actor: 'job', actorName: 'earning', at: now });
  expect(JSON.parse(entry?.detail ?? '')).toEqual(detail);
  expect(await store.gig(gig.id)).toMatchObject({ awardedAmount: 12n });
});

test('behavior: who awards by hand is in the audit', async () => {
  const gig = await eligible([11]);
  await give(gig, [[11, 5n]], COMMAND_LINE);
  expect(await store.auditEvents({ gigId: gig.id, limit: 9 })).toMatchObject([{ actorName: 'command line' }]);
});

test('behavior: an account of which nothing is known is awarded without a handle', async () => {
  const gig = await eligible([11]);
  const earning = { ...(await earningOf(gig, 11)), facts: null };
  const award = async (tx: StoreTx) => {
    const commanded = await commandGig(tx, { gigId: gig.id, actor: ENGINE, act: 'award' });
    return await giveTips(tx, commanded, { awards: [{ earning, amount: 5n }], now });
  };
  expect(await store.transaction(award)).toBe(5n);
  expect(await store.account(sampleAccount(11))).toMatchObject({ username: null });
});

test('behavior: a handle that somebody else has had since the decision stays theirs', async () => {
  const gig = await eligible([11]);
  await store.transaction((tx) => tx.setUsername({ ...sampleAccount(77), username: 'user-11' }, SEEDED_AT + 1));
  await give(gig, [[11, 5n]]);
  expect(await store.accountByHandle('farcaster', 'user-11')).toMatchObject(sampleAccount(77));
});

test.each<[string, readonly (readonly [number, bigint])[]]>([
  [
    'an award of gig 1 is not positive',
    [
      [11, 5n],
      [12, 0n],
    ],
  ],
  [
    'an account of gig 1 is not eligible any more',
    [
      [11, 5n],
      [11, 5n],
    ],
  ],
])('security: “%s” undoes all awards', async (message, amounts) => {
  const gig = await eligible([11, 12]);
  await expect(give(gig, amounts)).rejects.toThrow(message);
  expect(await outcomeOf(store, gig)).toEqual({ 11: 'eligible', 12: 'eligible' });
  expect(await store.tipsOfGig(gig.id, { limit: 9 })).toEqual([]);
});

test('security: an account whose address was paid is refused, and keeps its part; the others stay', async () => {
  const gig = await eligible([11, 12], SPLIT);
  const refuse = () => store.transaction((tx) => refusePaid(tx, gig.id, now));
  expect(await refuse()).toBe(0);
  await learnPayment(store, gig, { recipient: seedAddress(12), amount: 1n, now });
  const before = await earningOf(gig, 12);
  expect(await refuse()).toBe(1);
  const refused = { state: 'refused', reason: 'same_address', updatedAt: now };
  expect(await earningOf(gig, 12)).toEqual({ ...before, ...refused });
  expect(before).toMatchObject({ round: 1, weight: 12n });
  expect(await earningOf(gig, 11)).toMatchObject({ state: 'eligible' });
  const again = store.transaction((tx) =>
    refuseEligible(tx, [before], { gigId: gig.id, reason: 'share_too_small', now }),
  );
  await expect(again).rejects.toThrow(`an account of gig ${gig.id} is not eligible any more`);
});
