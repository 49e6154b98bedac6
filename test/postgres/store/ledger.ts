import type { Client } from 'pg';
import { expect } from 'vitest';
import { seedAddress, seedHash } from '../../support/store.ts';

const HEX = 'ab'.repeat(32);

/** A statement that is refused, the text of its error, and the statements before it in its transaction. */
export type Refusal = readonly [statement: string, message: string | RegExp, ...before: readonly string[]];

/** What PostgreSQL says of a broken check, reference or key, a missing value, or a text that is no value of the type. */
export const CONSTRAINT = /violates .* constraint|invalid input syntax|out of range/;

function gig(id: number, columns: Record<string, string | number> = {}): string {
  const all = {
    id,
    created_at: 1,
    status: "'live'",
    production: 'true',
    token_id: 1,
    reward_amount: 100,
    fee_amount: 1,
    start_time: 1,
    end_time: 2,
    duration: 1,
    gig_type: "'like'",
    platform: "'farcaster'",
    wallet_address: `'${seedAddress(id)}'`,
    ...columns,
  };
  return `insert into gigs (${Object.keys(all).join()}) values (${Object.values(all).join()})`;
}

/** An insert of a tip of 5 units. */
export function tip(
  id: number,
  { gigId, number, account }: { gigId: number; number: number; account: number },
): string {
  return `insert into tips (id, created_at, gig_id, number, token_id, amount, status, platform, platform_user_id)
    values (${id}, 1, ${gigId}, ${number}, 1, 5, 'pending', 'farcaster', '${account}')`;
}

/** An insert of a payment, with the columns that it has besides. */
export function payment(kind: string, gigId: number, columns: Record<string, string | number> = {}): string {
  const recipient = `'${seedAddress(9)}'`;
  const all = { state: "'planned'", amount: 5, ...columns };
  return `insert into payments (kind, chain_id, gig_id, token_id, recipient, due_at, created_at, updated_at, ${Object.keys(all).join()})
    values ('${kind}', 8453, ${gigId}, 1, ${recipient}, 1, 1, 1, ${Object.values(all).join()})`;
}

/** Inserts of an act of an account and of what becomes of it in a gig; the act's id is a hundred times the gig's plus the account. */
export function earning(gigId: number, account: number, columns: Record<string, string | number> = {}): string {
  const act = gigId * 100 + account;
  const all = { state: "'held'", ...columns };
  return `insert into observations (id, gig_id, platform, platform_user_id, kind, object_id, first_seen_at, last_seen_at, ranked_at, source)
      values (${act}, ${gigId}, 'farcaster', '${account}', 'like', '', 1, 1, 1, 'look') on conflict do nothing;
    insert into earnings (gig_id, platform, platform_user_id, observation_id, ranked_at, due_at, updated_at, ${Object.keys(all).join()})
      values (${gigId}, 'farcaster', '${account}', ${act}, 1, 1, 1, ${Object.values(all).join()})`;
}

/** An insert of a draw that is open. */
export function draw(gigId: number): string {
  return `insert into draws (gig_id, secret, commitment, state) values (${gigId}, '${HEX}', '${HEX}', 'open')`;
}
export const CLOSE = "update draws set state = 'closed', closed_at = 9 where gig_id = 5";
export const FIX = `update draws set state = 'fixed', entrants = 1, root = '${HEX}', root_version = 2, fixed_at = 10, not_before = 60010 where gig_id = 5`;
export const DRAW = `update draws set state = 'drawn', seed = '${HEX}', block_number = 7, block_hash = '0x${HEX}', block_at = 60030, drawn_at = 40 where gig_id = 5`;
export const WINNER = `insert into draw_winners (gig_id, place, platform, platform_user_id, ticket) values (5, 1, 'farcaster', '1', '${HEX}')`;

/** An insert of the first round of a gig, which divides 12 units among two members. */
export function round(gigId: number): string {
  return `insert into rounds (gig_id, number, state, pool, total, members, reserved, divided_at)
    values (${gigId}, 1, 'divided', 12, 12, 2, 12, 1)`;
}

const MENTION = `insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, text, posted_at, received_at,
    source, state, attempts, due_at, behind)`;

/** An insert of a mention of an account. */
export function mention(post: string, account: number, state = 'received', behind = false): string {
  return `${MENTION} values (1, 'farcaster', '${post}', 'r', 't', '${account}', '', 1, 1, 'poll', '${state}', 0, 1, ${behind})`;
}

