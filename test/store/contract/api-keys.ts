import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

const HASH = 'a'.repeat(64);

export function describeApiKeys({ store, write }: Subject): void {
  const insert = (name: string, hash: string, expiresAt: number | null = null) =>
    write.insertApiKey({ name, hash, scopes: ['gigs:read', 'tips:write'], client: 'shop', createdAt: 10, expiresAt });

  describe('API keys', () => {
    test('behavior: a key is found by its hash and listed in the order of making', async () => {
      const first = await insert('first', HASH);
      const second = await insert('second', 'b'.repeat(64), 99);
      const expected = {
        id: 1,
        name: 'first',
        hash: HASH,
        scopes: ['gigs:read', 'tips:write'],
        client: 'shop',
        createdAt: 10,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      };
      expect(first).toEqual(expected);
      expect(await store.apiKeyByHash(HASH)).toEqual(expected);
      expect(await store.apiKeys()).toEqual([first, second]);
      expect(await store.apiKey(2)).toEqual(second);
      expect(second.expiresAt).toBe(99);
    });

    test('behavior: an unknown hash is null', async () => {
      expect(await store.apiKeyByHash(HASH)).toBeNull();
      expect(await store.apiKeys()).toEqual([]);
      expect(await store.apiKey(1)).toBeNull();
    });

    test('behavior: revoking works once, and keeps its time', async () => {
      const { id } = await insert('key', HASH);
      const revoke = (key: number, now: number) => write.revokeApiKey(key, now);
      expect([await revoke(id, 20), await revoke(id, 30)]).toEqual([true, false]);
      expect(await revoke(99, 30)).toBe(false);
      expect((await store.apiKeyByHash(HASH))?.revokedAt).toBe(20);
    });

    test('behavior: the last use is remembered', async () => {
      const { id } = await insert('key', HASH);
      await write.touchApiKey(id, 40);
      await write.touchApiKey(id, 50);
      expect((await store.apiKeyByHash(HASH))?.lastUsedAt).toBe(50);
    });

    test('security: the same key cannot be stored twice, and only a hash is taken', async () => {
      await insert('key', HASH);
      await expect(insert('again', HASH)).rejects.toThrow();
      await expect(insert('plain', 'not-a-hash-but-the-key-itself')).rejects.toThrow();
    });
  });
}
