import { and, asc, desc, eq, gte, max, min, sql } from 'drizzle-orm';
import type { Token } from '../../../../domain/gigs/token.ts';
import {
  addPlaces,
  type DurationCount,
  type DurationKind,
  type DurationTotal,
  type TokenSums,
} from '../../../../domain/operators/day-sums.ts';
import type { Sql } from '../../engine.ts';
import { createTokenLookups } from '../../gigs/tokens.ts';
import { locked, noun } from '../../noun.ts';
import { PAYMENT_WAITS } from '../../payments/payment-tables.ts';
import { equals } from '../../statements.ts';
import { nothing } from '../../subjects.ts';
import { ALL_TIME } from './sum-tables.ts';

const placeholder = sql.placeholder;

/** How many tokens the overview has: those of the most gigs. */
const TOKENS = 10;

function createTokenSums(db: Sql) {
  const { build, kit, prepare, tables } = db;
  const { day, kind, n, place, subject } = tables.daySums;
  const findTokens = createTokenLookups(db);
  // As text: the driver rounds what JavaScript's numbers cannot hold.
  const sum = sql<bigint>`cast(sum(${n}) as text)`.mapWith(BigInt);
  const ofMost = prepare(
    build
      .select({ subject })
      .from(tables.daySums)
      .where(and(eq(day, ALL_TIME), eq(kind, 'gigs')))
      .groupBy(subject)
      .orderBy(desc(sql`sum(${n})`), asc(subject))
      .limit(TOKENS),
  );
  const ofTokens = prepare(
    build
      .select({ kind, subject, place, sum })
      .from(tables.daySums)
      .where(and(eq(day, ALL_TIME), kit.isAmong(subject, 'ids')))
      .groupBy(kind, subject, place),
  );
  const paid = prepare(
    build
      .select({ day, subject, place, sum })
      .from(tables.daySums)
      .where(and(gte(day, placeholder('since')), eq(kind, 'paid'), kit.isAmong(subject, 'ids')))
      .groupBy(day, subject, place),
  );
  return async ({ since }: { since: number }): Promise<TokenSums[]> => {
    const ids = (await ofMost.all({})).map((row) => row.subject);
    if (ids.length === 0) return [];
    const [tokens, sums, days] = await Promise.all([findTokens(ids), ofTokens.all({ ids }), paid.all({ ids, since })]);
    return ids.flatMap((id) => {
      const token: Token | undefined = tokens.get(id);
      if (token === undefined) return [];
      const own = sums.filter((row) => row.subject === id);
      const of = (wanted: string) => addPlaces(own.filter((row) => row.kind === wanted));
      const paidOn = Map.groupBy(
        days.filter((row) => row.subject === id),
        (row) => row.day,
      );
      return [
        {
          token,
          gigs: Number(of('gigs')),
          funded: of('funded'),
          awarded: of('awarded'),
          paid: of('paid'),
          settled: of('settled'),
          refunded: of('refunded'),
          paidOn: new Map([...paidOn].map(([on, rows]) => [on, addPlaces(rows)])),
        },
      ];
    });
  };
}

/** How long replies and payments took. */
function createDurationReads(db: Sql) {
  const { build, prepare, tables } = db;
  const { dayDurations } = tables;
  const { bucket, day: on, kind: of, longest, n: times, total } = dayDurations;
  const took = prepare(
    build
      .select({
        day: on,
        kind: of,
        bucket,
        n: sql<number>`sum(${times})`.mapWith(Number),
        longest: max(longest).mapWith(Number),
      })
      .from(dayDurations)
      .where(gte(on, placeholder('since')))
      .groupBy(on, of, bucket),
  );
  const tookEver = prepare(
    build
      .select({
        kind: of,
        bucket,
        n: sql<number>`sum(${times})`.mapWith(Number),
        total: sql<number>`sum(${total})`.mapWith(Number),
      })
      .from(dayDurations)
      .where(eq(on, ALL_TIME))
      .groupBy(of, bucket),
  );
  return {
    /** How long replies and payments took that ended on a day from `since` on. */
    durations: locked(
      nothing,
      async (since: number): Promise<(DurationCount & { day: number; kind: DurationKind })[]> =>
        await took.all({ since }),
    ),
    /** How long replies and payments took, of all time. */
    allDurations: locked(nothing, async (): Promise<DurationTotal[]> => await tookEver.all({})),
  };
}

/** What triggers sum up for operators. Every read costs the same for any number of gigs, payments and mentions. */
export const daySums = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { payments, stateCounts } = tables;
  const { day, kind, n, subject } = tables.daySums;
  const isSince = gte(day, placeholder('since'));
  const used = sql<bigint>`cast(sum(${n}) as text)`.mapWith(BigInt);
  const gas = () => build.select({ chainId: subject, used }).from(tables.daySums);
  const gasSince = prepare(
    gas()
      .where(and(isSince, eq(kind, 'gas')))
      .groupBy(subject),
  );
  const gasEver = prepare(
    gas()
      .where(and(eq(day, ALL_TIME), eq(kind, 'gas')))
      .groupBy(subject),
  );
  const oldest = prepare(
    build
      .select({ at: min(payments.createdAt) })
      .from(payments)
      .where(PAYMENT_WAITS),
  );
  const held = prepare(
    build
      .select({ n: stateCounts.n })
      .from(stateCounts)
      .where(and(equals(stateCounts.subject, 'subject'), equals(stateCounts.state, 'state'))),
  );
  return {
    reads: {
      /** The sums of the tokens of the most gigs, with what was paid on each day (since 1970) from `since` on. */
      tokenSums: locked(nothing, createTokenSums(db)),
      /** The gas that payments have used, by chain: from a day on, or of all time when that is null. */
      gasUsed: locked(nothing, async (since: number | null): Promise<ReadonlyMap<number, bigint>> => {
        const rows = since === null ? await gasEver.all({}) : await gasSince.all({ since });
        return new Map(rows.map(({ chainId, used }) => [chainId, used]));
      }),
      ...createDurationReads(db),
      /** When the oldest payment that is planned or sent was planned, epoch milliseconds; null when none waits. */
      oldestWaitingPayment: locked(nothing, async (): Promise<number | null> => (await oldest.get({}))?.at ?? null),
      /** How many queued replies are held because of a limit or an earlier reply. */
      heldReplies: locked(
        nothing,
        async (): Promise<number> => (await held.get({ subject: 'replies', state: 'held' }))?.n ?? 0,
      ),
    },
    writes: {},
  };
});
