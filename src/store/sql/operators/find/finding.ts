import { and, desc, eq, gte, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { AccountKey, Platform } from '../../../../domain/account.ts';
import type { ActKind } from '../../../../domain/earning/act.ts';
import type { StoredEvent } from '../../../../domain/events/event.ts';
import type { Address } from '../../../../domain/gigs/token.ts';
import type { AuditEvent } from '../../../../domain/operators/audit-event.ts';
import type { Payment } from '../../../../domain/payments/payment.ts';
import { ACT_IS_POST } from '../../earning/earning-tables.ts';
import type { Sql } from '../../engine.ts';
import { EVENT_RELEASED } from '../../events/event-tables.ts';
import { eventColumns } from '../../events/events.ts';
import { GIG_HAS_TITLE, GIG_HAS_URL } from '../../gigs/gig-tables.ts';
import { locked, noun } from '../../noun.ts';
import { transactionOfHash } from '../../payments/payment-changes.ts';
import { PAYMENT_MARKED, PAYMENT_SENT, PAYMENT_UNCLAIMED } from '../../payments/payment-tables.ts';
import { createPaymentCompletion } from '../../payments/payments.ts';
import { equals } from '../../statements.ts';
import { nothing } from '../../subjects.ts';
import { REQUESTED } from '../audit-tables.ts';

const placeholder = sql.placeholder;

/** How many of a kind one look-up finds. */
const MOST = 10;

/** The records that a post led to, by their ids, the newest first. */
export interface FoundPosts {
  readonly mentions: readonly number[];
  readonly claims: readonly number[];
  /** Posts of the bot. */
  readonly replies: readonly number[];
  readonly gigs: readonly number[];
  readonly acts: readonly (AccountKey & { readonly gigId: number; readonly kind: ActKind })[];
}

/** Which posts: those of a platform whose ids lie between two, both included, or that a gig names by its URL. */
export interface PostRange {
  readonly platform: Platform;
  readonly from: string;
  readonly to: string;
  readonly url: string;
}

function createPostSearch({ build, kit, prepare, tables }: Sql): (range: PostRange) => Promise<FoundPosts> {
  const { claims, gigs, mentions, observations, replies } = tables;
  const [from, to] = [placeholder('from'), placeholder('to')];
  const posted = (table: typeof mentions | typeof claims | typeof replies) =>
    and(equals(table.platform, 'platform'), gte(table.postId, from), lte(table.postId, to));
  const ofMentions = prepare(build.select({ id: mentions.id }).from(mentions).where(posted(mentions)).limit(MOST));
  const ofClaims = prepare(build.select({ id: claims.id }).from(claims).where(posted(claims)).limit(MOST));
  const ofReplies = prepare(build.select({ id: replies.id }).from(replies).where(posted(replies)).limit(MOST));
  const isNamed = and(GIG_HAS_URL, equals(gigs.externalUrl, 'url'));
  const ofGigs = prepare(build.select({ id: gigs.id }).from(gigs).where(isNamed).limit(MOST));
  const { gigId, kind, objectId, platform, platformUserId } = observations;
  const isAct = and(
    ACT_IS_POST,
    gte(objectId, from),
    lte(objectId, to),
    eq(kit.noWayIn(platform), placeholder('platform')),
  );
  const ofActs = prepare(
    build.select({ gigId, kind, platform, platformUserId }).from(observations).where(isAct).limit(MOST),
  );
  const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).sort((a, b) => b - a);
  return async ({ platform, from, to, url }) => {
    const range = { platform, from, to };
    const [mentions, claims, replies, gigs, acts] = await Promise.all([
      ofMentions.all(range),
      ofClaims.all(range),
      ofReplies.all(range),
      ofGigs.all({ url }),
      ofActs.all(range),
    ]);
    return { mentions: idsOf(mentions), claims: idsOf(claims), replies: idsOf(replies), gigs: idsOf(gigs), acts };
  };
}

function createHashSearch(db: Sql) {
  const { build, prepare, tables } = db;
  const { payments, tankAttempts } = tables;
  const complete = createPaymentCompletion(db);
  const asked = placeholder('hash');
  // A transaction that was replaced is found by the hash that was included instead.
  const ours = build
    .select({ hash: tankAttempts.hash })
    .from(tankAttempts)
    .where(eq(tankAttempts.transactionId, transactionOfHash(tables, asked)));
  const select = () => build.select().from(payments);
  const marked = prepare(
    select()
      .where(and(PAYMENT_MARKED, equals(payments.hash, 'hash')))
      .orderBy(desc(payments.id))
      .limit(MOST),
  );
  const replaced = prepare(
    select()
      .where(and(PAYMENT_MARKED, inArray(payments.hash, ours)))
      .limit(MOST),
  );
  const sent = prepare(
    select()
      .where(and(PAYMENT_SENT, eq(payments.transactionId, transactionOfHash(tables, asked))))
      .limit(MOST),
  );
  return async (hash: `0x${string}`): Promise<Payment[]> => {
    const rows = await Promise.all([marked, replaced, sent].map((each) => each.all({ hash })));
    const found = new Map(rows.flat().map((row) => [row.id, row]));
    return await complete([...found.values()].sort((a, b) => b.id - a.id).slice(0, MOST));
  };
}

