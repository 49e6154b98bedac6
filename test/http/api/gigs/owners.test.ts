import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { createChains } from '../../../../src/chain/registry.ts';
import { prepareStart } from '../../../../src/services/gigs/start-gig.ts';
import { seedToken } from '../../../support/store.ts';
import { label, NOW, seedLocalGig, service, shareService } from '../../service.ts';
import { create, invalid, knowDegen, refusal, told } from '../../terms.ts';

shareService();
beforeAll(async () => {
  await knowDegen(service);
});

const add = (id: number | string, owner: unknown, headers?: Record<string, string>) =>
  told(service.send('POST', `/api/gigs/${id}/owners`, owner, headers));

test('behavior: an owner is added under its id, as often as it is asked', async () => {
  const { gig_id: id } = await create(service);
  const owner = { platform: 'farcaster', platform_user_id: '8004', username: '@Alice.eth' };
  for (let times = 0; times < 2; times += 1) {
    expect(await add(id, owner)).toEqual({
      status: 201,
      body: { data: { gig_id: id, platform: 'farcaster', platform_user_id: '8004', username: 'Alice.eth' } },
    });
  }
  expect(await service.store.gigOwners(id)).toEqual([
    { platform: 'farcaster', platformUserId: '8004', username: 'Alice.eth' },
  ]);
});

test('behavior: X goes by both of its names, and ids by text or number', async () => {
  const { gig_id: id } = await create(service);
  expect(await add(id, { platform: 'x', platform_user_id: '18446744073709551615' })).toEqual({
    status: 201,
    body: { data: { gig_id: id, platform: 'x', platform_user_id: '18446744073709551615', username: null } },
  });
  expect(await add(id, { platform: 'twitter', platform_user_id: 12, username: null })).toMatchObject({
    status: 201,
    body: { data: { platform: 'x', platform_user_id: '12', username: null } },
  });
  expect(await service.store.ownsGig(id, { platform: 'twitter', platformUserId: '12' })).toBe(true);
  expect(await service.store.ownsGig(id, { platform: 'farcaster', platformUserId: '12' })).toBe(false);
});

test('security: a handle that its platform told stays where it is, and the ids become owners', async () => {
  const { gig_id: id } = await create(service);
  await label(service.store, 'twitter', '501', 'carol');
  await add(id, { platform: 'x', platform_user_id: '501' });
  await add(id, { platform: 'x', platform_user_id: '502', username: 'CAROL' });
  await add(id, { platform: 'x', platform_user_id: '503', username: 'Dave' });
  expect(await service.store.gigOwners(id)).toEqual([
    { platform: 'twitter', platformUserId: '501', username: 'carol' },
    { platform: 'twitter', platformUserId: '502', username: null },
    { platform: 'twitter', platformUserId: '503', username: 'Dave' },
  ]);
  // Without a handle nothing is said about it.
  await add(id, { platform: 'x', platform_user_id: '503' });
  expect(await service.store.account({ platform: 'twitter', platformUserId: '503' })).toMatchObject({
    username: 'Dave',
  });
});

test('behavior: a new owner may start the gig with the bot, an account of the same number elsewhere may not', async () => {
  const { gig_id: id } = await create(service);
  const deps = {
    store: service.store,
    clock: () => NOW,
    chains: createChains({ endpoints: [], clock: () => NOW }),
    payers: null,
    treasury: null,
    randomBytes,
  };
  const start = (platform: 'farcaster' | 'twitter') =>
    prepareStart(deps, {
      gigId: id,
      holder: platform,
      actor: { kind: 'account', platform, platformUserId: '77', requestId: platform },
    });
  await expect(start('farcaster')).rejects.toMatchObject({ refusal: { code: 'not_gig_owner' } });
  await add(id, { platform: 'farcaster', platform_user_id: '77' });
  // So far that the chain is asked, of which there is none here.
  await expect(start('farcaster')).rejects.toMatchObject({ name: 'AdapterError' });
  await expect(start('twitter')).rejects.toMatchObject({ refusal: { code: 'not_gig_owner' } });
});

test('behavior: a live gig takes new owners', async () => {
  const { id } = await seedLocalGig(service.store, await seedToken(service.store, { chainId: 31337 }), { live: true });
  expect((await add(id, { platform: 'farcaster', platform_user_id: 5 })).status).toBe(201);
  expect(await service.store.ownsGig(id, { platform: 'farcaster', platformUserId: '5' })).toBe(true);
});

const PLATFORM = 'platform must be one of farcaster, x, twitter';
const USER_ID =
  'platform_user_id must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits, as a string if it has more than 15; GET /api/accounts finds the id of a handle';
const USERNAME = 'username must be a handle: 1 to 64 letters, digits, _, . or -';
const fine = { platform: 'x', platform_user_id: '1' };

test.each<[owner: unknown, details: string[]]>([
  [{}, [PLATFORM, USER_ID]],
  [[fine], ['The body must be a JSON object']],
  [{ platform: 'y', platform_user_id: 'alice', username: 'a b' }, [PLATFORM, USER_ID, USERNAME]],
  ...[2 ** 53, 2 ** 60, 0, -1, 1.5, true, null, '', '0', '01', '-1', '1.5', ' 1', '1e3', '@1', '٣', '1'.repeat(21)].map(
    (id): [unknown, string[]] => [{ ...fine, platform_user_id: id }, [USER_ID]],
  ),
  ...['', '@', '@@a', 'a b', 'a@b', 'ä', 'a'.repeat(65), 5, '<b>'].map((username): [unknown, string[]] => [
    { ...fine, username },
    [USERNAME],
  ]),
])('error: %j is no owner', async (owner, details) => {
  const { gig_id: id } = await create(service);
  expect(await add(id, owner)).toEqual(invalid(...details));
  expect(await service.store.gigOwners(id)).toEqual([]);
});

test('error: a gig that is not there, an id that is none, a body that is none, and a key that is none', async () => {
  expect(await add(987_654, fine)).toEqual(refusal(404, 'Gig with id 987654 not found'));
  expect(await add('0', fine)).toEqual(
    refusal(400, 'The gig id in the path must be a positive whole number of at most 15 digits'),
  );
  expect(await add(1, 'owner')).toMatchObject(
    refusal(400, expect.stringMatching(/^Body is not valid JSON: send \{"platform":"x",/)),
  );
  expect(await add(1, fine, { 'x-api-key': 'wrong' })).toEqual(refusal(401, 'Invalid API key'));
});
