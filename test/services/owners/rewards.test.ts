import { beforeEach, expect, test } from 'vitest';
import { claimByPage } from '../../../src/services/owners/rewards.ts';
import type { SignedIn } from '../../../src/services/owners/sessions.ts';
import type { TestToken } from '../../support/anvil.ts';
import { perCase } from '../../support/per-case.ts';
import { seedAddress, seedMention } from '../../support/store.ts';
import { ALICE, BOB_ON_X, openCashier } from '../cashier.ts';

const VERIFIED = seedAddress(0xaa);
const WALLET = seedAddress(0xbb);
const KEY = 'a'.repeat(32);

const cashier = perCase(openCashier);
beforeEach(() => void cashier.verified.set(ALICE.platformUserId, VERIFIED));

function signedInAs(owner: SignedIn['owner'], name: string): SignedIn {
  return { owner, name, client: `owner:${name}`, session: 's', expiresAt: 0, newUntil: null, at: 0, formToken: 'f' };
}
const alice = signedInAs({ kind: 'account', ...ALICE }, 'farcaster:1001');
const wallet = signedInAs({ kind: 'wallet', address: WALLET, chainId: null }, `wallet:${WALLET}`);

/** A gig of a token that nobody deployed, because what is only claimed asks no chain. */
async function gig(account: typeof ALICE, amount = 5n) {
  const asset = { address: seedAddress(0xc0de), decimals: 6, name: 'T', symbol: 'T' } as TestToken;
  await cashier.gig({ asset, tips: [{ account, amount }], funds: 0n });
}

const claim = (key: string, deps = cashier.claiming) =>
  claimByPage(deps, { signedIn: alice, account: ALICE, key, recipient: VERIFIED, requestId: 'req-1' });

async function link(account: typeof ALICE): Promise<void> {
  const mentionId = await seedMention(cashier.store);
  await cashier.database.sql(
    'insert into owner_links (owner, wallet, post_id, mention_id, created_at, valid_from) values (?, ?, ?, ?, ?, ?)',
    ...[`${account.platform}:${account.platformUserId}`, WALLET, '7', mentionId, 1, cashier.clock()],
  );
}

test('security: of one form that is sent several times at once one claim comes', async () => {
  await gig(ALICE);
  const all = await Promise.allSettled([claim(KEY), claim(KEY), claim(KEY)]);
  expect(await cashier.store.claims({ limit: 9 })).toHaveLength(1);
  const told = all.flatMap((each) => (each.status === 'fulfilled' ? each.value.payments : []));
  expect(new Set(told.map(({ id }) => id))).toEqual(new Set([1]));
  expect((await claim(KEY)).payments).toMatchObject([{ id: 1, amount: 5n }]);
});

test('security: of two forms that are sent at once one takes the tips', async () => {
  await gig(ALICE);
  const both = await Promise.allSettled([claim(KEY), claim('b'.repeat(32))]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await cashier.store.payments({ limit: 9 })).toHaveLength(1);
});

test('security: a link that ends while the platform is asked pays nothing', async () => {
  await gig(ALICE);
  await link(ALICE);
  const end = () => cashier.database.sql('update owner_links set ended_at = 5');
  const network = cashier.platforms.get('farcaster');
  if (network === undefined) throw new Error('Farcaster is off');
  const payoutAddresses = async () => {
    await end();
    return [VERIFIED];
  };
  const platforms = new Map([['farcaster', { ...network, payoutAddresses }]]);
  const asked = { signedIn: wallet, account: ALICE, key: KEY, recipient: VERIFIED, requestId: null };
  await expect(claimByPage({ ...cashier.claiming, platforms }, asked)).rejects.toThrow('account must be your own');
  expect(await cashier.store.claims({ limit: 9 })).toEqual([]);
});

test('security: the wallet of the session is paid, and no other, for an account without verified addresses', async () => {
  await gig(BOB_ON_X);
  const asked = { signedIn: wallet, account: BOB_ON_X, key: KEY, requestId: null };
  await expect(claimByPage(cashier.claiming, { ...asked, recipient: WALLET })).rejects.toThrow(
    'account must be your own',
  );
  await link(BOB_ON_X);
  await expect(claimByPage(cashier.claiming, { ...asked, recipient: VERIFIED })).rejects.toThrow('recipient must be');
  const { claim: made } = await claimByPage(cashier.claiming, { ...asked, recipient: WALLET });
  expect(made).toMatchObject({ ...BOB_ON_X, recipient: WALLET, source: 'page', postId: `page:${KEY}` });
});
