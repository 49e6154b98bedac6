import { decode, verify } from '@farcaster/jfs';
import { expect, test } from 'vitest';
import { appKeyOf, signAsApp } from '../../../sandbox/owners/app-keys.ts';
import { PEOPLE, person } from '../../../sandbox/people.ts';

test('behavior: each person has an app key of 32 bytes, the same each time', () => {
  const keys = PEOPLE.map(appKeyOf);
  expect(new Set(keys).size).toBe(PEOPLE.length);
  for (const key of keys) expect(key).toMatch(/^0x[0-9a-f]{64}$/);
  expect(PEOPLE.map(appKeyOf)).toEqual(keys);
});

test('behavior: what an app signs is right to Farcaster’s own library', async () => {
  const alice = person('alice');
  const signed = signAsApp(alice, { audience: 'http://127.0.0.1:3000', said: 'Überraschung' });
  expect(decode(signed)).toMatchObject({
    header: { fid: 1001, type: 'app_key', key: appKeyOf(alice) },
    payload: { audience: 'http://127.0.0.1:3000', said: 'Überraschung' },
  });
  await expect(verify({ data: signed, strict: true, keyTypes: ['app_key'] })).resolves.not.toThrow();
});