function createAddressSearch(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { claims, gigs, payments } = tables;
  const complete = createPaymentCompletion(db);
  const ofWallet = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.walletAddress, 'address')));
  const ofClaims = prepare(
    build
      .select({ id: claims.id })
      .from(claims)
      .where(equals(claims.recipient, 'address'))
      .orderBy(desc(claims.id))
      .limit(MOST),
  );
  const newest = (condition: SQL | undefined) =>
    prepare(build.select().from(payments).where(condition).orderBy(desc(payments.id)).limit(MOST));
  // Where a payout goes is indexed with its claim alone.
  const ofClaimed = newest(kit.isAmong(payments.claimId, 'ids'));
  const ofOthers = newest(and(PAYMENT_UNCLAIMED, equals(payments.recipient, 'address')));
  return async (address: Address): Promise<{ gigId: number | null; claims: number[]; payments: Payment[] }> => {
    const [wallet, claims] = await Promise.all([ofWallet.get({ address }), ofClaims.all({ address })]);
    const ids = claims.map(({ id }) => id);
    const payments = [...(await ofClaimed.all({ ids })), ...(await ofOthers.all({ address }))];
    const shown = payments.sort((a, b) => b.id - a.id).slice(0, MOST);
    return { gigId: wallet?.id ?? null, claims: ids, payments: await complete(shown) };
  };
}

/** What operators search for. Every look-up goes by an index, and finds at most {@link MOST} of a kind. */
export const finding = noun((db: Sql) => {
  const { build, kit, prepare, tables } = db;
  const { auditEvents, eventDeliveries, events, gigs } = tables;
  const isTitled = and(GIG_HAS_TITLE, equals(gigs.title, 'title'));
  const titled = prepare(build.select({ id: gigs.id }).from(gigs).where(isTitled).orderBy(desc(gigs.id)).limit(MOST));
  const isOfRequest = and(REQUESTED, equals(auditEvents.requestId, 'requestId'));
  const ofRequest = prepare(
    build.select().from(auditEvents).where(isOfRequest).orderBy(desc(auditEvents.id)).limit(MOST),
  );
  const byUid = prepare(
    build
      .select({ id: events.id, event: eventColumns(tables) })
      .from(events)
      .where(and(EVENT_RELEASED, equals(events.uid, 'uid'))),
  );
  const isFirst = and(equals(eventDeliveries.eventId, 'eventId'), sql`${kit.isFalse('event_deliveries.replay')}`);
  const delivered = prepare(
    kit.first(build.select({ place: eventDeliveries.place }).from(eventDeliveries).where(isFirst)),
  );
  return {
    reads: {
      /** What a post, or those whose ids begin alike, led to. */
      findPosts: locked(nothing, createPostSearch(db)),
      /** Payments in a transaction, ours or another one, also by the hash of an attempt that was replaced; newest first. */
      paymentsByHash: locked(nothing, createHashSearch(db)),
      /** The gig whose wallet an address is, the newest claims that pay to it, and the newest payments of these and of no claim. */
      findAddress: locked(nothing, createAddressSearch(db)),
      /** The ids of the gigs with exactly this title, newest first. */
      gigsTitled: locked(
        nothing,
        async (title: string): Promise<number[]> => (await titled.all({ title })).map(({ id }) => id),
      ),
      /** The events of the audit trail of one request, newest first. */
      auditEventsOf: locked(nothing, (requestId: string): Promise<AuditEvent[]> => ofRequest.all({ requestId })),
      /** A released event by its name, with the place of a delivery of it; null when there is no such event. */
      eventNamed: locked(
        nothing,
        async (uid: string): Promise<{ event: StoredEvent; delivery: number | null } | null> => {
          const found = await byUid.get({ uid });
          if (found === undefined) return null;
          const first = await delivered.get({ eventId: found.id });
          return { event: found.event, delivery: first?.place ?? null };
        },
      ),
    },
    writes: {},
  };
});
