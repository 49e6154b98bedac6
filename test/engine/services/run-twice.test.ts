import { afterEach, describe, expect, test } from 'vitest';

import type { AlertReceiver } from '../../../src/domain/operators/alert.ts';
import { createConditionWatch } from '../../../src/services/operators/alerts/watch-conditions.ts';
import { DAY, E18, START } from '../../services/earning/gigs.ts';
import { openEarningWorld } from '../../services/earning/world.ts';
import { BACK, FEE, HOUR, openEnds } from '../../services/ends/world.ts';
import { createSurroundings, LOW } from '../../services/operators/looking.ts';
import { account, addressOf, TREASURY } from '../../services/payments/sender/bank.ts';
import { ask, createWorld } from '../../services/world.ts';
import { openTestStore } from '../../support/database.ts';
import { runTwice } from '../../support/run-twice.ts';
import { SEEDED_AT, seedGig, seedTips } from '../../support/store.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Has the rest of the test close it. */
function opened<T extends { close(): Promise<void> }>(subject: T): T {
  closing.push(() => subject.close());
  return subject;
}

describe('when every transaction runs twice', () => {
  test('behavior: mentions are kept, answered and told of once', async () => {
    const world = opened(await createWorld({ wrap: runTwice }));
    const gig = await seedGig(world.store, { owners: [ALICE] });
    world.ledger.fund(gig.walletAddress, 105n * E18);
    await seedTips(world.store, await seedGig(world.store, { live: true }), [{ ...ALICE, amount: E18 }]);
    const author = { platform: 'farcaster', authorId: ALICE.platformUserId } as const;
    expect(await ask(world, { ...author, text: '@gigclaim claims' })).toContain('1 DEGEN');
    expect(await ask(world, { ...author, text: `@gigclaim start gig ${gig.id}` })).toContain('is live until');
    // What still waits when they say stop is given up.
    await world.sendAll('farcaster');
    expect(await ask(world, { ...author, text: '@gigclaim stop' })).not.toBeNull();
    await world.sendAll('farcaster');
    expect(world.farcaster.posts).toHaveLength(3);
    const said = (message: string) => world.lines.filter(({ msg }) => msg === message);
    for (const message of ['mention stored', 'mention concluded', 'reply sent']) expect(said(message)).toHaveLength(3);
    expect(world.woken.filter((woken) => woken === 'answer')).toHaveLength(3);
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
    expect(await world.store.mentionDepths()).toEqual({ received: 0, answered: 3, ignored: 0, failed: 0 });
  });

  test('behavior: a gig starts, awards, pays, settles and is refunded once', async () => {
    const ends = opened(await openEnds({ wrap: runTwice }));
    const alice = account(1);
    const gig = await ends.create();
    ends.fund(gig);
    await ends.start(gig);
    await ends.pass(4);
    await ends.store.transaction((tx) => tx.markFundingChecked(gig.id));
    await ends.award(gig, alice.platformUserId, 300n);
    await ends.bank.claim(alice);
    await ends.finish();
    await ends.end(gig, 'stop');
    await ends.end(gig, 'settle');
    ends.advance(72 * HOUR);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned', payment: { amount: 700n } });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [addressOf(alice)]: 300n, [TREASURY]: FEE, [BACK]: 700n });
    expect(ends.bank.lines.filter(({ msg }) => msg === 'payment confirmed')).toHaveLength(3);
    expect(await ends.reconcile(gig)).toMatchObject([{ error: null, frozen: null, audit: { problems: [] } }]);
    const { tips } = await ends.store.pendingTips([alice]);
    expect(tips).toEqual([]);
  });

  test('behavior: an account earns what it is awarded once', async () => {
    const world = opened(await openEarningWorld({ wrap: runTwice }));
    const gig = await world.gig({ each: 10n * E18 });
    const ids = ['amy', 'ben', 'cem'].map((who) => world.person(who));
    for (const who of ['amy', 'ben', 'cem']) world.act({ who, kind: 'like', post: world.cast.id, at: START });
    await world.engine.until(START + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded', cem: 'awarded' });
    const { tips } = await world.store.pendingTips(ids.map(world.account));
    expect(tips.map(({ amount, number }) => [amount, number])).toEqual([
      [10n * E18, 0],
      [10n * E18, 1],
      [10n * E18, 2],
    ]);
    expect((await world.store.gig(gig.id))?.awardedAmount).toBe(30n * E18);
  });

  test('behavior: a round is divided and handed out once', async () => {
    const world = opened(await openEarningWorld({ wrap: runTwice }));
    const rule = { type: 'split', roundMs: 12 * HOUR, maxAmount: 100n * E18 } as const;
    const gig = await world.gig({ rule, rewardAmount: 100n, holdMs: HOUR });
    world.person('amy');
    world.act({ who: 'amy', kind: 'like', post: world.cast.id, at: START });
    await world.engine.until(START + 14 * HOUR);
    expect(await world.store.gig(gig.id)).toMatchObject({ awardedAmount: 50n, reservedAmount: 0n });
  });

  test('behavior: alerts that are given up are counted once', async () => {
    const { store } = opened(await openTestStore({ wrap: runTwice }));
    const { deps, state, advance, clock, alertCounter } = createSurroundings(store);
    let ids = 0;
    const newId = () => `id-${++ids}`;
    const shared = { ...deps, store, alertCounter, newId, lookMs: 30_000 };
    const look = async (receivers: readonly AlertReceiver[]) => {
      const watch = createConditionWatch({ ...shared, receivers });
      for (let times = 0; times < 2; times += 1) {
        advance(30_000);
        state.answeredAt = clock();
        await watch.look();
      }
    };
    state.tank = LOW;
    await look([{ id: 'a'.repeat(64), label: 'the first', send: async () => 200 }]);
    const [alert] = await store.openAlerts();
    expect(await store.deliveriesOf(alert?.id ?? 0)).toHaveLength(1);
    advance(74 * HOUR);
    await look([]);
    expect(alertCounter.tally()).toEqual({ delivered: 0, failed: 0, given_up: 1 });
  });

  test('behavior: a store that runs twice keeps one of both', async () => {
    const { store } = opened(await openTestStore({ wrap: runTwice }));
    let runs = 0;
    const id = await store.transaction(async (tx) => {
      runs += 1;
      const alert = { kind: 'gas_tank_low', subject: 'base', gigId: null, text: 'low', remedy: 'Send ETH.' } as const;
      return await tx.beginAlert(alert, SEEDED_AT);
    });
    expect(runs).toBe(2);
    expect(await store.openAlerts()).toMatchObject([{ id }]);
    const broken = store.transaction(async () => {
      throw new RangeError('no');
    });
    await expect(broken).rejects.toThrow(new RangeError('no'));
  });
});
