import { describe, expect, test } from 'vitest';
import type { TransferState } from '../../../src/domain/transfer.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { sampleAttempt, seedFee, seedGig, seedHash } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const MOST = 2n ** 256n - 1n;

const inclusion = (number: number) => ({ hash: seedHash(number), blockNumber: 9n, gasSpent: 21n });

export function describeTransfers(subject: Subject): void {
  const change = <T>(run: (tx: StoreTx) => Promise<T>) => subject.store.transaction(run);
  /** From a wallet of its own. */
  const fee = async () => await seedFee(subject.store, await seedGig(subject.store, { live: true }));
  const sign = (id: number, nonce: number, number = nonce + 1) =>
    change((tx) => tx.markSigned(id, { nonce, attempt: sampleAttempt(number), now: 10 }));
  const confirm = (id: number, number: number) =>
    change((tx) => tx.markConfirmed(id, { ...inclusion(number), now: 30 }));
  const failOpen = (id: number, number: number) =>
    change((tx) => tx.markTransferFailed(id, { reason: 'it reverted', inclusion: inclusion(number), now: 30 }));
  const failPlanned = (id: number) =>
    change((tx) => tx.markTransferFailed(id, { reason: 'it was refused', inclusion: null, now: 30 }));
  const again = (id: number) => change((tx) => tx.planAgain(id, { reason: 'nonce spent', now: 30 }));

  describe('a transfer', () => {
    test('behavior: is signed, broadcast and confirmed', async () => {
      const planned = await fee();
      const { id } = planned;
      const attempt = sampleAttempt(1, { maxFeePerGas: MOST, maxPriorityFeePerGas: 0n, gas: 2n ** 64n });
      expect(await change((tx) => tx.markSigned(id, { nonce: 0, attempt, now: 10 }))).toBe(true);
      const signed = { ...planned, state: 'signed', nonce: 0, updatedAt: 10, attempts: [attempt] };
      expect(await subject.store.transfer(id)).toEqual(signed);
      expect(await change((tx) => tx.markBroadcast(id, 20))).toBe(true);
      expect(await subject.store.transfer(id)).toEqual({ ...signed, state: 'broadcast', updatedAt: 20 });
      const landed = { hash: attempt.hash, blockNumber: 2n ** 70n, gasSpent: MOST };
      expect(await change((tx) => tx.markConfirmed(id, { ...landed, now: 30 }))).toBe(true);
      expect(await subject.store.transfer(id)).toEqual({ ...signed, ...landed, state: 'confirmed', updatedAt: 30 });
    });

    test('security: is the one fee of its gig, unless it failed', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const first = await seedFee(subject.store, gig);
      await expect(seedFee(subject.store, gig)).rejects.toThrow();
      await seedFee(subject.store, await seedGig(subject.store, { live: true }));
      await failPlanned(first.id);
      const second = await seedFee(subject.store, gig);
      await sign(second.id, 0);
      await confirm(second.id, 1);
      await expect(seedFee(subject.store, gig)).rejects.toThrow();
      expect(await subject.store.transfersOfGig(gig.id)).toHaveLength(2);
    });

    test('behavior: is confirmed though nobody noted that it was broadcast', async () => {
      const { id } = await fee();
      await sign(id, 0);
      expect(await confirm(id, 1)).toBe(true);
    });

    test('behavior: offered once more is broadcast at that time', async () => {
      const { id } = await fee();
      await sign(id, 0);
      await change((tx) => tx.markBroadcast(id, 20));
      expect(await change((tx) => tx.markBroadcast(id, 25))).toBe(true);
      expect(await subject.store.transfer(id)).toMatchObject({ state: 'broadcast', updatedAt: 25 });
    });

    test('behavior: keeps every signed attempt, oldest first, and lands as any of them', async () => {
      const { id } = await fee();
      await sign(id, 0, 5);
      // The clock went back.
      const attempts = [sampleAttempt(5), sampleAttempt(3, { maxFeePerGas: 9n }), sampleAttempt(4, { signedAt: 1 })];
      for (const attempt of attempts.slice(1))
        expect(await change((tx) => tx.addAttempt(id, { attempt, now: 12 }))).toBe(true);
      expect(await subject.store.transfer(id)).toMatchObject({ state: 'signed', updatedAt: 12 });
      expect((await subject.store.transfer(id))?.attempts).toEqual(attempts);
      expect(await confirm(id, 3)).toBe(true);
      expect(await subject.store.transfer(id)).toMatchObject({ hash: seedHash(3), attempts });
    });

    test('behavior: fails where it landed without effect, and keeps its nonce', async () => {
      const { id } = await fee();
      await sign(id, 0);
      expect(await failOpen(id, 1)).toBe(true);
      expect(await subject.store.transfer(id)).toMatchObject({
        state: 'failed',
        nonce: 0,
        reason: 'it reverted',
        updatedAt: 30,
        hash: seedHash(1),
        blockNumber: 9n,
        gasSpent: 21n,
      });
    });

    test('behavior: fails before it is signed, and has no nonce', async () => {
      const { id } = await fee();
      expect(await failPlanned(id)).toBe(true);
      expect(await subject.store.transfer(id)).toMatchObject({
        state: 'failed',
        nonce: null,
        reason: 'it was refused',
        hash: null,
        blockNumber: null,
        gasSpent: null,
      });
    });

    test('behavior: says what it waits for until its next step; what is over keeps its own reason', async () => {
      const { id } = await fee();
      const note = (reason: string | null) => change((tx) => tx.noteTransfer(id, { reason, now: 15 }));
      const reason = async () => (await subject.store.transfer(id))?.reason;
      await note('the gas tank is low');
      expect(await subject.store.transfer(id)).toMatchObject({ reason: 'the gas tank is low', updatedAt: 15 });
      await note(null);
      expect(await reason()).toBeNull();
      await note('waiting');
      await sign(id, 0);
      expect(await reason()).toBeNull();
      await note('no node takes it');
      expect(await reason()).toBe('no node takes it');
      await change((tx) => tx.markBroadcast(id, 20));
      expect(await reason()).toBeNull();
      await failOpen(id, 1);
      await note('forgotten');
      expect(await subject.store.transfer(id)).toMatchObject({ reason: 'it reverted', updatedAt: 30 });
      await change((tx) => tx.noteTransfer(99, { reason: 'nobody', now: 1 }));
    });

    test('security: lands only as an attempt of its own', async () => {
      const first = await fee();
      const second = await fee();
      await sign(first.id, 0, 1);
      await sign(second.id, 0, 2);
      await expect(confirm(first.id, 2)).rejects.toThrow(RangeError);
      await expect(confirm(first.id, 7)).rejects.toThrow(RangeError);
      await expect(failOpen(first.id, 2)).rejects.toThrow(RangeError);
      await change((tx) =>
        expect(tx.markConfirmed(first.id, { ...inclusion(2), now: 30 })).rejects.toThrow(RangeError),
      );
      expect(await subject.store.transfer(first.id)).toMatchObject({ state: 'signed', hash: null, updatedAt: 10 });
    });

    test('error: bytes are signed once; what breaks a constraint changes nothing, even if caught', async () => {
      const first = await fee();
      const second = await fee();
      await sign(first.id, 0, 1);
      const before = await subject.store.transfer(first.id);
      const attempt = sampleAttempt(1);
      await change(async (tx) => {
        await expect(tx.addAttempt(first.id, { attempt, now: 99 })).rejects.toThrow();
        await expect(tx.markSigned(second.id, { nonce: 0, attempt, now: 99 })).rejects.toThrow();
        for (const wrong of [{ hash: '0x1' }, { raw: '0x' }, { raw: '0x1' }, { raw: '0xZZ' }, { gas: -1n }] as const) {
          const odd = sampleAttempt(50, wrong);
          await expect(tx.addAttempt(first.id, { attempt: odd, now: 99 }), JSON.stringify(odd.raw)).rejects.toThrow();
        }
        const odd = { ...inclusion(1), blockNumber: -1n, now: 99 };
        await expect(tx.markConfirmed(first.id, odd)).rejects.toThrow();
      });
      expect(await subject.store.transfer(first.id)).toEqual(before);
      expect(await subject.store.transfer(second.id)).toEqual(second);
    });
  });

  describe('a state', () => {
    /** Brings a transfer of a wallet of its own there, signed as attempt `number`. */
    async function bring(state: TransferState, number: number): Promise<number> {
      const { id } = await fee();
      if (state === 'planned') return id;
      await sign(id, 0, number);
      if (state === 'broadcast') await change((tx) => tx.markBroadcast(id, 20));
      if (state === 'confirmed') await confirm(id, number);
      if (state === 'failed') await failOpen(id, number);
      if (state === 'replaced') await again(id);
      return id;
    }

    const steps: Record<string, (id: number, number: number) => Promise<boolean>> = {
      sign: (id, number) => sign(id, 5, number + 1),
      addAttempt: (id, number) => change((tx) => tx.addAttempt(id, { attempt: sampleAttempt(number + 1), now: 40 })),
      broadcast: (id) => change((tx) => tx.markBroadcast(id, 40)),
      confirm,
      failPlanned,
      failOpen,
      planAgain: async (id) => (await again(id)) !== null,
    };
    const open = ['addAttempt', 'broadcast', 'confirm', 'failOpen', 'planAgain'];

    test.for([
      ['planned', ['sign', 'failPlanned']],
      ['signed', open],
      ['broadcast', open],
      ['confirmed', []],
      ['failed', []],
      ['replaced', []],
    ] as const)('behavior: %s allows these steps alone: %j', async ([state, allowed]) => {
      const done: string[] = [];
      let number = 0;
      for (const [name, step] of Object.entries(steps)) {
        number += 10;
        const id = await bring(state, number);
        const before = await subject.store.transfer(id);
        if (await step(id, number)) done.push(name);
        else expect(await subject.store.transfer(id), name).toEqual(before);
      }
      expect(done).toEqual(allowed);
    });

    test.for(Object.keys(steps))('behavior: %s finds no transfer that is not there', async (name) => {
      expect(await steps[name]?.(99, 1)).toBe(false);
      expect(await subject.store.transfers({ limit: 10 })).toEqual([]);
    });
  });
}
