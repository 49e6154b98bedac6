import type { FloorDraw } from '../../domain/gigs/tip.ts';
import type { Sql } from '../sql/engine.ts';
import { createFloorDraw } from '../sql/tip-floors.ts';
import type { IdsFile } from './ids-file.ts';

/**
 * Draws a floor of tip numbers, above that of every copy of the database, and keeps it in the ledger and in the file, within
 * a transaction that writes.
 */
export async function drawFloor(db: Sql, floors: FloorDraw, file: IdsFile): Promise<void> {
  const kept = file.read();
  const tipFloor = await createFloorDraw(db, null)(floors, kept?.tipFloor);
  if (kept !== null) file.write({ ...kept, tipFloor });
}
