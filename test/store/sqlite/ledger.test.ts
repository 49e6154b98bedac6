import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import {
  MIGRATIONS,
  openTestStore,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedSent,
  seedTips,
} from '../../support/store.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;

describe('the ledger, in raw SQL', () => {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  let connections: Connections;
  let sql: Database;

  /** 1 a failed, 2 a confirmed, 3 a sent and 4 a planned payout of one gig, 5 its planned fee; 1 a transaction of the tank. */
  beforeEach(async () => {
    opened = await openTestStore();
    const { store } = opened;
    const gig = await seedGig(store, { live: true });
    for (const post of ['a', 'b', 'c', 'd']) {
      await seedTips(store, gig, [FID]);
      const id = (await seedClaim(store, sampleClaim(FID, post))).payouts[0]?.id ?? 0;
      if (post === 'a') await store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: 2 }));
      if (post === 'b') await seedConfirmed(store, id, { hash: seedHash(2) });
      if (post === 'c') await seedSent(store, [id], { nonce: 3, attempt: sampleAttempt(3) });
    }
    await seedFee(store, gig);
    connections = openConnections({ path: opened.path, migrationsFolder: MIGRATIONS });
    sql = connections.writer.$client;
  });

  afterEach(async () => {
    connections.close();
    await opened.close();
  });

  test('security: a gig has one fee that is paid or pending, and one mark that is not over', () => {
    const insert = (kind: string, amount: string) =>
      sql.exec(`insert into payments (kind, chain_id, gig_id, token_id, recipient, amount, state, due_at, created_at,
        updated_at) values ('${kind}', 8453, 1, 1, '${seedAddress(1)}', '${amount}', 'planned', 1, 1, 1)`);
    expect(() => insert('fee', '5')).toThrow('UNIQUE constraint failed: payments.gig_id');
    insert('mark', '0');
    expect(() => insert('mark', '0')).toThrow('UNIQUE constraint failed: payments.gig_id');
    sql.exec("update payments set state = 'failed', reason = 'no' where kind <> 'payout'");
    insert('fee', '5');
  });

  test.for([
    ["update payments set state = 'lost' where id = 4"],
    ["update payments set kind = 'gift' where id = 4"],
    // A state, its transaction and its numbers.
    ["update payments set state = 'sent' where id = 4"],
    ["update payments set state = 'sent', numbers = '3' where id = 4"],
    ['update payments set transaction_id = null where id = 3'],
    ['update payments set transaction_id = 99 where id = 3'],
    ['update payments set numbers = null where id = 3'],
    ["update payments set numbers = '' where id = 3"],
    ["update payments set numbers = '1, 2' where id = 3"],
    ["update payments set numbers = '3' where id = 4"],
    ["update payments set state = 'planned' where id = 3"],
    // A state and where it was marked.
    ["update payments set state = 'confirmed' where id = 3"],
    [`update payments set hash = '${seedHash(4)}', block_number = 1 where id = 4`],
    ["update payments set state = 'sent' where id = 2"],
    ['update payments set hash = null where id = 2'],
    ['update payments set hash = null, block_number = null where id = 2'],
    ['update payments set block_number = null where id = 2'],
    ['update payments set reason = null where id = 1'],
    // What it is for.
    ["update payments set kind = 'fee' where id = 4"],
    ["update payments set kind = 'payout' where id = 5"],
    ['update payments set claim_id = null where id = 4'],
    ['update payments set claim_id = 1 where id = 5'],
    ['update payments set claim_id = 99 where id = 4'],
    ['update payments set gig_id = 99 where id = 4'],
    ['update payments set token_id = 99 where id = 4'],
    // Shapes.
    ["update payments set amount = '-1' where id = 4"],
    ["update payments set amount = '' where id = 4"],
    ['update payments set recipient = upper(recipient) where id = 4'],
    ["update payments set hash = '0x03' where id = 2"],
    ["update payments set block_number = '1.5' where id = 2"],
    ['update payments set block_number = -1 where id = 2'],
    ['update payments set gas_used = -1 where id = 4'],
    ['update payments set gas_reserved = 1 where id = 4'],
    ['update payments set failures = 1 where id = 4'],
    ["insert into tank_attempts values ('0x12', 1, '0x02', '1', '1', '1', 1)"],
    [`insert into tank_attempts values ('${seedHash(9)}', 1, '0x123', '1', '1', '1', 1)`],
    [`insert into tank_attempts values ('${seedHash(9)}', 1, '0x02', '1e9', '1', '1', 1)`],
    [`insert into tank_attempts values ('${seedHash(9)}', 99, '0x02', '1', '1', '1', 1)`],
    [`insert into tank_attempts values ('${seedHash(3)}', 1, '0x02', '1', '1', '1', 1)`],
    ['update tank_transactions set nonce = -1'],
    ['delete from payments where id = 4'],
    ["update claims set platform = 'x'"],
    ["update claims set recipient = '0xabc'"],
    ["update claims set platform_user_id = '8'"],
    ['delete from claims'],
    // A tip and its payment.
    ['update tips set payment_id = 99 where id = 4'],
    ["update tips set status = 'claimed' where id = 4"],
    ["update tips set status = 'claimed', claim_nonce = null where id = 4"],
    ["update tips set status = 'claimed', claim_nonce = null, tx_hash = 'x' where id = 4"],
    ["update tips set status = 'claimed', tx_hash = 'x', claimed_at = 1 where id = 4"],
  ] as const)('error: refuses %s', ([statement]) => {
    expect(() => sql.exec(statement)).toThrow(/constraint failed/);
  });

  test.for([
    ['delete from payments where id = 2', 'a payment that is made cannot be deleted'],
    ['delete from payments where id = 3', 'a payment that is made cannot be deleted'],
    ["update tank_attempts set raw = '0x03'", 'signed bytes cannot be changed'],
    ['update tips set payment_id = 4 where payment_id = 3', 'a tip of a payment that is sent stays as it is'],
  ] as const)('security: refuses %s', ([statement, reason]) => {
    expect(() => sql.exec(statement)).toThrow(reason);
  });
});
