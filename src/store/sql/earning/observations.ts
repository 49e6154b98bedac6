import { and, isNull, sql } from 'drizzle-orm';
import type { AccountKey } from '../../../domain/account.ts';
import type { Act } from '../../../domain/earning/act.ts';
import { type Observation, REOPENED } from '../../../domain/earning/earning.ts';
import type { NewObservation, Sight } from '../../port/earning.ts';
import type { NounSql, Sql, Tables, Values } from '../engine.ts';
import { locked, noun } from '../noun.ts';
import { bound, boundTo, changeEach, changeParts, equals, prepareChange, theId } from '../statements.ts';
import { byGig } from '../subjects.ts';

const placeholder = sql.placeholder;

function isTheirs({ observations }: Tables) {
  return and(
    equals(observations.gigId, 'gigId'),
    equals(observations.platform, 'platform'),
    equals(observations.platformUserId, 'platformUserId'),
  );
}

/** Finds an account's acts in a gig, by rank. */
export function createObservationLookup({
  build,
  prepare,
  tables,
}: Sql): (gigId: number, account: AccountKey) => Promise<Observation[]> {
  const { observations } = tables;
  const all = prepare(build.select().from(observations).where(isTheirs(tables)));
  // Sorted here: an account has few acts, and their index orders them by kind and object.
  const byRank = (a: Observation, b: Observation) => a.rankedAt - b.rankedAt || a.id - b.id;
  return async (gigId, { platform, platformUserId }) =>
    (await all.all({ gigId, platform, platformUserId })).sort(byRank);
}

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

function createActInsert({ build, prepareInsert, tables }: Sql): (values: Values) => Promise<number> {
  const { observations } = tables;
  const query = build.insert(observations).values({
    ...boundTo(observations, 'gigId', 'platform', 'platformUserId', 'kind', 'objectId', 'actedAt', 'rankedAt'),
    ...boundTo(observations, 'source', 'textHash', 'letters'),
    firstSeenAt: placeholder('now'),
    lastSeenAt: placeholder('seenAt'),
  });
  const insert = prepareInsert(query);
  return (values) => theId(insert(values));
}

/** A new act holds its account if the account is new itself or its refusal is reopened. */
function createHold({ build, prepare, tables }: Sql): (act: StoredAct) => Promise<void> {
  const { earnings, observations } = tables;
  const { state, reason, observationId } = earnings;
  const isTheirEarning = and(
    equals(earnings.gigId, 'gigId'),
    equals(earnings.platform, 'platform'),
    equals(earnings.platformUserId, 'platformUserId'),
  );
  const query = build.select({ state, reason, observationId }).from(earnings).where(isTheirEarning);
  const found = prepare(query);
  const object = build.select({ objectId: observations.objectId }).from(observations);
  const objectOf = prepare(object.where(equals(observations.id, 'id')));
  const insert = prepare(
    build.insert(earnings).values({
      ...boundTo(earnings, 'gigId', 'platform', 'platformUserId', 'observationId', 'rankedAt', 'dueAt'),
      state: 'held',
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
  const reopen = prepare(build.update(earnings).set(reopened).where(isTheirEarning));
  return async (act) => {
    const values = { ...act };
    const earning = await found.get(values);
    if (earning === undefined) {
      await insert.run(values);
      return;
    }
    const { reason, observationId: counted } = earning;
    if (!REOPENED.has(reason) || (await objectOf.get({ id: counted }))?.objectId === act.objectId) return;
    await reopen.run(values);
  };
}

/** Each takes several statements. */
const ACTS_AT_ONCE = 20;

export const observations = noun((db: NounSql) => {
  const { build, kit, prepare, tables } = db;
  const { observations } = tables;
  const { kind, objectId } = observations;
  const isAct = and(isTheirs(tables), equals(kind, 'kind'), equals(objectId, 'objectId'));
  // Never back, even if the clock was set back.
  const seen = kit.greatest(observations.lastSeenAt, placeholder('now'));
  const see = prepare(build.update(observations).set({ lastSeenAt: seen }).where(isAct));
  const known = prepare(build.select({ id: observations.id }).from(observations).where(isAct));
  const insert = createActInsert(db);
  const hold = createHold(db);
  const isStanding = and(isAct, isNull(observations.undoneAt));
  const undo = prepareChange(db, observations, { undoneAt: bound('now') }, isStanding);
  async function keepAct(gigId: number, act: NewObservation, sight: Sight): Promise<boolean> {
    const { platform, source, now, dueAt, isTooLate } = sight;
    const { accountId: platformUserId, kind, objectId, rankedAt } = act;
    const key = { gigId, platform, platformUserId, kind, objectId, now };
    // A webhook may tell of what was undone since: no sweep has seen it standing, so it never counts as seen at one.
    const isTold = source === 'webhook';
    // Seen acts are the most, in a sweep, and cost one statement.
    if (isTold ? (await known.get(key)) !== undefined : (await see.run(key)) === 1) return false;
    if (isTooLate === true) return false;
    const { actedAt, textHash, letters } = act;
    const seenAt = isTold ? now - 1 : now;
    const observationId = await insert({ ...key, seenAt, actedAt, rankedAt, source, textHash, letters });
    await hold({ gigId, platform, platformUserId, objectId, observationId, rankedAt, dueAt, now });
    return true;
  }
  return {
    reads: {
      /** An account's acts in a gig, by rank. */
      observations: locked(byGig, createObservationLookup(db)),
    },
    writes: {
      /**
       * Stores acts that are new, by rank, and notes of the others that they were seen, unless a webhook reports them. An
       * account that is new with them is held until `dueAt`; one that was refused as `withdrawn` or for its text is held again
       * when the act has another object.
       * @returns how many acts were new
       */
      storeActs: locked(
        // A new act may hold an account again about which is being decided without it.
        byGig,
        async (gigId: number, acts: readonly NewObservation[], sight: Sight): Promise<number> => {
          // By rank, so that ids follow it, and an account that is new with two acts is held by the first of them.
          const ranked = acts.toSorted((a, b) => a.rankedAt - b.rankedAt);
          const keep = (part: readonly NewObservation[]) => changeEach(part, (act) => keepAct(gigId, act, sight));
          const added = await changeParts(db, ranked, keep, ACTS_AT_ONCE);
          return added.filter((isAdded) => isAdded).length;
        },
      ),
      /** Notes that an act was undone; false when it is not known or was noted before. */
      noteUndone: locked(
        byGig,
        (
          gigId: number,
          { kind, accountId: platformUserId, objectId }: Pick<Act, 'kind' | 'accountId' | 'objectId'>,
          { platform, now }: Pick<Sight, 'platform' | 'now'>,
        ) => undo({ gigId, platform, platformUserId, kind, objectId, now }),
      ),
    },
  };
});
