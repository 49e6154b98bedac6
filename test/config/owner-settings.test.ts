import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { problemsOf } from '../support/config.ts';

test('behavior: the ways to sign in are a list; others, and other owners, are refused by name', () => {
  const { signIn } = loadConfig({ SIGN_IN: 'wallet, farcaster,wallet' });
  expect(signIn).toEqual(['wallet', 'farcaster']);
  expect(loadConfig({ SIGN_IN: ' ' }).signIn).toEqual([]);
  expect(loadConfig({ OWNER_CREATE: 'listed', GAS_BUDGET_OWNERS_DAY: '0' })).toMatchObject({
    ownerCreate: 'listed',
    ownersGasPerDay: null,
  });
  expect(problemsOf({ SIGN_IN: 'wallet,x', OWNER_CREATE: 'all', OWNER_OPEN_GIGS: '0' })).toEqual([
    'SIGN_IN must be farcaster, wallet or both, comma-separated',
    'OWNER_CREATE must be one of nobody, listed, anybody',
    'OWNER_OPEN_GIGS must be a whole number from 1 to 1000000',
  ]);
});
