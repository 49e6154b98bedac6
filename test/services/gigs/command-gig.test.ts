import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/domain/errors.ts';
import {
  type AccountActor,
  type Actor,
  type AskingActor,
  COMMAND_LINE,
  GIG_ACTS,
  type GigAct,
  type KeyActor,
  USUAL_SCOPES,
} from '../../../src/domain/operators/actor.ts';
import {
  findDecisionProblems,
  prepareDecision,
  prepareDecisions,
} from '../../../src/services/earning/decide/decide-candidates.ts';
import { prepareEnd, previewEnd } from '../../../src/services/ends/end-gig.ts';
import type { Ending } from '../../../src/services/ends/endings.ts';
import { nameRefundAddress } from '../../../src/services/ends/name-refund-address.ts';
import { planRefund } from '../../../src/services/ends/plan-refund.ts';
import { previewRefund, refundByHand } from '../../../src/services/ends/refund-by-hand.ts';
import { findReturnable, planReturn, returnMoney } from '../../../src/services/ends/return-money.ts';
import { changeGig, findChangeableGig } from '../../../src/services/gigs/change-gig.ts';
import { commandGig } from '../../../src/services/gigs/command-gig.ts';
import { freezeByHand, unfreezeByHand } from '../../../src/services/gigs/freezes.ts';
import { assignGig, prepareOwner, removeOwner } from '../../../src/services/gigs/owners.ts';
import { prepareStart, startGig } from '../../../src/services/gigs/start-gig.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { prepareNotices } from '../../../src/services/notices/ask-notices.ts';
import { retryPayment } from '../../../src/services/payments/retry-payment.ts';
import { carryOut } from '../../../src/services/prepared.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { seedAddress, seedGig } from '../../support/store.ts';
import { ALICE, BOB } from '../cashier.ts';
import { type Ends, openEnds } from '../ends/world.ts';
import { ask, createWorld } from '../world.ts';

const account = (key: Pick<AccountActor, 'platform' | 'platformUserId'>): AccountActor => {
  return { kind: 'account', ...key, requestId: 'mention:1' };
};
const key = (client: string): KeyActor => {
  return { kind: 'api_key', id: 1, name: client, scopes: USUAL_SCOPES, client, requestId: null };
};

/** A live gig of the client `shop` that Alice owns, with a tip and a fee that failed. */
async function openOwned() {
  const ends = await openEnds();
  const { store } = ends;
  const gig = await ends.create();
  await store.transaction(async (tx) => {
    const made = { scopes: USUAL_SCOPES, createdAt: ends.clock(), expiresAt: null };
    await tx.insertApiKey({ name: 'shop', client: 'shop', hash: '0'.repeat(64), ...made });
    await tx.addGigOwner(gig.id, ALICE, ends.clock());
    await tx.assignGig(gig.id, 'shop');
  });
  ends.fund(gig);
  await ends.start(gig);
  await ends.award(gig, BOB.platformUserId, 5n);
  await store.transaction((tx) => tx.failPayment(1, { reason: 'refused', now: ends.clock() }));
  return { ends, gigId: gig.id };
}

type Attempts = readonly ((actor: AskingActor) => Promise<unknown>)[];

/** Every service that does this with a gig, for each act. */
function attemptsAt({ store, clock, refunding, returning }: Ends, gigId: number): Readonly<Record<GigAct, Attempts>> {
  const inTx =
    (run: (tx: StoreTx, deed: { actor: AskingActor; now: number }) => Promise<unknown>) =>
    (actor: AskingActor): Promise<unknown> =>
      store.transaction((tx) => run(tx, { actor, now: clock() }));
  const { chains } = returning;
  const starting = { store, chains, payers: returning.payers, treasury: null, clock, randomBytes };
  const changing = { ...returning, ...starting, feeBps: 500, earningOnX: false, watchesGigs: false, hasLabels: false };
  const ending = (way: Ending): Attempts => {
    const request = { gigId, ending: way, holder: 'end' };
    return [
      (actor) => carryOut({ store, clock }, prepareEnd({ ...request, actor })),
      (actor) => previewEnd({ store, clock }, { ...request, actor }),
    ];
  };
  const owner = { ...BOB, username: null };
  const byHand = (actor: AskingActor) => ({ ...returning, refundDelayMs: 0, actor });
  const refund = { gigId, isSurplus: false };
  return {
    start: [
      (actor) => startGig(starting, { gigId, holder: 'start', actor }),
      (actor) => prepareStart(starting, { gigId, holder: 'start', actor }),
    ],
    change: [
      (actor) => changeGig({ ...changing, platforms: new Map() }, { gigId, changes: { howToEarn: 'Hi.' }, actor }),
      (actor) => findChangeableGig({ store, clock }, { gigId, actor }),
    ],
    stop: ending('stop'),
    settle: ending('settle'),
    cancel: ending('cancel'),
    refund: [
      (actor) => planRefund(refunding, { gigId, actor }),
      (actor) => nameRefundAddress({ ...returning, clock }, { gigId, to: seedAddress(0xb0b), actor }),
      (actor) => findReturnable(returning, { gigId, actor }),
      (actor) => returnMoney(returning, { gigId, actor }),
      inTx(async (tx, deed) => {
        const gig = await tx.gig(gigId);
        if (gig === null) throw new Error('the gig is gone');
        const found = { gig, token: gig.token, recipient: seedAddress(0xb0b), amount: 1n, returns: [] };
        return await planReturn(tx, found, deed);
      }),
      (actor) => previewRefund(byHand(actor), refund),
      (actor) => refundByHand(byHand(actor), refund),
    ],
    award: [
      inTx((tx, deed) =>
        awardTips(tx, { gigId, tips: [{ ...owner, value: '0.000000000000000001', userAddress: null }] }, deed),
      ),
    ],
    voidTips: [(actor) => voidTips({ store, clock }, { tipIds: [1], reason: 'mine', actor })],
    decide: [
      (actor) => prepareDecision({ store, clock }, { gigId, decision: { id: 1, award: '1' }, actor }),
      (actor) => findDecisionProblems({ store }, { gigId, given: [], actor }),
      (actor) => prepareDecisions({ store, clock }, { gigId, decisions: [], actor }),
    ],
    retryPayments: [(actor) => retryPayment({ store, clock, treasury: null }, { paymentId: 1, actor })],
    addOwners: [(actor) => carryOut({ store, clock }, prepareOwner({ gigId, owner, actor }))],
    removeOwners: [(actor) => removeOwner({ store, clock }, { gigId, owner: ALICE, actor })],
    freeze: [(actor) => freezeByHand({ store, clock }, { gigId, reason: 'mine', actor })],
    unfreeze: [(actor) => unfreezeByHand({ store, clock }, { gigId, actor })],
    assign: [(actor) => assignGig({ store, clock }, { gigId, client: 'rival', actor })],
    notify: [
      (actor) =>
        actor.kind === 'account'
          ? prepareNotices({ store, clock }, { gigId, actor, mentionId: 1, wanted: true })
          : commandGig(store, { gigId, actor, act: 'notify' }),
    ],
  };
}

