import { sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { ACT_KINDS, type ActSource } from '../../../domain/earning/act.ts';
import { EARNING_STATES, type EarningFacts, REFUSAL_REASONS } from '../../../domain/earning/earning.ts';
import { isEither } from '../checks.ts';
import { type AccountTables, ofPlatform } from '../claims/account-tables.ts';
import { type GigTables, ofGig } from '../gigs/gig-tables.ts';
import type { TipTables } from '../gigs/tip-tables.ts';
import type { Kit } from '../kit.ts';

const ACT_SOURCES = ['webhook', 'look', 'sweep', 'start'] as const satisfies readonly ActSource[];

function factsColumn(kit: Kit) {
  return kit.json('facts').$type<EarningFacts>();
}

type Base = AccountTables & GigTables & TipTables;

/** Acts that are posts; the condition of their index, word for word. */
export const ACT_IS_POST = sql.raw("observations.object_id <> ''");

/** The accounts need no row. The index of the act begins with the account. */
function createObservations(kit: Kit, made: Base) {
  return kit.table(
    'observations',
    {
      id: kit.rowId('id'),
      gigId: ofGig(kit, made),
      platform: ofPlatform(kit, made),
      platformUserId: kit.text('platform_user_id').notNull(),
      kind: kit.text('kind', { enum: ACT_KINDS }).notNull(),
      objectId: kit.text('object_id').notNull(),
      actedAt: kit.integer('acted_at'),
      firstSeenAt: kit.integer('first_seen_at').notNull(),
      lastSeenAt: kit.integer('last_seen_at').notNull(),
      rankedAt: kit.integer('ranked_at').notNull(),
      source: kit.text('source', { enum: ACT_SOURCES }).notNull(),
      undoneAt: kit.integer('undone_at'),
      textHash: kit.text('text_hash'),
      letters: kit.integer('letters'),
    },
    (table) => [
      kit
        .uniqueIndex('observations_by_act')
        .on(table.gigId, table.platform, table.platformUserId, table.kind, table.objectId),
      kit.index('observations_by_post').on(table.objectId).where(ACT_IS_POST),
      kit.check('observations_user_id', kit.isUserId('platform_user_id')),
      kit.check('observations_kind', isEither('kind', ACT_KINDS)),
      kit.check(
        'observations_object',
        sql.raw("(object_id = '') = (kind = 'like' or kind = 'recast' or kind = 'follow' or kind = 'join')"),
      ),
      kit.check('observations_source', isEither('source', ACT_SOURCES)),
      kit.check('observations_text', sql.raw('text_hash is null or letters is not null')),
      kit.check('observations_text_hash', kit.isSha256('text_hash')),
      kit.check('observations_letters', sql.raw('letters >= 0')),
    ],
  );
}

/** The conditions of partial indices, word for word. */
export const EARNING_HELD = sql.raw("earnings.state = 'held'");
export const EARNING_ELIGIBLE = sql.raw("earnings.state = 'eligible'");
export const EARNING_IN_ROUND = sql.raw("earnings.state = 'eligible' and earnings.round is not null");
export const EARNING_NOT_AWARDED = sql.raw("earnings.state <> 'awarded'");

/**
 * The outcome of each account in a gig. Triggers keep the counts, keep what is awarded, and take back the addresses and
 * texts of an account that is no longer accepted.
 */
function createEarnings(kit: Kit, made: Base & { readonly observations: ReturnType<typeof createObservations> }) {
  const { observations, tips } = made;
  return kit.table(
    'earnings',
    {
      gigId: ofGig(kit, made),
      platform: ofPlatform(kit, made),
      platformUserId: kit.text('platform_user_id').notNull(),
      state: kit.text('state', { enum: EARNING_STATES }).notNull(),
      reason: kit.text('reason', { enum: REFUSAL_REASONS }),
      observationId: kit
        .integer('observation_id')
        .notNull()
        .references(() => observations.id),
      rankedAt: kit.integer('ranked_at').notNull(),
      dueAt: kit.integer('due_at').notNull(),
      facts: factsColumn(kit),
      amount: kit.amount('amount'),
      tipId: kit.integer('tip_id').references(() => tips.id),
      updatedAt: kit.integer('updated_at').notNull(),
      round: kit.integer('round'),
      weight: kit.amount('weight'),
      note: kit.text('note'),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.platform, table.platformUserId] }),
      kit.uniqueIndex('earnings_by_tip').on(table.tipId).where(sql.raw('earnings.tip_id is not null')),
      // With the time at which each is due, so that those which are not cost no look into the table.
      kit.index('earnings_held').on(table.gigId, table.rankedAt, table.observationId, table.dueAt).where(EARNING_HELD),
      kit.index('earnings_held_due').on(table.gigId, table.dueAt).where(EARNING_HELD),
      kit.index('earnings_eligible').on(table.gigId, table.rankedAt, table.observationId).where(EARNING_ELIGIBLE),
      // By the time at which each is asked about.
      kit
        .index('earnings_candidates')
        .on(table.gigId, table.dueAt, table.rankedAt, table.observationId)
        .where(EARNING_ELIGIBLE),
      kit
        .index('earnings_in_round')
        .on(table.gigId, table.round, table.rankedAt, table.observationId, table.weight)
        .where(EARNING_IN_ROUND),
      kit.index('earnings_by_gig').on(table.gigId, table.observationId),
      kit.index('earnings_by_state').on(table.gigId, table.state, table.observationId),
      kit
        .index('earnings_by_account')
        .on(table.platform, table.platformUserId, table.observationId)
        .where(EARNING_NOT_AWARDED),
      kit.check('earnings_user_id', kit.isUserId('platform_user_id')),
      kit.check('earnings_state', isEither('state', EARNING_STATES)),
      kit.check('earnings_refused', sql.raw("(state = 'refused') = (reason is not null)")),
      kit.check('earnings_reason', isEither('reason', REFUSAL_REASONS)),
      kit.check(
        'earnings_awarded',
        sql.raw("(state = 'awarded') = (tip_id is not null) and (tip_id is null) = (amount is null)"),
      ),
      kit.check('earnings_amount', kit.isDecimal('amount')),
      kit.check('earnings_facts', sql`facts is null or ${kit.isJson('facts')}`),
      kit.check('earnings_round', sql`round is null or ${kit.isAtLeast('round', 1)}`),
      kit.check(
        'earnings_weight',
        sql`(weight is null) = (round is null) and (weight is null or ${kit.isDecimal('weight')})`,
      ),
      kit.check(
        'earnings_note',
        sql`note is null or note <> '' and ${kit.isSame(sql`reason`, sql`'verifier_refused'`)}`,
      ),
    ],
  );
}

