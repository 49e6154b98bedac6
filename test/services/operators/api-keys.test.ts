import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { authenticateApiKey, createApiKey } from '../../../src/services/operators/api-keys.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { createClock } from '../fakes.ts';

const { store } = storePerCase();
const time = perCase(createClock);

let made = 0;
function create(name: string, expiresAt: number | null = null) {
  made += 1;
  const randomBytes = (size: number) => new Uint8Array(size).fill(made);
  return createApiKey({ store, clock: time.clock, randomBytes, actor: COMMAND_LINE }, { name, expiresAt });
}
const authenticate = (key: string | undefined) => authenticateApiKey({ store, clock: time.clock }, key);
const REFUSED = { name: 'DomainError', refusal: { code: 'invalid_api_key' } };

test('security: a key is handed out once, and only its SHA-256 is stored', async () => {
  const { key, record } = await create(' agent ');
  expect(key).toMatch(/^gck_[A-Za-z0-9_-]{43}$/);
  expect(record).toMatchObject({ name: 'agent', hash: createHash('sha256').update(key).digest('hex') });
  expect(JSON.stringify(await store.apiKeys())).not.toContain(key.slice(4));
  expect(await authenticate(key)).toMatchObject({ id: record.id, name: 'agent' });
});

test('security: no key, a wrong one, and anything near a right one are refused', async () => {
  const { key, record } = await create('agent');
  const wrong = [undefined, '', ' ', key.slice(0, -1), `${key} `, ` ${key}`, key.toLowerCase(), record.hash, 'gck_'];
  for (const presented of wrong) await expect(authenticate(presented)).rejects.toMatchObject(REFUSED);
});

test('security: a key ends at its expiry, and at once when it is revoked', async () => {
  const expiring = await create('short', time.clock() + 1_000);
  const revoked = await create('other');
  time.advance(999);
  await authenticate(expiring.key);
  time.advance(1);
  await expect(authenticate(expiring.key)).rejects.toMatchObject(REFUSED);
  await authenticate(revoked.key);
  await store.transaction((tx) => tx.revokeApiKey(revoked.record.id, time.clock()));
  await expect(authenticate(revoked.key)).rejects.toMatchObject(REFUSED);
});

test('behavior: the last use is noted, once a minute at most', async () => {
  const { key } = await create('agent');
  const lastUse = async () => (await store.apiKeys())[0]?.lastUsedAt;
  const first = time.clock();
  await authenticate(key);
  expect(await lastUse()).toBe(first);
  time.advance(59_999);
  await authenticate(key);
  expect(await lastUse()).toBe(first);
  time.advance(1);
  await authenticate(key);
  expect(await lastUse()).toBe(first + 60_000);
});

test('error: a name that is empty or too long, and an expiry that has passed, are refused', async () => {
  const refused = (message: string) => ({ refusal: { code: 'invalid_request', message } });
  await expect(create('  ')).rejects.toMatchObject(refused('name must have 1 to 100 characters'));
  await expect(create('x'.repeat(101))).rejects.toMatchObject(refused('name must have 1 to 100 characters'));
  await expect(create('x', time.clock())).rejects.toMatchObject(refused('the expiry must be in the future'));
  expect(await store.apiKeys()).toEqual([]);
});

test('security: no key gets a client whose name is kept for owners who sign in', async () => {
  for (const name of ['owner:farcaster:1003', ' Owner:x', 'OWNER:wallet:0x1']) {
    await expect(create(name)).rejects.toThrow('client must not begin with owner:');
  }
  expect((await create('owner of gigs')).record.client).toBe('owner of gigs');
});
