import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { type AccountActor, type Actor, COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { Payment } from '../../../src/domain/payments/payment.ts';
import { nameRefundAddress } from '../../../src/services/ends/name-refund-address.ts';
import { planRefund } from '../../../src/services/ends/plan-refund.ts';
import { type HandRefund, previewRefund, refundByHand } from '../../../src/services/ends/refund-by-hand.ts';
import { returnMoney } from '../../../src/services/ends/return-money.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { ALICE } from '../cashier.ts';
import { BACK, FEE, HOUR, openEnds, REWARD } from './world.ts';

const OTHER = seedAddress(0xbad);
const refundDelayMs = 72 * HOUR;

const ends = perCase(openEnds);
const request = ({ id: gigId }: Gig, change: Partial<HandRefund>) => ({ gigId, isSurplus: false, ...change });
const byHand = (gig: Gig, change: Partial<HandRefund> = {}, deps = ends.returning) =>
  refundByHand({ ...deps, refundDelayMs }, request(gig, change));
const preview = (gig: Gig, change: Partial<HandRefund> = {}, deps = ends.returning) =>
  previewRefund({ ...deps, refundDelayMs }, request(gig, change));
const name = ({ id: gigId }: Gig, to: Address, actor: Actor = COMMAND_LINE) =>
  nameRefundAddress(ends.returning, { gigId, to, actor });
const fail = ({ id }: Payment) =>
  ends.store.transaction((tx) => tx.failPayment(id, { reason: 'blocked', now: ends.clock() }));
const refusal = (message: string) => ({ refusal: { code: 'invalid_request', message } });

/** As the store, with other methods. */
const storeWith = (change: Partial<Store>): Store => Object.assign(Object.create(ends.store), change);

async function settle(gig: Gig): Promise<void> {
  for (const ending of ['stop', 'settle'] as const) await ends.end(gig, ending);
  ends.advance(refundDelayMs);
}

describe('where a refund goes', () => {
  test('behavior: can be named again until it is planned, each time with an audit entry', async () => {
    const gig = await ends.started({ refundAddress: null });
    for (const [to, before] of [
      [OTHER, null],
      [BACK, OTHER],
    ] as const) {
      expect(await name(gig, to)).toEqual({ ...(await ends.gigOf(gig.id)), refundTo: to });
      const [entry] = await ends.store.auditEvents({ gigId: gig.id, limit: 1 });
      expect(entry).toMatchObject({ action: 'gig.refund_to', subjectId: String(gig.id), at: ends.clock() });
      expect(JSON.parse(entry?.detail ?? '')).toEqual({ refund_to: to, before });
    }
    const entries = async () => (await ends.store.auditEvents({ gigId: gig.id, limit: 99 })).length;
    const count = await entries();
    expect(await name(gig, BACK)).toMatchObject({ refundTo: BACK });
    expect(await entries()).toBe(count);
    await settle(gig);
    await ends.refund(gig);
    const message = `Another address cannot be named for gig ${gig.id}: its refund was planned before.`;
    await expect(name(gig, OTHER)).rejects.toMatchObject(refusal(message));
    await expect(preview(gig, { to: OTHER })).rejects.toMatchObject(refusal(message));
    expect(await name(gig, BACK)).toMatchObject({ refundTo: BACK });
  });

  test('error: is what the terms say, and nowhere where money is lost', async () => {
    const gig = await ends.started();
    const said = checksummed(BACK);
    const fixed = `Another address cannot be named for gig ${gig.id}: its terms say where it goes: ${said}.`;
    const lost = `${checksummed(NATIVE_TOKEN_ADDRESS)} is a token, a wallet or contract of this service or no address: money would be lost.`;
    for (const ask of [preview, byHand]) {
      await expect(ask(gig, { to: OTHER })).rejects.toMatchObject(refusal(fixed));
      await expect(ask(gig, { to: NATIVE_TOKEN_ADDRESS })).rejects.toMatchObject(refusal(lost));
    }
    expect((await preview(gig, { to: BACK })).standing).toMatchObject({ recipient: BACK });
    expect(await byHand(gig, { to: BACK })).toMatchObject({ kind: 'waits', why: 'not_settled' });
  });

  test('behavior: is kept for a cancelled gig that says nothing, and for no other return', async () => {
    const [homeless, other] = [await ends.create({ refundAddress: null }), await ends.create()];
    for (const gig of [homeless, other]) {
      ends.fund(gig, 42n);
      await ends.end(gig, 'cancel');
      const planned = { kind: 'returned', payment: { amount: 42n, recipient: OTHER } };
      expect(await preview(gig, { to: OTHER })).toMatchObject({ returnable: { amount: 42n, recipient: OTHER } });
      expect(await byHand(gig, { to: OTHER })).toMatchObject(planned);
    }
    const started = await ends.started({ refundAddress: null });
    ends.fund(started, 5n);
    await byHand(started, { isSurplus: true, to: OTHER });
    const named = await Promise.all([homeless, other, started].map(async ({ id }) => (await ends.gigOf(id)).refundTo));
    expect(named).toEqual([OTHER, null, null]);
  });
});

describe('a preview', () => {
  test('behavior: says how the refund of a gig stands', async () => {
    const created = await ends.create();
    const none = { unproved: null, pending: 0n, failed: null, returnable: null };
    const standing = { recipient: BACK, dueAt: null, delayMs: refundDelayMs, left: 0n, payments: [] };
    expect(await preview(created)).toEqual({ gig: created, standing: { ...standing, wait: 'not_started' }, ...none });
    const gig = await ends.started();
    await ends.award(gig, ALICE.platformUserId, 300n);
    ends.fund(gig, -1n);
    expect(await preview(gig)).toEqual({
      ...none,
      gig: await ends.gigOf(gig.id),
      standing: { ...standing, left: REWARD - 300n, wait: 'not_settled' },
      pending: 300n,
    });
    ends.fund(gig, 1n);
    await settle(gig);
    ends.fund(gig, 5n);
    const returned = await ends.returnAll(gig);
    const planned = await byHand(gig);
    if (planned.kind !== 'planned') throw new Error(planned.kind);
    await ends.store.transaction((tx) => tx.freezeByOperator(gig.id, 'look first'));
    expect((await preview(gig)).standing).toEqual({
      ...standing,
      dueAt: ends.clock(),
      wait: null,
      payments: [planned.payment, returned],
    });
  });

  test('behavior: says which payment would be made again, and not what else could be returned', async () => {
    const gig = await ends.started();
    await settle(gig);
    const planned = await byHand(gig);
    if (planned.kind !== 'planned') throw new Error(planned.kind);
    expect((await preview(gig)).failed).toBeNull();
    await fail(planned.payment);
    expect(await preview(gig, { to: OTHER })).toMatchObject({ failed: { id: planned.payment.id }, returnable: null });
    ends.fund(gig, 5n);
    const surplus = { failed: null, returnable: { amount: 5n, recipient: OTHER } };
    expect(await preview(gig, { isSurplus: true, to: OTHER })).toMatchObject(surplus);
  });

  test('error: passes on what is no refusal of the return', async () => {
    const never = await ends.create();
    await ends.end(never, 'cancel');
    ends.faults.isDown = true;
    await expect(preview(never)).rejects.toThrow(AdapterError);
    ends.faults.isDown = false;
    const reader = ends.returning.chains.reader(ends.model.chain.id);
    const tokenMetadata = () =>
      Promise.reject(new AdapterError({ retry: 'never', reason: 'not_found', message: 'no code' }));
    const asked = { ...reader, ping: async () => ({ blockNumber: 1n }), tokenMetadata };
    const deps = { ...ends.returning, chains: { ...ends.returning.chains, reader: () => asked } };
    const odd = preview(never, { tokenAddress: OTHER }, deps);
    await expect(odd).rejects.toMatchObject({ refusal: { code: 'token_not_found' } });
  });
});

describe('a payment that failed', () => {
  test('error: is not made again to where money is lost, nor when it was meanwhile', async () => {
    const gig = await ends.started();
    await settle(gig);
    const planned = await byHand(gig);
    if (planned.kind !== 'planned') throw new Error(planned.kind);
    await fail(planned.payment);
    await expect(byHand(gig, { to: NATIVE_TOKEN_ADDRESS })).rejects.toThrow('money would be lost');
    const before = await ends.store.otherPaymentsOfGig(gig.id);
    const failed = { id: planned.payment.id, state: 'failed' };
    expect(await byHand(gig)).toMatchObject({ kind: 'again', payment: { kind: 'refund', recipient: BACK }, failed });
    const store = storeWith({ otherPaymentsOfGig: async () => before });
    const message = `Payment ${planned.payment.id} was planned again meanwhile; see payment list --gig ${gig.id}.`;
    await expect(byHand(gig, {}, { ...ends.returning, store })).rejects.toMatchObject(refusal(message));
    await ends.finish();
    expect(ends.paidBy(gig)).toMatchObject({ [BACK]: REWARD });
    expect(ends.heldBy(gig.walletAddress)).toBe(0n);
    expect(await ends.store.payments({ kind: 'fee', limit: 9 })).toMatchObject([{ amount: FEE }]);
  });
});

describe('an account that does not own a gig, or not any more,', () => {
  const actor: AccountActor = { kind: 'account', ...ALICE, requestId: null };
  const asks: Readonly<Record<string, (deps: typeof ends.returning, gigId: number) => Promise<unknown>>> = {
    'names no address': (deps, gigId) => nameRefundAddress(deps, { gigId, to: OTHER, actor }),
    'plans no refund': (deps, gigId) => planRefund({ ...ends.refunding, store: deps.store }, { gigId, actor }),
    'returns nothing': (deps, gigId) => returnMoney(deps, { gigId, actor }),
    'previews nothing': (deps, gigId) => previewRefund({ ...deps, refundDelayMs, actor }, { gigId, isSurplus: false }),
    'refunds nothing': (deps, gigId) => refundByHand({ ...deps, refundDelayMs, actor }, { gigId, isSurplus: false }),
  };

  test.each(Object.keys(asks))('security: %s', async (ask) => {
    const gig = await ends.started({ refundAddress: ask === 'names no address' ? null : BACK });
    await settle(gig);
    ends.fund(gig, 5n);
    const refused = { refusal: { code: 'not_gig_owner', gigId: gig.id, act: 'refund' } };
    const store = storeWith({ ownsGig: async () => true });
    for (const deps of [ends.returning, { ...ends.returning, store }]) {
      if (deps === ends.returning || !ask.startsWith('previews'))
        await expect(asks[ask]?.(deps, gig.id)).rejects.toMatchObject(refused);
    }
    expect(await ends.store.payments({ kind: 'return', limit: 9 })).toEqual([]);
    expect(await ends.gigOf(gig.id)).toMatchObject({ refundTo: null, refundedAt: null });
  });
});
