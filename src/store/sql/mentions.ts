import { aliasedTable, and, desc, eq, getTableColumns, lt, lte, notExists, sql } from 'drizzle-orm';
import { authorOf } from '../../domain/mention.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { createLabelLookup, createUsernameWriter, hasNewUsername } from './accounts.ts';
import { MENTION_LEADS, mentions } from './tables.ts';

const { lease: _lease, dueAt: _dueAt, behind: _behind, ...columns } = getTableColumns(mentions);
const placeholder = sql.placeholder;

export function createMentionReads(db: Db): Pick<SyncReads, 'mention' | 'mentionByPost' | 'mentions'> {
  const byId = prepare(
    db,
    db
      .select(columns)
      .from(mentions)
      .where(eq(mentions.id, placeholder('id'))),
  );
  const byPost = prepare(
    db,
    db
      .select(columns)
      .from(mentions)
      .where(and(eq(mentions.platform, placeholder('platform')), eq(mentions.postId, placeholder('postId')))),
  );
  const older = lt(mentions.id, placeholder('before'));
  const inState = and(eq(mentions.state, placeholder('state')), older);
  const page = () => db.select(columns).from(mentions).orderBy(desc(mentions.id)).limit(placeholder('limit'));
  const newest = prepare(db, page().where(older));
  const newestInState = prepare(db, page().where(inState));
  return {
    mention: (id) => byId.get({ id }) ?? null,
    mentionByPost: (platform, postId) => byPost.get({ platform, postId }) ?? null,
    mentions: ({ limit, before = Number.MAX_SAFE_INTEGER, state }) =>
      state === undefined ? newest.all({ limit, before }) : newestInState.all({ limit, before, state }),
  };
}

/**
 * The next mention to lease on a platform: the one due longest that no older mention of its author precedes. The index
 * holds only leading mentions, so one author's queue costs other authors no steps; the query checks the rule again.
 */
function prepareDueMention(db: Db) {
  const earlier = aliasedTable(mentions, 'earlier');
  const earlierOfAuthor = db
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
  const isDue = and(eq(mentions.platform, placeholder('platform')), lte(mentions.dueAt, placeholder('now')));
  return prepare(
    db,
    db
      .select({ mention: columns, dueAt: mentions.dueAt })
      .from(mentions)
      .where(and(MENTION_LEADS, isDue, notExists(earlierOfAuthor)))
      .orderBy(mentions.dueAt, mentions.id),
  );
}

type MentionChanges =
  | 'leaseMention'
  | 'holdsMention'
  | 'markAnswered'
  | 'markIgnored'
  | 'putMentionBack'
  | 'postponeMention';

function createMentionLeases(db: Db): Pick<SyncWrites, MentionChanges> {
  const due = prepareDueMention(db);
  const hold = prepare(
    db,
    db
      .update(mentions)
      .set({
        lease: sql`${placeholder('lease')}`,
        dueAt: sql`${placeholder('until')}`,
        attempts: sql`${mentions.attempts} + 1`,
      })
      .where(eq(mentions.id, placeholder('id'))),
  );
  const isHeld = and(
    eq(mentions.id, placeholder('id')),
    eq(mentions.state, 'received'),
    eq(mentions.lease, placeholder('lease')),
  );
  const held = prepare(db, db.select({ id: mentions.id }).from(mentions).where(isHeld));
  const answered = prepare(db, db.update(mentions).set({ state: 'answered', lease: null }).where(isHeld));
  const ignored = prepare(
    db,
    db
      .update(mentions)
      .set({ state: 'ignored', lease: null, ignoreReason: sql`${placeholder('ignoreReason')}` })
      .where(isHeld),
  );
  const lastError = sql`${placeholder('error')}`;
  const again = prepare(
    db,
    db
      .update(mentions)
      .set({ lease: null, lastError, dueAt: sql`${placeholder('retryAt')}` })
      .where(isHeld),
  );
  const postponed = prepare(
    db,
    db
      .update(mentions)
      .set({
        lease: null,
        lastError: sql`${placeholder('reason')}`,
        dueAt: sql`${placeholder('until')}`,
        attempts: sql`${mentions.attempts} - 1`,
      })
      .where(isHeld),
  );
  const failed = prepare(db, db.update(mentions).set({ state: 'failed', lease: null, lastError }).where(isHeld));
  return {
    leaseMention({ platforms, lease, now, until }) {
      const found = [...new Set(platforms)].flatMap((platform) => due.get({ platform, now }) ?? []);
      const [next] = found.sort((a, b) => a.dueAt - b.dueAt || a.mention.id - b.mention.id);
      if (next === undefined) return null;
      hold.run({ id: next.mention.id, lease, until });
      return { ...next.mention, lease };
    },
    holdsMention: (id, lease) => held.get({ id, lease }) !== undefined,
    markAnswered: (id, lease) => answered.run({ id, lease }).changes === 1,
    markIgnored: (id, change) => ignored.run({ id, ...change }).changes === 1,
    putMentionBack: (id, { lease, error, retryAt }) =>
      (retryAt === null ? failed : again).run({ id, lease, error, retryAt }).changes === 1,
    postponeMention: (id, change) => postponed.run({ id, ...change }).changes === 1,
  };
}

/** Whether an older mention of the same author waits; evaluated by SQLite during the insert. */
const FOLLOWS = sql`exists (select 1 from mentions as earlier where earlier.state = 'received'
  and earlier.platform = ${placeholder('platform')} and earlier.author_id = ${placeholder('authorId')})`;

export function createMentionWrites(db: Db): Pick<SyncWrites, 'insertMention' | MentionChanges> {
  const labelOf = createLabelLookup(db);
  const label = createUsernameWriter(db);
  const query = db
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
  const insert = prepareRaw(db, query);
  return {
    insertMention(mention, arrival) {
      const author = { ...authorOf(mention), username: mention.authorUsername };
      const known = labelOf(author);
      // A mention has a foreign key to its author, who may be new.
      if (known === null) label(author, { now: arrival.now, by: 'platform' });
      const { changes, lastInsertRowid } = insert.run({ ...mention, ...arrival });
      if (changes === 0) return null;
      // Only a new mention shows who holds the handle now.
      if (known !== null && hasNewUsername(author, known)) label(author, { now: arrival.now, by: 'platform' });
      return Number(lastInsertRowid);
    },
    ...createMentionLeases(db),
  };
}