export type WithEarnings = GigTables & { readonly earnings: ReturnType<typeof createEarnings> };

type Made = WithEarnings;

type AccountColumns = Record<'gigId' | 'platform' | 'platformUserId', AnyPgColumn>;

/** The key of the earning of an account. */
export function ofEarning(kit: Kit, { earnings }: Made, { gigId, platform, platformUserId }: AccountColumns) {
  const foreignColumns: [AnyPgColumn, AnyPgColumn, AnyPgColumn] = [
    earnings.gigId,
    earnings.platform,
    earnings.platformUserId,
  ];
  return kit.foreignKey({ columns: [gigId, platform, platformUserId], foreignColumns });
}

/** Triggers refuse to change or delete a row. */
function createEvaluations(kit: Kit, made: Made) {
  return kit.table(
    'evaluations',
    {
      id: kit.rowId('id'),
      gigId: kit.integer('gig_id').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
      at: kit.integer('at').notNull(),
      state: kit.text('state', { enum: EARNING_STATES }).notNull(),
      reason: kit.text('reason', { enum: REFUSAL_REASONS }),
      facts: factsColumn(kit),
      amount: kit.amount('amount'),
    },
    (table) => [
      kit.index('evaluations_by_account').on(table.gigId, table.platform, table.platformUserId),
      ofEarning(kit, made, table),
      kit.check('evaluations_state', isEither('state', EARNING_STATES)),
      kit.check('evaluations_refused', sql.raw("(state = 'refused') = (reason is not null)")),
      kit.check('evaluations_reason', isEither('reason', REFUSAL_REASONS)),
      kit.check('evaluations_awarded', sql.raw("(state = 'awarded') = (amount is not null)")),
      kit.check('evaluations_amount', kit.isDecimal('amount')),
      kit.check('evaluations_facts', sql`facts is null or ${kit.isJson('facts')}`),
    ],
  );
}

/** Only of accounts that are accepted in the gig: eligible or awarded. */
function createEarningAddresses(kit: Kit, made: Made) {
  return kit.table(
    'earning_addresses',
    {
      gigId: kit.integer('gig_id').notNull(),
      address: kit.address('address').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.address] }),
      kit.index('earning_addresses_by_account').on(table.gigId, table.platform, table.platformUserId),
      ofEarning(kit, made, table),
      kit.check('earning_addresses_address', kit.isAddress('address')),
    ],
  );
}

/** Only of accounts that are accepted in the gig, by the SHA-256 of the normalised text. */
function createEarningTexts(kit: Kit, made: Made) {
  return kit.table(
    'earning_texts',
    {
      gigId: kit.integer('gig_id').notNull(),
      hash: kit.text('hash').notNull(),
      platform: kit.text('platform').notNull(),
      platformUserId: kit.text('platform_user_id').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.hash] }),
      kit.index('earning_texts_by_account').on(table.gigId, table.platform, table.platformUserId),
      ofEarning(kit, made, table),
      kit.check('earning_texts_hash', kit.isSha256('hash')),
    ],
  );
}

/** Triggers keep the counts. */
function createEarningCounts(kit: Kit, made: Made) {
  return kit.table(
    'earning_counts',
    {
      gigId: ofGig(kit, made),
      state: kit.text('state', { enum: EARNING_STATES }).notNull(),
      n: kit.integer('n').notNull(),
    },
    (table) => [
      kit.primaryKey({ columns: [table.gigId, table.state] }),
      kit.check('earning_counts_n', kit.isWholeNumber('n')),
    ],
  );
}

/** The acts of accounts for gigs, and their outcomes. */
export function createEarningTables(kit: Kit, made: Base) {
  const observations = createObservations(kit, made);
  const earnings = createEarnings(kit, { ...made, observations });
  const withEarnings = { ...made, earnings };
  return {
    observations,
    earnings,
    evaluations: createEvaluations(kit, withEarnings),
    earningAddresses: createEarningAddresses(kit, withEarnings),
    earningTexts: createEarningTexts(kit, withEarnings),
    earningCounts: createEarningCounts(kit, withEarnings),
  };
}
