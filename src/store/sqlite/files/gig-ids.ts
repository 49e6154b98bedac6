import { eq } from 'drizzle-orm';
import { type IdSkip, lastToSkip } from '../../../domain/gigs/id-skip.ts';
import { detailText } from '../../../domain/operators/audit-event.ts';
import type { StoreReads } from '../../port/index.ts';
import type { NounGigIds, Sql } from '../../sql/engine.ts';
import type { Kit } from '../../sql/kit.ts';
import { createEventInsert } from '../../sql/operators/audit-events.ts';
import { createLedgerStateLookup, createLedgerWord } from '../../sql/operators/ledger-state.ts';
import { bound, equals, prepareChange } from '../../sql/statements.ts';
import type { IdsFile } from './ids-file.ts';

/** SQLite's table of the last id that each AUTOINCREMENT table gave out. */
function createSequences(kit: Kit) {
  return kit.table('sqlite_sequence', { name: kit.text('name'), seq: kit.integer('seq').notNull() });
}

export function createLastGigId({ build, kit, prepare }: Sql): StoreReads['lastGigId'] {
  const sequences = createSequences(kit);
  const newest = prepare(build.select({ id: sequences.seq }).from(sequences).where(eq(sequences.name, 'gigs')));
  return async () => (await newest.get())?.id ?? 0;
}

export interface GigIdOptions {
  readonly file: IdsFile;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** A random text that no other ledger has. */
  readonly newWord: () => string;
}

export interface CountedGigIds extends NounGigIds {
  /**
   * Has ids go on after the highest that the ledger or the file beside it knows. When the two do not belong together, it
   * skips ids, because gigs may be lost. Call it in a transaction when the store is opened.
   */
  agree(): Promise<void>;
}

/** The highest id that was given to a gig, and what becomes known of ids that are skipped. */
function createGivenIds(db: Sql, clock: () => number) {
  const { build, prepare, tables } = db;
  const { gigs } = tables;
  const sequences = createSequences(db.kit);
  const change = prepareChange(db, sequences, { seq: bound('id') }, eq(sequences.name, 'gigs'));
  const used = prepare(build.select({ id: gigs.id }).from(gigs).where(equals(gigs.id, 'id')));
  const insertAuditEvent = createEventInsert(db);
  return {
    last: createLastGigId(db),
    change,
    isUsed: async (id: number): Promise<boolean> => (await used.get({ id })) !== undefined,
    async set(id: number): Promise<void> {
      if (!(await change({ id }))) await prepare(build.insert(sequences).values({ name: 'gigs', seq: id })).run();
    },
    async note(skip: IdSkip): Promise<void> {
      const by = { actor: 'job', actorName: 'ids', apiKeyId: null, client: null, requestId: null } as const;
      const what = { action: 'ids.skip', subject: 'store', subjectId: 'ids', gigId: null } as const;
      await insertAuditEvent({ at: clock(), ...by, ...what, detail: detailText({ ...skip }) });
    },
  };
}

/**
 * Counts gig ids in SQLite's own sequence, so that a reserved id is not given out again unless released, and keeps the
 * highest in a file, which outlives a database that is put back to an older copy. Only one transaction writes at a time, so
 * that no other process takes an id or writes the file meanwhile.
 */
export function createCountedGigIds(db: Sql, { file, clock, newWord }: GigIdOptions): CountedGigIds {
  const { last, change, isUsed, set, note } = createGivenIds(db, clock);
  const ledgerState = createLedgerStateLookup(db);
  const keepWord = createLedgerWord(db);

  /** Gives both a new word, after ids that may have been given to gigs that are lost. */
  async function part(found: ReturnType<IdsFile['read']>): Promise<void> {
    const state = await ledgerState();
    const highest = Math.max(await last(), found?.gigId ?? 0);
    const isNew = found === null && state.word === null && highest === 0;
    const reason = found === null ? 'file' : 'word';
    const skip: IdSkip = { first: highest + 1, last: lastToSkip(highest + 1), reason };
    const word = newWord();
    await keepWord(word);
    if (!isNew) {
      await set(skip.last);
      await note(skip);
    }
    file.write({ word, gigId: isNew ? 0 : skip.last, tipFloor: Math.max(state.tipFloor, found?.tipFloor ?? 0) });
  }

  /** The file, if it belongs to the ledger. */
  async function ownFile() {
    const found = file.read();
    const { word } = await ledgerState();
    return { found, own: found !== null && found.word === word ? found : null };
  }

  /** Has the file know that ids up to this one are given. */
  async function keep(id: number): Promise<void> {
    const { own } = await ownFile();
    if (own !== null && own.gigId < id) file.write({ ...own, gigId: id });
  }

  async function agree(): Promise<void> {
    const { found, own } = await ownFile();
    const given = await last();
    if (own === null) return await part(found);
    if (own.gigId < given) file.write({ ...own, gigId: given });
    if (own.gigId <= given) return;
    await set(own.gigId);
    await note({ first: given + 1, last: own.gigId, reason: 'ahead' });
  }

  return {
    agree,
    // SQLite counts by itself when the gig is inserted.
    passGigId: keep,
    async passGigIds(id) {
      if (id <= (await last())) return;
      await set(id);
      await keep(id);
    },
    async reserveGigId() {
      const { found, own } = await ownFile();
      if (own === null) await part(found);
      // The file has more when the database was put back meanwhile, or a transaction was undone.
      const id = Math.max(await last(), own?.gigId ?? 0) + 1;
      await set(id);
      await keep(id);
      return id;
    },
    async releaseGigId(id) {
      if ((await last()) !== id || (await isUsed(id))) return false;
      const { own } = await ownFile();
      if (own?.gigId === id) file.write({ ...own, gigId: id - 1 });
      return await change({ id: id - 1 });
    },
  };
}
