import { and, isNull, sql } from 'drizzle-orm';
import { type EarningState, type Observation, REOPENED, type RefusalReason } from '../../domain/earning/earning.ts';
import type { NewObservation, Sight } from '../port/earning.ts';
import { type Db, prepare, prepareRaw, type SyncReads, type SyncWrites } from '../sqlite/kit.ts';
import { earnings, observations } from './earning-tables.ts';
import { bound, equals, prepareChange } from './statements.ts';

const placeholder = sql.placeholder;

const isTheirs = and(
  equals(observations.gigId, 'gigId'),
  equals(observations.platform, 'platform'),
  equals(observations.platformUserId, 'platformUserId'),
);
const isAct = and(isTheirs, equals(observations.kind, 'kind'), equals(observations.objectId, 'objectId'));

export function createObservationReads(db: Db): Pick<SyncReads, 'observations'> {
  const all = prepare(db, db.select().from(observations).where(isTheirs));
  const byRank = (a: Observation, b: Observation) => a.rankedAt - b.rankedAt || a.id - b.id;
  return {
    // Sorted here: an account has few acts, and their index orders them by kind and object.
    observations: (gigId, { platform, platformUserId }) => all.all({ gigId, platform, platformUserId }).sort(byRank),
  };
}

/** An act as it was stored, with the key of its account. */
interface StoredAct {
  readonly gigId: number;
  readonly platform: string;
  readonly platformUserId: string;
  readonly objectId: string;
  readonly observationId: number;
  readonly rankedAt: number;
  readonly dueAt: number;
  readonly now: number;
}

/** Prepares to store a new act; returns its id. */
function createActInsert(db: Db) {
  const query = db.insert(observations).values({
    gigId: placeholder('gigId'),
    platform: placeholder('platform'),
    platformUserId: placeholder('platformUserId'),
    kind: placeholder('kind'),
    objectId: placeholder('objectId'),
    actedAt: placeholder('actedAt'),
    firstSeenAt: placeholder('now'),
    lastSeenAt: placeholder('seenAt'),
    rankedAt: placeholder('rankedAt'),
    source: placeholder('source'),
    textHash: placeholder('textHash'),
    letters: placeholder('letters'),
  });
  const insert = prepareRaw(db, query);
  return (values: Readonly<Record<string, unknown>>) => Number(insert.run(values).lastInsertRowid);
}

/** Holds the account of a new act, if it is new itself or its refusal is reopened. */
function createHold(db: Db): (act: StoredAct) => void {
  const { state, reason, observationId } = earnings;
  const isTheirEarning = and(
    equals(earnings.gigId, 'gigId'),
    equals(earnings.platform, 'platform'),
    equals(earnings.platformUserId, 'platformUserId'),
  );
  const query = db.select({ state, reason, observationId }).from(earnings).where(isTheirEarning);
  const found = prepareRaw<[EarningState, RefusalReason | null, number]>(db, query);
  const object = db.select({ objectId: observations.objectId }).from(observations);
  const objectOf = prepareRaw<[string]>(db, object.where(equals(observations.id, 'id')));
  const insert = prepareRaw(
    db,
    db.insert(earnings).values({
      gigId: placeholder('gigId'),
      platform: placeholder('platform'),
      platformUserId: placeholder('platformUserId'),
      state: 'held',
      observationId: placeholder('observationId'),
      rankedAt: placeholder('rankedAt'),
      dueAt: placeholder('dueAt'),
      updatedAt: placeholder('now'),
    }),
  );
  const reopened = {
    state: 'held',
    reason: null,
    facts: null,
    observationId: bound('observationId'),
    rankedAt: bound('rankedAt'),
    dueAt: bound('dueAt'),
    updatedAt: bound('now'),
  } as const;
  const reopen = prepareRaw(db, db.update(earnings).set(reopened).where(isTheirEarning));
  return (act) => {
    const values = { ...act };
    const earning = found.get(values);
    if (earning === undefined) {
      insert.run(values);
      return;
    }
    const [, reason, counted] = earning;
    if (!REOPENED.has(reason) || objectOf.get({ id: counted })?.[0] === act.objectId) return;
    reopen.run(values);
  };
}

export function createObservationWrites(db: Db): Pick<SyncWrites, 'keepActs' | 'noteUndone'> {
  // Never back, even if the clock was set back.
  const seen = sql`max(${observations.lastSeenAt}, ${placeholder('now')})`;
  const see = prepareRaw(db, db.update(observations).set({ lastSeenAt: seen }).where(isAct));
  const known = prepareRaw<[number]>(db, db.select({ id: observations.id }).from(observations).where(isAct));
  const insert = createActInsert(db);
  const hold = createHold(db);
  const isStanding = and(isAct, isNull(observations.undoneAt));
  const undo = prepareChange(db, observations, { undoneAt: bound('now') }, isStanding);
  function keepAct(gigId: number, act: NewObservation, { platform, source, now, dueAt, isTooLate }: Sight): boolean {
    const { accountId: platformUserId, kind, objectId, rankedAt } = act;
    const key = { gigId, platform, platformUserId, kind, objectId, now };
    // A webhook may tell of what was undone since: no sweep has seen it standing, so it never counts as seen at one.
    const isTold = source === 'webhook';
    // Seen acts are the most, in a sweep, and cost one statement.
    if (isTold ? known.get(key) !== undefined : see.run(key).changes === 1) return false;
    if (isTooLate === true) return false;
    const { actedAt, textHash, letters } = act;
    const seenAt = isTold ? now - 1 : now;
    const observationId = insert({ ...key, seenAt, actedAt, rankedAt, source, textHash, letters });
    hold({ gigId, platform, platformUserId, objectId, observationId, rankedAt, dueAt, now });
    return true;
  }
  const keepActs: SyncWrites['keepActs'] = (gigId, acts, sight) => {
    // By rank, so that ids follow it, and an account that is new with two acts is held by the first of them.
    const ranked = acts.toSorted((a, b) => a.rankedAt - b.rankedAt);
    return ranked.reduce((added, act) => added + Number(keepAct(gigId, act, sight)), 0);
  };
  return {
    keepActs: db.$client.transaction(keepActs),
    noteUndone: (gigId, { kind, accountId: platformUserId, objectId }, { platform, now }) =>
      undo({ gigId, platform, platformUserId, kind, objectId, now }),
  };
}
