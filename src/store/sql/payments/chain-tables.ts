import { type SQL, sql } from 'drizzle-orm';
import type { Kit } from '../kit.ts';

/** Transactions of the gas tank that are not over; the condition of their index, word for word. */
export function isOpenTransaction(kit: Kit): SQL {
  return kit.isFalse('tank_transactions.is_over');
}

/** Nonces repeat: a node that lags names one that is spent. */
function createTankTransactions(kit: Kit) {
  return kit.table(
    'tank_transactions',
    {
      id: kit.rowId('id'),
      chainId: kit.integer('chain_id').notNull(),
      nonce: kit.integer('nonce').notNull(),
      isOver: kit.flag('is_over').notNull().default(false),
      broadcastAt: kit.integer('broadcast_at'),
      createdAt: kit.integer('created_at').notNull(),
    },
    (table) => [
      kit.index('tank_transactions_open').on(table.chainId, table.nonce).where(isOpenTransaction(kit)),
      kit.check('tank_transactions_nonce', kit.isWholeNumber('nonce')),
      kit.check('tank_transactions_is_over', kit.isBoolean('is_over')),
    ],
  );
}

/** A trigger keeps the attempts as they are. */
function createTankAttempts(kit: Kit, made: { readonly tankTransactions: ReturnType<typeof createTankTransactions> }) {
  const { tankTransactions } = made;
  return kit.table(
    'tank_attempts',
    {
      /** The order in which they were signed: times repeat, and clocks can go back. */
      place: kit.rowId('place'),
      hash: kit.hex('hash').notNull(),
      transactionId: kit
        .integer('transaction_id')
        .notNull()
        .references(() => tankTransactions.id),
      raw: kit.hex('raw').notNull(),
      maxFeePerGas: kit.amount('max_fee_per_gas').notNull(),
      maxPriorityFeePerGas: kit.amount('max_priority_fee_per_gas').notNull(),
      gas: kit.amount('gas').notNull(),
      signedAt: kit.integer('signed_at').notNull(),
      /** The chain's newest block when it was signed; null in one from before this was noted. */
      signedBlock: kit.count('signed_block'),
    },
    (table) => [
      kit.uniqueIndex('tank_attempts_by_hash').on(table.hash),
      kit.index('tank_attempts_by_transaction').on(table.transactionId),
      kit.check('tank_attempts_hash', kit.isHash('hash')),
      kit.check('tank_attempts_raw', kit.isHexBytes('raw')),
      kit.check('tank_attempts_max_fee', kit.isDecimal('max_fee_per_gas')),
      kit.check('tank_attempts_priority_fee', kit.isDecimal('max_priority_fee_per_gas')),
      kit.check('tank_attempts_gas', kit.isDecimal('gas')),
      kit.check('tank_attempts_signed_block', sql`signed_block is null or ${kit.isCount('signed_block')}`),
    ],
  );
}

/** The settled block of each chain that the ledger counts on. */
function createChainAnchors(kit: Kit) {
  return kit.table(
    'chain_anchors',
    {
      chainId: kit.integer('chain_id').primaryKey(),
      number: kit.count('number').notNull(),
      hash: kit.hex('hash').notNull(),
      /** The block's time, epoch milliseconds. */
      at: kit.integer('at').notNull(),
    },
    () => [
      kit.check('chain_anchors_number', kit.isCount('number')),
      kit.check('chain_anchors_hash', kit.isHash('hash')),
    ],
  );
}

/** One row: the address identifies the mnemonic. Stored at first use, never changed. */
function createGasTanks(kit: Kit) {
  return kit.table(
    'gas_tanks',
    {
      id: kit.integer('id').primaryKey(),
      address: kit.address('address').notNull(),
      createdAt: kit.integer('created_at').notNull(),
    },
    () => [kit.check('gas_tanks_single', sql.raw('id = 1')), kit.check('gas_tanks_address', kit.isAddress('address'))],
  );
}

/** The gas tank, its transactions, and the blocks that the ledger counts on. */
export function createChainTables(kit: Kit) {
  const tankTransactions = createTankTransactions(kit);
  return {
    tankTransactions,
    tankAttempts: createTankAttempts(kit, { tankTransactions }),
    chainAnchors: createChainAnchors(kit),
    gasTanks: createGasTanks(kit),
  };
}

export type ChainTables = ReturnType<typeof createChainTables>;
