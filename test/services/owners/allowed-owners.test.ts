import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { Owner } from '../../../src/domain/owners/owner.ts';
import { allowOwner, listAllowedOwners } from '../../../src/services/owners/allowed-owners.ts';
import { storePerCase } from '../../support/per-case.ts';
import { SEEDED_AT, seedAddress, seedMention } from '../../support/store.ts';

const WALLET = seedAddress(7);
const ALICE = { kind: 'account', platform: 'farcaster', platformUserId: '1001' } as const;
const BOB = { ...ALICE, platformUserId: '1002' };
const OWNER: Owner = { kind: 'wallet', address: WALLET, chainId: null };

const { store } = storePerCase();
const allow = (owner: Owner, isAllowed = true) =>
  allowOwner({ store, clock: () => SEEDED_AT }, { owner, isAllowed, actor: COMMAND_LINE });
const list = async (limit = 9, before?: number) =>
  (await listAllowedOwners({ store }, { limit, before })).map(({ owner, allowedAt, wallet }) => [
    owner,
    allowedAt,
    wallet,
  ]);

test('behavior: allowed owners are listed with the wallets that they have linked, the last one first', async () => {
  const mentionId = await seedMention(store);
  const link = { wallet: WALLET, postId: '7', mentionId, createdAt: SEEDED_AT };
  await store.transaction((tx) => tx.insertLink(ALICE, link));
  for (const owner of [ALICE, OWNER, BOB]) await allow(owner);
  const [alice, wallet, bob] = [
    ['farcaster:1001', SEEDED_AT, WALLET],
    [`wallet:${WALLET}`, SEEDED_AT, null],
    ['farcaster:1002', SEEDED_AT, null],
  ];
  expect(await list()).toEqual([bob, wallet, alice]);
  expect(await list(1)).toEqual([bob]);
  const [newest] = await listAllowedOwners({ store }, { limit: 1 });
  expect(await list(9, newest?.id)).toEqual([wallet, alice]);
});

test('error: what changes nothing is refused, and each change is recorded', async () => {
  const refused = (message: string) => ({ refusal: { code: 'invalid_request', message } });
  await expect(allow(ALICE, false)).rejects.toMatchObject(refused('farcaster:1001 is not allowed.'));
  await allow(ALICE);
  await expect(allow(ALICE)).rejects.toMatchObject(refused('farcaster:1001 is allowed already.'));
  await allow(ALICE, false);
  expect(await list()).toEqual([]);
  const about = { subject: 'owner', subjectId: 'farcaster:1001', gigId: null, detail: '{}', at: SEEDED_AT };
  expect(await store.auditEvents({ limit: 9 })).toMatchObject([
    { ...about, action: 'owner.disallow' },
    { ...about, action: 'owner.allow' },
  ]);
});
