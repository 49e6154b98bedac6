import { beforeAll, expect, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { seedGig, seedTips } from '../../../support/store.ts';
import { label, service, shareService } from '../../service.ts';
import { invalid, refusal, told } from '../../terms.ts';

let cast: Gig;
let post: Gig;

shareService();
beforeAll(async () => {
  cast = await seedGig(service.store, { live: true });
  post = await seedGig(service.store, { live: true, platform: 'twitter' });
  await seedTips(service.store, cast, [{ platform: 'farcaster', platformUserId: '8004' }]);
  await seedTips(service.store, post, [{ platform: 'twitter', platformUserId: '1541815603606036480' }]);
  await label(service.store, 'farcaster', '8004', 'Alice.eth');
  await label(service.store, 'twitter', '1541815603606036480', 'Bob');
  await label(service.store, 'twitter', '2', 'carol');
  await label(service.store, 'twitter', '3', '8004');
});

// Nobody has to show a key.
const check = (body: unknown) => told(service.send('POST', '/api/tasks/check-completed', body, { 'x-api-key': '' }));
const completed = (isCompleted: boolean) => ({ status: 200, body: { success: true, isCompleted } });

test.each(['8004', 8004, 'alice.eth', '@Alice.eth', 'ALICE.ETH', '08004'])(
  'behavior: %s has earned from a gig on Farcaster',
  async (platformUserId) => {
    expect(await check({ gigId: cast.id, platformUserId })).toEqual(completed(true));
    expect(await check({ gigId: String(cast.id), platformUserId, more: 'is ignored' })).toEqual(completed(true));
  },
);

test.each(['1541815603606036480', 'bob', '@BOB'])('behavior: %s has earned from a gig on X', async (platformUserId) => {
  expect(await check({ gigId: post.id, platformUserId })).toEqual(completed(true));
});

test.each(['8005', 0, '@8004', 'nobody', 'bob', 'alice', '18446744073709551615', '999999999999999999999', '__proto__'])(
  'behavior: %s has not earned from the gig on Farcaster',
  async (platformUserId) => {
    expect(await check({ gigId: cast.id, platformUserId })).toEqual(completed(false));
  },
);

test.each(['8004', '@8004', 'carol', 'alice.eth'])(
  'behavior: %s has not earned from the gig on X',
  async (platformUserId) => {
    expect(await check({ gigId: post.id, platformUserId })).toEqual(completed(false));
  },
);

test('behavior: a claimed tip counts, and so does whoever holds the handle now', async () => {
  await service.sql("update tips set status = 'claimed', claimed_at = 1, tx_hash = '0x00' where gig_id = ?", cast.id);
  expect(await check({ gigId: cast.id, platformUserId: '8004' })).toEqual(completed(true));
  await label(service.store, 'farcaster', '9', 'alice.eth');
  expect(await check({ gigId: cast.id, platformUserId: 'alice.eth' })).toEqual(completed(false));
});

const GIG_ID = 'gigId must be a positive whole number of at most 15 digits';
const USER =
  'platformUserId must be a user id (a whole number of at most 20 digits) or a handle (1 to 64 letters, digits, _, . or -) on the gig’s platform';

test.each<[body: unknown, details: string[]]>([
  [{}, [GIG_ID, USER]],
  [[], ['The body must be a JSON object']],
  ...[0, -1, 1.5, '0', '01', 'abc', '', null, true, 2 ** 53, '1e3', [1]].map((gigId): [unknown, string[]] => [
    { gigId, platformUserId: '8004' },
    [GIG_ID],
  ]),
  ...['', '@', 'a b', 'a'.repeat(65), null, 1.5, -1, 2 ** 53, ['8004'], 'ä', "'--"].map(
    (platformUserId): [unknown, string[]] => [{ gigId: 1, platformUserId }, [USER]],
  ),
])('error: %j is no question', async (body, details) => {
  expect(await check(body)).toEqual(invalid(...details));
});

test('error: a gig that is not there, and a body that is none', async () => {
  expect(await check({ gigId: 987_654, platformUserId: '8004' })).toEqual(refusal(404, 'Gig with id 987654 not found'));
  expect(await check('')).toEqual(refusal(400, 'Body is not valid JSON: send {"gigId":42,"platformUserId":"8004"}'));
});

test('behavior: a tip to an account of the other network counts as well', async () => {
  const gig = await seedGig(service.store, { live: true });
  await seedTips(service.store, gig, [{ platform: 'twitter', platformUserId: '1541815603606036480' }]);
  for (const platformUserId of ['1541815603606036480', 'bob']) {
    expect(await check({ gigId: gig.id, platformUserId })).toEqual(completed(true));
  }
});
