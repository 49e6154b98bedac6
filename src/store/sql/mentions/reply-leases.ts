import { and, eq, lte, not, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { LeasedReply } from '../../../domain/mentions/mention.ts';
import { REPLY_WORTH, REPLY_WORTHS, type ReplyWorth } from '../../../domain/mentions/reply-worth.ts';
import type { LeaseRequest, ReplyChoice, ReplyPick } from '../../port/mentions.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, equals, prepareChange } from '../statements.ts';
import { nothing } from '../subjects.ts';
import { createReplyLookup } from './replies.ts';
import { REPLY_OPEN } from './reply-tables.ts';

const placeholder = sql.placeholder;

function isWorth({ replies }: Tables) {
  return and(equals(replies.platform, 'platform'), equals(replies.worth, 'worth'));
}

const ANSWERED_BEFORE = sql.raw(
  'exists (select 1 from replies sent where sent.platform = replies.platform and sent.author_id = replies.author_id and sent.sent_at is not null)',
);

/** Whether any reply is due: in the one index, by each worth, which SQLite seeks when they are listed. */
function createDueCheck({ build, kit, prepare, tables }: Sql) {
  const { replies } = tables;
  const isListed = sql.raw(`replies.worth in (${REPLY_WORTHS.join(', ')})`);
  const isWorthEnough = and(isListed, lte(replies.worth, placeholder('least')));
  const isDue = and(
    REPLY_OPEN,
    equals(replies.platform, 'platform'),
    isWorthEnough,
    lte(replies.dueAt, placeholder('now')),
  );
  const due = prepare(kit.first(build.select({ id: replies.id }).from(replies).where(isDue)));
  return async (platform: Platform, { now, least }: { readonly now: number; readonly least: ReplyWorth }) =>
    (await due.get({ platform, now, least })) !== undefined;
}

/** Finds the reply to lease: by the first pick that finds one, and the worth most. */
function createDueLookup({ build, kit, prepare, tables }: Sql) {
  const { replies } = tables;
  const due = (allowed?: SQL) => {
    const isDue = and(REPLY_OPEN, isWorth(tables), lte(replies.dueAt, placeholder('now')), allowed);
    const query = build.select({ id: replies.id }).from(replies).where(isDue).orderBy(replies.dueAt, replies.id);
    return prepare(kit.claiming(query, replies));
  };
  const every = due();
  const elsewhere = and(not(kit.isAmong(replies.authorId, 'notTo')), not(kit.isAmong(replies.threadId, 'notIn')));
  const isElsewhere = due(elsewhere);
  const isKnown = due(and(elsewhere, ANSWERED_BEFORE));
  const find = (of: { platform: Platform; worth: ReplyWorth; now: number }, pick: ReplyPick) => {
    const { notTo, notIn, answeredBefore } = pick;
    if (answeredBefore) return isKnown.get({ ...of, notTo, notIn });
    return notTo.length + notIn.length === 0 ? every.get(of) : isElsewhere.get({ ...of, notTo, notIn });
  };
  return async (platform: Platform, now: number, choice: ReplyChoice): Promise<number | null> => {
    const { least = REPLY_WORTH.unaskedHelp, picks = [EVERY_REPLY] } = choice;
    // One query per worth reads one row; a single query would sort all due replies.
    const worths = REPLY_WORTHS.filter((each) => each <= least);
    for (const pick of picks) {
      for (const worth of worths) {
        const found = await find({ platform, worth, now }, pick);
        if (found !== undefined) return found.id;
      }
    }
    return null;
  };
}

const EVERY_REPLY: ReplyPick = { notTo: [], notIn: [], answeredBefore: false };

/** How the sending of a leased reply begins and ends. */
function createOutcomes(db: Sql) {
  const { tables } = db;
  const { replies } = tables;
  // Only an open reply has a lease, so the lease implies the state.
  const isHeld = and(equals(replies.id, 'id'), equals(replies.lease, 'lease'));
  const sending = prepareChange(
    db,
    replies,
    { state: 'sending', heldFor: null, attempts: sql`${replies.attempts} + 1` },
    isHeld,
  );
  const sent = prepareChange(
    db,
    replies,
    { state: 'sent', lease: null, heldFor: null, postId: bound('postId'), sentAt: bound('now') },
    isHeld,
  );
  const back = prepareChange(
    db,
    replies,
    { state: bound('state'), lease: null, heldFor: null, dueAt: bound('retryAt'), lastError: bound('error') },
    isHeld,
  );
  return {
    /** Queued, unknown or sending → sending, with one more attempt. Only under the lease. */
    markSending: locked(nothing, (id: number, lease: string) => sending({ id, lease })),
    /** → sent. Only under the lease. */
    markSent: locked(nothing, (id: number, change: { lease: string; postId: string; now: number }) =>
      sent({ id, ...change }),
    ),
    /** → queued, unknown or failed, and the lease released. Only under the lease. */
    putReplyBack: locked(
      nothing,
      (id: number, change: { lease: string; state: 'queued' | 'unknown' | 'failed'; retryAt: number; error: string }) =>
        back({ id, ...change }),
    ),
  };
}

/** The outcome of a reply that is queued. */
export const replyLeases = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { replies } = tables;
  const next = createDueLookup(db);
  const reply = createReplyLookup(db);
  const hold = prepareChange(db, replies, { lease: bound('lease'), dueAt: bound('until') }, equals(replies.id, 'id'));
  const take = async (id: number, { lease, until }: { lease: string; until: number }): Promise<LeasedReply | null> => {
    await hold({ id, lease, until });
    const held = await reply(id);
    return held === null ? null : { ...held, lease };
  };
  const retry = prepareChange(
    db,
    replies,
    { state: 'unknown', attempts: 0, dueAt: bound('now') },
    and(equals(replies.id, 'id'), eq(replies.state, 'failed')),
  );
  const isPerished = and(
    REPLY_OPEN,
    isWorth(tables),
    lte(replies.dueAt, placeholder('dueBefore')),
    eq(replies.state, 'queued'),
  );
  const givenUp = { state: 'failed', lease: null, heldFor: null, lastError: bound('error') } as const;
  const giveUp = prepare(build.update(replies).set(givenUp).where(isPerished));
  const perished = prepare(kit.first(build.select({ id: replies.id }).from(replies).where(isPerished)));
  return {
    reads: {
      /** Whether a reply of a platform is due that is worth at least so much: `leaseReply` would find it, if it picks it. */
      isReplyDue: locked(nothing, createDueCheck(db)),
      /** Whether `giveUpReplies` would give up any. */
      isReplyPerished: locked(
        nothing,
        async (platform: Platform, which: { worth: ReplyWorth; dueBefore: number }): Promise<boolean> =>
          (await perished.get({ platform, ...which })) !== undefined,
      ),
    },
    writes: {
      /**
       * Leases a platform's reply that is `queued`, `unknown`, or `sending` with its lease over: the one worth most, then
       * the one due longest; its state is unchanged. Skips replies worth less than `least`, when given. Of several `picks` the
       * first that finds a reply decides; without them every reply is one.
       */
      leaseReply: locked(
        nothing,
        async (
          platform: Platform,
          { lease, now, until, ...choice }: LeaseRequest & ReplyChoice,
        ): Promise<LeasedReply | null> => {
          const id = await next(platform, now, choice);
          return id === null ? null : await take(id, { lease, until });
        },
      ),
      ...createOutcomes(db),
      /** Queued → failed for every reply of this worth due at or before `dueBefore`. Returns how many. */
      giveUpReplies: locked(
        nothing,
        (platform: Platform, which: { worth: ReplyWorth; dueBefore: number; error: string }): Promise<number> =>
          giveUp.run({ platform, ...which }),
      ),
      /** Failed → unknown with no attempts made, by the operator: it is looked up before it is sent again. */
      retryReply: locked(nothing, (id: number, now: number) => retry({ id, now })),
    },
  };
});
