import { type SQL, sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { ACT_KINDS, type ActSource, type Target } from '../../domain/earning/act.ts';
import { EARNING_STATES, type EarningFacts, REFUSAL_REASONS } from '../../domain/earning/earning.ts';
import { address, amount, isAddress, isDecimal, isEither, isSha256, isWholeNumber } from './columns.ts';
import { ofGig, ofPlatform, tips } from './tables.ts';

const TARGET_KINDS = ['post', 'account', 'keyword'] as const satisfies readonly Target['kind'][];
const ACT_SOURCES = ['webhook', 'look', 'sweep', 'start'] as const satisfies readonly ActSource[];

/** A gig has one row at most. */
const perGig = () => ofGig().primaryKey();
const userId = () => text('platform_user_id').notNull();
const factsColumn = () => text('facts', { mode: 'json' }).$type<EarningFacts>();

/** `target_id` is the post, the account or the keyword; `target_author` is the post's. */
const targetColumns = () => ({
  targetKind: text('target_kind', { enum: TARGET_KINDS }).notNull(),
  targetId: text('target_id').notNull(),
  targetAuthor: text('target_author'),
});

function targetChecks(table: string) {
  return [
    check(`${table}_target_kind`, isEither('target_kind', TARGET_KINDS)),
    check(`${table}_target`, sql.raw("target_id <> '' and (target_kind = 'post') = (target_author is not null)")),
  ];
}

function isUserId(table: string) {
  const digits = "platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''";
  return check(`${table}_user_id`, sql.raw(digits));
}

type AccountColumns = Record<'gigId' | 'platform' | 'platformUserId', AnySQLiteColumn>;

/** The key of an account in a gig, which must have an earning. */
function ofEarning({ gigId, platform, platformUserId }: AccountColumns) {
  const foreignColumns: [AnySQLiteColumn, AnySQLiteColumn, AnySQLiteColumn] = [
    earnings.gigId,
    earnings.platform,
    earnings.platformUserId,
  ];
  return foreignKey({ columns: [gigId, platform, platformUserId], foreignColumns });
}

/** How a gig is earned. Triggers keep the rules of a live gig; one without a row is earned by request alone. */
export const earningRules = sqliteTable(
  'earning_rules',
  { gigId: perGig(), given: text('given'), rules: text('rules').notNull(), ...targetColumns() },
  () => [
    ...targetChecks('earning_rules'),
    check('earning_rules_given', sql.raw('given is null or json_valid(given)')),
    check('earning_rules_rules', sql.raw('json_valid(rules)')),
  ],
);

/** Watches that go on; the condition of their indices, word for word. */
export const WATCH_OPEN = sql.raw('watches.over_at is null');

/** The watched gigs. `earned` is what their earnings have been awarded, written with each award. */
export const watches = sqliteTable(
  'watches',
  {
    gigId: perGig(),
    platform: ofPlatform(),
    ...targetColumns(),
    nextAt: integer('next_at').notNull(),
    lookedAt: integer('looked_at'),
    sweepBegunAt: integer('sweep_begun_at'),
    sweepKind: text('sweep_kind', { enum: ACT_KINDS }),
    sweepCursor: text('sweep_cursor'),
    sweepPages: integer('sweep_pages'),
    sweptAt: integer('swept_at'),
    sweptPages: integer('swept_pages').notNull().default(0),
    goneAt: integer('gone_at'),
    overAt: integer('over_at'),
    /** That of its gig, so that what is known of the gig is read again. */
    stoppedAt: integer('stopped_at'),
    failures: integer('failures').notNull().default(0),
    earned: amount('earned').notNull().default(sql`'0'`),
    lease: text('lease'),
    leaseUntil: integer('lease_until'),
  },
  (table) => [
    index('watches_due').on(table.platform, table.nextAt).where(WATCH_OPEN),
    index('watches_open').on(table.platform).where(WATCH_OPEN),
    ...targetChecks('watches'),
    check('watches_sweep_kind', isEither('sweep_kind', ACT_KINDS)),
    check(
      'watches_sweep',
      sql.raw(
        '(sweep_begun_at is null) = (sweep_kind is null) and (sweep_begun_at is null) = (sweep_pages is null) and (sweep_begun_at is not null or sweep_cursor is null)',
      ),
    ),
    check('watches_pages', sql.raw('swept_pages >= 0 and coalesce(sweep_pages, 0) >= 0 and failures >= 0')),
    check('watches_earned', isDecimal('earned')),
    check('watches_lease', sql.raw('(lease is null) = (lease_until is null)')),
  ],
);

/** Acts towards the targets of watched gigs; their accounts need no row. The index of the act begins with the account. */
export const observations = sqliteTable(
  'observations',
  {
    id: integer('id').primaryKey(),
    gigId: ofGig(),
    platform: ofPlatform(),
    platformUserId: userId(),
    kind: text('kind', { enum: ACT_KINDS }).notNull(),
    objectId: text('object_id').notNull(),
    actedAt: integer('acted_at'),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    rankedAt: integer('ranked_at').notNull(),
    source: text('source', { enum: ACT_SOURCES }).notNull(),
    undoneAt: integer('undone_at'),
    textHash: text('text_hash'),
    letters: integer('letters'),
  },
  (table) => [
    uniqueIndex('observations_by_act').on(
      table.gigId,
      table.platform,
      table.platformUserId,
      table.kind,
      table.objectId,
    ),
    isUserId('observations'),
    check('observations_kind', isEither('kind', ACT_KINDS)),
    check('observations_object', sql.raw("(object_id = '') = (kind = 'like' or kind = 'recast' or kind = 'follow')")),
    check('observations_source', isEither('source', ACT_SOURCES)),
    check('observations_text', sql.raw('text_hash is null or letters is not null')),
    check('observations_text_hash', isSha256('text_hash')),
    check('observations_letters', sql.raw('letters >= 0')),
  ],
);

/** The conditions of partial indices, word for word. */
export const EARNING_HELD = sql.raw("earnings.state = 'held'");
export const EARNING_ELIGIBLE = sql.raw("earnings.state = 'eligible'");
export const EARNING_IN_ROUND = sql.raw("earnings.state = 'eligible' and earnings.round is not null");
export const EARNING_NOT_AWARDED = sql.raw("earnings.state <> 'awarded'");

/**
 * What becomes of each account in a gig. Triggers keep the counts, keep what is awarded, and take back the addresses and
 * texts of an account that is no longer accepted.
 */
export const earnings = sqliteTable(
  'earnings',
  {
    gigId: ofGig(),
    platform: ofPlatform(),
    platformUserId: userId(),
    state: text('state', { enum: EARNING_STATES }).notNull(),
    reason: text('reason', { enum: REFUSAL_REASONS }),
    observationId: integer('observation_id')
      .notNull()
      .references(() => observations.id),
    rankedAt: integer('ranked_at').notNull(),
    dueAt: integer('due_at').notNull(),
    facts: factsColumn(),
    amount: amount('amount'),
    tipId: integer('tip_id').references(() => tips.id),
    updatedAt: integer('updated_at').notNull(),
    round: integer('round'),
    weight: amount('weight'),
    note: text('note'),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.platform, table.platformUserId] }),
    uniqueIndex('earnings_by_tip').on(table.tipId).where(sql.raw('earnings.tip_id is not null')),
    // With the time at which each is due, so that those which are not cost no look into the table.
    index('earnings_held').on(table.gigId, table.rankedAt, table.observationId, table.dueAt).where(EARNING_HELD),
    index('earnings_held_due').on(table.gigId, table.dueAt).where(EARNING_HELD),
    index('earnings_eligible').on(table.gigId, table.rankedAt, table.observationId).where(EARNING_ELIGIBLE),
    // By the time at which each is asked about.
    index('earnings_candidates')
      .on(table.gigId, table.dueAt, table.rankedAt, table.observationId)
      .where(EARNING_ELIGIBLE),
    index('earnings_in_round')
      .on(table.gigId, table.round, table.rankedAt, table.observationId, table.weight)
      .where(EARNING_IN_ROUND),
    index('earnings_by_gig').on(table.gigId, table.observationId),
    index('earnings_by_state').on(table.gigId, table.state, table.observationId),
    index('earnings_by_account')
      .on(table.platform, table.platformUserId, table.observationId)
      .where(EARNING_NOT_AWARDED),
    isUserId('earnings'),
    check('earnings_state', isEither('state', EARNING_STATES)),
    check('earnings_refused', sql.raw("(state = 'refused') = (reason is not null)")),
    check('earnings_reason', isEither('reason', REFUSAL_REASONS)),
    check(
      'earnings_awarded',
      sql.raw("(state = 'awarded') = (tip_id is not null) and (tip_id is null) = (amount is null)"),
    ),
    check('earnings_amount', isDecimal('amount')),
    check('earnings_facts', sql.raw('facts is null or json_valid(facts)')),
    check('earnings_round', sql.raw("round is null or typeof(round) = 'integer' and round >= 1")),
    check(
      'earnings_weight',
      sql.raw("(weight is null) = (round is null) and (weight is null or weight <> '' and weight not glob '*[^0-9]*')"),
    ),
    check('earnings_note', sql.raw("note is null or note <> '' and reason is 'verifier_refused'")),
  ],
);

