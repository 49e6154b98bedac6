import { and, count, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Round } from '../../domain/earning/rounds.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import { EARNING_IN_ROUND } from './earning-tables.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

function ofGig({ rounds }: Tables) {
  return equals(rounds.gigId, 'gigId');
}

function createLastRound({ build, kit, prepare, tables }: Sql): (gigId: number) => Promise<Round | null> {
  const { rounds } = tables;
  const byNumber = build.select().from(rounds).where(ofGig(tables)).orderBy(desc(rounds.number));
  const last = prepare(kit.first(byNumber));
  return async (gigId) => (await last.get({ gigId })) ?? null;
}

export function createRoundReads(db: Sql): Pick<StoreReads, 'lastRound' | 'roundWeights' | 'roundMembers'> {
  const { build, prepare, tables } = db;
  const { earnings } = tables;
  const isMember = and(EARNING_IN_ROUND, equals(earnings.gigId, 'gigId'), equals(earnings.round, 'round'));
  const { weight, rankedAt, observationId } = earnings;
  const known = sql<bigint>`${weight}`.mapWith(BigInt);
  const weights = build.select({ weight: known, count: count() }).from(earnings).where(isMember).groupBy(weight);
  const ofRound = prepare(weights);
  const byRank = build.select().from(earnings).where(isMember).orderBy(rankedAt, observationId);
  const members = prepare(byRank.limit(sql.placeholder('limit')));
  return {
    lastRound: createLastRound(db),
    roundWeights: (gigId, round) => ofRound.all({ gigId, round }),
    roundMembers: (gigId, round, { limit }) => members.all({ gigId, round, limit }),
  };
}

/** Prepares to change what a gig reserves; throws when its reward does not hold it. */
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

function createHandOut(db: Sql, reserve: ReturnType<typeof createReserve>): StoreTx['handOut'] {
  const { rounds } = db.tables;
  const lastRound = createLastRound(db);
  const isDivided: SQL | undefined = and(
    ofGig(db.tables),
    equals(rounds.number, 'number'),
    eq(rounds.state, 'divided'),
  );
  const change = prepareChange(db, rounds, { reserved: bound('reserved'), state: bound('state') }, isDivided);
  return async (gigId, number, { amount, isOver }) => {
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

export function createRoundWrites(db: Sql): Pick<StoreTx, 'divideRound' | 'handOut'> {
  const { build, prepare, tables } = db;
  const { rounds } = tables;
  const reserve = createReserve(db);
  return {
    async divideRound(gigId, { number, pool, total, members, reserved, now }) {
      const row = { gigId, number, state: 'divided', pool, total, members, reserved, dividedAt: now } as const;
      await prepare(build.insert(rounds).values(row)).run();
      await reserve(gigId, reserved);
    },
    handOut: createHandOut(db, reserve),
  };
}
