import { aliasedTable, and, desc, eq, getTableColumns, lt, lte, notExists, sql } from 'drizzle-orm';
import { authorOf } from '../../domain/mention.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { createLabelKeeper, createLabelLookup, createUsernameWriter } from './accounts.ts';
import type { Sql, Tables } from './engine.ts';
import { keepOneByOne } from './intake.ts';
import { isLeadingMention } from './mention-tables.ts';
import { createReplyReads } from './replies.ts';
import { bound, equals, prepareChange, readEach } from './statements.ts';

const placeholder = sql.placeholder;

function mentionColumns({ mentions }: Tables) {
  const { lease: _lease, dueAt: _dueAt, behind: _behind, ...columns } = getTableColumns(mentions);
  return columns;
}

export function createMentionReads({
  build,
  prepare,
  tables,
}: Sql): Pick<StoreReads, 'mention' | 'mentionByPost' | 'mentions'> {
  const { mentions } = tables;
  const columns = mentionColumns(tables);
  const byId = prepare(build.select(columns).from(mentions).where(equals(mentions.id, 'id')));
  const isPost = and(equals(mentions.platform, 'platform'), equals(mentions.postId, 'postId'));
  const byPost = prepare(build.select(columns).from(mentions).where(isPost));
  const older = lt(mentions.id, placeholder('before'));
  const inState = and(equals(mentions.state, 'state'), older);
  const page = () => build.select(columns).from(mentions).orderBy(desc(mentions.id)).limit(placeholder('limit'));
  const newest = prepare(page().where(older));
  const newestInState = prepare(page().where(inState));
  return {
    mention: async (id) => (await byId.get({ id })) ?? null,
    mentionByPost: async (platform, postId) => (await byPost.get({ platform, postId })) ?? null,
    mentions: ({ limit, before = Number.MAX_SAFE_INTEGER, state }) =>
      state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state }),
  };
}

/**
 * The next mention to lease on a platform: the one due longest that no older mention of its author precedes. The index
 * holds only leading mentions, so one author's queue costs other authors no steps; the query checks the rule again.
 */
function prepareDueMention({ build, kit, prepare, tables }: Sql) {
  const { mentions } = tables;
  const earlier = aliasedTable(mentions, 'earlier');
  const earlierOfAuthor = build
    .select({ id: earlier.id })
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
  const due = build
    .select({ mention: mentionColumns(tables), dueAt: mentions.dueAt })
    .from(mentions)
    .where(and(isLeadingMention(kit), isDue, notExists(earlierOfAuthor)))
    .orderBy(mentions.dueAt, mentions.id);
  return prepare(kit.claiming(due, mentions));
}

type MentionChanges =
  | 'leaseMention'
  | 'holdsMention'
  | 'markAnswered'
  | 'markIgnored'
  | 'putMentionBack'
  | 'postponeMention';

function createMentionLeases(db: Sql): Pick<StoreTx, MentionChanges> {
  const { build, prepare, tables } = db;
  const { mentions } = tables;
  const due = prepareDueMention(db);
  const started = { lease: bound('lease'), dueAt: bound('until'), attempts: sql`${mentions.attempts} + 1` };
  const hold = prepareChange(db, mentions, started, equals(mentions.id, 'id'));
  const isHeld = and(equals(mentions.id, 'id'), eq(mentions.state, 'received'), equals(mentions.lease, 'lease'));
  const held = prepare(build.select({ id: mentions.id }).from(mentions).where(isHeld));
  const lastError = bound('error');
  const leave = { lease: null, dueAt: bound('retryAt'), lastError };
  const answered = prepareChange(db, mentions, { state: 'answered', lease: null }, isHeld);
  const reasoned = { state: 'ignored', lease: null, ignoreReason: bound('ignoreReason') } as const;
  const ignored = prepareChange(db, mentions, reasoned, isHeld);
  const again = prepareChange(db, mentions, leave, isHeld);
  const later = {
    lease: null,
    dueAt: bound('until'),
    lastError: bound('reason'),
    attempts: sql`${mentions.attempts} - 1`,
  };
  const postponed = prepareChange(db, mentions, later, isHeld);
  const failed = prepareChange(db, mentions, { state: 'failed', lease: null, lastError }, isHeld);
  return {
    async leaseMention({ platforms, lease, now, until }) {
      const found = await readEach([...new Set(platforms)], (platform) => due.get({ platform, now }));
      const [next] = found
        .filter((each) => each !== undefined)
        .sort((a, b) => a.dueAt - b.dueAt || a.mention.id - b.mention.id);
      if (next === undefined) return null;
      await hold({ id: next.mention.id, lease, until });
      return { ...next.mention, lease };
    },
    holdsMention: async (id, lease) => (await held.get({ id, lease })) !== undefined,
    markAnswered: (id, lease) => answered({ id, lease }),
    markIgnored: (id, change) => ignored({ id, ...change }),
    putMentionBack: (id, { lease, error, retryAt }) =>
      (retryAt === null ? failed : again)({ id, lease, error, retryAt }),
    postponeMention: (id, change) => postponed({ id, ...change }),
  };
}

/** Whether an older mention of the same author waits; evaluated during the insert. */
const FOLLOWS = sql`exists (select 1 from mentions as earlier where earlier.state = 'received'
  and earlier.platform = ${placeholder('platform')} and earlier.author_id = ${placeholder('authorId')})`;

export function createMentionWrites(db: Sql): Pick<StoreTx, 'insertMention' | 'insertMentions' | MentionChanges> {
  const { build, prepareInsert, tables } = db;
  const { mentions } = tables;
  const labelOf = createLabelLookup(db);
  const label = createUsernameWriter(db);
  const keepLabel = createLabelKeeper(db);
  const query = build
    .insert(mentions)
    .values({
      version: placeholder('version'),
      platform: placeholder('platform'),
      postId: placeholder('postId'),
      replyTo: placeholder('replyTo'),
      threadId: placeholder('threadId'),
      authorId: placeholder('authorId'),
      authorUsername: placeholder('authorUsername'),
      text: placeholder('text'),
      postedAt: placeholder('postedAt'),
      receivedAt: placeholder('now'),
      source: placeholder('source'),
      state: 'received',
      attempts: 0,
      dueAt: placeholder('now'),
      behind: FOLLOWS,
    })
    .onConflictDoNothing({ target: [mentions.platform, mentions.postId] });
  const insert = prepareInsert(query);
  const { isOwnPost } = createReplyReads(db);
  const writes: Pick<StoreTx, 'insertMention' | 'insertMentions'> = {
    insertMentions: (mentions, arrival) => keepOneByOne({ isOwnPost, ...writes }, mentions, arrival),
    async insertMention(mention, arrival) {
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
    },
  };
  return { ...writes, ...createMentionLeases(db) };
}