/** Whether decimal text without leading zeros is at most another one. */
function isAtMost(text: string, limit: string): SQL {
  return sql.raw(`length(${text}) < length(${limit}) or length(${text}) = length(${limit}) and ${text} <= ${limit}`);
}

/** The divided rounds of gigs. Triggers keep what was divided, and let nobody enter or leave. */
export const rounds = sqliteTable(
  'rounds',
  {
    gigId: ofGig(),
    number: integer('number').notNull(),
    state: text('state', { enum: ['divided', 'over'] }).notNull(),
    pool: amount('pool').notNull(),
    total: amount('total').notNull(),
    members: integer('members').notNull(),
    reserved: amount('reserved').notNull(),
    dividedAt: integer('divided_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.number] }),
    check('rounds_number', sql.raw("typeof(number) = 'integer' and number >= 1")),
    check('rounds_state', isEither('state', ['divided', 'over'])),
    check('rounds_pool', isDecimal('pool')),
    check('rounds_total', isDecimal('total')),
    check('rounds_members', isWholeNumber('members')),
    check('rounds_reserved', isDecimal('reserved')),
    check('rounds_reserved_of_pool', isAtMost('reserved', 'pool')),
    check('rounds_over', sql.raw("state <> 'over' or reserved = '0'")),
  ],
);

/** Every decision about an account, with its facts; triggers refuse to change or delete a row. */
export const evaluations = sqliteTable(
  'evaluations',
  {
    id: integer('id').primaryKey(),
    gigId: integer('gig_id').notNull(),
    platform: text('platform').notNull(),
    platformUserId: userId(),
    at: integer('at').notNull(),
    state: text('state', { enum: EARNING_STATES }).notNull(),
    reason: text('reason', { enum: REFUSAL_REASONS }),
    facts: factsColumn(),
    amount: amount('amount'),
  },
  (table) => [
    index('evaluations_by_account').on(table.gigId, table.platform, table.platformUserId),
    ofEarning(table),
    check('evaluations_state', isEither('state', EARNING_STATES)),
    check('evaluations_refused', sql.raw("(state = 'refused') = (reason is not null)")),
    check('evaluations_reason', isEither('reason', REFUSAL_REASONS)),
    check('evaluations_awarded', sql.raw("(state = 'awarded') = (amount is not null)")),
    check('evaluations_amount', isDecimal('amount')),
    check('evaluations_facts', sql.raw('facts is null or json_valid(facts)')),
  ],
);

/** The verified addresses of the accounts that are accepted in a gig: eligible or awarded. */
export const earningAddresses = sqliteTable(
  'earning_addresses',
  {
    gigId: integer('gig_id').notNull(),
    address: address('address').notNull(),
    platform: text('platform').notNull(),
    platformUserId: userId(),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.address] }),
    index('earning_addresses_by_account').on(table.gigId, table.platform, table.platformUserId),
    ofEarning(table),
    check('earning_addresses_address', isAddress('address')),
  ],
);

