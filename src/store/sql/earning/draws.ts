import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { Account, AccountKey } from '../../../domain/account.ts';
import type { Draw, DrawnLot, FixedEntrants, Winner } from '../../../domain/earning/payouts/draw.ts';
import type { NounSql, Sql, Tables } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, changeEach, changeParts, equals, prepareChange } from '../statements.ts';
import { byGig } from '../subjects.ts';

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

/** True both before and after the draw. */
function isEntrant({ earnings }: Tables) {
  return or(
    inArray(earnings.state, ['eligible', 'awarded']),
    and(eq(earnings.state, 'refused'), inArray(earnings.reason, ['not_drawn', 'share_too_small'])),
  );
}

function createEntrants({ build, prepare, tables }: Sql) {
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
  return (gigId: number, { after, limit }: { after: AccountKey | null; limit: number }): Promise<AccountKey[]> => {
    const { platform, platformUserId } = after ?? { platform: '', platformUserId: '' };
    return page.all({ gigId, platform, platformUserId, limit });
  };
}

/** A draw goes forward only, and keeps what is set. */
export const draws = noun((db: NounSql) => {
  const { build, kit, prepare, tables } = db;
  const { drawWinners, draws, earnings } = tables;
  const drawOf = prepare(build.select().from(draws).where(ofGig(tables)));
  const { platform, platformUserId, ticket, place } = drawWinners;
  const isTheirs = and(
    eq(earnings.gigId, drawWinners.gigId),
    eq(earnings.platform, platform),
    eq(earnings.platformUserId, platformUserId),
  );
  const username = kit.textOf(earnings.facts, 'username').as('username');
  const inOrder = build
    .select({ platform, platformUserId, username, ticket, place })
    .from(drawWinners)
    .leftJoin(earnings, isTheirs);
  const winners = prepare(inOrder.where(equals(drawWinners.gigId, 'gigId')).orderBy(place));
  const opened = boundTo(draws, 'gigId', 'secret', 'commitment');
  const open = prepare(build.insert(draws).values({ ...opened, state: 'open' }));
  const isIn = (state: Draw['state']) => and(ofGig(tables), eq(draws.state, state));
  const close = prepareChange(db, draws, { state: 'closed', closedAt: bound('now') }, isIn('open'));
  const fixed = boundTo(draws, 'entrants', 'root', 'rootVersion', 'fixedAt', 'notBefore');
  const fix = prepareChange(db, draws, { state: 'fixed', ...fixed }, isIn('closed'));
  const lot = boundTo(draws, 'blockNumber', 'blockHash', 'blockAt', 'seed', 'drawnAt');
  const keep = prepareChange(db, draws, { state: 'drawn', ...lot }, isIn('fixed'));
  const won = boundTo(drawWinners, 'gigId', 'place', 'platform', 'platformUserId', 'ticket');
  const win = prepare(build.insert(drawWinners).values(won));
  const state = prepare(build.select({ state: draws.state }).from(draws).where(ofGig(tables)));
  return {
    reads: {
      /** Null for a gig without one. It holds the secret, also while that must not be known. */
      draw: locked(byGig, async (gigId: number): Promise<Draw | null> => {
        const row = await drawOf.get({ gigId });
        if (row === undefined) return null;
        const { secret, commitment, state } = row;
        return { gigId, secret, commitment, state, fixed: readFixed(row), lot: readLot(row) };
      }),
      /** The winners by their place, each with the handle that it had at its decision. */
      drawWinners: locked(byGig, (gigId: number): Promise<(Winner & Account)[]> => winners.all({ gigId })),
      /**
       * Accounts that are in a gig's draw, in the order of the bytes of their lines; when it is closed, they stay the same.
       * @param query.after the last one of the page before; null for the first page
       */
      entrants: locked(byGig, createEntrants(db)),
    },
    writes: {
      openDraw: locked(byGig, async (gigId: number, draw: { secret: string; commitment: string }): Promise<void> => {
        await open.run({ gigId, ...draw });
      }),
      /** Nobody enters or leaves any more; false when it is closed already. Throws while anybody is held. */
      closeDraw: locked(byGig, (gigId: number, now: number) => close({ gigId, now })),
      /** False when it is not closed, or fixed already. */
      fixDraw: locked(byGig, (gigId: number, entrants: FixedEntrants) => fix({ gigId, ...entrants })),
      /** Keeps what was drawn; false when the draw is not fixed. Throws when the gig's round is not divided. */
      storeDrawn: locked(
        byGig,
        async (
          gigId: number,
          { block, seed, drawnAt, winners }: DrawnLot & { winners: readonly Winner[] },
        ): Promise<boolean> => {
          if ((await state.get({ gigId }))?.state !== 'fixed') return false;
          await changeParts(db, winners, (part) => changeEach(part, (winner) => win.run({ gigId, ...winner })));
          const { number: blockNumber, hash: blockHash, at: blockAt } = block;
          return await keep({ gigId, blockNumber, blockHash, blockAt, seed, drawnAt });
        },
      ),
    },
  };
});
