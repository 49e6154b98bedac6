import { describe, expect, test } from 'vitest';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { SEEDED_AT, seedAddress, seedMention, seedToken } from '../../support/store.ts';
import { desk, output, refusal, useDesk } from '../admin.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const WALLET = seedAddress(0xabc);

useDesk();

const owner = (...args: string[]) => desk.admin(['owner', ...args]);
const token = (...args: string[]) => desk.admin(['token', ...args]);

async function link(): Promise<void> {
  const mentionId = await seedMention(desk.store, { postId: '0xa1' });
  const post = { wallet: WALLET, postId: '0xa1', mentionId, createdAt: SEEDED_AT };
  await desk.store.transaction((tx) => tx.insertLink(ALICE, post));
}

describe('owner list, allow, disallow and unlink', () => {
  test('behavior: allows owners, lists them with their wallets, and records it', async () => {
    expect((await owner('list')).out).toBe('No owner is allowed: add one with owner allow.\n');
    await link();
    expect(await output(owner('allow', 'farcaster:1001'))).toBe(
      'farcaster:1001 may create gigs where OWNER_CREATE is listed.\n',
    );
    await owner('allow', `wallet:${checksummed(WALLET)}`);
    expect(await desk.json('owner', 'list')).toEqual([
      { id: 2, owner: `wallet:${WALLET}`, allowed_at: '2026-01-01T00:00:00.000Z', linked_wallet: null },
      { id: 1, owner: 'farcaster:1001', allowed_at: '2026-01-01T00:00:00.000Z', linked_wallet: checksummed(WALLET) },
    ]);
    expect((await owner('list', '--before', '2')).out.split('\n').map((line) => line.split(/ {2,}/).join('|'))).toEqual(
      ['id|owner|allowed|linked wallet', `1|farcaster:1001|2026-01-01T00:00:00.000Z|${checksummed(WALLET)}`, ''],
    );
    expect((await owner('disallow', 'farcaster:1001')).out).toBe(
      'farcaster:1001 may create no more gigs; those it has go on.\n',
    );
    const subject = { actor: 'operator', name: 'command line', subject: 'owner' };
    expect(await desk.json('audit', 'list')).toMatchObject([
      { ...subject, action: 'owner.disallow', subject_id: 'farcaster:1001' },
      { ...subject, action: 'owner.allow', subject_id: `wallet:${WALLET}` },
      { ...subject, action: 'owner.allow', subject_id: 'farcaster:1001' },
    ]);
  });

  test('behavior: ends the links of an account, or of a wallet, at once', async () => {
    await link();
    expect((await owner('unlink', `wallet:${WALLET}`)).out).toBe(`wallet:${WALLET}: 1 link is ended.\n`);
    expect(await desk.store.linkOf(ALICE)).toBeNull();
    expect(await refusal(owner('unlink', 'farcaster:1001'))).toBe('farcaster:1001 has no link.\n');
    const event = { action: 'account.unlink', subject: 'account', subject_id: 'farcaster:1001' };
    expect(await desk.json('audit', 'list')).toMatchObject([{ ...event, name: 'command line' }]);
  });

  test('behavior: all sessions of an owner end at once, as the audit trail says', async () => {
    const session = {
      hash: 'a'.repeat(64),
      owner: 'twitter:22',
      label: 'Firefox',
      createdAt: 1,
      expiresAt: Number.MAX_SAFE_INTEGER,
    };
    await desk.store.transaction((tx) => tx.insertOwnerSession(session));
    expect((await owner('sign-out', 'x:22')).out).toBe('twitter:22: 1 session is ended.\n');
    expect((await owner('sign-out', 'x:22')).out).toBe('twitter:22: 0 sessions are ended.\n');
    expect((await desk.store.auditEvents({ limit: 9 })).map(({ action }) => action)).toEqual(['session.close']);
  });

  test('error: what changes nothing, and what names no owner, is refused', async () => {
    await owner('allow', 'x:22');
    expect((await owner('allow', 'twitter:22')).err).toBe('twitter:22 is allowed already.\n');
    expect((await owner('disallow', 'x:23')).err).toBe('twitter:23 is not allowed.\n');
    const named = await owner('allow', '@alice');
    expect([named.code, named.err]).toEqual([2, expect.stringContaining('an account such as farcaster:1003 or x:22')]);
    expect(await desk.json('audit', 'list')).toHaveLength(1);
  });
});

describe('token offer, withdraw and offered', () => {
  test('behavior: owners may choose a token until it is withdrawn, as the audit trail says', async () => {
    const { address } = await seedToken(desk.store, { chainId: 31337, symbol: 'USDC', name: 'USD Coin', decimals: 6 });
    expect((await token('offered')).out).toBe(
      'No token is offered: owners may choose the coins of the enabled chains.\n',
    );
    expect((await token('offer', 'anvil', address)).out).toMatch(/^Owners may choose token 1: USDC /);
    expect((await token('offer', 'anvil', address)).err).toMatch(/ is offered already\.\n$/);
    expect(await desk.json('token', 'offered')).toEqual([
      { id: 1, symbol: 'USDC', name: 'USD Coin', decimals: 6, chain: 'anvil', address: checksummed(address) },
    ]);
    // Payments in it take no more gas for that.
    expect((await token('disallow', 'anvil', address)).err).toMatch(/ is not allowed, so nothing changes\.\n$/);
    expect((await token('withdraw', 'anvil', address)).out).toMatch(/^Owners may no longer choose token 1: USDC /);
    expect((await token('withdraw', 'anvil', address)).code).toBe(1);
    expect(await desk.store.offeredTokens()).toEqual([]);
    const actions = (await desk.store.auditEvents({ limit: 9 })).map(({ action }) => action);
    expect(actions).toEqual(['token.withdraw', 'token.offer']);
  });

  test('error: an unknown token, and the coin of a chain', async () => {
    expect((await token('offer', 'anvil', WALLET)).err).toBe(
      `Token ${checksummed(WALLET)} on anvil is in no gig; a gig adds it, or token add.\n`,
    );
    expect((await token('withdraw', 'anvil', checksummed(NATIVE_TOKEN_ADDRESS))).err).toBe(
      'Owners may always choose the coin of an enabled chain: it is neither offered nor withdrawn.\n',
    );
  });
});
