import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

const HASH = 'c'.repeat(64);
const OTHER = 'd'.repeat(64);

export function describeSessions({ store, write }: Subject): void {
  const insertKey = () =>
    write.insertApiKey({
      name: 'desk',
      hash: 'a'.repeat(64),
      createdAt: 1,
      scopes: ['operator'],
      client: 'desk',
      expiresAt: null,
    });
  const insert = (hash: string, createdAt: number, expiresAt: number) =>
    write.insertSession({ hash, apiKeyId: 1, loginLinkId: null, createdAt, expiresAt });

  describe('sessions', () => {
    test('behavior: a session is found by its hash until it is deleted', async () => {
      await insertKey();
      await insert(HASH, 10, 20);
      expect(await store.sessionByHash(HASH)).toEqual({
        hash: HASH,
        apiKeyId: 1,
        loginLinkId: null,
        createdAt: 10,
        expiresAt: 20,
      });
      expect(await store.sessionByHash(OTHER)).toBeNull();
      expect([await write.deleteSession(HASH), await write.deleteSession(HASH)]).toEqual([true, false]);
      expect(await store.sessionByHash(HASH)).toBeNull();
    });

    test('behavior: those that were over when another one was made are forgotten', async () => {
      await insertKey();
      await insert(HASH, 10, 20);
      await insert(OTHER, 19, 40);
      expect(await store.sessionByHash(HASH)).not.toBeNull();
      await insert('e'.repeat(64), 20, 40);
      expect(await store.sessionByHash(HASH)).toBeNull();
      expect(await store.sessionByHash(OTHER)).not.toBeNull();
    });

    test('security: a session belongs to a key, is stored once, and only a hash is taken', async () => {
      await expect(insert(HASH, 1, 2)).rejects.toThrow();
      await insertKey();
      await insert(HASH, 1, 2);
      await expect(insert(HASH, 1, 2)).rejects.toThrow();
      await expect(insert('the-token-itself', 1, 2)).rejects.toThrow();
    });
  });
}
