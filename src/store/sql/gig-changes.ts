import { and, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { type NewGig, START_LEASE_MS } from '../../domain/gig.ts';
import type { StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { createGigEndWrites } from './gig-ends.ts';
import { FUNDING_TO_CHECK } from './gig-tables.ts';
import { createGigLookup } from './gigs.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;
const noLock = { startLockHolder: null, startLockUntil: null };

/** Copies the terms by name, so that extra properties of the object, such as those of a whole gig, set nothing. */
function termsOf(gig: NewGig): NewGig {
  return {
    tokenId: gig.tokenId,
    rewardAmount: gig.rewardAmount,
    feeAmount: gig.feeAmount,
    startTime: gig.startTime,
    endTime: gig.endTime,
    duration: gig.duration,
    gigType: gig.gigType,
    platform: gig.platform,
    howToEarn: gig.howToEarn,
    earningCriteria: gig.earningCriteria,
    externalUrl: gig.externalUrl,
    verifier: gig.verifier,
    refundAddress: gig.refundAddress,
    awardDays: gig.awardDays,
  };
}

/** How an engine gives out the ids of gigs. None is given twice, unless it was released. */
export interface GigIds extends Pick<StoreTx, 'reserveGigId' | 'releaseGigId' | 'passGigIds'> {
  /** Sees to it that this id and those before it are not given out any more. */
  passGigId(id: number): Promise<void>;
}

function createGigInsert(db: Sql, { reserveGigId, passGigId }: GigIds): StoreTx['insertGig'] {
  const { build, prepare, tables } = db;
  const gig = createGigLookup(db);
  return async (terms, { now, walletAddress, id: reserved, createdBlock = null, client = null, createdBy = null }) => {
    if (reserved !== undefined) await passGigId(reserved);
    const id = reserved ?? (await reserveGigId());
    const fresh = {
      id,
      createdAt: now,
      createdBlock,
      status: 'created',
      production: false,
      walletAddress: walletAddress(id),
      client,
      createdBy,
    } as const;
    await prepare(build.insert(tables.gigs).values({ ...termsOf(terms), ...fresh })).run();
    const inserted = await gig(id);
    if (inserted === null) throw new TypeError(`gig ${id} has an unknown token ${terms.tokenId}`);
    return inserted;
  };
}

function createTermChange({ build, prepare, tables }: Sql): StoreTx['changeTerms'] {
  const { gigs } = tables;
  return async (id, { terms, now }) => {
    // A lease that ends later than a new one would was made before the clock was set back.
    const isStale = or(lte(gigs.startLockUntil, now), gt(gigs.startLockUntil, now + 2 * START_LEASE_MS));
    const isFree = or(isNull(gigs.startLockHolder), isStale);
    // A start whose lease has expired may still be running with the old terms: without its lock it fails.
    const change = build
      .update(gigs)
      .set({ ...termsOf(terms), ...noLock })
      .where(and(eq(gigs.id, id), eq(gigs.status, 'created'), isNull(gigs.cancelledAt), isFree));
    return (await prepare(change).run()) === 1;
  };
}

function isCreated({ gigs }: Tables) {
  return and(equals(gigs.id, 'id'), eq(gigs.status, 'created'), isNull(gigs.cancelledAt));
}

function createStartLock(db: Sql): Pick<StoreTx, 'lockGig' | 'unlockGig' | 'markLive'> {
  const { gigs } = db.tables;
  const isFree = or(
    isNull(gigs.startLockHolder),
    lte(gigs.startLockUntil, placeholder('now')),
    // Two leases ahead means that it was made before the clock was set back.
    gt(gigs.startLockUntil, placeholder('implausible')),
    equals(gigs.startLockHolder, 'holder'),
    db.kit.startsWith(gigs.startLockHolder, 'takesOver'),
  );
  const isHeld = and(isCreated(db.tables), equals(gigs.startLockHolder, 'holder'));
  const lock = prepareChange(
    db,
    gigs,
    { startLockHolder: bound('holder'), startLockUntil: bound('until') },
    and(isCreated(db.tables), isFree),
  );
  const unlock = prepareChange(db, gigs, noLock, isHeld);
  const live = prepareChange(
    db,
    gigs,
    { status: 'live', production: true, startTime: bound('startTime'), endTime: bound('endTime'), ...noLock },
    isHeld,
  );
  return {
    // A prefix of null matches no holder.
    lockGig(id, { takesOver = null, holder, now, until }) {
      const implausible = until + (until - now);
      return lock({ id, takesOver, holder, now, until, implausible });
    },
    unlockGig: (id, holder) => unlock({ id, holder }),
    markLive: (id, change) => live({ id, ...change }),
  };
}

export function createGigWrites(db: Sql, ids: GigIds) {
  const { build, prepare, tables } = db;
  const { gigs, gigTransactions } = tables;
  const freeze = prepareChange(db, gigs, { frozenReason: bound('reason') }, equals(gigs.id, 'id'));
  const checked = prepareChange(
    db,
    gigTransactions,
    { checkBlock: null },
    and(FUNDING_TO_CHECK, equals(gigTransactions.gigId, 'gigId')),
  );
  const postponed = prepareChange(
    db,
    gigTransactions,
    { checkBlock: bound('to') },
    and(equals(gigTransactions.gigId, 'gigId'), equals(gigTransactions.checkBlock, 'from')),
  );
  const isGig = equals(gigs.id, 'id');
  const freezeHand = prepareChange(
    db,
    gigs,
    { operatorFreeze: bound('reason') },
    and(isGig, isNull(gigs.operatorFreeze)),
  );
  const unfreezeHand = prepareChange(db, gigs, { operatorFreeze: null }, and(isGig, isNotNull(gigs.operatorFreeze)));
  const assign = prepareChange(db, gigs, { client: bound('client') }, and(isGig, isNull(gigs.client)));
  return {
    reserveGigId: ids.reserveGigId,
    releaseGigId: ids.releaseGigId,
    passGigIds: ids.passGigIds,
    insertGig: createGigInsert(db, ids),
    changeTerms: createTermChange(db),
    ...createStartLock(db),
    ...createGigEndWrites(db),
    async recordGigTransaction(transaction, now) {
      await prepare(build.insert(gigTransactions).values({ ...transaction, createdAt: now })).run();
    },
    markFundingChecked: (gigId) => checked({ gigId }),
    postponeFundingCheck: (gigId, { from, to }) => postponed({ gigId, from: String(from), to: String(to) }),
    freezeByOperator: (id, reason) => (reason === null ? unfreezeHand({ id }) : freezeHand({ id, reason })),
    assignGig: (id, client) => assign({ id, client }),
    async freezeGig(id, { reason }) {
      if (!(await freeze({ id, reason }))) throw new RangeError(`there is no gig ${id} to freeze`);
    },
  } satisfies Partial<StoreTx>;
}
