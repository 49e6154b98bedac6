import { seedHash } from '../support/store.ts';

// What both engines refuse, of a ledger in which gig 1 is live and 2 is not; payment 1 is confirmed, 2 sent, 3 a planned
// fee, 4 failed and 5 a planned mark; in gig 1 account 1 is awarded, 2 eligible, 3 held and 4 refused.

const ELIGIBLE = "where gig_id = 1 and platform_user_id = '2'";
const HELD = "where gig_id = 1 and platform_user_id = '3'";
const REFUSED = "where gig_id = 1 and platform_user_id = '4'";
const EVALUATION = "insert into evaluations (gig_id, platform, platform_user_id, at, state) values (1, 'farcaster'";
const BLOCK = 'insert into blocked_accounts (platform, platform_user_id, blocked_at, reason)';
const ATTEMPT = 'insert into tank_attempts';

export const BROKEN_GIGS: readonly string[] = [
  "update gigs set status = 'dead' where id = 2",
  "update gigs set reward_amount = 'x' where id = 2",
  'update gigs set reward_amount = -1 where id = 2',
  'update gigs set awarded_amount = -1 where id = 2',
  'update gigs set awarded_amount = null where id = 2',
  "update gigs set gig_type = 'shill' where id = 2",
  "update gigs set platform = 'x' where id = 2",
  "update gigs set wallet_address = '0xABC' where id = 2",
  'update gigs set end_time = end_time + 1 where id = 2',
  'update gigs set token_id = 99 where id = 2',
  'delete from tokens where id = 1',
];

export const BROKEN_PAYMENTS: readonly string[] = [
  "update payments set state = 'signed' where id = 3",
  "update payments set kind = 'gas' where id = 3",
  // A state and what belongs to it.
  "update payments set state = 'sent' where id = 3",
  "update payments set state = 'sent', numbers = '1' where id = 3",
  "update payments set state = 'sent', transaction_id = 1 where id = 3",
  "update payments set state = 'confirmed', numbers = '1' where id = 3",
  "update payments set state = 'failed' where id = 3",
  "update payments set state = 'planned' where id = 1",
  "update payments set state = 'planned' where id = 2",
  "update payments set state = 'failed', reason = 'no' where id = 1",
  'update payments set numbers = null where id = 2',
  "update payments set numbers = '1' where id = 3",
  "update payments set numbers = '1' where id = 4",
  'update payments set transaction_id = null where id = 2',
  'update payments set transaction_id = 9 where id = 2',
  `update payments set hash = '${seedHash(4)}', block_number = 1 where id = 2`,
  'update payments set hash = null where id = 1',
  'update payments set block_number = null where id = 1',
  'update payments set hash = null, block_number = null where id = 1',
  'update payments set reason = null where id = 4',
  'update payments set gas_reserved = 1 where id = 3',
  'update payments set gas_reserved = 1 where id = 1',
  'update payments set gas_reserved = 101 where id = 2',
  'update payments set failures = 1 where id = 3',
  'update payments set failed_at = 1 where id = 3',
  'update payments set failures = -1, failed_at = 1 where id = 3',
  // What a payment is for.
  'update payments set claim_id = null where id = 2',
  'update payments set claim_id = 1 where id = 3',
  'update payments set claim_id = 99 where id = 1',
  'update payments set gig_id = 99 where id = 3',
  'update payments set token_id = 99 where id = 3',
  "update payments set kind = 'fee', amount = '1' where id = 5",
  "update payments set kind = 'mark', amount = '0' where id = 3",
  // Shapes.
  "update payments set amount = '1' where id = 5",
  "update payments set amount = '-1' where id = 3",
  "update payments set amount = '' where id = 3",
  "update payments set recipient = '0xabc' where id = 3",
  "update payments set numbers = '' where id = 2",
  "update payments set numbers = ',1' where id = 2",
  "update payments set numbers = '1;2' where id = 2",
  "update payments set hash = '0x03' where id = 1",
  "update payments set block_number = 'x' where id = 1",
  'update payments set block_number = 9007199254740992 where id = 1',
  'update payments set gas_used = -1 where id = 1',
  'update payments set due_at = null where id = 3',
  // Transactions of the gas tank, anchors, claims.
  'update tank_transactions set nonce = -1',
  `${ATTEMPT} select 9, hash, transaction_id, raw, '1', '1', '1', 1, null from tank_attempts where transaction_id = 1`,
  `${ATTEMPT} values (9, '${seedHash(9)}', 9, '0x02', '1', '1', '1', 1, null)`,
  `${ATTEMPT} values (9, '${seedHash(9)}', 1, '0x2', '1', '1', '1', 1, null)`,
  `${ATTEMPT} values (9, '${seedHash(9)}', 1, '0x02', '-1', '1', '1', 1, null)`,
  'delete from tank_transactions where id = 1',
  'update chain_anchors set number = -1',
  "update chain_anchors set hash = '0x1'",
  'update gigs set gas_used = -1',
  "update claims set platform = 'x'",
  "update claims set recipient = '0xabc'",
  "update claims set platform_user_id = '99'",
  'delete from claims',
];

export const BROKEN_EARNINGS: readonly string[] = [
  `update earnings set state = 'paid' ${HELD}`,
  `update earnings set state = 'refused' ${HELD}`,
  `update earnings set reason = 'withdrawn' ${HELD}`,
  `update earnings set reason = 'dislike' ${REFUSED}`,
  `update earnings set tip_id = 2 ${ELIGIBLE}`,
  `update earnings set amount = '5' ${ELIGIBLE}`,
  `update earnings set tip_id = 2, amount = '5' ${ELIGIBLE}`,
  `update earnings set facts = '{' ${HELD}`,
  `update earnings set note = 'x' ${ELIGIBLE}`,
  `update earnings set observation_id = 99 ${HELD}`,
  `${EVALUATION}, '3', 1, 'refused')`,
  `${EVALUATION}, '3', 1, 'awarded')`,
  `${EVALUATION}, '8', 1, 'held')`,
  // Acts.
  `update observations set kind = 'poke' ${HELD}`,
  `update observations set source = 'poll' ${HELD}`,
  `update observations set text_hash = 'abc' ${HELD}`,
  `update observations set platform_user_id = '03' ${HELD}`,
  `update observations set platform = 'x' ${HELD}`,
  `delete from observations ${HELD}`,
  // Watches, rules and blocks.
  "update watches set target_kind = 'account'",
  'update watches set target_author = null',
  "update watches set target_id = ''",
  "update watches set sweep_kind = 'like'",
  "update watches set sweep_cursor = 'c'",
  "update watches set sweep_begun_at = 1, sweep_kind = 'poke', sweep_pages = 0",
  "update watches set sweep_begun_at = 1, sweep_kind = 'like', sweep_pages = -1",
  'update watches set swept_pages = -1',
  "update watches set earned = '-1'",
  "update watches set lease = 'a'",
  'update watches set lease_until = 1',
  "update earning_rules set rules = '{'",
  "update earning_rules set given = '{'",
  "update earning_rules set target_kind = 'keyword'",
  "update earning_addresses set address = '0xABC'",
  "update earning_addresses set platform_user_id = '8'",
  "update earning_texts set hash = 'abc'",
  `${BLOCK} values ('farcaster', '9', 1, 'x')`,
  `${BLOCK} values ('farcaster', 'x', 1, 'x')`,
];
