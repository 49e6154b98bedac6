import { describe, expect, test } from 'vitest';
import { factUid } from '../../../src/domain/events/chain-fact.ts';
import { EVENT_TYPES, type EventType, paymentEvent, type StoredEvent } from '../../../src/domain/events/event.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { changeFreeze, freezeByHand, unfreezeByHand } from '../../../src/services/gigs/freezes.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress, seedHash } from '../../support/store.ts';
import { ALICE, BOB } from '../cashier.ts';
import { DAY, openEnds } from '../ends/world.ts';
import { account } from '../payments/sender/bank.ts';

const ends = perCase(openEnds);

/** All events so far that are of these types, in their order. */
async function eventsOf(...types: EventType[]): Promise<StoredEvent[]> {
  const { store, clock } = ends;
  const request = { holder: 'test', now: clock(), until: clock() + 1, limit: 100 };
  while ((await store.transaction((tx) => tx.releaseEvents(request)))?.isMore === true);
  const all = await store.eventsAfter({ after: 0, client: null, types: EVENT_TYPES, gigId: null, limit: 1_000 });
  return all.filter(({ type }) => types.includes(type));
}

/** What a program that adds up by `webhook-id` has of each event. */
async function toldFacts() {
  const told = await eventsOf('payment.confirmed', 'gig.funded');
  return new Map(
    told.map(({ uid, facts: { kind, amount, tx_hash, recipient } }) => [uid, { kind, amount, tx_hash, recipient }]),
  );
}

describe('what a chain has done', () => {
  test.each(['before the claims', 'before the last award', 'before the start'])(
    'security: is told by the same ids again after the ledger was put back to %s',
    async (to) => {
      const gig = await ends.create();
      ends.fund(gig);
      const copies = new Map([['before the start', await ends.bank.copy()]]);
      await ends.begin(gig);
      await ends.award(gig, ALICE.platformUserId, 300n);
      await ends.award(gig, BOB.platformUserId, 50n);
      copies.set('before the last award', await ends.bank.copy());
      await ends.award(gig, ALICE.platformUserId, 7n);
      copies.set('before the claims', await ends.bank.copy());
      for (const number of [1, 2]) await ends.bank.claim(account(number));
      await ends.finish();
      ends.advance(2 * DAY);
      await ends.work();
      ends.advance(4 * DAY);
      await ends.workAndFinish();
      const told = await toldFacts();
      // The first account's tips are of two words of marks, because the ledger was opened again between them.
      const kinds = [...told.values()].map(({ kind }) => kind ?? 'funding');
      expect(kinds.toSorted()).toEqual(['fee', 'funding', 'payout', 'payout', 'payout', 'refund']);
      await ends.bank.restore(copies.get(to) ?? '');
      if (to === 'before the start') await ends.end(gig, 'cancel');
      else await ends.reconcile(gig);
      await ends.workAndFinish();
      const again = await toldFacts();
      // A part of a payment whose tips are lost is told as the whole: nothing is added twice.
      for (const [uid, facts] of again) expect(told.get(uid)).toEqual(facts);
      if (to !== 'before the start') expect(new Set(again.keys())).toEqual(new Set(told.keys()));
    },
  );

  test('security: is told once, and once more after each time that the chain has taken it back', async () => {
    const { id: gigId, walletAddress: wallet, token } = await ends.create();
    const shown = {
      id: 1,
      gigId,
      kind: 'payout',
      claimId: null,
      amount: 5n,
      token,
      wallet,
      recipient: seedAddress(1),
    } as const;
    const part = { amount: 5n, numbers: [256n, 7n], hash: seedHash(1) };
    const tell = async (type: 'payment.confirmed' | 'payment.taken_back') => {
      const event = paymentEvent(shown, { type, ...part, reason: '' }, ends.clock());
      await ends.store.transaction((tx) => tx.insertEvents([event]));
    };
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 2; each += 1) await tell('payment.confirmed');
      if (round < 2) await tell('payment.taken_back');
    }
    const fact = { chainId: token.chainId, wallet, numbers: [7n, 256n] };
    expect((await eventsOf('payment.confirmed', 'payment.taken_back')).map(({ uid }) => uid)).toEqual([
      factUid(fact, 'payment.confirmed'),
      factUid(fact, 'payment.taken_back'),
      factUid(fact, 'payment.confirmed', 1),
      factUid(fact, 'payment.taken_back', 1),
      factUid(fact, 'payment.confirmed', 2),
    ]);
    expect(factUid({ chainId: 8453, wallet: `0x${'ab'.repeat(20)}`, numbers: [1n, 2n] }, 'payment.confirmed')).toMatch(
      /^evt_[a-z2-7]{26}$/,
    );
  });
});

test('behavior: that a gig is frozen is told once, whatever its reasons, and that it is not once all are gone', async () => {
  const { store, clock } = ends;
  const { id: gigId } = await ends.create();
  const deed = { actor: COMMAND_LINE, now: clock() };
  const change = (reason: string | null) => store.transaction((tx) => changeFreeze(tx, deed, { gigId, reason }));
  await change('3 are missing');
  await change('4 are missing');
  await freezeByHand({ store, clock }, { gigId, reason: 'a dispute', actor: COMMAND_LINE });
  await unfreezeByHand({ store, clock }, { gigId, actor: COMMAND_LINE });
  await change('5 are missing');
  expect((await eventsOf('gig.frozen', 'gig.unfrozen')).map(({ type }) => type)).toEqual(['gig.frozen']);
  await change(null);
  expect((await eventsOf('gig.frozen', 'gig.unfrozen')).map(({ type }) => type)).toEqual([
    'gig.frozen',
    'gig.unfrozen',
  ]);
  // Each reason is in the audit trail.
  const trail = (await store.auditEvents({ limit: 10, gigId })).map(({ action }) => action);
  expect(trail.filter((action) => action === 'gig.freeze')).toHaveLength(4);
});
