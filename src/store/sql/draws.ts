import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { Draw } from '../../domain/earning/draw.ts';
import type { StoreReads, StoreTx } from '../port/index.ts';
import type { Sql, Tables } from './engine.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

function ofGig({ draws }: Tables) {
  return equals(draws.gigId, 'gigId');
}

type DrawRow = Tables['draws']['$inferSelect'];

function readFixed({ entrants, root, rootVersion, fixedAt, notBefore }: DrawRow): Draw['fixed'] {
  if (entrants === null || root === null || fixedAt === null || notBefore === null) return null;
  return { entrants, root, rootVersion, fixedAt, notBefore };
}

function readLot({ blockNumber, blockHash, blockAt, seed, drawnAt }: DrawRow): Draw['lot'] {
  if (blockNumber === null || blockHash === null || blockAt === null || seed === null || drawnAt === null) return null;
  return { block: { number: blockNumber, hash: blockHash, at: blockAt }, seed, drawnAt };
}

/** Whoever is in a draw, before and after it. */
function isEntrant({ earnings }: Tables) {
  return or(
    inArray(earnings.state, ['eligible', 'awarded']),
    and(eq(earnings.state, 'refused'), inArray(earnings.reason, ['not_drawn', 'share_too_small'])),
  );
}

function createEntrants({ build, prepare, tables }: Sql): StoreReads['entrants'] {
  const { earnings } = tables;
  const { platform, platformUserId } = earnings;
  const after = sql`(${platform}, ${platformUserId}) > (${placeholder('platform')}, ${placeholder('platformUserId')})`;
  // The table's key is in this order. SQLite compares texts by their bytes, and a gig has accounts of one platform.
  const query = build
    .select({ platform, platformUserId })
    .from(earnings)
    .where(and(equals(earnings.gigId, 'gigId'), after, isEntrant(tables)))
    .orderBy(platform, platformUserId);
  const page = prepare(query.limit(placeholder('limit')));
  return (gigId, { after, limit }) => {
    const { platform, platformUserId } = after ?? { platform: '', platformUserId: '' };
    return page.all({ gigId, platform, platformUserId, limit });
  };
}

export function createDrawReads(db: Sql): Pick<StoreReads, 'draw' | 'drawWinners' | 'entrants'> {
  const { build, kit, prepare, tables } = db;
  const { draws, drawWinners, earnings } = tables;
  const byGig = prepare(build.select().from(draws).where(ofGig(tables)));
  const { platform, platformUserId, ticket, place } = drawWinners;
  const isTheirs = and(
    eq(earnings.gigId, drawWinners.gigId),
    eq(earnings.platform, platform),
    eq(earnings.platformUserId, platformUserId),
  );
  const username = kit.textOf(earnings.facts, 'username').as('username');
  const won = build
    .select({ platform, platformUserId, username, ticket, place })
    .from(drawWinners)
    .leftJoin(earnings, isTheirs);
  const winners = prepare(won.where(equals(drawWinners.gigId, 'gigId')).orderBy(place));
  return {
    async draw(gigId) {
      const row = await byGig.get({ gigId });
      if (row === undefined) return null;
      const { secret, commitment, state } = row;
      return { gigId, secret, commitment, state, fixed: readFixed(row), lot: readLot(row) };
    },
    drawWinners: (gigId) => winners.all({ gigId }),
    entrants: createEntrants(db),
  };
}

export function createDrawWrites(db: Sql): Pick<StoreTx, 'openDraw' | 'closeDraw' | 'fixDraw' | 'keepDrawn'> {
  const { build, prepare, tables } = db;
  const { draws, drawWinners } = tables;
  const isIn = (state: Draw['state']) => and(ofGig(tables), eq(draws.state, state));
  const close = prepareChange(db, draws, { state: 'closed', closedAt: bound('now') }, isIn('open'));
  const fixed = {
    state: 'fixed',
    entrants: bound('entrants'),
    root: bound('root'),
    rootVersion: bound('rootVersion'),
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
  const won = {
    gigId: placeholder('gigId'),
    place: placeholder('place'),
    platform: placeholder('platform'),
    platformUserId: placeholder('platformUserId'),
    ticket: placeholder('ticket'),
  };
  const win = prepare(build.insert(drawWinners).values(won));
  const state = prepare(build.select({ state: draws.state }).from(draws).where(ofGig(tables)));
  return {
    async openDraw(gigId, draw) {
      await prepare(build.insert(draws).values({ gigId, state: 'open', ...draw })).run();
    },
    closeDraw: (gigId, now) => close({ gigId, now }),
    fixDraw: (gigId, entrants) => fix({ gigId, ...entrants }),
    async keepDrawn(gigId, { block, seed, drawnAt, winners }) {
      if ((await state.get({ gigId }))?.state !== 'fixed') return false;
      for (const winner of winners) await win.run({ gigId, ...winner });
      const { number: blockNumber, hash: blockHash, at: blockAt } = block;
      return await keep({ gigId, blockNumber, blockHash, blockAt, seed, drawnAt });
    },
  };
}