const ACTS = Object.keys(GIG_ACTS) as GigAct[]; // exactly the keys of a literal

/** What an attempt was refused by; null when it was not refused. */
async function refusalOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.refusal;
    throw error;
  }
}

describe('what is done with a gig of others', () => {
  let ends: Ends;
  let gigId: number;
  let state: () => Promise<unknown>;
  let before: unknown;

  beforeAll(async () => {
    ({ ends, gigId } = await openOwned());
    const { store } = ends;
    state = async () => [
      await store.gig(gigId),
      await store.gigOwners(gigId),
      await store.gigFreeze(gigId),
      await store.tipsOfGig(gigId, { limit: 9 }),
      await store.payments({ limit: 9 }),
      await store.auditEvents({ limit: 99 }),
    ];
    before = await state();
  });
  afterAll(() => ends.close());

  test.each(ACTS)('security: an account that does not own it cannot %s it', async (act) => {
    const sameId = { platform: 'twitter', platformUserId: ALICE.platformUserId } as const;
    for (const attempt of attemptsAt(ends, gigId)[act]) {
      for (const other of [BOB, sameId]) {
        expect(await refusalOf(attempt(account(other)))).toEqual({ code: 'not_gig_owner', gigId, act });
      }
    }
    expect(await state()).toEqual(before);
  });

  test.each(ACTS)('security: a key of another client that would %s it finds no gig', async (act) => {
    for (const attempt of attemptsAt(ends, gigId)[act]) {
      expect(await refusalOf(attempt(key('rival')))).toEqual({ code: 'gig_not_found', gigId });
    }
    expect(await state()).toEqual(before);
  });
});

describe('what is done with a gig', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  test.each(ACTS)('behavior: its owner, its client, the operator and jobs may %s it', async (act) => {
    const { ends, gigId } = await openOwned();
    closing.push(() => ends.close());
    const actors: readonly Actor[] = [
      account(ALICE),
      key('shop'),
      { ...key('desk'), scopes: ['operator'] },
      COMMAND_LINE,
      { kind: 'job', name: 'test' },
    ];
    for (const actor of actors) {
      await ends.store.transaction((tx) => tx.addGigOwner(gigId, ALICE, ends.clock()));
      for (const attempt of attemptsAt(ends, gigId)[act]) {
        // That a job needs an answer of the chain is a matter of types.
        const refusal = await refusalOf(attempt(actor as AskingActor));
        expect(refusal).not.toMatchObject({ code: 'not_gig_owner' });
        expect(refusal).not.toMatchObject({ code: 'gig_not_found' });
      }
    }
  });

  test('error: a gig that does not exist is found by nobody', async () => {
    const { ends } = await openOwned();
    closing.push(() => ends.close());
    for (const actor of [account(ALICE), key('shop'), COMMAND_LINE]) {
      const attempt = commandGig(ends.store, { gigId: 99, actor, act: 'stop' });
      expect(await refusalOf(attempt)).toEqual({ code: 'gig_not_found', gigId: 99 });
    }
  });

  test.each([
    ['start gig 1', 'start'],
    ['stop gig 1', 'stop'],
    ['settle gig 1', 'settle'],
    ['cancel gig 1', 'cancel'],
    ['notify gig 1', 'get updates on'],
    ['unnotify gig 1', 'get updates on'],
  ] as const)('security: the bot does not %s for an account that does not own it', async (command, words) => {
    const world = await createWorld();
    closing.push(() => world.close());
    const { store } = world;
    const gig = await seedGig(store, { owners: [ALICE] });
    world.ledger.fund(gig.walletAddress, 105n * 10n ** 18n);
    const said = await ask(world, { authorId: BOB.platformUserId, text: `@gigclaim ${command}` });
    expect(said).toBe(`Only an owner of gig 1 can ${words} it.`);
    expect(await store.gig(gig.id)).toEqual(gig);
    expect(await store.telling(gig.id, BOB)).toBeNull();
    expect(await store.auditEvents({ limit: 9 })).toEqual([]);
  });
});
