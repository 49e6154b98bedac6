import { describe, expect, test } from 'vitest';
import type { TankAttempt } from '../../../src/domain/payments/payment.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { confirmPayment, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  replanOne,
  sampleAttempt,
  sampleClaim,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const MOST = 2n ** 256n - 1n;

/** What the store keeps of the gas tank's transactions, and of the chain that they are in. */
export function describeTankTransactions({ store, change, write }: Subject): void {
  const live = () => seedGig(store, { live: true });
  const open = (chainId = 8453) => store.openTankTransactions(chainId);
  const keep = (payments: readonly { id: number; numbers: readonly bigint[] }[], chainId = 8453) =>
    change((tx) => {
      const signed = payments.map((payment) => ({ ...payment, gas: 50n }));
      return tx.insertTankTransaction({ chainId, nonce: 3, attempt: sampleAttempt(1) }, { payments: signed, now: 10 });
    });

  /** A gig with two tips of one account, and the payment of both that its claim has planned. */
  async function seed() {
    const gig = await live();
    await seedTips(store, gig, [FID, FID]);
    const { payments } = await seedPayments(store, sampleClaim(FID, 'p'));
    return { gig, id: payments[0]?.id ?? 0 };
  }

  describe('a transaction of the gas tank', () => {
    test('behavior: comes back as it was signed, with its payments and their numbers', async () => {
      const { id } = await seed();
      const gig = await live();
      const fee = await seedFee(store, gig);
      const attempt: TankAttempt = sampleAttempt(1, { maxFeePerGas: MOST, maxPriorityFeePerGas: 0n, gas: 2n ** 64n });
      const payments = [
        { id: fee.id, numbers: [2n ** 255n], gas: 60n },
        { id, numbers: [1n, 0n], gas: 50n },
      ];
      const kept = await write.insertTankTransaction({ chainId: 8453, nonce: 3, attempt }, { payments, now: 10 });
      const expected = { id: 1, chainId: 8453, nonce: 3, isOver: false, broadcastAt: null, createdAt: 10 };
      expect(kept).toEqual({ ...expected, attempts: [attempt] });
      expect(await open()).toEqual([kept]);
      expect(await open(10)).toEqual([]);
      expect([await store.tankTransaction(1), await store.tankTransaction(2)]).toEqual([kept, null]);
      expect(await store.paymentsInTransaction(1)).toMatchObject([
        { id, state: 'sent', transactionId: 1, numbers: [0n, 1n], gasUsed: 50n },
        { id: fee.id, state: 'sent', transactionId: 1, numbers: [2n ** 255n], gasUsed: 60n },
      ]);
      expect(await store.paymentsInTransaction(2)).toEqual([]);
    });

    test('security: is kept with all its payments or not at all', async () => {
      const { gig, id } = await seed();
      const other = await seedFee(store, await live());
      const fee = { id: other.id, numbers: [2n ** 255n] };
      const both = (numbers: readonly bigint[]) => [fee, { id, numbers }];
      for (const numbers of [[], [0n], [0n, 1n, 2n], [0n, 2n]]) expect(await keep(both(numbers))).toBeNull();
      expect(await keep([...both([0n, 1n]), { id: 99, numbers: [] }])).toBeNull();
      expect(await keep(both([0n, 1n]), 10)).toBeNull();
      await write.freezeGig(gig.id, { reason: 'an audit said so', now: 1 });
      expect(await keep(both([0n, 1n]))).toBeNull();
      await write.freezeGig(gig.id, { reason: null, now: 1 });
      await write.freezeByOperator(gig.id, 'the operator said so');
      expect(await keep(both([0n, 1n]))).toBeNull();
      await write.freezeByOperator(gig.id, null);
      const renumbered = BigInt((await write.renumberTip(2)) ?? 0);
      expect(await keep(both([0n, 1n]))).toBeNull();
      const twice = keep([...both([0n, renumbered]), { id, numbers: [0n, renumbered] }]);
      await expect(twice).rejects.toThrow(new RangeError(`a transaction cannot hold payment ${id} twice`));
      expect(await open()).toEqual([]);
      expect(await store.paymentDepths()).toMatchObject({ planned: 2, sent: 0 });
      expect(await keep(both([renumbered, 0n]))).not.toBeNull();
      expect(await keep(both([0n, renumbered]))).toBeNull();
      expect(await open()).toHaveLength(1);
    });

    test('behavior: keeps every signed attempt, oldest first, until it is over', async () => {
      const { id } = await seed();
      await sendPayments(store, [id], { attempt: sampleAttempt(5) });
      // The clock went back.
      const attempts = [sampleAttempt(5), sampleAttempt(3, { maxFeePerGas: 9n }), sampleAttempt(4, { signedAt: 1 })];
      for (const attempt of attempts.slice(1)) {
        expect(await write.addTankAttempt(1, { attempt, now: 12 })).toBe(true);
      }
      expect(await open()).toMatchObject([{ id: 1, attempts }]);
      await confirmPayment(store, id, { number: 3 });
      expect(await store.payment(id)).toMatchObject({ transactionId: 1, hash: seedHash(3) });
      await write.endTankTransaction(1);
      const late = { attempt: sampleAttempt(6), now: 30 };
      expect(await write.addTankAttempt(1, late)).toBe(false);
      expect(await write.addTankAttempt(9, late)).toBe(false);
    });

    test('error: the same bytes are stored once; what breaks a constraint changes nothing, even if caught', async () => {
      const { id } = await seed();
      const fee = await seedFee(store, await live());
      const before = await sendPayments(store, [id]);
      const payments = [{ id: fee.id, numbers: [2n ** 255n], gas: 1n }];
      /** Runs it in a transaction that goes on when it fails. */
      const caught = (run: (tx: StoreTx) => Promise<unknown>) => change((tx) => run(tx).catch(() => null));
      const raws = (['0x', '0x1', '0xZZ'] as const).map((raw) => ({ raw }));
      for (const wrong of [{}, { hash: '0x1' } as const, ...raws, { gas: -1n }]) {
        const attempt = sampleAttempt(Object.keys(wrong).length === 0 ? 1 : 50, wrong);
        await expect(caught((tx) => tx.addTankAttempt(1, { attempt, now: 99 }))).rejects.toThrow();
        const next = { chainId: 8453, nonce: 4, attempt };
        await expect(caught((tx) => tx.insertTankTransaction(next, { payments, now: 99 }))).rejects.toThrow();
      }
      const odd = { chainId: 8453, nonce: 4.5, attempt: sampleAttempt(50) };
      await expect(caught((tx) => tx.insertTankTransaction(odd, { payments, now: 99 }))).rejects.toThrow();
      expect(await open()).toEqual([before]);
      expect(await store.payment(fee.id)).toMatchObject(fee);
    });

    test('behavior: is noted as broadcast, and ends when none of its payments is sent any more', async () => {
      const { id } = await seed();
      const fee = await seedFee(store, await live());
      await sendPayments(store, [id, fee.id]);
      const note = (now: number) => write.noteBroadcast(1, now);
      const end = () => write.endTankTransaction(1);
      expect([await note(20), await note(30)]).toEqual([true, true]);
      expect(await open()).toMatchObject([{ broadcastAt: 30 }]);
      expect(await end()).toBe(false);
      await confirmPayment(store, id);
      expect((await store.paymentsInTransaction(1)).map((payment) => payment.id)).toEqual([fee.id]);
      expect(await end()).toBe(false);
      await replanOne(write, fee.id, { reason: 'no', dueAt: 1, hasFailed: false, gasUsed: 0n, now: 40 });
      expect(await end()).toBe(true);
      expect(await open()).toEqual([]);
      expect([await end(), await note(50)]).toEqual([false, false]);
      expect(await write.endTankTransaction(9)).toBe(false);
    });

    test('security: is not kept while another one has its nonce or a later one; when that is over, it may have the same', async () => {
      const [first, second] = [await seedFee(store, await live()), await seedFee(store, await live())];
      await sendPayments(store, [first.id], { nonce: 8 });
      const payments = [{ id: second.id, numbers: [2n ** 255n], gas: 1n }];
      const send = (nonce: number, chainId = 8453) =>
        write.insertTankTransaction({ chainId, nonce, attempt: sampleAttempt(2) }, { payments, now: 10 });
      expect([await send(8), await send(7)]).toEqual([null, null]);
      expect(await store.payment(second.id)).toMatchObject({ state: 'planned' });
      await confirmPayment(store, first.id);
      await write.endTankTransaction(1);
      expect(await send(8)).toMatchObject({ id: 2, nonce: 8 });
    });

    test('behavior: of a chain come by nonce', async () => {
      for (const [index, nonce] of [7, 8, 11].entries()) {
        const { id } = await seedFee(store, await live());
        await sendPayments(store, [id], { nonce, attempt: sampleAttempt(index + 1) });
      }
      const token = await seedToken(store, { chainId: 10 });
      const { id } = await seedFee(store, await seedGig(store, { tokenId: token.id }));
      await sendPayments(store, [id], { attempt: sampleAttempt(9) });
      expect((await open()).map((transaction) => transaction.id)).toEqual([1, 2, 3]);
      expect((await open(10)).map((transaction) => transaction.id)).toEqual([4]);
    });
  });

  describe('the block that the ledger counts on', () => {
    test('behavior: is kept for each chain, and can move either way', async () => {
      const block = { number: 2n ** 40n, hash: seedHash(1), at: 5 };
      const set = (chainId: number, number: bigint) => write.setChainAnchor(chainId, { ...block, number });
      expect(await store.chainAnchor(8453)).toBeNull();
      await set(8453, block.number);
      await set(10, 7n);
      expect(await store.chainAnchor(8453)).toEqual(block);
      await set(8453, 3n);
      expect(await store.chainAnchor(8453)).toEqual({ ...block, number: 3n });
      expect(await store.chainAnchor(10)).toEqual({ ...block, number: 7n });
      await expect(set(10, -1n)).rejects.toThrow();
    });

    test('behavior: advances to a newer block alone', async () => {
      const block = (number: bigint, seed: number) => ({ number, hash: seedHash(seed), at: 5 });
      const advance = (to: ReturnType<typeof block>) => write.advanceChainAnchor(8453, to);
      await advance(block(7n, 1));
      expect(await store.chainAnchor(8453)).toEqual(block(7n, 1));
      await advance(block(6n, 2));
      await advance(block(7n, 3));
      expect(await store.chainAnchor(8453)).toEqual(block(7n, 1));
      await advance(block(8n, 4));
      expect(await store.chainAnchor(8453)).toEqual(block(8n, 4));
    });
  });
}
