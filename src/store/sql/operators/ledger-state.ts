import { eq, sql } from 'drizzle-orm';
import { DAY_MS } from '../../../domain/time.ts';
import type { LedgerState } from '../../port/ledger.ts';
import type { Sql } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound } from '../statements.ts';
import { nothing } from '../subjects.ts';

const UNKNOWN: LedgerState = { word: null, tipFloor: 0, beatAt: null };

/** Reads the state of the ledger. */
export function createLedgerStateLookup({ build, prepare, tables }: Sql): () => Promise<LedgerState> {
  const { ledgerState } = tables;
  const { word, tipFloor, beatAt } = ledgerState;
  const state = prepare(build.select({ word, tipFloor, beatAt }).from(ledgerState).where(eq(ledgerState.id, 1)));
  return async () => (await state.get()) ?? UNKNOWN;
}

/** Gives the ledger its word. */
export function createLedgerWord({ build, prepare, tables }: Sql): (word: string) => Promise<void> {
  const { ledgerState } = tables;
  const keep = prepare(
    build
      .insert(ledgerState)
      .values({ id: 1, word: bound('word') })
      .onConflictDoUpdate({ target: ledgerState.id, set: { word: bound('word') } }),
  );
  return async (word) => {
    await keep.run({ word });
  };
}

const BEAT_MS = 60_000;

/** Keeps a beat when the last one is a minute old, or of a clock that was set back since. */
export function createLedgerBeat(clock: () => number, keep: (now: number) => Promise<void>): () => Promise<void> {
  let last: number | null = null;
  return async () => {
    const now = clock();
    if (last !== null && now >= last && now < last + BEAT_MS) return;
    await keep(now);
    last = now;
  };
}

export const ledgerState = noun((db: Sql) => {
  const { build, prepare, tables } = db;
  const { ledgerState } = tables;
  const { beatAt } = ledgerState;
  const now = sql.placeholder('now');
  // A sum with the parameter would take it for a smaller integer.
  const isAhead = sql`${beatAt} > ${now} and ${beatAt} - ${sql.raw(String(DAY_MS))} <= ${now}`;
  const latest = sql`case when ${isAhead} then ${beatAt} else ${now} end`;
  const beat = prepare(
    build
      .insert(ledgerState)
      .values({ id: 1, beatAt: bound('now') })
      .onConflictDoUpdate({ target: ledgerState.id, set: { beatAt: latest } }),
  );
  return {
    reads: { ledgerState: locked(nothing, createLedgerStateLookup(db)) },
    writes: {
      /** Says that a service works with this ledger. */
      renewBeat: locked(nothing, async (now: number): Promise<void> => {
        await beat.run({ now });
      }),
    },
  };
});
