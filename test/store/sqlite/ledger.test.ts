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
  seedGig,
  seedHash,
  seedMove,
  seedTips,
} from '../../support/store.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;

describe('the ledger, in raw SQL', () => {
  let opened: Awaited<ReturnType<typeof openTestStore>>;
  let connections: Connections;
  let sql: Database;

  /** One wallet's transfers: moves of gas 1 replaced and 2 failed with their nonces, 3 confirmed, 4 signed, 5 planned, and payout 6. */
  beforeEach(async () => {
    opened = await openTestStore();
    const { store } = opened;
    const gig = await seedGig(store, { live: true });
    for (let i = 0; i < 3; i++) await seedMove(store, gig);
    await store.transaction(async (tx) => {
      await tx.markSigned(1, { nonce: 0, attempt: sampleAttempt(1), now: 1 });
      await tx.planAgain(1, { reason: 'spent', now: 2 });
      await tx.markSigned(2, { nonce: 1, attempt: sampleAttempt(2), now: 1 });
      const inclusion = { hash: seedHash(2), blockNumber: 1n, gasSpent: 1n };
      await tx.markTransferFailed(2, { reason: 'it reverted', inclusion, now: 2 });
      await tx.markSigned(3, { nonce: 2, attempt: sampleAttempt(3), now: 1 });
      await tx.markConfirmed(3, { hash: seedHash(3), blockNumber: 1n, gasSpent: 1n, now: 2 });
      await tx.markSigned(4, { nonce: 3, attempt: sampleAttempt(4), now: 1 });
    });
    await seedMove(store, gig);
    await seedTips(store, gig, [FID]);
    await seedClaim(store, sampleClaim(FID, 'p'));
    connections = openConnections({ path: opened.path, migrationsFolder: MIGRATIONS });
    sql = connections.writer.$client;
    sql.exec(`insert into acknowledged_activity values (1, 1, 5, null, 1), (2, 1, null, '${seedHash(7)}', 1)`);
  });

  afterEach(async () => {
    connections.close();
    await opened.close();
  });

  test.for(['signed', 'broadcast'])(
    'security: a wallet has one open transfer, whatever its other one is: %s',
    (state) => {
      const statement = `update transfers set state = '${state}', nonce = 9 where id = 5`;
      expect(() => sql.exec(statement)).toThrow('UNIQUE constraint failed: transfers.chain_id, transfers.sender');
      sql.exec(`update transfers set sender = '${seedAddress(0x99)}' where id = 4`);
      sql.exec(statement);
    },
  );

  test.for([0, 1, 2])('security: nonce %i stays with the transfer that was signed with it', (nonce) => {
    const statement = `update transfers set nonce = ${nonce} where id = 4`;
    expect(() => sql.exec(statement)).toThrow(
      'UNIQUE constraint failed: transfers.chain_id, transfers.sender, transfers.nonce',
    );
    sql.exec('update transfers set nonce = 9 where id = 4');
  });

  test.for([
    ["update transfers set state = 'sent' where id = 5"],
    ["update transfers set kind = 'gift' where id = 5"],
    // A state and its nonce.
    ['update transfers set nonce = 9 where id = 5'],
    ["update transfers set state = 'planned' where id = 4"],
    ['update transfers set nonce = null where id = 4'],
    ["update transfers set nonce = null, state = 'broadcast' where id = 4"],
    ["update transfers set nonce = null, state = 'replaced' where id = 4"],
    ['update transfers set nonce = null where id = 3'],
    ['update transfers set nonce = -1 where id = 4'],
    // A state and its landing.
    ["update transfers set state = 'confirmed' where id = 4"],
    ["update transfers set state = 'failed', reason = 'lost' where id = 4"],
    [`update transfers set hash = '${seedHash(4)}', block_number = '1', gas_spent = '1' where id = 4`],
    [`update transfers set hash = '${seedHash(4)}', block_number = '1', gas_spent = '1' where id = 1`],
    ["update transfers set state = 'signed' where id = 3"],
    ['update transfers set hash = null where id = 3'],
    ['update transfers set hash = null, block_number = null, gas_spent = null where id = 3'],
    ['update transfers set block_number = null where id = 3'],
    ['update transfers set gas_spent = null where id = 3'],
    ['update transfers set reason = null where id = 1'],
    ['update transfers set reason = null where id = 2'],
    // What a transfer is for.
    ["update transfers set kind = 'fee' where id = 6"],
    ["update transfers set kind = 'payout' where id = 5"],
    ['update transfers set claim_id = null where id = 6'],
    ['update transfers set claim_id = 1 where id = 5'],
    ['update transfers set claim_id = 99 where id = 6'],
    ['update transfers set gig_id = 99 where id = 5'],
    ['update transfers set token_id = 99 where id = 5'],
    // Shapes.
    ["update transfers set amount = '-1' where id = 5"],
    ["update transfers set amount = '' where id = 5"],
    ["update transfers set sender = '0xabc' where id = 5"],
    ['update transfers set recipient = upper(recipient) where id = 5'],
    ["update transfers set hash = '0x03' where id = 3"],
    ["update transfers set hash = replace(hash, '0x', '0X') where id = 3"],
    ["update transfers set block_number = '1.5' where id = 3"],
    ["update transfers set gas_spent = '' where id = 3"],
    ["update transfer_attempts set raw = '0x'"],
    ["update transfer_attempts set raw = '0x123'"],
    ["update transfer_attempts set raw = '0xGG'"],
    ["update transfer_attempts set hash = '0x' || hash where transfer_id = 1"],
    [`update transfer_attempts set hash = '${seedHash(2)}' where transfer_id = 1`],
    ["update transfer_attempts set max_fee_per_gas = '1e9'"],
    ["update transfer_attempts set max_priority_fee_per_gas = '-1'"],
    ["update transfer_attempts set gas = ''"],
    ['update transfer_attempts set transfer_id = 99'],
    ['delete from transfers where id = 1'],
    ["update claims set platform = 'x'"],
    ["update claims set recipient = '0xabc'"],
    ["update claims set platform_user_id = '8'"],
    ['delete from claims'],
    // What an operator accepted.
    ['insert into acknowledged_activity values (3, 1, 5, null, 1)'],
    [`insert into acknowledged_activity values (3, 1, null, '${seedHash(7)}', 1)`],
    ['insert into acknowledged_activity values (3, 1, null, null, 1)'],
    [`insert into acknowledged_activity values (3, 1, 6, '${seedHash(8)}', 1)`],
    ['update acknowledged_activity set nonce = -1 where id = 1'],
    ["update acknowledged_activity set hash = '0xabc' where id = 2"],
    ['update acknowledged_activity set gig_id = 99'],
    // A tip and its payment.
    ['update tips set transfer_id = 99'],
    ["update tips set status = 'claimed'"],
    ["update tips set status = 'claimed', claim_nonce = null"],
    ["update tips set status = 'claimed', claim_nonce = null, tx_hash = 'x'"],
    ["update tips set status = 'claimed', tx_hash = 'x', claimed_at = 1"],
  ] as const)('error: refuses %s', ([statement]) => {
    expect(() => sql.exec(statement)).toThrow(/constraint failed/);
  });
});
