import { beforeEach, expect, test } from 'vitest';
import { claimByTap } from '../../../src/services/claims/claim-by-tap.ts';
import { find } from '../../../src/services/operators/find/find.ts';
import type { TestToken } from '../../support/anvil.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { ALICE, openCashier } from '../cashier.ts';

const VERIFIED = seedAddress(0xaa);
const POST = `snap:${'a'.repeat(32)}`;

const cashier = perCase(openCashier);
beforeEach(() => void cashier.verified.set(ALICE.platformUserId, VERIFIED));

/** A gig of a token that nobody deployed, because what is only claimed asks no chain. */
async function gig(amount = 5n) {
  const asset = { address: seedAddress(0xc0de), decimals: 6, name: 'T', symbol: 'T' } as TestToken;
  return await cashier.gig({ asset, tips: [{ account: ALICE, amount }], funds: 0n });
}

const claim = (postId = POST, deps = cashier.claiming) =>
  claimByTap(deps, { fid: ALICE.platformUserId, postId, requestId: 'req-1' });
const claims = () => cashier.store.claims({ limit: 9 });

test('security: of one tap that is sent twenty times at once, to two instances, one claim comes', async () => {
  await gig();
  const other = { ...cashier.claiming, store: await cashier.database.open() };
  const sent = Array.from({ length: 20 }, (_, index) => claim(POST, index % 2 === 0 ? cashier.claiming : other));
  const all = await Promise.all(sent);
  await other.store.close();
  expect(new Set(all.map(({ claim: { id } }) => id)).size).toBe(1);
  expect(await claims()).toMatchObject([{ ...ALICE, postId: POST, source: 'snap', recipient: VERIFIED }]);
  expect(await cashier.store.payments({ limit: 9 })).toMatchObject([{ amount: 5n, state: 'planned' }]);
});

test('security: of two taps at once one takes the tips, and the other writes nothing', async () => {
  await gig();
  const both = await Promise.allSettled([claim(), claim(`snap:${'b'.repeat(32)}`)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await cashier.store.payments({ limit: 9 })).toHaveLength(1);
});

test('security: of twenty different taps at once, to two instances, one takes the tips and the others write nothing', async () => {
  const other = { ...cashier.claiming, store: await cashier.database.open() };
  const name = (round: number, index: number) => `snap:${`${round}0${index}`.padStart(32, '0')}`;
  for (const round of [1, 2, 3, 4, 5]) {
    await gig();
    const sent = Array.from({ length: 20 }, (_, index) =>
      claim(name(round, index), index % 2 === 0 ? cashier.claiming : other),
    );
    const all = await Promise.allSettled(sent);
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await claims()).toHaveLength(round);
  }
  await other.store.close();
});

test('error: a tap with nothing to claim asks no platform, and writes nothing', async () => {
  const network = cashier.platforms.get('farcaster');
  if (network === undefined) throw new Error('Farcaster is off');
  const primaryAddress = () => Promise.reject(new Error('the platform was asked'));
  const deps = { ...cashier.claiming, platforms: new Map([['farcaster', { ...network, primaryAddress }]]) };
  await expect(claim(POST, deps)).rejects.toThrow('no_tips');
  await gig();
  await claim();
  await expect(claim(`snap:${'b'.repeat(32)}`, deps)).rejects.toThrow('no_tips');
  expect(await claims()).toHaveLength(1);
});

test('security: tips that another claim takes while the platform is asked are not taken, and nothing is written', async () => {
  await gig();
  const network = cashier.platforms.get('farcaster');
  if (network === undefined) throw new Error('Farcaster is off');
  const primaryAddress = async () => {
    await cashier.claim(cashier.post(ALICE));
    return seedAddress(0xbb);
  };
  const deps = { ...cashier.claiming, platforms: new Map([['farcaster', { ...network, primaryAddress }]]) };
  await expect(claim(POST, deps)).rejects.toThrow('no_tips');
  expect(await claims()).toMatchObject([{ source: 'url', recipient: VERIFIED }]);
});

test('security: the primary address is paid as it is when the tap comes, and a replay names no other', async () => {
  await gig();
  await claim();
  cashier.verified.set(ALICE.platformUserId, seedAddress(0xcc));
  expect((await claim()).claim.recipient).toBe(VERIFIED);
  await gig();
  expect((await claim(`snap:${'b'.repeat(32)}`)).claim.recipient).toBe(seedAddress(0xcc));
});

test('error: an account without a verified address, and a platform that is off, claim nothing', async () => {
  await gig();
  cashier.verified.delete(ALICE.platformUserId);
  await expect(claim()).rejects.toThrow('no_verified_address');
  await expect(claim(POST, { ...cashier.claiming, platforms: new Map() })).rejects.toThrow('platform_off');
  await expect(claim(POST, { ...cashier.claiming, wallets: null })).rejects.toThrow('wallets_off');
  expect(await claims()).toEqual([]);
});

test('behavior: an operator finds the claim of a tap by what stands for its post', async () => {
  await gig();
  const { claim: made } = await claim();
  expect(await find(cashier, POST)).toMatchObject([{ record: { kind: 'claim', id: made.id } }]);
});

test('behavior: the events of the gig and the audit trail name the tap as the source', async () => {
  const { id } = await gig();
  await claim();
  const opened = (await cashier.store.auditEvents({ limit: 9 })).find(({ action }) => action === 'claim.open');
  expect(opened).toMatchObject({ actor: 'account', requestId: 'req-1' });
  expect(JSON.parse(opened?.detail ?? '')).toMatchObject({ post: POST, source: 'snap' });
  const rows = await cashier.database.sql('select * from events where gig_id = ?', id);
  expect(JSON.stringify(rows)).toContain('snap');
});
