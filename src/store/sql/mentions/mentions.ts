import { aliasedTable, and, eq, getTableColumns, lt, lte, min, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import {
  authorOf,
  type IgnoreReason,
  type LeasedMention,
  type Mention,
  type MentionRecord,
  type MentionState,
} from '../../../domain/mentions/mention.ts';
import type { Arrival, DueMention, LeaseRequest, StoredMention } from '../../port/mentions.ts';
import type { TwoWayPage } from '../../port/page.ts';
import { createLabelLookup, createLabelWriter, createUsernameWriter } from '../claims/accounts.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange, prepareTwoWays, readEach } from '../statements.ts';
import { byAuthor, byTheirAuthors, nothing } from '../subjects.ts';
import { isLeadingMention } from './mention-tables.ts';
import { createOwnPostCheck } from './replies.ts';

const placeholder = sql.placeholder;

/** The columns of a mention, as it is read. */
export function mentionColumns({ mentions }: Tables) {
  const { lease: _lease, dueAt: _dueAt, behind: _behind, ...columns } = getTableColumns(mentions);
  return columns;
}

const DUE_AT_ONCE = 16;

/**
 * The mentions to answer next on a platform: those due longest that no older mention of their author precedes. The index
 * holds only leading mentions, so one author's queue costs other authors no steps; the query checks the rule again.
 */
function selectDueMentions({ build, kit, tables }: Sql) {
  const { mentions } = tables;
  const earlier = aliasedTable(mentions, 'earlier');
  // A scalar subquery runs for each mention, by an index. PostgreSQL turns `not exists` into a join, which goes by no author
  // while it takes the table for small.
  const earlierOfAuthor = build
    .select({ id: min(earlier.id) })
    .from(earlier)
    .where(
      and(
        sql`earlier.state = 'received'`,
        eq(earlier.platform, mentions.platform),
        eq(earlier.authorId, mentions.authorId),
        lt(earlier.id, mentions.id),
      ),
    );
  const isDue = and(equals(mentions.platform, 'platform'), lte(mentions.dueAt, placeholder('now')));
  return build
    .select({ mention: mentionColumns(tables), dueAt: mentions.dueAt })
    .from(mentions)
    .where(and(isLeadingMention(kit), isDue, sql`(${earlierOfAuthor}) is null`))
    .orderBy(mentions.dueAt, mentions.id)
    .$dynamic();
}

function createMentionLeases(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { mentions } = tables;
  const due = prepare(kit.claiming(selectDueMentions(db), mentions));
  const started = { lease: bound('lease'), dueAt: bound('until'), attempts: sql`${mentions.attempts} + 1` };
  const hold = prepareChange(db, mentions, started, equals(mentions.id, 'id'));
  const isDue = and(eq(mentions.state, 'received'), lte(mentions.dueAt, placeholder('now')));
  const holdDue = prepareChange(db, mentions, started, and(equals(mentions.id, 'id'), isDue));
  const isHeld = and(equals(mentions.id, 'id'), eq(mentions.state, 'received'), equals(mentions.lease, 'lease'));
  const held = prepare(build.select({ id: mentions.id }).from(mentions).where(isHeld));
  const lastError = bound('error');
  const answered = prepareChange(db, mentions, { state: 'answered', lease: null }, isHeld);
  const reasoned = { state: 'ignored', lease: null, ignoreReason: bound('ignoreReason') } as const;
  const ignored = prepareChange(db, mentions, reasoned, isHeld);
  const again = prepareChange(db, mentions, { lease: null, dueAt: bound('retryAt'), lastError }, isHeld);
  const later = {
    lease: null,
    dueAt: bound('until'),
    lastError: bound('reason'),
    attempts: sql`${mentions.attempts} - 1`,
  };
  const postponed = prepareChange(db, mentions, later, isHeld);
  const failed = prepareChange(db, mentions, { state: 'failed', lease: null, lastError }, isHeld);
  return {
    /**
     * Leases the mention that has been due longest, or returns null. `attempts` excludes this attempt, which the store
     * counts at once, so that a crash counts too.
     * Mentions of one author run in order, one at a time: an older one blocks younger ones until it is done. Platforms
     * that are not named are skipped; their mentions wait.
     */
    leaseMention: locked(
      nothing,
      async ({
        platforms,
        lease,
        now,
        until,
      }: LeaseRequest & { readonly platforms: readonly Platform[] }): Promise<LeasedMention | null> => {
        const found = await readEach([...new Set(platforms)], (platform) => due.get({ platform, now }));
        const [next] = found
          .filter((each) => each !== undefined)
          .sort((a, b) => a.dueAt - b.dueAt || a.mention.id - b.mention.id);
        if (next === undefined) return null;
        await hold({ id: next.mention.id, lease, until });
        return { ...next.mention, lease };
      },
    ),
    /** Leases a mention that {@link DueMention} was; false when another worker has leased or ended it since. */
    leaseDueMention: locked(nothing, (id: number, request: LeaseRequest) => holdDue({ id, ...request })),
    /** Whether the mention is still held under this lease. */
    holdsMention: locked(
      nothing,
      async (id: number, lease: string): Promise<boolean> => (await held.get({ id, lease })) !== undefined,
    ),
    /** Received → answered. Only under the lease. */
    markAnswered: locked(nothing, (id: number, lease: string) => answered({ id, lease })),
    /** Received → ignored. Only under the lease. */
    markIgnored: locked(nothing, (id: number, change: { lease: string; ignoreReason: IgnoreReason }) =>
      ignored({ id, ...change }),
    ),
    /** Returns a mention to be tried again at `retryAt`, or fails it when that is null. */
    putMentionBack: locked(
      nothing,
      (id: number, { lease, error, retryAt }: { lease: string; retryAt: number | null; error: string }) =>
        (retryAt === null ? failed : again)({ id, lease, error, retryAt }),
    ),
    /** Returns a mention until what it waits for may have happened; its lease does not count as an attempt. */
    postponeMention: locked(nothing, (id: number, change: { lease: string; until: number; reason: string }) =>
      postponed({ id, ...change }),
    ),
  };
}

/** Evaluated during the insert. */
const FOLLOWS = sql`exists (select 1 from mentions as earlier where earlier.state = 'received'
  and earlier.platform = ${placeholder('platform')} and earlier.author_id = ${placeholder('authorId')})`;

/** Mentions by their id, their post and their state. */
function createMentionReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { mentions } = tables;
  const columns = mentionColumns(tables);
  const byId = prepare(build.select(columns).from(mentions).where(equals(mentions.id, 'id')));
  const isPost = and(equals(mentions.platform, 'platform'), equals(mentions.postId, 'postId'));
  const ofPost = prepare(build.select(columns).from(mentions).where(isPost));
  const list = (condition: SQL | undefined) =>
    prepareTwoWays(mentions.id, (isOnSide, order) =>
      prepare(
        build.select(columns).from(mentions).where(and(condition, isOnSide)).orderBy(order).limit(placeholder('limit')),
      ),
    );
  const all = list(undefined);
  const inState = list(equals(mentions.state, 'state'));
  const due = prepare(selectDueMentions(db).limit(DUE_AT_ONCE));
  return {
    mention: locked(nothing, async (id: number): Promise<MentionRecord | null> => (await byId.get({ id })) ?? null),
    mentionByPost: locked(
      nothing,
      async (platform: Platform, postId: string): Promise<MentionRecord | null> =>
        (await ofPost.get({ platform, postId })) ?? null,
    ),
    /**
     * The mentions of a platform that have been due longest, at most sixteen. Those of one author are due one at a time: an
     * older one blocks younger ones until it is done.
     */
    dueMentions: locked(
      nothing,
      async (platform: Platform, now: number): Promise<DueMention[]> =>
        (await due.all({ platform, now })).map(({ mention, dueAt }) => ({ ...mention, dueAt })),
    ),
    mentions: locked(
      nothing,
      (page: TwoWayPage & { readonly state?: MentionState | undefined }): Promise<MentionRecord[]> =>
        (page.state === undefined ? all : inState)({ ...page }),
    ),
  };
}

