import { type SQL, sql } from 'drizzle-orm';
import {
  check,
  customType,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { PLATFORMS } from '../../domain/account.ts';
import { GIG_TYPES } from '../../domain/gig.ts';
import type { Address } from '../../domain/token.ts';

/** A non-negative integer of any size, kept as decimal text. */
const amount = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'text',
  toDriver: String,
  fromDriver: BigInt,
});

const address = (name: string) => text(name).$type<Address>();

// What reaches a constraint must stand in it literally: a migration has no parameters.
function isOneOf(column: string, values: readonly string[]): SQL {
  return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);
}

function isDecimal(column: string): SQL {
  return sql.raw(`${column} <> '' and ${column} not glob '*[^0-9]*'`);
}

function isAddress(column: string): SQL {
  return sql.raw(`length(${column}) = 42 and ${column} glob '0x*' and substr(${column}, 3) not glob '*[^0-9a-f]*'`);
}

function isBoolean(column: string): SQL {
  return sql.raw(`${column} in (0, 1)`);
}

export const tokens = sqliteTable(
  'tokens',
  {
    id: integer('id').primaryKey(),
    createdAt: integer('created_at').notNull(),
    address: address('address').notNull(),
    chainId: integer('chain_id').notNull(),
    decimals: integer('decimals').notNull(),
    name: text('name').notNull(),
    symbol: text('symbol').notNull(),
    imageUrl: text('image_url').notNull(),
    isNative: integer('is_native', { mode: 'boolean' }).notNull(),
    coingeckoId: text('coingecko_id'),
  },
  (table) => [
    uniqueIndex('tokens_by_address').on(table.chainId, table.address),
    check('tokens_address', isAddress('address')),
    check('tokens_decimals', sql.raw('decimals between 0 and 255')),
    check('tokens_is_native', isBoolean('is_native')),
  ],
);

/** `handle` is `username` in lower case: what look-ups compare, held by one account of a platform at a time. */
export const accounts = sqliteTable(
  'accounts',
  {
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    platformUserId: text('platform_user_id').notNull(),
    username: text('username'),
    handle: text('handle'),
    createdAt: integer('created_at').notNull(),
    optedOutAt: integer('opted_out_at'),
  },
  (table) => [
    primaryKey({ columns: [table.platform, table.platformUserId] }),
    uniqueIndex('accounts_by_handle').on(table.platform, table.handle),
    check('accounts_platform', isOneOf('platform', PLATFORMS)),
    check(
      'accounts_user_id',
      sql.raw("platform_user_id not glob '*[^0-9]*' and platform_user_id not glob '0?*' and platform_user_id <> ''"),
    ),
    check('accounts_handle', sql.raw('(username is null) = (handle is null) and handle = lower(handle)')),
  ],
);

/** Gigs that went live; the condition of an index, word for word. */
export const GIG_WENT_LIVE = sql.raw("gigs.status = 'live'");

/**
 * The ids are never given out twice (AUTOINCREMENT), because the wallets derive from them. A migration must not rebuild
 * this table: that forgets the last id and drops the triggers that guard live gigs.
 */
export const gigs = sqliteTable(
  'gigs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    createdAt: integer('created_at').notNull(),
    status: text('status', { enum: ['created', 'live'] }).notNull(),
    production: integer('production', { mode: 'boolean' }).notNull(),
    tokenId: integer('token_id')
      .notNull()
      .references(() => tokens.id),
    rewardAmount: amount('reward_amount').notNull(),
    feeAmount: amount('fee_amount').notNull(),
    startTime: integer('start_time').notNull(),
    endTime: integer('end_time').notNull(),
    duration: integer('duration').notNull(),
    gigType: text('gig_type', { enum: GIG_TYPES }).notNull(),
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    walletAddress: address('wallet_address').notNull(),
    howToEarn: text('how_to_earn'),
    earningCriteria: text('earning_criteria'),
    externalUrl: text('external_url'),
    verifier: text('verifier'),
    startLockHolder: text('start_lock_holder'),
    startLockUntil: integer('start_lock_until'),
    awardedAmount: amount('awarded_amount').notNull().default(sql`'0'`),
  },
  (table) => [
    uniqueIndex('gigs_by_wallet').on(table.walletAddress),
    index('gigs_by_status').on(table.platform, table.status),
    index('gigs_live_windows').on(table.platform, table.endTime, table.startTime).where(GIG_WENT_LIVE),
    check('gigs_status', isOneOf('status', ['created', 'live'])),
    check('gigs_production', sql.raw("production = (status = 'live')")),
    check('gigs_reward', isDecimal('reward_amount')),
    check('gigs_fee', isDecimal('fee_amount')),
    check('gigs_awarded', isDecimal('awarded_amount')),
    check('gigs_window', sql.raw('duration >= 0 and end_time = start_time + duration')),
    check('gigs_type', isOneOf('gig_type', GIG_TYPES)),
    check('gigs_platform', isOneOf('platform', PLATFORMS)),
    check('gigs_wallet', isAddress('wallet_address')),
    check('gigs_start_lock', sql.raw('(start_lock_holder is null) = (start_lock_until is null)')),
  ],
);

