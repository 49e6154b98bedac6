import { describe, expect, test } from 'vitest';
import { seedAddress } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const ALICE_ON_X = { platform: 'twitter', platformUserId: '1001' } as const;
const HOME = { name: 'alice.eth', address: seedAddress(1) } as const;
const MOVED = { ...HOME, address: seedAddress(2) } as const;

export function describeNames({ store, write, change }: Subject): void {
  const ofAlice = () => store.nameOf(ALICE, HOME.name);

  describe('names of accounts', () => {
    test('behavior: a name is told, then confirmed, and belongs to one account', async () => {
      expect(await ofAlice()).toBeNull();
      await write.askName(ALICE, HOME, 10);
      expect(await ofAlice()).toEqual({ ...ALICE, ...HOME, askedAt: 10, confirmedAt: null });
      expect(await store.namesOf(ALICE)).toEqual([]);
      expect(await write.confirmName(ALICE, HOME, 20)).toBe(true);
      const confirmed = { ...ALICE, ...HOME, askedAt: 10, confirmedAt: 20 };
      expect([await ofAlice(), ...(await store.namesOf(ALICE))]).toEqual([confirmed, confirmed]);
      expect([await store.nameOf(ALICE_ON_X, HOME.name), await store.namesOf(ALICE_ON_X)]).toEqual([null, []]);
      expect(await store.nameOf(ALICE, 'alicia.eth')).toBeNull();
    });

    test('behavior: a confirmation again keeps the time of the first', async () => {
      await write.askName(ALICE, HOME, 10);
      await write.confirmName(ALICE, HOME, 20);
      expect(await write.confirmName(ALICE, HOME, 5)).toBe(true);
      expect(await ofAlice()).toMatchObject({ confirmedAt: 20 });
    });

    test('security: only the address that was told last is confirmed, by the account that was told', async () => {
      expect(await write.confirmName(ALICE, HOME, 20)).toBe(false);
      await write.askName(ALICE, HOME, 10);
      expect(await write.confirmName(ALICE_ON_X, HOME, 20)).toBe(false);
      expect(await write.confirmName(ALICE, MOVED, 20)).toBe(false);
      await write.askName(ALICE, MOVED, 30);
      expect(await write.confirmName(ALICE, HOME, 40)).toBe(false);
      expect(await ofAlice()).toMatchObject({ address: MOVED.address, askedAt: 30, confirmedAt: null });
    });

    test('security: a name that is told with another address is to be confirmed anew; the same address stays confirmed', async () => {
      await write.askName(ALICE, HOME, 10);
      await write.confirmName(ALICE, HOME, 20);
      await write.askName(ALICE, HOME, 30);
      expect(await ofAlice()).toMatchObject({ askedAt: 10, confirmedAt: 20 });
      await write.askName(ALICE, MOVED, 40);
      expect(await ofAlice()).toMatchObject({ address: MOVED.address, askedAt: 40, confirmedAt: null });
      expect(await store.namesOf(ALICE)).toEqual([]);
    });

    test('behavior: an account keeps its twenty newest names', async () => {
      await write.askName(ALICE_ON_X, HOME, 1);
      await write.confirmName(ALICE_ON_X, HOME, 1);
      await change(async (tx) => {
        for (let number = 1; number <= 21; number += 1) {
          const named = { name: `a${number}.eth`, address: seedAddress(number) } as const;
          await tx.askName(ALICE, named, number);
          await tx.confirmName(ALICE, named, number);
        }
      });
      const kept = (await store.namesOf(ALICE)).map(({ name }) => name);
      expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => `a${21 - index}.eth`));
      expect(await store.nameOf(ALICE, 'a1.eth')).toBeNull();
      expect(await store.namesOf(ALICE_ON_X)).toHaveLength(1);
    });

    test('security: a transaction that fails leaves nothing of a question or a confirmation', async () => {
      await write.askName(ALICE, HOME, 10);
      const failed = change(async (tx) => {
        await tx.confirmName(ALICE, HOME, 20);
        await tx.askName(ALICE, { name: 'b.eth', address: seedAddress(9) }, 20);
        throw new Error('stopped');
      });
      await expect(failed).rejects.toThrow('stopped');
      expect(await ofAlice()).toMatchObject({ confirmedAt: null });
      expect(await store.nameOf(ALICE, 'b.eth')).toBeNull();
    });
  });
}
