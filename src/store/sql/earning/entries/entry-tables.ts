import { sql } from 'drizzle-orm';
import { ENTRY_STATES } from '../../../../domain/earning/holding/entry.ts';
import { isEither } from '../../checks.ts';
import { ofGig } from '../../gigs/gig-tables.ts';
import type { Kit } from '../../kit.ts';
import { ofEarning, type WithEarnings } from '../earning-tables.ts';

/** Entries of which something is still to be read; the condition of their indices, word for word. */
export const ENTRY_OPEN = sql.raw("entries.state <> 'told'");

/** The entries of accounts for gigs that ask them to hold a token, and what they held. */
function createEntries(kit: Kit, made: WithEarnings) {
  return kit.table(
    'entries',
    {
      gigId: kit.integer('gig_id').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      state: kit.text('state', { enum: ENTRY_STATES }).notNull(),
      dueAt: kit.integer('due_at').notNull(),
      joinedAt: kit.integer('joined_at').notNull(),
      enteredAt: kit.integer('entered_at'),
      slot: kit.integer('slot'),
      entryAmount: kit.amount('entry_amount'),
      entryBlock: kit.count('entry_block'),
      entryHash: kit.hex('entry_hash'),
      lastAmount: kit.amount('last_amount'),
      lastBlock: kit.count('last_block'),
      lastHash: kit.hex('last_hash'),
      counted: kit.integer('counted').notNull().default(0),
      unknownSince: kit.integer('unknown_since'),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.platform, table.platformUserId] }),
      kit.index('entries_due').on(table.gigId, table.dueAt, table.platform, table.platformUserId).where(ENTRY_OPEN),
      kit.index('entries_in_slot').on(table.gigId, table.slot, table.platform, table.platformUserId).where(ENTRY_OPEN),
      ofEarning(kit, made, table),
      kit.check('entries_state', isEither('state', ENTRY_STATES)),
      kit.check('entries_entered', sql.raw("state <> 'entered' or (slot is not null and entry_amount is not null)")),
      kit.check(
        'entries_entry',
        sql.raw('(entry_amount is null) = (entry_block is null) and (entry_amount is null) = (entry_hash is null)'),
      ),
      kit.check(
        'entries_last',
        sql.raw('(last_amount is null) = (last_block is null) and (last_amount is null) = (last_hash is null)'),
      ),
      kit.check('entries_entry_amount', kit.isDecimal('entry_amount')),
      kit.check('entries_last_amount', kit.isDecimal('last_amount')),
      kit.check('entries_entry_hash', kit.isHash('entry_hash')),
      kit.check('entries_last_hash', kit.isHash('last_hash')),
      kit.check('entries_counted', kit.isWholeNumber('counted')),
    ],
  );
}

/** An address counts for one account of a gig, the first that entered with it. */
function createEntryAddresses(kit: Kit, made: WithEarnings) {
  return kit.table(
    'entry_addresses',
    {
      gigId: kit.integer('gig_id').notNull(),
      address: kit.address('address').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.address] }),
      kit.index('entry_addresses_by_account').on(table.gigId, table.platform, table.platformUserId),
      ofEarning(kit, made, table),
      kit.check('entry_addresses_address', kit.isAddress('address')),
    ],
  );
}

/** Which block decides for the accounts whose time is over before a half hour: the first with this time or a later one. */
function createEntryDraws(kit: Kit, made: WithEarnings) {
  return kit.table(
    'entry_draws',
    {
      gigId: ofGig(kit, made),
      slot: kit.integer('slot').notNull(),
      begunBlock: kit.count('begun_block').notNull(),
      begunHash: kit.hex('begun_hash').notNull(),
      notBefore: kit.integer('not_before').notNull(),
      drawnAt: kit.integer('drawn_at').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.slot] }),
      kit.check('entry_draws_hash', kit.isHash('begun_hash')),
      kit.check('entry_draws_time', sql.raw('not_before > slot')),
    ],
  );
}

/** What accounts that enter are found to hold. */
export function createEntryTables(kit: Kit, made: WithEarnings) {
  return {
    entries: createEntries(kit, made),
    entryAddresses: createEntryAddresses(kit, made),
    entryDraws: createEntryDraws(kit, made),
  };
}
