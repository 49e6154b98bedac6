import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gig.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { sampleAttempt, seedAddress, seedGig, seedHash, seedMove, seedToken } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeWallets(subject: Subject): void {
  const gig = () => seedGig(subject.store, { live: true });
  const move = (from: Gig, now?: number) => seedMove(subject.store, from, {}, now);
  const walletOf = ({ token, walletAddress }: Gig) => ({ chainId: token.chainId, sender: walletAddress });
  const sign = (id: number, nonce: number, number: number, store: Store = subject.store) =>
    store.transaction((tx) => tx.markSigned(id, { nonce, attempt: sampleAttempt(number), now: 10 }));
  const land = (number: number) => ({ hash: seedHash(number), blockNumber: 1n, gasSpent: 1n });
  const confirm = (id: number, number: number) =>
    subject.store.transaction((tx) => tx.markConfirmed(id, { ...land(number), now: 20 }));
  const fail = (id: number, number: number | null) =>
    subject.store.transaction((tx) =>
      tx.markTransferFailed(id, { reason: 'no', inclusion: number === null ? null : land(number), now: 20 }),
    );
  const again = (id: number) => subject.store.transaction((tx) => tx.planAgain(id, { reason: 'spent', now: 20 }));

  describe('a wallet', () => {
    test('behavior: has its turn: the open transfer, then the oldest planned one', async () => {
      const one = await gig();
      const wallet = walletOf(one);
      expect(await subject.store.openTransfer(wallet)).toBeNull();
      expect(await subject.store.nextPlanned(wallet)).toBeNull();
      const first = await move(one, 500);
      const second = await move(one, 400);
      expect(await subject.store.nextPlanned(wallet)).toEqual(first);
      await sign(first.id, 0, 1);
      expect(await subject.store.openTransfer(wallet)).toEqual(await subject.store.transfer(first.id));
      expect(await subject.store.nextPlanned(wallet)).toEqual(second);
      await subject.store.transaction((tx) => tx.markBroadcast(first.id, 15));
      expect((await subject.store.openTransfer(wallet))?.state).toBe('broadcast');
      await confirm(first.id, 1);
      expect(await subject.store.openTransfer(wallet)).toBeNull();
    });

    test('security: has one open transfer at a time', async () => {
      const one = await gig();
      const [first, second] = [await move(one), await move(one)];
      const elsewhere = await move(await gig());
      expect(await sign(first.id, 0, 1)).toBe(true);
      expect(await sign(second.id, 1, 2)).toBe(false);
      expect(await subject.store.transfer(second.id)).toEqual(second);
      expect(await sign(elsewhere.id, 0, 3)).toBe(true);
      await subject.store.transaction((tx) => tx.markBroadcast(first.id, 15));
      expect(await sign(second.id, 1, 2)).toBe(false);
      await confirm(first.id, 1);
      expect(await sign(second.id, 1, 2)).toBe(true);
    });

    test('behavior: is another one on another chain', async () => {
      const one = await gig();
      const there = await seedToken(subject.store, { chainId: 10 });
      const here = await move(one);
      const other = await seedMove(subject.store, one, { chainId: 10, tokenId: there.id });
      const wallet = { chainId: 10, sender: one.walletAddress };
      expect(await subject.store.nextPlanned(wallet)).toEqual(other);
      await sign(here.id, 4, 1);
      expect(await subject.store.nextNonce(wallet)).toBeNull();
      expect(await sign(other.id, 4, 2)).toBe(true);
      expect((await subject.store.openTransfer(wallet))?.id).toBe(other.id);
      expect((await subject.store.openTransfer(walletOf(one)))?.id).toBe(here.id);
    });

    test('security: signs one of those that race for it, in whichever process', async () => {
      const one = await gig();
      const planned = await Promise.all(Array.from({ length: 20 }, () => move(one)));
      const other = await subject.openAgain();
      const signed = await Promise.all(planned.map(({ id }, i) => sign(id, 0, i + 1, i % 2 ? subject.store : other)));
      expect(signed.filter((won) => won)).toHaveLength(1);
      const depths = await subject.store.transferDepths();
      expect(depths).toEqual({ planned: 19, signed: 1, broadcast: 0, confirmed: 0, failed: 0, replaced: 0 });
    });

    test('security: uses a nonce once, whatever became of it', async () => {
      const one = await gig();
      const wallet = walletOf(one);
      expect(await subject.store.nextNonce(wallet)).toBeNull();
      const ends = [
        (id: number, number: number) => confirm(id, number),
        (id: number, number: number) => fail(id, number),
        (id: number) => again(id),
      ];
      for (const [nonce, end] of ends.entries()) {
        const { id } = await move(one);
        await sign(id, nonce, nonce + 1);
        expect(await subject.store.nextNonce(wallet)).toBe(nonce + 1);
        await end(id, nonce + 1);
        expect(await subject.store.nextNonce(wallet)).toBe(nonce + 1);
      }
      const last = await move(one);
      for (const spent of [0, 1, 2]) await expect(sign(last.id, spent, 9)).rejects.toThrow();
      await expect(sign(last.id, -1, 9)).rejects.toThrow();
      expect(await subject.store.transfer(last.id)).toEqual(last);
      // Nonces that another program spent are left out.
      expect(await sign(last.id, 7, 9)).toBe(true);
      expect(await subject.store.nextNonce(wallet)).toBe(8);
      expect(await subject.store.nextNonce({ ...wallet, sender: seedAddress(0x99) })).toBeNull();
    });

    test('behavior: is busy while anything is planned or open, the longest waiting first', async () => {
      const [one, two, three] = [await gig(), await gig(), await gig()];
      expect(await subject.store.busySenders()).toEqual([]);
      const second = await move(two);
      const third = await move(three);
      const first = await move(one);
      await move(two);
      const all = [walletOf(two), walletOf(three), walletOf(one)];
      expect(await subject.store.busySenders()).toEqual(all);
      await sign(second.id, 0, 1);
      await sign(third.id, 0, 2);
      await subject.store.transaction((tx) => tx.markBroadcast(third.id, 15));
      expect(await subject.store.busySenders()).toEqual(all);
      // Its other one has waited since the end.
      await confirm(second.id, 1);
      expect(await subject.store.busySenders()).toEqual([walletOf(three), walletOf(one), walletOf(two)]);
      await fail(first.id, null);
      await fail(third.id, 2);
      expect(await subject.store.busySenders()).toEqual([walletOf(two)]);
      expect(await subject.store.transaction((tx) => tx.busySenders())).toEqual([walletOf(two)]);
    });
  });
}
