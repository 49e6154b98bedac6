import { invalidRequest } from '../../domain/errors.ts';
import { type IdSkip, lastToPass, lastToSkip, parseSkip, skipText } from '../../domain/gigs/id-skip.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Log } from '../../log.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { JobContext, ReadContext, ServiceContext } from '../context.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';

const IDS: Actor = { kind: 'job', name: 'ids' };
/** A ledger that no service has worked with for longer may be an older copy. */
const RECENT_MS = HOUR_MS;
/** How far ahead an operator may send ids: PostgreSQL passes over them one by one. */
const MOST_AHEAD = 1_000_000;
const SHOWN = 5;

async function skip(
  tx: StoreTx,
  { last, reason }: { last: number; reason: IdSkip['reason'] },
  deed: Deed,
): Promise<IdSkip> {
  const first = (await tx.lastGigId()) + 1;
  await tx.passGigIds(last);
  const detail = { first, last, reason };
  await recordEvent(tx, deed, { action: 'ids.skip', subject: 'store', subjectId: 'ids', gigId: null, detail });
  return { first, last, reason };
}

/**
 * Has ids of gigs go on at least 1,000 later, 1 above a multiple of 1,000.
 * @param options.past the highest id that anybody has seen, when it is known: ids go on after it instead
 * @throws DomainError `invalid_request` when ids are past it already, or it is too far ahead
 */
export async function skipGigIds(
  { store, clock }: ServiceContext,
  { past, actor }: { readonly past: number | null; readonly actor: Actor },
): Promise<IdSkip> {
  return await store.transaction(async (tx) => {
    const given = await tx.lastGigId();
    if (past !== null && past <= given)
      throw invalidRequest(`Gig ids are past ${past} already: the last one is ${given}.`);
    if (past !== null && past > given + MOST_AHEAD)
      throw invalidRequest(`The last gig id is ${given}; ids can be sent ${MOST_AHEAD} ahead at most.`);
    const last = past === null ? lastToSkip(given + 1) : lastToPass(past);
    return await skip(tx, { last, reason: 'operator' }, { actor, now: clock() });
  });
}

/** Skips ids after the highest of a lost gig: those after it may also be lost. */
export async function skipLost(tx: StoreTx, highest: number, deed: Deed): Promise<void> {
  const given = await tx.lastGigId();
  await skip(tx, { last: lastToSkip(Math.max(given, highest) + 1), reason: 'rebuild' }, deed);
}

/** The last skips of gig ids that the audit trail has since a moment, newest first. */
export async function findSkips({ store }: ReadContext, since: number): Promise<(IdSkip & { at: number })[]> {
  const events = (await store.idSkips(SHOWN)).filter(({ at }) => at >= since);
  return events.flatMap(({ at, detail }) => {
    const found = parseSkip(detail);
    return found === null ? [] : [{ ...found, at }];
  });
}

/**
 * Takes up work with a ledger, before anything is given out: ids are skipped when no service has worked with it for over an
 * hour, because it may be a backup. Ids skipped since the last beat are logged.
 */
export async function adoptLedger({ store, clock, log }: JobContext & { readonly log: Log }): Promise<void> {
  const before = await store.ledgerState();
  await store.transaction(async (tx) => {
    const now = clock();
    const { beatAt } = await tx.ledgerState();
    if (beatAt !== null && now - beatAt > RECENT_MS) {
      const last = lastToSkip((await tx.lastGigId()) + 1);
      await skip(tx, { last, reason: 'beat' }, { actor: IDS, now });
    }
    await tx.renewBeat(now);
  });
  await logSkips({ store, log }, firstUntold(before.beatAt, clock()));
}

/** From when on skips may not be logged: after the last beat, or lately where that is of a clock that was set back since. */
function firstUntold(beatAt: number | null, now: number): number {
  if (beatAt === null) return 0;
  return beatAt <= now ? beatAt + 1 : now - RECENT_MS;
}

async function logSkips({ store, log }: { store: JobContext['store']; log: Log }, since: number): Promise<void> {
  for (const found of (await findSkips({ store }, since)).toReversed()) {
    log.warn({ first: found.first, last: found.last }, skipText(found));
  }
}

/** Logs what is skipped while the service runs, as on another server, once; call it every now and then. */
export function createSkipWatch({ store, clock, log }: JobContext & { readonly log: Log }): () => Promise<void> {
  let since = clock();
  return async () => {
    const [newest] = await store.idSkips(1);
    if (newest === undefined || newest.at < since) return;
    await logSkips({ store, log }, since);
    since = newest.at + 1;
  };
}
