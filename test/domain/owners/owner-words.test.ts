import { describe, expect, test } from 'vitest';
import {
  LINK_CHECKED_FOR_MS,
  LINK_WAIT_MS,
  linkedAddresses,
  readWallet,
  unlinkedAddresses,
} from '../../../src/domain/owners/link.ts';
import { isOwnersClient, ownerClient, ownerText, readOwner } from '../../../src/domain/owners/owner.ts';
import { UNFUNDED_FOR_MS, UNSTARTED_FOR_MS } from '../../../src/domain/owners/owner-gigs.ts';

const ADDRESS = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';
const LOWER = ADDRESS.toLowerCase();

const written = (text: string) => {
  const owner = readOwner(text);
  return owner === null ? null : ownerText(owner);
};

describe('the name of an owner', () => {
  test.each([
    ['farcaster:1003', 'farcaster:1003'],
    ['x:22', 'twitter:22'],
    ['twitter:22', 'twitter:22'],
    [`wallet:${ADDRESS}`, `wallet:${LOWER}`],
    [`wallet:8453:${ADDRESS}`, `wallet:8453:${LOWER}`],
  ])('behavior: %s is stored as %s', (text, stored) => {
    expect(written(text)).toBe(stored);
    expect(readOwner(text)?.kind).toBe(stored.startsWith('wallet:') ? 'wallet' : 'account');
  });

  test.each([
    ...['', 'farcaster', 'farcaster:', 'farcaster:alice', 'farcaster:01', 'myspace:1', '@alice', ' farcaster:1'],
    ...['farcaster:1:2', ADDRESS, 'wallet:0x1', `wallet:0:${ADDRESS}`, `wallet:${ADDRESS.replace('4ed4E', '4ED4E')}`],
    ...[`wallet:${ADDRESS}a`, `my wallet:${ADDRESS}`, `wallet:1234567890123456:${ADDRESS}`],
  ])('error: “%s” names none', (text) => {
    expect(written(text)).toBeNull();
  });
});

test('security: the wallet of a link is the one address that is named, with a valid checksum if it has one', () => {
  expect(readWallet([ADDRESS])).toEqual({ wallet: LOWER });
  expect(readWallet([LOWER])).toEqual({ wallet: LOWER });
  expect(readWallet([])).toBe('no_address');
  expect(readWallet([ADDRESS, LOWER])).toBe('several_addresses');
  expect(readWallet([ADDRESS.replace('4ed4E', '4ED4E')])).toBe('invalid_address');
  expect(readWallet([ADDRESS.slice(0, -1)])).toBe('invalid_address');
});

test('security: gigs of an owner belong to a client whose name nobody else can have', () => {
  expect(ownerClient('farcaster:1003')).toBe('owner:farcaster:1003');
  for (const client of ['owner:farcaster:1003', ' Owner:x', 'OWNER:']) expect(isOwnersClient(client)).toBe(true);
  for (const client of ['owner', 'owners:1', 'shop', 'my owner:1', '']) expect(isOwnersClient(client)).toBe(false);
});

test('behavior: the words of a link and of its end name their addresses, and neither names those of the other', () => {
  expect(linkedAddresses(`link ${ADDRESS}`)).toEqual([ADDRESS]);
  expect(linkedAddresses('link')).toEqual([]);
  expect(unlinkedAddresses(`unlink ${ADDRESS}`)).toEqual([ADDRESS]);
  expect(unlinkedAddresses('unlink')).toEqual([]);
  expect([linkedAddresses('unlink'), unlinkedAddresses('link'), unlinkedAddresses('')]).toEqual([null, null, null]);
});

test('behavior: a link waits ten minutes for a look at its post, which is looked for for two days', () => {
  expect([LINK_WAIT_MS, LINK_CHECKED_FOR_MS]).toEqual([600_000, 172_800_000]);
});

test('behavior: an owner’s gig waits a week for its funds, an hour while places are scarce, and two weeks to start', () => {
  expect(UNFUNDED_FOR_MS).toEqual({ usual: 604_800_000, scarce: 3_600_000 });
  expect(UNSTARTED_FOR_MS).toBe(1_209_600_000);
});