const SEED = [
  "insert into platforms (id) values ('farcaster')",
  `insert into accounts (platform, platform_user_id, created_at)
    select 'farcaster', id::text, 1 from generate_series(1, 9) id`,
  `insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 8453, '${seedAddress(1)}', false, 'T', 'T', 6, '')`,
  // 1 and 6 are live, 2 is not, 3 is cancelled, 4 settled, 5 has a draw.
  gig(1, { next_tip_number: 4 }),
  gig(2, { status: "'created'", production: 'false' }),
  gig(3, { status: "'created'", production: 'false', cancelled_at: 5 }),
  gig(4, { next_tip_number: 1, refund_address: `'${seedAddress(7)}'` }),
  gig(5),
  gig(6),
  // Tips 1, 2 and 3 of gig 1; number 3 is free.
  tip(1, { gigId: 1, number: 0, account: 1 }),
  tip(2, { gigId: 1, number: 1, account: 2 }),
  tip(3, { gigId: 1, number: 2, account: 3 }),
  tip(4, { gigId: 4, number: 0, account: 1 }),
  // In gig 1 account 1 is awarded tip 1, 2 is eligible, 3 is held, 4 refused.
  earning(1, 1),
  earning(1, 2, { state: "'eligible'" }),
  earning(1, 3),
  earning(1, 4, { state: "'refused'", reason: "'withdrawn'" }),
  earning(4, 4, { state: "'refused'", reason: "'withdrawn'" }),
  "update earnings set state = 'awarded', tip_id = 1, amount = 5 where gig_id = 1 and platform_user_id = '1'",
  'update gigs set settled_at = 9 where id = 4',
  // In the draw of gig 5 account 1 is eligible, 4 is refused.
  draw(5),
  earning(5, 1, { state: "'eligible'" }),
  earning(5, 4, { state: "'refused'", reason: "'too_young'" }),
  // In gig 6 accounts 1 and 2 have parts in round 1, 3 in round 2, 4 is held.
  ...[1, 2, 3].map((account) => earning(6, account, { state: "'eligible'" })),
  earning(6, 4),
  "update earnings set round = 1, weight = 5 where gig_id = 6 and platform_user_id = '1'",
  "update earnings set round = 1, weight = 7 where gig_id = 6 and platform_user_id = '2'",
  "update earnings set round = 2, weight = 5 where gig_id = 6 and platform_user_id = '3'",
  // Payments 1 confirmed with tip 2, 2 sent with tip 3, 3 a planned fee.
  "insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at) values ('c', 'farcaster', '2', 'p', '0x0000000000000000000000000000000000000009', 1)",
  'insert into tank_transactions (chain_id, nonce, created_at) values (8453, 0, 1)',
  `insert into tank_attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas, gas, signed_at)
    values ('${seedHash(1)}', 1, '0x02', 1, 1, 1, 1)`,
  payment('payout', 1, {
    claim_id: 1,
    state: "'confirmed'",
    numbers: "'1'",
    transaction_id: 1,
    hash: `'${seedHash(1)}'`,
    block_number: 1,
    gas_used: 70,
  }),
  payment('payout', 1, { claim_id: 1, state: "'sent'", numbers: "'2'", transaction_id: 1, gas_used: 100 }),
  payment('fee', 1),
  'update tips set payment_id = 2 where id = 3',
  "insert into verifier_batches (id, gig_id, state, candidates, tries, next_at, made_at) values ('one', 1, 'open', '[102]', 1, 5, 1)",
  "insert into earning_rules (gig_id, given, rules, target_kind, target_id, target_author) values (2, '{}', '{}', 'post', '0xab', '5')",
  "insert into evaluations (gig_id, platform, platform_user_id, at, state) values (1, 'farcaster', '3', 1, 'held')",
  "insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail) values (1, 'job', 'payments', 'gig.freeze', 'gig', '7', '{}')",
];

/** Fills an empty database with a ledger that has a row for every guard. */
export async function seedLedger(client: Client): Promise<void> {
  for (const statement of SEED) await client.query(statement);
}

/** Runs statements in a transaction that is undone, whatever becomes of them. */
export async function tryOut<T>(client: Client, run: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    return await run();
  } finally {
    await client.query('rollback');
  }
}

/** Expects that the last statement is refused, and those before it are not; nothing stays. */
export async function expectRefused(client: Client, [statement, message, ...before]: Refusal): Promise<void> {
  await tryOut(client, async () => {
    for (const earlier of before) await client.query(earlier);
    await expect(client.query(statement), statement).rejects.toThrow(message);
  });
}

/** Expects that every statement is taken, one after the other; nothing stays. */
export async function expectTaken(client: Client, statements: readonly string[]): Promise<void> {
  await tryOut(client, async () => {
    for (const statement of statements) await expect(client.query(statement), statement).resolves.toBeDefined();
  });
}