/** The texts for which accounts are accepted in a gig, by the SHA-256 of the normalised text. */
export const earningTexts = sqliteTable(
  'earning_texts',
  {
    gigId: integer('gig_id').notNull(),
    hash: text('hash').notNull(),
    platform: text('platform').notNull(),
    platformUserId: userId(),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.hash] }),
    index('earning_texts_by_account').on(table.gigId, table.platform, table.platformUserId),
    ofEarning(table),
    check('earning_texts_hash', isSha256('hash')),
  ],
);

/** How many accounts of each gig are in each state; triggers keep the counts. */
export const earningCounts = sqliteTable(
  'earning_counts',
  { gigId: ofGig(), state: text('state', { enum: EARNING_STATES }).notNull(), n: integer('n').notNull() },
  (table) => [primaryKey({ columns: [table.gigId, table.state] }), check('earning_counts_n', isWholeNumber('n'))],
);

/** Accounts that the operator lets earn nothing. */
export const blockedAccounts = sqliteTable(
  'blocked_accounts',
  {
    id: integer('id').primaryKey(),
    platform: ofPlatform(),
    platformUserId: userId(),
    blockedAt: integer('blocked_at').notNull(),
    reason: text('reason').notNull(),
  },
  (table) => [
    uniqueIndex('blocked_accounts_by_account').on(table.platform, table.platformUserId),
    isUserId('blocked_accounts'),
  ],
);
