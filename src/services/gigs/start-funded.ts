import { AdapterError, DomainError } from '../../domain/errors.ts';
import { fundedEvent } from '../../domain/events/event.ts';
import { type Gig, START_RETRY_MS } from '../../domain/gigs/gig.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { summarizeError } from '../../log.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import type { StartFundedContext } from './context.ts';
import { findFundedGigs } from './read-funding.ts';
import { startGig } from './start-gig.ts';
import { readHavePaid } from './steps/check-step.ts';

const TOGETHER = 100;
const JOB: Actor = { kind: 'job', name: 'start funded gigs' };

const NOT_FUNDED = 'gig_not_funded';
/** What was found meanwhile, or belongs to another start of the same gig: the next look sees what has become of it. */
const PASSING: ReadonlySet<string> = new Set([NOT_FUNDED, 'gig_in_progress']);

async function keepRefusal({ store, clock, log }: StartFundedContext, gig: Gig, code: string): Promise<void> {
  const tryAt = clock() + START_RETRY_MS;
  const isKept = await store.transaction(async (tx) => {
    const kept = await tx.refuseStart(gig.id, { code, tryAt });
    if (kept && code !== NOT_FUNDED) await tx.insertEvents([fundedEvent(gig, clock())]);
    return kept;
  });
  if (isKept) log.warn({ gigId: gig.id, code }, 'funded gig cannot be started yet');
}

/** Of a gig that has paid, by a ledger that is lost, also a refusal for what its wallet lacks is kept: it does not pass. */
async function start(deps: StartFundedContext, gig: Gig, { hasPaid }: { hasPaid: boolean }): Promise<void> {
  const { log, newId } = deps;
  const gigId = gig.id;
  try {
    await startGig(deps, { gigId, holder: newId(), actor: JOB });
    log.info({ gigId }, 'funded gig started');
  } catch (error) {
    if (error instanceof DomainError) {
      const { code } = error.refusal;
      if (!PASSING.has(code) || (hasPaid && code === NOT_FUNDED)) await keepRefusal(deps, gig, code);
    } else if (error instanceof AdapterError) {
      log.warn({ gigId, error: summarizeError(error) }, 'cannot read whether a gig is funded');
    } else throw error;
  }
}

/** Starts a gig that is found funded, as {@link startFundedGigs} does. */
export async function startFundedGig(deps: StartFundedContext, gig: Gig): Promise<void> {
  await start(deps, gig, { hasPaid: false });
}

async function readGigs({ store }: StartFundedContext, ids: readonly number[]): Promise<Gig[]> {
  const gigs: Gig[] = [];
  for (const id of ids) {
    const gig = await store.gig(id);
    if (gig !== null) gigs.push(gig);
  }
  return gigs;
}

type ReadPage = (page: { now: number; after: number; limit: number }) => Promise<number[]>;

async function forEachPage(now: number, read: ReadPage, use: (ids: readonly number[]) => Promise<void>): Promise<void> {
  let after = 0;
  for (;;) {
    const ids = await read({ now, after, limit: TOGETHER });
    if (ids.length > 0) await use(ids);
    if (ids.length < TOGETHER) return;
    after = ids.at(-1) ?? after;
  }
}

/** Those of some gigs, all of one chain, whose wallets have paid; null when the chain does not tell. */
async function findPaidOn({ payers, log }: StartFundedContext, chainId: number, gigs: readonly Gig[]) {
  if (payers === null) return [];
  try {
    const havePaid = await readHavePaid(payers.payer(chainId), gigs);
    return gigs.filter((_, place) => havePaid[place]);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether wallets of created gigs have paid');
    return null;
  }
}

/** Starts those gigs again whose wallets have paid: they had started in a ledger that is lost. @returns those that have not */
async function startPaid(deps: StartFundedContext, gigs: readonly Gig[]): Promise<Gig[]> {
  const others: Gig[] = [];
  for (const [chainId, ofChain] of Map.groupBy(gigs, ({ token }) => token.chainId)) {
    const paid = await findPaidOn(deps, chainId, ofChain);
    for (const gig of paid ?? []) await start(deps, gig, { hasPaid: true });
    if (paid !== null) others.push(...ofChain.filter((gig) => !paid.includes(gig)));
  }
  return others;
}

async function giveUp({ store, clock, log }: StartFundedContext, ids: readonly number[]): Promise<void> {
  const now = clock();
  const given = await store.transaction(async (tx) => {
    const done: number[] = [];
    for (const gigId of ids) {
      if (!(await tx.giveUpStart(gigId, now))) continue;
      await recordGigEvent(tx, { actor: JOB, now }, { action: 'gig.start_expire', gigId, detail: {} });
      done.push(gigId);
    }
    return done;
  });
  for (const gigId of given) log.info({ gigId }, 'gig was not funded in time to start by itself');
}

/**
 * Starts gigs that are to start once they are funded, as a request would, by the balances of their wallets in the newest
 * block. A refusal is kept as the gig's and tried again later; gigs that are not funded in time are given up. One whose wallet
 * has paid, as the chain says, is started again with what is left, and never given up.
 */
export async function startFundedGigs(deps: StartFundedContext): Promise<void> {
  const { store, clock } = deps;
  const now = clock();
  await forEachPage(now, store.gigsToStart, async (ids) => {
    const gigs = await readGigs(deps, ids);
    const funded = await findFundedGigs(deps, gigs);
    for (const gig of funded) await start(deps, gig, { hasPaid: false });
    await startPaid(
      deps,
      gigs.filter((gig) => !funded.includes(gig)),
    );
  });
  await forEachPage(now, store.gigsNotStarted, async (ids) => {
    const unpaid = await startPaid(deps, await readGigs(deps, ids));
    await giveUp(
      deps,
      unpaid.map(({ id }) => id),
    );
  });
}
