import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROKEN_EARNINGS, BROKEN_GIGS, BROKEN_PAYMENTS } from '../../store/broken.ts';
import { openTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { CONSTRAINT, expectRefused, expectTaken, mention, payment, round, seedLedger } from './ledger.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  await seedLedger(database.client);
  // Payments 4 failed, 5 a planned mark; a watch; a mention and its reply.
  for (const statement of [
    payment('payout', 1, { state: "'failed'", reason: "'no'" }),
    payment('mark', 1, { amount: 0 }),
    "insert into chain_anchors (chain_id, number, hash, at) values (8453, 1, '0x' || repeat('a', 64), 1)",
    `insert into watches (gig_id, platform, target_kind, target_id, target_author, next_at)
      values (1, 'farcaster', 'post', '0xab', '5', 1)`,
    "insert into earning_addresses values (1, '0x0000000000000000000000000000000000000001', 'farcaster', '2')",
    "insert into earning_texts values (1, repeat('a', 64), 'farcaster', '2')",
    "insert into blocked_accounts (platform, platform_user_id, blocked_at, reason) values ('farcaster', '9', 1, 'x')",
    mention('m', 7, 'answered'),
    reply('queued'),
  ])
    await database.client.query(statement);
});
afterAll(() => database.close());

function reply(state: string, columns: Record<string, string> = {}): string {
  const sent = state === 'sent' ? { post_id: "'r1'", sent_at: '9' } : {};
  const all = { lease: 'null', follow_up: 'false', ...sent, ...columns };
  return `insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, due_at, ${Object.keys(all).join()})
    values (1, 'farcaster', '7', 't', 'answer', 'hi', 6, '${state}', 7, 8, ${Object.values(all).join()})`;
}

const HELD = "where gig_id = 1 and platform_user_id = '3'";
const ELIGIBLE = "where gig_id = 1 and platform_user_id = '2'";

const BROKEN: Record<string, readonly string[]> = {
  gigs: [
    ...BROKEN_GIGS,
    "update gigs set reward_amount = 'NaN' where id = 2",
    'update gigs set wallet_address = wallet_address || chr(10) where id = 2',
    'update gigs set production = true where id = 2',
    'update gigs set award_days = 91 where id = 2',
    "update gigs set refund_to = '0xABC' where id = 1",
  ],
  payments: [
    ...BROKEN_PAYMENTS,
    "update payments set kind = 'mark' where id = 3",
    "update payments set amount = 'NaN' where id = 3",
    "update payments set block_number = '1.5' where id = 1",
    ...['null', '-1', '128'].map((place) => payment('return', 1, { place })),
    payment('fee', 2, { place: 0 }),
    'insert into tank_attempts select * from tank_attempts',
  ],
  tips: [
    'update tips set payment_id = 99 where id = 2',
    "update tips set status = 'claimed' where id = 3",
    'update tips set is_void = true where id = 1',
    "update tips set is_void = true, voided_at = 1, void_reason = 'x' where id = 3",
    'update tips set amount = -1 where id = 1',
  ],
  earning: [
    ...BROKEN_EARNINGS,
    `update earnings set weight = 1 ${HELD}`,
    `update earnings set round = 0, weight = 1 ${ELIGIBLE}`,
    `update earnings set round = 1, weight = -1 ${ELIGIBLE}`,
    "update observations set kind = 'reply' where id = 103",
    "update observations set object_id = 'x' where id = 103",
    "update observations set text_hash = repeat('a', 64) where id = 103",
    "update observations set platform_user_id = '4' where id = 103",
    round(6).replace('2, 12, 1)', '-1, 12, 1)'),
    round(99),
    "insert into verifier_batches values ('', 6, 'open', '[]', 1, 1, null, 1, null)",
    "insert into verifier_batches values ('two', 6, 'open', '{}', 1, 1, null, 1, null)",
    `update draws set state = 'closed'`,
  ],
  'mentions and replies': [
    mention('n', 7, 'Received'),
    mention('n', 99),
    mention('m', 7),
    "update mentions set ignore_reason = ''",
    "update mentions set lease = 'held'",
    'delete from mentions',
    "delete from accounts where platform_user_id = '7'",
    'delete from platforms',
    reply('lost', { follow_up: 'true' }),
    reply('queued'),
    ...['sent', 'failed'].map((state) => reply(state, { follow_up: 'true', lease: "'held'" })),
    "update replies set held_for = 'fun'",
    "update replies set held_for = 'thread', state = 'unknown'",
  ],
  'audit events': [
    "insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail) values (1, 'stranger', 'x', 'a', 'gig', '7', '{}')",
    "insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail) values (1, 'job', 'x', 'a', 'gig', '7', '{')",
  ],
};

describe.for(Object.entries(BROKEN))('the checks of %s', ([, statements]) => {
  test.for(statements)('error: refuse %s', (statement) => expectRefused(database.client, [statement, CONSTRAINT]));
});

describe('the checks', () => {
  test('behavior: take every state and every reason there is', async () => {
    const states = ['queued', 'sending', 'sent', 'failed', 'unknown'];
    await expectTaken(database.client, [
      ...['received', 'answered', 'ignored', 'failed'].map((state) => mention(state, 7, state)),
      ...['opted_out', 'author_limit', 'thread_limit', 'help_already_given', 'gave_up'].map(
        (reason) => `update mentions set ignore_reason = '${reason}' where post_id = 'ignored'`,
      ),
      ...states.flatMap((state) => ['delete from replies where mention_id = 1', reply(state)]),
      "update mentions set lease = 'held' where post_id = 'received'",
    ]);
  });

  test('behavior: take a new gig type, gig event or payment kind once it is a row', async () => {
    await expectTaken(database.client, [
      "insert into gig_types values ('quest')",
      "update gigs set gig_type = 'quest' where id = 2",
      "insert into gig_events values ('renamed')",
      "update replies set kind = 'notice', gig_id = 1, event = 'renamed'",
      "insert into payment_kinds values ('bonus')",
      payment('bonus', 1),
    ]);
  });

  test('behavior: take the greatest amount that a token can have', async () => {
    const most = 2n ** 256n - 1n;
    const { rows } = await database.client.query<{ amount: string }>(
      'update gigs set reward_amount = $1 where id = 2 returning reward_amount::text as amount',
      [String(most)],
    );
    expect(rows).toEqual([{ amount: String(most) }]);
  });
});