export const gigOwners = sqliteTable(
  'gig_owners',
  {
    gigId: integer('gig_id')
      .notNull()
      .references(() => gigs.id),
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    platformUserId: text('platform_user_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.gigId, table.platform, table.platformUserId] }),
    foreignKey({
      columns: [table.platform, table.platformUserId],
      foreignColumns: [accounts.platform, accounts.platformUserId],
    }),
  ],
);

export const gigTransactions = sqliteTable(
  'gig_transactions',
  {
    id: integer('id').primaryKey(),
    gigId: integer('gig_id')
      .notNull()
      .references(() => gigs.id),
    tokenId: integer('token_id')
      .notNull()
      .references(() => tokens.id),
    chainId: integer('chain_id').notNull(),
    amount: amount('amount').notNull(),
    commissionAmount: amount('commission_amount').notNull(),
    blockNumber: amount('block_number').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('gig_transactions_by_gig').on(table.gigId),
    check('gig_transactions_amount', isDecimal('amount')),
    check('gig_transactions_commission', isDecimal('commission_amount')),
    check('gig_transactions_block', isDecimal('block_number')),
  ],
);

/** The conditions of the two partial indices; a query reaches an index only by saying its condition word for word. */
export const PENDING_FARCASTER = sql.raw("tips.status = 'pending' and tips.platform = 'farcaster'");
export const PENDING_TWITTER = sql.raw("tips.status = 'pending' and tips.platform = 'twitter'");

export const tips = sqliteTable(
  'tips',
  {
    id: integer('id').primaryKey(),
    createdAt: integer('created_at').notNull(),
    gigId: integer('gig_id')
      .notNull()
      .references(() => gigs.id),
    tokenId: integer('token_id')
      .notNull()
      .references(() => tokens.id),
    amount: amount('amount').notNull(),
    status: text('status', { enum: ['pending', 'claimed'] }).notNull(),
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    platformUserId: text('platform_user_id').notNull(),
    userAddress: address('user_address'),
    txHash: text('tx_hash'),
    claimedAt: integer('claimed_at'),
    claimNonce: text('claim_nonce'),
    claimStartedAt: integer('claim_started_at'),
    lockTimeout: integer('lock_timeout'),
  },
  (table) => [
    index('tips_pending_farcaster').on(table.platformUserId).where(PENDING_FARCASTER),
    index('tips_pending_twitter').on(table.platformUserId).where(PENDING_TWITTER),
    index('tips_by_gig').on(table.gigId, table.platform, table.platformUserId),
    foreignKey({
      columns: [table.platform, table.platformUserId],
      foreignColumns: [accounts.platform, accounts.platformUserId],
    }),
    check('tips_amount', isDecimal('amount')),
    check('tips_status', isOneOf('status', ['pending', 'claimed'])),
    check('tips_platform', isOneOf('platform', PLATFORMS)),
    check('tips_user_address', isAddress('user_address')),
  ],
);

/** What was answered to the first request under each key; kept for ever. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.key] })],
);

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    hash: text('hash').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    revokedAt: integer('revoked_at'),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [
    uniqueIndex('api_keys_by_hash').on(table.hash),
    check('api_keys_hash', sql.raw("length(hash) = 64 and hash not glob '*[^0-9a-f]*'")),
  ],
);

const MENTION_STATES = ['received', 'answered', 'ignored', 'failed'] as const;
const SILENCES = ['opted_out', 'author_limit', 'thread_limit', 'help_already_given', 'gave_up'] as const;
const SOURCES = ['webhook', 'poll'] as const;

/** Mentions without an answer; the condition of their indices, word for word. */
export const MENTION_WAITS = sql.raw("mentions.state = 'received'");

/** `due_at` is when the row may be leased: on arrival, when a lease ends, or when it is to be tried again. */
export const mentions = sqliteTable(
  'mentions',
  {
    id: integer('id').primaryKey(),
    version: integer('version').$type<1>().notNull(),
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    postId: text('post_id').notNull(),
    replyTo: text('reply_to').notNull(),
    threadId: text('thread_id').notNull(),
    authorId: text('author_id').notNull(),
    authorUsername: text('author_username'),
    text: text('text').notNull(),
    postedAt: integer('posted_at').notNull(),
    receivedAt: integer('received_at').notNull(),
    source: text('source', { enum: SOURCES }).notNull(),
    state: text('state', { enum: MENTION_STATES }).notNull(),
    attempts: integer('attempts').notNull(),
    silence: text('silence', { enum: SILENCES }),
    lastError: text('last_error'),
    lease: text('lease'),
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    uniqueIndex('mentions_by_post').on(table.platform, table.postId),
    index('mentions_due').on(table.platform, table.dueAt).where(MENTION_WAITS),
    index('mentions_waiting_by_author').on(table.platform, table.authorId).where(MENTION_WAITS),
    foreignKey({
      columns: [table.platform, table.authorId],
      foreignColumns: [accounts.platform, accounts.platformUserId],
    }),
    check('mentions_platform', isOneOf('platform', PLATFORMS)),
    check('mentions_source', isOneOf('source', SOURCES)),
    check('mentions_state', isOneOf('state', MENTION_STATES)),
    check('mentions_silence', isOneOf('silence', SILENCES)),
    check('mentions_lease', sql.raw("lease is null or state = 'received'")),
  ],
);

const REPLY_STATES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;
const REPLY_KINDS = ['answer', 'unasked_help'] as const;

/** Replies that still have to be sent or looked up; the condition of their index, word for word. */
export const REPLY_OPEN = sql.raw("replies.state in ('queued', 'sending', 'unknown')");

/** `platform`, `author_id` and `thread_id` repeat the mention's, which never change, so that the limits count in one index. */
export const replies = sqliteTable(
  'replies',
  {
    id: integer('id').primaryKey(),
    mentionId: integer('mention_id')
      .notNull()
      .references(() => mentions.id),
    platform: text('platform', { enum: PLATFORMS }).notNull(),
    authorId: text('author_id').notNull(),
    threadId: text('thread_id').notNull(),
    kind: text('kind', { enum: REPLY_KINDS }).notNull(),
    text: text('text').notNull(),
    createdAt: integer('created_at').notNull(),
    state: text('state', { enum: REPLY_STATES }).notNull(),
    attempts: integer('attempts').notNull(),
    postId: text('post_id'),
    sentAt: integer('sent_at'),
    lastError: text('last_error'),
    lease: text('lease'),
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    uniqueIndex('replies_by_mention').on(table.mentionId),
    index('replies_due').on(table.platform, table.dueAt).where(REPLY_OPEN),
    index('replies_by_author').on(table.platform, table.authorId, table.createdAt),
    index('replies_by_thread').on(table.platform, table.threadId, table.createdAt),
    index('replies_by_post').on(table.platform, table.postId),
    index('replies_by_state').on(table.state),
    check('replies_platform', isOneOf('platform', PLATFORMS)),
    check('replies_kind', isOneOf('kind', REPLY_KINDS)),
    check('replies_state', isOneOf('state', REPLY_STATES)),
    check(
      'replies_sent',
      sql.raw("(state = 'sent') = (post_id is not null) and (post_id is null) = (sent_at is null)"),
    ),
    check('replies_lease', sql.raw("lease is null or state in ('queued', 'sending', 'unknown')")),
  ],
);

export const pollCursors = sqliteTable(
  'poll_cursors',
  {
    platform: text('platform', { enum: PLATFORMS }).primaryKey(),
    cursor: text('cursor'),
    updatedAt: integer('updated_at').notNull(),
  },
  () => [check('poll_cursors_platform', isOneOf('platform', PLATFORMS))],
);

/** One row, rewritten to prove that a write reaches the disk. */
export const writeChecks = sqliteTable(
  'write_checks',
  { id: integer('id').primaryKey(), writtenAt: integer('written_at').notNull() },
  () => [check('write_checks_single', sql.raw('id = 1'))],
);
