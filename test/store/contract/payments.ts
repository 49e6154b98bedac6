import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { FEE_NUMBER, type Payment, type PaymentState } from '../../../src/domain/payments/payment.ts';
import { confirmPayment, seedMark, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  confirmOne,
  replanOne,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  samplePayment,
  seedAddress,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const LAST_BLOCK = BigInt(Number.MAX_SAFE_INTEGER);

/** What a payment is, and the steps that it takes. */
export function describePayments({ store, change, write }: Subject): void {
  const live = () => seedGig(store, { live: true });
  const fee = async () => await seedFee(store, await live());
  const send = (id: number, number = 1) =>
    sendPayments(store, [id], { nonce: number, attempt: sampleAttempt(number), now: 10 });
  const gasOf = async ({ id }: Gig) => (await store.gigSums(id))?.gasUsed;

  describe('a payment', () => {
    test('behavior: comes back as it was planned, with its token and its wallet', async () => {
      const gig = await live();
      const payment = await seedFee(store, gig, {}, 5);
      expect(payment).toEqual({
        id: 1,
        kind: 'fee',
        chainId: 8453,
        gigId: gig.id,
        wallet: gig.walletAddress,
        claimId: null,
        token: gig.token,
        recipient: seedAddress(0xfee),
        amount: 5_000_000_000_000_000_000n,
        state: 'planned',
        reason: null,
        transactionId: null,
        hash: null,
        blockNumber: null,
        gasUsed: 0n,
        gasReserved: 0n,
        place: null,
        failures: 0,
        dueAt: 5,
        createdAt: 5,
        updatedAt: 5,
      } satisfies Payment);
      expect(await store.payment(1)).toEqual({ ...payment, numbers: [FEE_NUMBER] });
      expect(await store.payment(2)).toBeNull();
    });

    test('behavior: comes with others, each with its own token, wallet, numbers and conditions', async () => {
      const other = await seedToken(store, { address: seedAddress(0x70), symbol: 'OTHER' });
      const gigs = [await live(), await seedGig(store, { live: true, tokenId: other.id })];
      for (const gig of gigs) await seedTips(store, gig, [FID, FID]);
      const { payments } = await seedPayments(store, sampleClaim(FID, 'p'));
      const mark = await seedMark(store, await live());
      await write.allowToken(other.id, true);
      await write.freezeByOperator(1, 'the operator said so');
      const plain = { client: null, freeze: null, awaitsFunding: false, isAllowed: false };
      expect(await store.paymentCandidates(8453, { now: SEEDED_AT, limit: 10 })).toEqual([
        { ...payments[0], numbers: [0n, 1n], ...plain, freeze: 'the operator said so' },
        { ...payments[1], numbers: [0n, 1n], ...plain, isAllowed: true },
        { ...mark, numbers: [], ...plain },
      ]);
      expect(gigs).toMatchObject(payments.map(({ token, wallet: walletAddress }) => ({ token, walletAddress })));
    });

    test('behavior: is sent and confirmed; its gas is what it may use, then what it used', async () => {
      const gig = await live();
      const planned = await seedFee(store, gig);
      const { id } = planned;
      const transaction = await send(id);
      const reserved = { transactionId: transaction.id, gasUsed: 100n, gasReserved: 100n };
      const sent: Payment = { ...planned, ...reserved, state: 'sent', updatedAt: 10 };
      expect(await store.payment(id)).toMatchObject(sent);
      expect(await gasOf(gig)).toBe(100n);
      expect(await confirmPayment(store, id, { blockNumber: LAST_BLOCK, now: 20 })).toBe(true);
      const landing = { hash: seedHash(1), blockNumber: LAST_BLOCK, gasUsed: 70n, gasReserved: 0n };
      expect(await store.payment(id)).toMatchObject({ ...sent, ...landing, state: 'confirmed', updatedAt: 20 });
      expect(await gasOf(gig)).toBe(70n);
    });

    test('behavior: is planned again when it was not marked, and each failure is counted', async () => {
      const gig = await live();
      const { id } = await seedFee(store, gig);
      const again = (hasFailed: boolean, gasUsed: bigint, now: number) =>
        replanOne(write, id, { reason: 'not paid', dueAt: now + 100, hasFailed, gasUsed, now });
      const first = await send(id, 1);
      expect(await again(false, 0n, 20)).toBe(true);
      const planned = { state: 'planned', reason: 'not paid', hash: null, gasReserved: 0n };
      expect(await store.payment(id)).toMatchObject({ ...planned, gasUsed: 0n, failures: 0, dueAt: 120 });
      expect(await store.payment(id)).toMatchObject({ transactionId: first.id, updatedAt: 20 });
      const second = await send(id, 2);
      expect(await store.payment(id)).toMatchObject({ transactionId: second.id, reason: null });
      await again(true, 40n, 30);
      await send(id, 3);
      expect(await gasOf(gig)).toBe(140n);
      await again(true, 50n, 40);
      expect(await store.payment(id)).toMatchObject({ ...planned, gasUsed: 90n, failures: 2, dueAt: 140 });
      await send(id, 4);
      expect(await confirmPayment(store, id, { number: 4 })).toBe(true);
      expect(await store.payment(id)).toMatchObject({ gasUsed: 160n, failures: 2 });
      expect(await gasOf(gig)).toBe(160n);
    });

    test('behavior: that another process has sent names no transaction of this ledger; one of it by its hash', async () => {
      const { id } = await fee();
      const other = await fee();
      await send(id, 1);
      await send(other.id, 2);
      expect(await confirmPayment(store, id, { number: 9 })).toBe(true);
      expect(await store.payment(id)).toMatchObject({ transactionId: null, hash: seedHash(9), gasUsed: 70n });
      expect(await confirmPayment(store, other.id, { number: 1 })).toBe(true);
      expect(await store.payment(other.id)).toMatchObject({ transactionId: 1, hash: seedHash(1) });
    });

    test('behavior: that was planned alone is confirmed to the recipient that the chain names', async () => {
      const { id } = await fee();
      const marked = { hash: seedHash(5), blockNumber: 3n, gasUsed: 0n, numbers: [FEE_NUMBER], now: 7 };
      expect(await confirmOne(write, id, { ...marked, recipient: seedAddress(9) })).toBe(true);
      const confirmed = { state: 'confirmed', recipient: seedAddress(9), transactionId: null, gasUsed: 0n };
      expect(await store.payment(id)).toMatchObject(confirmed);
    });

    test('behavior: is planned again when a reorganisation has taken it back, and keeps its gas', async () => {
      const { id } = await fee();
      await send(id);
      await confirmPayment(store, id);
      expect(await write.unconfirmPayment(id, { reason: 'reorganised', now: 50 })).toBe(true);
      const planned = { state: 'planned', reason: 'reorganised', hash: null, blockNumber: null };
      expect(await store.payment(id)).toMatchObject({ ...planned, gasUsed: 70n, dueAt: 50, updatedAt: 50 });
      await send(id, 2);
      expect(await confirmPayment(store, id, { number: 2 })).toBe(true);
    });

    test('behavior: says what it waits for, and until when', async () => {
      const { id } = await fee();
      const note = (reason: string | null, dueAt: number) => write.notePayment(id, { reason, dueAt, now: 15 });
      expect(await note('the gas tank is low', 90)).toBe(true);
      expect(await store.payment(id)).toMatchObject({ reason: 'the gas tank is low', dueAt: 90, updatedAt: 15 });
      expect(await note(null, 0)).toBe(true);
      expect(await store.payment(id)).toMatchObject({ reason: null, dueAt: 0 });
    });

    test('security: is the one fee of its gig, unless it failed', async () => {
      const gig = await live();
      const { id } = await seedFee(store, gig);
      await expect(seedFee(store, gig)).rejects.toThrow();
      await fee();
      await write.failPayment(id, { reason: 'refused', now: 1 });
      const second = await seedFee(store, gig);
      await send(second.id);
      await expect(seedFee(store, gig)).rejects.toThrow();
      await confirmPayment(store, second.id);
      await expect(seedFee(store, gig)).rejects.toThrow();
      expect(await store.paymentsOfGig(gig.id)).toHaveLength(2);
    });

    test('security: marks for a gig are made one at a time, and move nothing', async () => {
      const gig = await live();
      const { id } = await seedMark(store, gig);
      await expect(seedMark(store, gig)).rejects.toThrow();
      await write.failPayment(id, { reason: 'refused', now: 1 });
      await seedMark(store, gig);
      const rich = samplePayment(await live(), { kind: 'mark', amount: 1n });
      await expect(write.planPayment(rich, { now: 1, tipIds: [] })).rejects.toThrow();
    });

    test('security: is confirmed by its own numbers alone', async () => {
      const gig = await live();
      await seedTips(store, gig, [FID, FID]);
      const { payments } = await seedPayments(store, sampleClaim(FID, 'p'));
      const { id = 0, recipient = seedAddress(1) } = payments[0] ?? {};
      const marked = { hash: seedHash(1), blockNumber: 1n, gasUsed: 0n, recipient, now: 1 };
      const confirm = (numbers: readonly bigint[]) => confirmOne(write, id, { ...marked, numbers });
      for (const numbers of [[], [0n], [0n, 1n, 2n], [0n, 2n], [FEE_NUMBER]]) {
        await expect(confirm(numbers)).rejects.toThrow(RangeError);
      }
      await send(id);
      await expect(confirm([0n])).rejects.toThrow(RangeError);
      expect(await store.payment(id)).toMatchObject({ state: 'sent', hash: null });
      expect(await confirm([1n, 0n])).toBe(true);
      expect(await store.markedNumbers(gig.id)).toEqual([0n, 1n]);
      const byPayouts = (after: number) => store.markedByPayouts(gig.id, { after, limit: 9 });
      expect([await byPayouts(0), await byPayouts(id)]).toEqual([[{ id, numbers: [0n, 1n] }], []]);
    });

    test('error: what breaks a constraint changes nothing, even if caught', async () => {
      const gig = await live();
      const { id } = await seedFee(store, gig);
      const marked = { hash: seedHash(1), blockNumber: 1n, gasUsed: 0n, now: 1, numbers: [FEE_NUMBER] };
      for (const odd of [
        { hash: '0x1' },
        { blockNumber: -1n },
        { blockNumber: LAST_BLOCK + 1n },
        { gasUsed: -1n },
        { recipient: seedAddress(0xcafe).toUpperCase() as `0x${string}` },
      ] as const) {
        const confirm = change(async (tx) => {
          await confirmOne(tx, id, { recipient: seedAddress(1), ...marked, ...odd }).catch(() => false);
        });
        await expect(confirm, Object.keys(odd)[0]).rejects.toThrow();
      }
      const elsewhere = samplePayment(gig, { chainId: 10 });
      await expect(write.planPayment(elsewhere, { now: 1, tipIds: [] })).rejects.toThrow(
        new RangeError(`chain 10 has no token ${gig.token.id}`),
      );
      expect(await store.payment(id)).toMatchObject({ state: 'planned', hash: null, gasUsed: 0n });
      expect(await gasOf(gig)).toBe(0n);
    });
  });

  describe('the state of a payment', () => {
    /** Brings a payment of a wallet of its own there, sent as attempt `number`. */
    async function bring(state: PaymentState, number: number): Promise<number> {
      const { id } = await fee();
      if (state === 'failed') await write.failPayment(id, { reason: 'refused', now: 10 });
      if (state === 'sent' || state === 'confirmed') await send(id, number);
      if (state === 'confirmed') await confirmPayment(store, id, { number });
      return id;
    }

    const steps: Record<string, (id: number, number: number) => Promise<boolean>> = {
      send: async (id, number) => {
        const payments = [{ id, numbers: [FEE_NUMBER], gas: 1n }];
        const transaction = { chainId: 8453, nonce: 5, attempt: sampleAttempt(number + 1) };
        return (await write.insertTankTransaction(transaction, { payments, now: 40 })) !== null;
      },
      confirm: (id, number) => {
        const marked = { hash: seedHash(number), blockNumber: 1n, gasUsed: 1n, numbers: [FEE_NUMBER], now: 40 };
        return confirmOne(write, id, { ...marked, recipient: seedAddress(1) });
      },
      replan: (id) => replanOne(write, id, { reason: 'not paid', dueAt: 1, hasFailed: false, gasUsed: 0n, now: 40 }),
      unconfirm: (id) => write.unconfirmPayment(id, { reason: 'reorganised', now: 40 }),
      fail: (id) => write.failPayment(id, { reason: 'refused', now: 40 }),
      note: (id) => write.notePayment(id, { reason: 'waits', dueAt: 1, now: 40 }),
      noteSent: (id) => write.noteSent(id, { reason: 'not told', now: 40 }),
    };

    test.for([
      ['planned', ['send', 'confirm', 'fail', 'note']],
      ['sent', ['confirm', 'replan', 'noteSent']],
      ['confirmed', ['unconfirm']],
      ['failed', []],
    ] as const)('behavior: %s allows these steps alone: %j', async ([state, allowed]) => {
      const done: string[] = [];
      let number = 0;
      for (const [name, step] of Object.entries(steps)) {
        number += 10;
        const id = await bring(state, number);
        const before = await store.payment(id);
        if (await step(id, number)) done.push(name);
        else expect(await store.payment(id), name).toEqual(before);
      }
      expect(done).toEqual(allowed);
    });

    test.for(Object.keys(steps))('behavior: %s finds no payment that is not there', async (name) => {
      expect(await steps[name]?.(99, 1)).toBe(false);
      expect(await store.payments({ limit: 10 })).toEqual([]);
      expect(await store.openTankTransactions(8453)).toEqual([]);
    });

    test('behavior: is counted', async () => {
      const none = { planned: 0, sent: 0, confirmed: 0, failed: 0 };
      expect(await store.paymentDepths()).toEqual(none);
      for (const [index, state] of (['planned', 'sent', 'confirmed', 'failed'] as const).entries()) {
        await bring(state, index + 1);
      }
      expect(await store.paymentDepths()).toEqual({ planned: 1, sent: 1, confirmed: 1, failed: 1 });
      await send(1, 7);
      await write.unconfirmPayment(3, { reason: 'reorganised', now: SEEDED_AT });
      expect(await store.paymentDepths()).toEqual({ planned: 1, sent: 2, confirmed: 0, failed: 1 });
    });
  });
}
