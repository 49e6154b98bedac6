import { and, count, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { Round } from '../../../domain/earning/payouts/rounds.ts';
import type { Division, WeightCount } from '../../../domain/earning/payouts/shares.ts';
import type { Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, equals, prepareChange } from '../statements.ts';
import { byGig } from '../subjects.ts';
import { EARNING_IN_ROUND } from './earning-tables.ts';

function ofGig({ rounds }: Tables) {
  return equals(rounds.gigId, 'gigId');
}

function createLastRound({ build, kit, prepare, tables }: Sql): (gigId: number) => Promise<Round | null> {
  const { rounds } = tables;
  const byNumber = build.select().from(rounds).where(ofGig(tables)).orderBy(desc(rounds.number));
  const last = prepare(kit.first(byNumber));
  return async (gigId) => (await last.get({ gigId })) ?? null;
}

/** Throws when the reward does not hold what is reserved. */
function createReserve(db: Sql): (gigId: number, change: bigint) => Promise<void> {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const isGig = equals(gigs.id, 'gigId');
  const { rewardAmount: reward, awardedAmount: awarded, reservedAmount: reserved } = gigs;
  const sums = prepare(build.select({ reward, awarded, reserved }).from(gigs).where(isGig));
  const keep = prepareChange(db, gigs, { reservedAmount: bound('reserved') }, isGig);
  return async (gigId, change) => {
    const gig = await sums.get({ gigId });
    if (gig === undefined) throw new RangeError(`there is no gig ${gigId}`);
    const after = gig.reserved + change;
    if (change > 0n && gig.awarded + after > gig.reward) {
      throw new RangeError(`gig ${gigId}: its reward does not hold what is reserved`);
    }
    await keep({ gigId, reserved: String(after) });
  };
}

function createHandOut(db: Sql, reserve: ReturnType<typeof createReserve>) {
  const { rounds } = db.tables;
  const lastRound = createLastRound(db);
  const isDivided: SQL | undefined = and(
    ofGig(db.tables),
    equals(rounds.number, 'number'),
    eq(rounds.state, 'divided'),
  );
  const change = prepareChange(db, rounds, { reserved: bound('reserved'), state: bound('state') }, isDivided);
  return async (
    gigId: number,
    number: number,
    { amount, isOver }: { amount: bigint; isOver: boolean },
  ): Promise<void> => {
    const round = await lastRound(gigId);
    const rest = (round?.reserved ?? 0n) - amount;
    if (rest < 0n || (isOver && rest !== 0n)) {
      throw new RangeError(`gig ${gigId}: the shares of round ${number} are not what is reserved`);
    }
    if (!(await change({ gigId, number, reserved: String(rest), state: isOver ? 'over' : 'divided' }))) {
      throw new RangeError(`gig ${gigId}: round ${number} is not being handed out`);
    }
    await reserve(gigId, -amount);
  };
}

export const rounds = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { earnings, rounds } = tables;
  const isMember = and(EARNING_IN_ROUND, equals(earnings.gigId, 'gigId'), equals(earnings.round, 'round'));
  const { weight, rankedAt, observationId } = earnings;
  const known = sql<bigint>`${weight}`.mapWith(BigInt);
  const weights = build.select({ weight: known, count: count() }).from(earnings).where(isMember).groupBy(weight);
  const ofRound = prepare(weights);
  const byRank = build.select().from(earnings).where(isMember).orderBy(rankedAt, observationId);
  const members = prepare(byRank.limit(sql.placeholder('limit')));
  const divided = boundTo(rounds, 'gigId', 'number', 'pool', 'total', 'members', 'reserved', 'dividedAt');
  const divide = prepare(build.insert(rounds).values({ ...divided, state: 'divided' }));
  const reserve = createReserve(db);
  return {
    reads: {
      /** The round that was divided last; null before the first division. */
      lastRound: locked(byGig, createLastRound(db)),
      /** How many eligible accounts of a round have each weight, in any order. */
      roundWeights: locked(
        byGig,
        (gigId: number, round: number): Promise<WeightCount[]> => ofRound.all({ gigId, round }),
      ),
      /** Eligible accounts of a round by rank. */
      roundMembers: locked(
        byGig,
        (gigId: number, round: number, { limit }: { limit: number }): Promise<Earning[]> =>
          members.all({ gigId, round, limit }),
      ),
    },
    writes: {
      /**
       * Divides a gig's next round, and reserves the shares; nobody enters the round afterwards. Throws when it is not the
       * next one, the last one is not over, or the reward does not hold what is reserved.
       */
      divideRound: locked(
        byGig,
        async (
          gigId: number,
          { number, pool, total, members, reserved, now }: Division & { number: number; now: number },
        ): Promise<void> => {
          await divide.run({ gigId, number, pool, total, members, reserved, dividedAt: now });
          await reserve(gigId, reserved);
        },
      ),
      /**
       * Takes shares that became tips out of what is reserved and, with `isOver`, ends the round. Throws when the round is not
       * being handed out, less is reserved, or any is left at its end.
       */
      handOut: locked(byGig, createHandOut(db, reserve)),
    },
  };
});
