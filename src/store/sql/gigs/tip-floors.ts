import { type SQL, sql } from 'drizzle-orm';
import { FLOORS_BY_CLOCK, type FloorDraw, floorByClock, floorDistance } from '../../../domain/gigs/tip.ts';
import type { Sql, Tables } from '../engine.ts';
import { prepareChange, theRow } from '../statements.ts';

const placeholder = sql.placeholder;
const THE_ROW = 1;

/** The highest floor that was drawn; tips get no number below it. */
export function lastFloor({ ledgerState }: Tables): SQL {
  return sql`coalesce((select max(${ledgerState.tipFloor}) from ${ledgerState}), 0)`;
}

/**
 * What a new floor is. A gig of which the chain shows a number beyond all floors counts on by itself, and lifts no others.
 * @param last the floor before
 */
function newFloor({ kit, tables }: Sql, last: SQL): SQL {
  const { gigs } = tables;
  const given = sql`coalesce((select max(${gigs.nextTipNumber}) from ${gigs} where ${gigs.nextTipNumber} <= ${FLOORS_BY_CLOCK}), 0)`;
  const known = kit.greatest(given, last);
  return sql`${kit.greatest(known, placeholder('least'))} + ${placeholder('distance')}`;
}

function drawn(draw: FloorDraw, least = 0) {
  return { least: Math.max(least, floorByClock(draw)), distance: floorDistance(draw) };
}

/**
 * The floor that a change of the ledger's row finds there. A select within the change would not see one that another process
 * drew while the change waited for the row.
 */
function floorOfRow({ ledgerState }: Tables): SQL {
  return sql`${ledgerState.tipFloor}`;
}

/**
 * Draws a floor and keeps it in the ledger.
 * @param server where the store is, in words; null in a file
 * @returns draws one, which is above `least` as well, and gives it
 */
export function createFloorDraw(db: Sql, server: SQL | null): (draw: FloorDraw, least?: number) => Promise<number> {
  const { build, prepare, tables } = db;
  const { ledgerState } = tables;
  const row = { tipFloor: newFloor(db, lastFloor(tables)), floorServer: server };
  const keep = prepare(
    build
      .insert(ledgerState)
      .values({ id: THE_ROW, ...row })
      .onConflictDoUpdate({ target: ledgerState.id, set: { ...row, tipFloor: newFloor(db, floorOfRow(tables)) } })
      .returning({ floor: ledgerState.tipFloor }),
  );
  return async (draw, least) => (await theRow(keep.get(drawn(draw, least)))).floor;
}

/** Draws a floor if the store is on another server than at the last draw, which may lack what was given since. */
export function createFloorFollowing(db: Sql, server: SQL): (draw: FloorDraw) => Promise<void> {
  const { ledgerState } = db.tables;
  const follow = prepareChange(
    db,
    ledgerState,
    { tipFloor: newFloor(db, floorOfRow(db.tables)), floorServer: server },
    sql`${ledgerState.floorServer} is distinct from ${server}`,
  );
  return async (draw) => {
    await follow(drawn(draw));
  };
}
