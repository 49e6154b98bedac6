import { sql } from 'drizzle-orm';
import { DEPOSIT_STATES, SETTLERS, SIGNERS } from '../../../domain/x402/deposit.ts';
import { isOneOf } from '../checks.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { TokenTables } from '../gigs/token-tables.ts';
import type { Kit } from '../kit.ts';
import type { ChainTables } from '../payments/chain-tables.ts';

/** Deposits that are not unused, and those that are not over: the conditions of indices, word for word. */
export const DEPOSIT_STANDS = sql.raw("deposits.state <> 'unused'");
export const DEPOSIT_OPEN = sql.raw("(deposits.state = 'kept' or deposits.state = 'sent' or deposits.state = 'used')");

type Made = ChainTables & GigTables & TokenTables;

/** Tokens whose payers can authorize a transfer, with what they sign by, as the chain had it. */
function createX402Tokens(kit: Kit, { tokens }: Made) {
  return kit.table('x402_tokens', {
    tokenId: kit
      .integer('token_id')
      .primaryKey()
      .references(() => tokens.id),
    name: kit.text('name').notNull(),
    version: kit.text('version').notNull(),
    createdAt: kit.integer('created_at').notNull(),
  });
}

/** Gigs that are created and paid for in one call, by the request that named each: the last one counts. */
function createX402Gigs(kit: Kit, { gigs }: Made) {
  return kit.table(
    'x402_gigs',
    {
      gigId: kit
        .integer('gig_id')
        .primaryKey()
        .references(() => gigs.id),
      request: kit.text('request').notNull(),
      fingerprint: kit.text('fingerprint').notNull(),
      createdAt: kit.integer('created_at').notNull(),
    },
    (table) => [
      kit.index('x402_gigs_by_request').on(table.request, table.gigId),
      kit.check('x402_gigs_request', kit.isSha256('request')),
      kit.check('x402_gigs_fingerprint', kit.isSha256('fingerprint')),
    ],
  );
}

/** The index `deposits_one` is what keeps a gig from being paid twice: no second authorization is kept, or sent. */
function createDeposits(kit: Kit, made: Made) {
  const { tankTransactions } = made;
  return kit.table(
    'deposits',
    {
      id: kit.rowId('id'),
      gigId: ofGig(kit, made),
      chainId: kit.integer('chain_id').notNull(),
      payer: kit.address('payer').notNull(),
      amount: kit.amount('amount').notNull(),
      validAfter: kit.integer('valid_after').notNull(),
      validBefore: kit.integer('valid_before').notNull(),
      nonce: kit.hex('nonce').notNull(),
      signature: kit.hex('signature').notNull(),
      state: kit.text('state', { enum: DEPOSIT_STATES }).notNull(),
      settler: kit.text('settler', { enum: SETTLERS }).notNull(),
      signer: kit.text('signer', { enum: SIGNERS }).notNull(),
      transactionId: kit.integer('transaction_id').references(() => tankTransactions.id),
      askedAt: kit.integer('asked_at'),
      keptBlock: kit.count('kept_block').notNull(),
      hash: kit.hex('hash'),
      blockNumber: kit.count('block_number'),
      reason: kit.text('reason'),
      dueAt: kit.integer('due_at').notNull(),
      gasUsed: kit.count('gas_used').notNull().default(sql`0`),
      createdAt: kit.integer('created_at').notNull(),
      updatedAt: kit.integer('updated_at').notNull(),
    },
    (table) => [
      kit.uniqueIndex('deposits_one').on(table.gigId).where(DEPOSIT_STANDS),
      kit.index('deposits_by_gig').on(table.gigId, table.id),
      kit.index('deposits_open').on(table.chainId, table.dueAt).where(DEPOSIT_OPEN),
      kit
        .index('deposits_by_transaction')
        .on(table.transactionId)
        .where(sql.raw('deposits.transaction_id is not null')),
      kit.index('deposits_by_time').on(table.createdAt),
      kit.index('deposits_waiting').on(table.createdAt).where(DEPOSIT_OPEN),
      kit.check('deposits_payer', kit.isAddress('payer')),
      kit.check('deposits_amount', kit.isDecimal('amount')),
      kit.check('deposits_nonce', kit.isHash('nonce')),
      kit.check('deposits_signature', kit.isHexBytes('signature')),
      kit.check('deposits_state', isOneOf('state', DEPOSIT_STATES)),
      kit.check('deposits_settler', isOneOf('settler', SETTLERS)),
      kit.check('deposits_signer', isOneOf('signer', SIGNERS)),
      kit.check('deposits_kept_block', kit.isCount('kept_block')),
      kit.check('deposits_gas_used', kit.isCount('gas_used')),
      kit.check('deposits_used', sql.raw("(block_number is not null) = (state = 'used' or state = 'settled')")),
      kit.check('deposits_reason', sql.raw("reason is not null or state <> 'unused'")),
    ],
  );
}

/** What is paid for by x402, and by what. */
export function createX402Tables(kit: Kit, made: Made) {
  return {
    x402Tokens: createX402Tokens(kit, made),
    x402Gigs: createX402Gigs(kit, made),
    deposits: createDeposits(kit, made),
  };
}
