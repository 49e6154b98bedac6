import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { Draw } from '../../domain/earning/draw.ts';
import { type Db, prepare, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { draws, drawWinners } from './draw-tables.ts';
import { earnings } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;
const ofGig = equals(draws.gigId, 'gigId');

type DrawRow = typeof draws.$inferSelect;

function readFixed({ entrants, root, fixedAt, notBefore }: DrawRow): Draw['fixed'] {
  if (entrants === null || root === null || fixedAt === null || notBefore === null) return null;
  return { entrants, root, fixedAt, notBefore };
}

function readLot({ blockNumber, blockHash, blockAt, seed, drawnAt }: DrawRow): Draw['lot'] {
  if (blockNumber === null || blockHash === null || blockAt === null || seed === null || drawnAt === null) return null;
  return { block: { number: blockNumber, hash: blockHash, at: blockAt }, seed, drawnAt };
}

/** Whoever is in a draw, before and after it. */
const isEntrant = or(
  inArray(earnings.state, ['eligible', 'awarded']),
  and(eq(earnings.state, 'refused'), inArray(earnings.reason, ['not_drawn', 'share_too_small'])),
);

function createEntrants(db: Db): SyncReads['entrants'] {
  const { platform, platformUserId } = earnings;
  const after = sql`(${platform}, ${platformUserId}) > (${placeholder('platform')}, ${placeholder('platformUserId')})`;
  // The table's key is in this order. SQLite compares texts by their bytes, and a gig has accounts of one platform.
  const query = db
    .select({ platform, platformUserId })
    .from(earnings)
    .where(and(equals(earnings.gigId, 'gigId'), after, isEntrant))
    .orderBy(platform, platformUserId);
  const page = prepare(db, query.limit(placeholder('limit')));
  return (gigId, { after, limit }) => {
    const { platform, platformUserId } = after ?? { platform: '', platformUserId: '' };
    return page.all({ gigId, platform, platformUserId, limit });
  };
}

export function createDrawReads(db: Db): Pick<SyncReads, 'draw' | 'drawWinners' | 'entrants'> {
  const byGig = prepare(db, db.select().from(draws).where(ofGig));
  const { platform, platformUserId, ticket, place } = drawWinners;
  const won = db.select({ platform, platformUserId, ticket, place }).from(drawWinners);
  const winners = prepare(db, won.where(equals(drawWinners.gigId, 'gigId')).orderBy(place));
  return {
    draw(gigId) {
      const row = byGig.get({ gigId });
      if (row === undefined) return null;
      const { secret, commitment, state } = row;
      return { gigId, secret, commitment, state, fixed: readFixed(row), lot: readLot(row) };
    },
    drawWinners: (gigId) => winners.all({ gigId }),
    entrants: createEntrants(db),
  };
}

export function createDrawWrites(db: Db): Pick<SyncWrites, 'openDraw' | 'closeDraw' | 'fixDraw' | 'keepDrawn'> {
  const isIn = (state: Draw['state']) => and(ofGig, eq(draws.state, state));
  const close = prepareChange(db, draws, { state: 'closed', closedAt: bound('now') }, isIn('open'));
  const fixed = {
    state: 'fixed',
    entrants: bound('entrants'),
    root: bound('root'),
    fixedAt: bound('fixedAt'),
    notBefore: bound('notBefore'),
  } as const;
  const fix = prepareChange(db, draws, fixed, isIn('closed'));
  const lot = {
    state: 'drawn',
    blockNumber: bound('blockNumber'),
    blockHash: bound('blockHash'),
    blockAt: bound('blockAt'),
    seed: bound('seed'),
    drawnAt: bound('drawnAt'),
  } as const;
  const keep = prepareChange(db, draws, lot, isIn('fixed'));
  const state = prepare(db, db.select({ state: draws.state }).from(draws).where(ofGig));
  return {
    openDraw: (gigId, draw) =>
      void db
        .insert(draws)
        .values({ gigId, state: 'open', ...draw })
        .run(),
    closeDraw: (gigId, now) => close({ gigId, now }),
    fixDraw: (gigId, entrants) => fix({ gigId, ...entrants }),
    keepDrawn: db.$client.transaction((gigId, { block, seed, drawnAt, winners }) => {
      if (state.get({ gigId })?.state !== 'fixed') return false;
      for (const winner of winners)
        db.insert(drawWinners)
          .values({ gigId, ...winner })
          .run();
      const { number: blockNumber, hash: blockHash, at: blockAt } = block;
      return keep({ gigId, blockNumber, blockHash, blockAt, seed, drawnAt });
    }),
  };
}
