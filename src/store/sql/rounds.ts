import { and, count, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Round } from '../../domain/earning/rounds.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { EARNING_IN_ROUND, earnings, rounds } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';
import { gigs } from './tables.ts';

const ofGig = equals(rounds.gigId, 'gigId');
const isMember = and(EARNING_IN_ROUND, equals(earnings.gigId, 'gigId'), equals(earnings.round, 'round'));

function createLastRound(db: Db): (gigId: number) => Round | null {
  const last = prepare(db, db.select().from(rounds).where(ofGig).orderBy(desc(rounds.number)));
  return (gigId) => last.get({ gigId }) ?? null;
}

export function createRoundReads(db: Db): Pick<SyncReads, 'lastRound' | 'roundWeights' | 'roundMembers'> {
  const { weight, rankedAt, observationId } = earnings;
  const known = sql<bigint>`${weight}`.mapWith(BigInt);
  const weights = db.select({ weight: known, count: count() }).from(earnings).where(isMember).groupBy(weight);
  const ofRound = prepare(db, weights);
  const byRank = db.select().from(earnings).where(isMember).orderBy(rankedAt, observationId);
  const members = prepare(db, byRank.limit(sql.placeholder('limit')));
  return {
    lastRound: createLastRound(db),
    roundWeights: (gigId, round) => ofRound.all({ gigId, round }),
    roundMembers: (gigId, round, { limit }) => members.all({ gigId, round, limit }),
  };
}

/** Prepares to change what a gig reserves; throws when its reward does not hold it. */
function createReserve(db: Db): (gigId: number, change: bigint) => void {
  const isGig = equals(gigs.id, 'gigId');
  const { rewardAmount: reward, awardedAmount: awarded, reservedAmount: reserved } = gigs;
  const sums = prepare(db, db.select({ reward, awarded, reserved }).from(gigs).where(isGig));
  const keep = prepareChange(db, gigs, { reservedAmount: bound('reserved') }, isGig);
  return (gigId, change) => {
    const gig = sums.get({ gigId });
    if (gig === undefined) throw new RangeError(`there is no gig ${gigId}`);
    const after = gig.reserved + change;
    if (change > 0n && gig.awarded + after > gig.reward) {
      throw new RangeError(`gig ${gigId}: its reward does not hold what is reserved`);
    }
    keep({ gigId, reserved: String(after) });
  };
}

function createHandOut(db: Db, reserve: ReturnType<typeof createReserve>): SyncWrites['handOut'] {
  const lastRound = createLastRound(db);
  const isDivided: SQL | undefined = and(ofGig, equals(rounds.number, 'number'), eq(rounds.state, 'divided'));
  const change = prepareChange(db, rounds, { reserved: bound('reserved'), state: bound('state') }, isDivided);
  return (gigId, number, { amount, isOver }) => {
    const round = lastRound(gigId);
    const rest = (round?.reserved ?? 0n) - amount;
    if (rest < 0n || (isOver && rest !== 0n)) {
      throw new RangeError(`gig ${gigId}: the shares of round ${number} are not what is reserved`);
    }
    if (!change({ gigId, number, reserved: String(rest), state: isOver ? 'over' : 'divided' })) {
      throw new RangeError(`gig ${gigId}: round ${number} is not being handed out`);
    }
    reserve(gigId, -amount);
  };
}

export function createRoundWrites(db: Db): Pick<SyncWrites, 'divideRound' | 'handOut'> {
  const reserve = createReserve(db);
  return {
    divideRound: db.$client.transaction((gigId, { number, pool, total, members, reserved, now }) => {
      const row = { gigId, number, state: 'divided', pool, total, members, reserved, dividedAt: now } as const;
      db.insert(rounds).values(row).run();
      reserve(gigId, reserved);
    }),
    handOut: db.$client.transaction(createHandOut(db, reserve)),
  };
}
