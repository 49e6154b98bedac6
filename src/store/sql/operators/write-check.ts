import type { Sql } from '../engine.ts';
import { bound } from '../statements.ts';

/** A write that proves that the database takes writes. */
export function createWriteCheck({ build, prepare, tables }: Sql): (now: number) => Promise<void> {
  const { writeChecks } = tables;
  const check = prepare(
    build
      .insert(writeChecks)
      .values({ id: 1, writtenAt: bound('now') })
      .onConflictDoUpdate({ target: writeChecks.id, set: { writtenAt: bound('now') } }),
  );
  return async (now) => {
    await check.run({ now });
  };
}
