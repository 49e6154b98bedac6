import { expect, test } from 'vitest';
import { seedAddress } from '../../support/store.ts';
import { openEarlier, triggersOf } from './earlier.ts';

test('behavior: what an earlier version has seen stays, and accounts can enter gigs and be refused for what they hold', async () => {
  const version = openEarlier(/_holdings$/);
  const { earlier } = version;
  earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into gig_types (id) values ('like') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${seedAddress(0xaa)}', 0, 'T', 'T', 6, '');
    insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
      duration, gig_type, platform, wallet_address) values (1, 1, 'created', 0, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', '${seedAddress(1)}')`);
  const act = (kind: string, id: number) =>
    `insert into observations (id, gig_id, platform, platform_user_id, kind, object_id, first_seen_at, last_seen_at, ranked_at, source)
      values (${id}, 1, 'farcaster', '5', '${kind}', '', 1, 1, 1, 'look')`;
  earlier.exec(act('like', 1));
  expect(() => earlier.exec(act('join', 2))).toThrow('CHECK constraint failed');
  const triggers = triggersOf(earlier);
  await version.upgrade();
  const later = version.look();
  expect(triggersOf(later)).toEqual(expect.arrayContaining(triggers));
  expect(later.pragma('integrity_check', { simple: true })).toBe('ok');
  later.exec(act('join', 2));
  later.exec(`insert into earnings (gig_id, platform, platform_user_id, state, reason, observation_id, ranked_at, due_at, updated_at)
    values (1, 'farcaster', '5', 'refused', 'too_little_held', 2, 1, 1, 1)`);
  expect(later.prepare('select kind from observations order by id').pluck().all()).toEqual(['like', 'join']);
  expect(() => later.exec("update earnings set reason = 'made_up'")).toThrow('CHECK constraint failed');
});
