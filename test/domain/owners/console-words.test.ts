import { expect, test } from 'vitest';
import { consoleWords } from '../../../src/domain/owners/console-words.ts';

test.each([
  ['nobody', ['wallet'], 'sign-in with wallet; nobody creates gigs until you set OWNER_CREATE to listed or anybody'],
  ['listed', ['farcaster', 'wallet'], 'sign-in with farcaster and wallet; listed owners create gigs'],
  ['anybody', ['farcaster'], 'sign-in with farcaster; anybody creates gigs'],
  ['anybody', [], null],
] as const)('behavior: of %s and the ways %j the operator reads “%s”', (ownerCreate, signIn, words) => {
  expect(consoleWords({ signIn, ownerCreate })).toBe(words);
});
