import { sql } from 'drizzle-orm';
import { isEither } from '../checks.ts';
import type { Kit } from '../kit.ts';

/**
 * Of a store that is copied or was copied away: `moving`, then `moved`. Of its copy: `arriving` until it is whole and
 * verified, then `arrived` until the other one says that it is moved.
 */
export const MOVE_STATES = ['moving', 'moved', 'arriving', 'arrived'] as const;

/**
 * How many mentions, replies and payments are in each state, except waiting mentions, which an index counts. Triggers
 * keep the counts; a migration that rebuilds one of these tables must create its triggers again.
 */
function createStateCounts(kit: Kit) {
  return kit.table(
    'state_counts',
    {
      subject: kit.text('subject', { enum: ['mentions', 'replies', 'payments'] }).notNull(),
      state: kit.text('state').notNull(),
      n: kit.integer('n').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.subject, table.state] }),
      kit.check('state_counts_n', sql.raw('n >= 0')),
    ],
  );
}

/** One row, rewritten to prove that writes reach the disk. */
function createWriteChecks(kit: Kit) {
  return kit.table(
    'write_checks',
    { id: kit.integer('id').primaryKey(), writtenAt: kit.integer('written_at').notNull() },
    () => [kit.check('write_checks_single', sql.raw('id = 1'))],
  );
}

function createLedgerState(kit: Kit) {
  return kit.table(
    'ledger_state',
    {
      id: kit.integer('id').primaryKey(),
      /** A random word that a file's `<database>.ids` has, too: when they differ, one of the two was restored. Null on a server. */
      word: kit.text('word'),
      /** The highest floor of tip numbers that was ever drawn. */
      tipFloor: kit.integer('tip_floor').notNull().default(0),
      /** The server on which it was drawn; null where the ledger is a file. */
      floorServer: kit.text('floor_server'),
      /** When a service last said that it works with this ledger, by its machine's clock; null before the first time. */
      beatAt: kit.integer('beat_at'),
    },
    () => [
      kit.check('ledger_state_single', sql.raw('id = 1')),
      kit.check('ledger_state_tip_floor', kit.isCount('tip_floor')),
    ],
  );
}

/** One row while the store must not be opened, because it is a side of a copy. */
function createStoreMoves(kit: Kit) {
  return kit.table(
    'store_moves',
    {
      id: kit.integer('id').primaryKey(),
      state: kit.text('state', { enum: MOVE_STATES }).notNull(),
      /** Which copy it is, on both sides. */
      move: kit.text('move').notNull(),
      /** How the other side is called. */
      other: kit.text('other').notNull(),
    },
    () => [
      kit.check('store_moves_single', sql.raw('id = 1')),
      kit.check('store_moves_state', isEither('state', MOVE_STATES)),
    ],
  );
}

/** What the store keeps about itself. */
export function createServiceTables(kit: Kit) {
  return {
    stateCounts: createStateCounts(kit),
    writeChecks: createWriteChecks(kit),
    ledgerState: createLedgerState(kit),
    storeMoves: createStoreMoves(kit),
  };
}
