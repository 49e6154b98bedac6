import { sql } from 'drizzle-orm';
import { isOneOf } from '../../checks.ts';
import type { Kit } from '../../kit.ts';

/** `gas` is of a chain, in units of gas; the others are of a token, `gigs` as a number and the rest in base units. */
export const SUM_KINDS = ['gigs', 'funded', 'awarded', 'paid', 'settled', 'refunded', 'gas'] as const;
export const DURATION_KINDS = ['reply', 'payment'] as const;

/** The day of the sums of all time. */
export const ALL_TIME = 0;

/**
 * Sums that triggers keep, of all time and of each day since 1970. An amount is split into places of nine digits each, so that
 * adding carries nothing; `n` may be negative. On a server each transaction adds to a `part` that no other uses meanwhile.
 */
function createDaySums(kit: Kit) {
  return kit.table(
    'day_sums',
    {
      day: kit.integer('day').notNull(),
      kind: kit.text('kind', { enum: SUM_KINDS }).notNull(),
      /** The id of the token or the chain. */
      subject: kit.integer('subject').notNull(),
      place: kit.integer('place').notNull(),
      part: kit.integer('part').notNull(),
      n: kit.count('n').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.day, table.kind, table.subject, table.place, table.part] }),
      kit.check('day_sums_kind', isOneOf('kind', SUM_KINDS)),
    ],
  );
}

/**
 * How long things took, of all time and by the day on which they ended: `bucket` is the upper bound, `longest` the longest of the
 * bucket and `total` their sum, all in milliseconds. Triggers keep it; nothing counts for more than ten years, so that sums fit.
 */
function createDayDurations(kit: Kit) {
  return kit.table(
    'day_durations',
    {
      day: kit.integer('day').notNull(),
      kind: kit.text('kind', { enum: DURATION_KINDS }).notNull(),
      bucket: kit.integer('bucket').notNull(),
      part: kit.integer('part').notNull(),
      n: kit.integer('n').notNull(),
      longest: kit.integer('longest').notNull(),
      total: kit.count('total').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.day, table.kind, table.bucket, table.part] }),
      kit.check('day_durations_kind', isOneOf('kind', DURATION_KINDS)),
      kit.check('day_durations_n', sql.raw('n >= 0 and longest >= 0')),
    ],
  );
}

/** The daily sums of money and time for the operators' overview. */
export function createSumTables(kit: Kit) {
  return { daySums: createDaySums(kit), dayDurations: createDayDurations(kit) };
}
