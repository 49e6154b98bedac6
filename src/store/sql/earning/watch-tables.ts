import { sql } from 'drizzle-orm';
import { ACT_KINDS, LISTED_KINDS, type Target } from '../../../domain/earning/act.ts';
import { isEither } from '../checks.ts';
import { type AccountTables, ofPlatform } from '../claims/account-tables.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { Kit } from '../kit.ts';

const TARGET_KINDS = ['post', 'account', 'keyword'] as const satisfies readonly Target['kind'][];

/** `target_id` is the post, the account or the keyword; `target_author` is the post's. */
function targetColumns(kit: Kit) {
  return {
    targetKind: kit.text('target_kind', { enum: TARGET_KINDS }).notNull(),
    targetId: kit.text('target_id').notNull(),
    targetAuthor: kit.text('target_author'),
  };
}

function targetChecks(kit: Kit, table: string) {
  return [
    kit.check(`${table}_target_kind`, isEither('target_kind', TARGET_KINDS)),
    kit.check(`${table}_target`, sql.raw("target_id <> '' and (target_kind = 'post') = (target_author is not null)")),
  ];
}

type Made = AccountTables & GigTables;

/** Triggers keep the rules of a live gig; a gig without a row is earned by request alone. */
function createEarningRules(kit: Kit, made: Made) {
  return kit.table(
    'earning_rules',
    {
      gigId: ofGig(kit, made).primaryKey(),
      given: kit.text('given'),
      rules: kit.text('rules').notNull(),
      ...targetColumns(kit),
    },
    () => [
      ...targetChecks(kit, 'earning_rules'),
      kit.check('earning_rules_given', sql`given is null or ${kit.isJson('given')}`),
      kit.check('earning_rules_rules', kit.isJson('rules')),
    ],
  );
}

/** Watches that go on; the condition of their indices, word for word. */
export const WATCH_OPEN = sql.raw('watches.over_at is null');

/** `earned` is what the gig's earnings have been awarded, written with each award. */
function createWatches(kit: Kit, made: Made) {
  return kit.table(
    'watches',
    {
      gigId: ofGig(kit, made).primaryKey(),
      platform: ofPlatform(kit, made),
      ...targetColumns(kit),
      nextAt: kit.integer('next_at').notNull(),
      lookedAt: kit.integer('looked_at'),
      sweepBegunAt: kit.integer('sweep_begun_at'),
      sweepKind: kit.text('sweep_kind', { enum: ACT_KINDS }),
      sweepCursor: kit.text('sweep_cursor'),
      sweepPages: kit.integer('sweep_pages'),
      sweepDoubtful: kit.flag('sweep_doubtful').notNull().default(false),
      sweptAt: kit.integer('swept_at'),
      sweptPages: kit.integer('swept_pages').notNull().default(0),
      goneAt: kit.integer('gone_at'),
      overAt: kit.integer('over_at'),
      /** That of its gig, so that what is known of the gig is read again. */
      stoppedAt: kit.integer('stopped_at'),
      failures: kit.integer('failures').notNull().default(0),
      earned: kit.amount('earned').notNull().default(sql`'0'`),
      lease: kit.text('lease'),
      leaseUntil: kit.integer('lease_until'),
      /** With which the blocks are drawn in which accounts hold something; null where nobody enters. */
      entrySecret: kit.text('entry_secret'),
    },
    (table) => [
      kit.index('watches_due').on(table.platform, table.nextAt).where(WATCH_OPEN),
      kit.index('watches_open').on(table.platform).where(WATCH_OPEN),
      ...targetChecks(kit, 'watches'),
      kit.check('watches_sweep_kind', isEither('sweep_kind', LISTED_KINDS)),
      kit.check(
        'watches_sweep',
        sql.raw(
          '(sweep_begun_at is null) = (sweep_kind is null) and (sweep_begun_at is null) = (sweep_pages is null) and (sweep_begun_at is not null or sweep_cursor is null)',
        ),
      ),
      kit.check('watches_pages', sql.raw('swept_pages >= 0 and coalesce(sweep_pages, 0) >= 0 and failures >= 0')),
      kit.check('watches_earned', kit.isDecimal('earned')),
      kit.check('watches_entry_secret', kit.isSha256('entry_secret')),
      kit.check('watches_lease', sql.raw('(lease is null) = (lease_until is null)')),
    ],
  );
}

/** How gigs are earned, and which are watched. */
export function createWatchTables(kit: Kit, made: Made) {
  return { earningRules: createEarningRules(kit, made), watches: createWatches(kit, made) };
}
