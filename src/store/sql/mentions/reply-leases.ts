import { and, eq, lte, not, type SQL, sql } from 'drizzle-orm';
import type { Platform } from '../../../domain/account.ts';
import type { LeasedReply } from '../../../domain/mentions/mention.ts';
import { REPLY_WORTH, REPLY_WORTHS, type ReplyWorth } from '../../../domain/mentions/reply-worth.ts';
import type { LeaseRequest, ReplyPick } from '../../port/mentions.ts';
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
  return (of: { platform: Platform; worth: ReplyWorth; now: number }, pick: ReplyPick) => {
    const { notTo, notIn, answeredBefore } = pick;
    if (answeredBefore) return isKnown.get({ ...of, notTo, notIn });
    return notTo.length + notIn.length === 0 ? every.get(of) : isElsewhere.get({ ...of, notTo, notIn });
  };
}

const EVERY_REPLY: ReplyPick = { notTo: [], notIn: [], answeredBefore: false };

/** What becomes of a reply that is queued. */
export const replyLeases = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { replies } = tables;
  const due = createDueLookup(db);
  const reply = createReplyLookup(db);
  const hold = prepareChange(db, replies, { lease: bound('lease'), dueAt: bound('until') }, equals(replies.id, 'id'));
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
  return {
    reads: {},
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
          {
            lease,
            now,
            until,
            least = REPLY_WORTH.unaskedHelp,
            picks = [EVERY_REPLY],
          }: LeaseRequest & { readonly least?: ReplyWorth | undefined; readonly picks?: readonly ReplyPick[] },
        ): Promise<LeasedReply | null> => {
          // One query per worth reads one row; a single query would sort all due replies.
          const worths = REPLY_WORTHS.filter((each) => each <= least);
          let next: { id: number } | undefined;
          for (const pick of picks) {
            for (const worth of worths) next ??= await due({ platform, worth, now }, pick);
          }
          if (next === undefined) return null;
          await hold({ id: next.id, lease, until });
          const held = await reply(next.id);
          return held === null ? null : { ...held, lease };
        },
      ),
      /** Queued, unknown or sending → sending, with one more attempt. Only under the lease. */
      markSending: locked(nothing, (id: number, lease: string) => sending({ id, lease })),
      /** → sent. Only under the lease. */
      markSent: locked(nothing, (id: number, change: { lease: string; postId: string; now: number }) =>
        sent({ id, ...change }),
      ),
      /** → queued, unknown or failed, and the lease released. Only under the lease. */
      putReplyBack: locked(
        nothing,
        (
          id: number,
          change: { lease: string; state: 'queued' | 'unknown' | 'failed'; retryAt: number; error: string },
        ) => back({ id, ...change }),
      ),
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
