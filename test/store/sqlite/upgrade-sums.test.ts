import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { seedAddress, seedHash } from '../../support/store.ts';
import { openEarlier } from './earlier.ts';

let version: ReturnType<typeof openEarlier>;
beforeEach(() => {
  // Before the amounts of void tips were summed.
  version = openEarlier(23);
  version.earlier.exec(`insert into platforms (id) values ('farcaster') on conflict do nothing;
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '5', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${seedAddress(0xaa)}', 0, 'T', 'T', 6, '')`);
});

function addGig(id: number, tips: readonly { amount: bigint; isVoid: boolean }[]): void {
  const { earlier } = version;
  earlier
    .prepare(
      `insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
        gig_type, platform, wallet_address, next_tip_number) values (?, 1, 'live', 1, 1, '10', '1', 1, 2, 1, 'like', 'farcaster', ?, ?)`,
    )
    .run(id, seedAddress(id), tips.length);
  const tip = earlier.prepare(
    `insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id, is_void, voided_at,
      void_reason) values (1, ?, ?, 1, ?, 'pending', 'farcaster', '5', ?, ?, ?)`,
  );
  for (const [number, { amount, isVoid }] of tips.entries()) {
    tip.run(id, number, String(amount), Number(isVoid), isVoid ? 2 : null, isVoid ? 'why' : null);
  }
}

test('behavior: the void tips of each gig are summed, to the unit, whatever their amounts', async () => {
  const amounts = [0n, 1n, 999_999_999n, 10n ** 9n, 10n ** 27n - 1n, 2n ** 256n - 1n, 2n ** 256n - 1n, 10n ** 76n];
  const voided = amounts.map((amount) => ({ amount, isVoid: true }));
  addGig(1, voided);
  addGig(2, [
    { amount: 7n, isVoid: false },
    { amount: 10n ** 18n, isVoid: true },
  ]);
  addGig(3, [{ amount: 7n, isVoid: false }]);
  addGig(4, [{ amount: 0n, isVoid: true }]);
  const store = await version.upgrade();
  const sums = await Promise.all([1, 2, 3, 4].map((id) => store.gigSums(id)));
  const all = amounts.reduce((sum, amount) => sum + amount, 0n);
  expect(sums.map((sum) => sum?.voided)).toEqual([all, 10n ** 18n, 0n, 0n]);
});

test('behavior: money and time of what is there are summed, and go on from there', async () => {
  const day = 20_000;
  const at = day * DAY_MS;
  const huge = 10n ** 40n + 999_999_999n;
  addGig(1, []);
  const bot = seedAddress(0xb0);
  version.earlier.exec(`
    insert into gigs (id, created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
        gig_type, platform, wallet_address, awarded_amount, settled_at)
      values (2, 1, 'live', 1, 1, '${3n * huge}', '0', 1, 2, 1, 'like', 'farcaster', '${seedAddress(2)}', '${huge}', 9);
    insert into claims (id, public_id, platform, platform_user_id, post_id, recipient, created_at)
      values (1, 'c', 'farcaster', '5', 'p', '${bot}', ${at - 65_000});
    insert into payments (kind, chain_id, gig_id, claim_id, token_id, recipient, amount, state, numbers, hash, block_number, gas_used,
        due_at, created_at, updated_at)
      values ('payout', 31337, 2, 1, 1, '${bot}', '${huge}', 'confirmed', '0', '${seedHash(1)}', 1, 70, 1, 1, ${at}),
        ('refund', 31337, 2, null, 1, '${bot}', '${huge}', 'confirmed', '1', '${seedHash(2)}', 1, 0, 1, 1, ${at - DAY_MS}),
        ('fee', 31337, 1, null, 1, '${bot}', '1', 'planned', null, null, null, 0, 1, 5, 5);
    insert into mentions (id, version, platform, post_id, reply_to, thread_id, author_id, text, posted_at, received_at, source, state,
        attempts, due_at)
      values (1, 1, 'farcaster', 'p', 'p', 't', '5', '', ${at - 4_200}, 1, 'webhook', 'answered', 1, 1),
        (2, 1, 'farcaster', 'q', 'q', 't', '5', '', 1, 1, 'webhook', 'answered', 1, 1);
    insert into replies (id, mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at, post_id, sent_at,
        held_for, follow_up)
      values (1, 1, 'farcaster', '5', 't', 'answer', '', 1, 'sent', 1, 1, 'r', ${at}, null, 0),
        (2, 1, 'farcaster', '5', 't', 'answer', '', 1, 'sent', 1, 1, 'r2', ${at}, null, 1),
        (3, 2, 'farcaster', '5', 't', 'answer', '', 1, 'queued', 0, 1, null, null, 'thread', 0)`);
  const store = await version.upgrade();
  const [sums] = await store.tokenSums({ since: day - 1 });
  expect(sums).toMatchObject({ gigs: 2, funded: 3n * huge + 11n, awarded: huge, paid: huge });
  expect(sums).toMatchObject({ settled: 2n * huge, refunded: huge, paidOn: new Map([[day, huge]]) });
  expect(await store.gasUsed(null)).toEqual(new Map([[31_337, 70n]]));
  expect(await store.heldReplies()).toBe(1);
  expect(await store.oldestWaitingPayment()).toBe(5);
  const durations = (await store.durations(day)).toSorted((a, b) => a.bucket - b.bucket);
  expect(durations).toEqual([
    { day, kind: 'reply', bucket: 5_000, n: 1, longest: 4_200 },
    { day, kind: 'payment', bucket: 90_000, n: 1, longest: 65_000 },
  ]);
  const totals = (await store.allDurations()).map(({ kind, total }) => `${kind} ${total}`);
  expect(totals).toEqual(expect.arrayContaining(['reply 4200', 'payment 65000']));
  const takeBack =
    "update payments set state = 'planned', numbers = null, hash = null, block_number = null where id = 1";
  version.look().exec(takeBack);
  await nextTurn();
  const [later] = await store.tokenSums({ since: day - 1 });
  expect(later).toMatchObject({ paid: 0n, paidOn: new Map([[day, 0n]]) });
});