/** A lease decides on its row. The lock also covers the order of an author's mentions. */
export const mentions = noun((db: Sql) => {
  const { build, prepareInsert, tables } = db;
  const { mentions } = tables;
  const labelOf = createLabelLookup(db);
  const label = createUsernameWriter(db);
  const keepLabel = createLabelWriter(db);
  const query = build
    .insert(mentions)
    .values({
      ...boundTo(mentions, 'version', 'platform', 'postId', 'replyTo', 'threadId', 'authorId', 'authorUsername'),
      ...boundTo(mentions, 'text', 'postedAt', 'source'),
      receivedAt: placeholder('now'),
      state: 'received',
      attempts: 0,
      dueAt: placeholder('now'),
      behind: FOLLOWS,
    })
    .onConflictDoNothing({ target: [mentions.platform, mentions.postId] });
  const insert = prepareInsert(query);
  const isOwnPost = createOwnPostCheck(db);
  const insertMention = async (mention: Mention, arrival: Arrival): Promise<number | null> => {
    const author = { ...authorOf(mention), username: mention.authorUsername };
    const known = await labelOf(author);
    // A mention has a foreign key to its author, who may be new.
    const said = { now: arrival.now, seenAt: Math.min(mention.postedAt, arrival.now) };
    if (known === null) await label(author, said);
    const id = await insert({ ...mention, ...arrival });
    if (id === null) return null;
    // Only a new mention shows who holds the handle, at the time of its post.
    if (known !== null) await keepLabel(author, known, said);
    return id;
  };
  return {
    reads: createMentionReads(db),
    writes: {
      /**
       * Stores a mention unless its `(platform, postId)` is known; returns the id when it is new, else null. A new mention
       * labels its author, as `setUsername`, unless a later post showed another label or another holder.
       */
      insertMention: locked(
        // So that the ids of an author's mentions rise in the order in which they are committed.
        (mention) => byAuthor(authorOf(mention)),
        insertMention,
      ),
      /** The same for several, at most 256, but for the bot's own posts; returns the new ones. Those of one author stay in order. */
      insertMentions: locked(
        byTheirAuthors,
        async (mentions: readonly Mention[], { now, source }: Arrival): Promise<StoredMention[]> => {
          const kept: StoredMention[] = [];
          for (const mention of mentions) {
            if (await isOwnPost(mention.platform, mention.postId)) continue;
            const id = await insertMention(mention, { now, source });
            if (id !== null) kept.push({ id, mention });
          }
          return kept;
        },
      ),
      ...createMentionLeases(db),
    },
  };
});
