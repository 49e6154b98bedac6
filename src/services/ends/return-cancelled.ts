import { formatAmount } from '../../domain/amount.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Waiting } from '../../domain/gigs/step-wait.ts';
import type { JobActor } from '../../domain/operators/actor.ts';
import { summarizeError } from '../../log.ts';
import { requireKnown } from '../gigs/steps/check-step.ts';
import type { ReturnJobContext } from './context.ts';
import { createPauses } from './plan-refund.ts';
import { findReturnable, planReturn } from './return-money.ts';

const JOB: JobActor = { kind: 'job', name: 'refund' };
const PAGE = 100;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;
/** So long after its cancellation the wallet of a gig is looked at for money; later an operator can return it. */
const LOOKED_AT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Those of some gigs of one chain whose wallets hold something in a settled block, or have paid, which the ledger may not
 * know. All are asked for together, because most cancelled gigs hold nothing, and what one could return takes several
 * questions.
 */
async function findUsed({ payers, log }: ReturnJobContext, chainId: number, gigs: readonly Gig[]): Promise<Gig[]> {
  try {
    const payer = payers.payer(chainId);
    const queries = gigs.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address }));
    const wallets = queries.map(({ wallet }) => wallet);
    const [held, delegated] = await payer.decide(async () => {
      const { settled } = await payer.head();
      return await Promise.all([payer.balances(queries, settled.number), payer.delegated(wallets, settled.number)]);
    });
    return gigs.filter((_, place) => held[place] !== 0n || delegated[place] !== false);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn({ chainId, error: summarizeError(error) }, 'balances of cancelled gigs cannot be read');
    // Not the chain, but one of the questions may be at fault.
    return error.retry === 'never' ? [...gigs] : [];
  }
}

async function returnOne(deps: ReturnJobContext, gig: Gig): Promise<void> {
  const { store, clock, log, wake } = deps;
  const { id: gigId } = gig;
  const known = await requireKnown(deps, gig);
  const found = await findReturnable({ ...deps, actor: JOB }, { gigId, actor: JOB });
  if (found.amount === 0n) return;
  const payment = await store.transaction((tx) => planReturn(tx, found, { actor: JOB, known, now: clock() }));
  const amount = formatAmount(found.amount, found.token.decimals);
  log.info({ gigId, paymentId: payment.id, amount }, 'return of a cancelled gig’s money is planned');
  wake(payment.chainId);
}

/** An operator has to say that a gig owes nothing; a chain tells sooner or later. */
function waitOf(error: AdapterError | DomainError): Waiting {
  const why = error instanceof DomainError ? 'refused' : 'unknown';
  return { why, detail: summarizeError(error).message };
}

/** A gig whose chain or token does not answer keeps no other from its money. */
async function tryReturn(deps: ReturnJobContext, gig: Gig): Promise<void> {
  try {
    await returnOne(deps, gig);
    deps.heldSteps.note('return', gig.id, null);
  } catch (error) {
    if (!(error instanceof AdapterError) && !(error instanceof DomainError)) throw error;
    deps.heldSteps.note('return', gig.id, waitOf(error));
    const fields = { gigId: gig.id, error: summarizeError(error) };
    deps.log.warn(fields, 'a cancelled gig’s money cannot be returned yet');
  }
}

/**
 * Creates the job that returns what cancelled gigs hold, once for each gig: what comes later, an operator returns, because
 * everybody can send a little at the gas tank's cost. One for a process.
 */
export function createReturnJob(deps: ReturnJobContext): () => Promise<void> {
  const { store, clock, heldSteps } = deps;
  const pauses = createPauses({ firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });

  async function returnMoneyOf(ids: readonly number[]): Promise<void> {
    const due = ids.filter((id) => !pauses.has(id, clock()));
    for (const id of due) pauses.begin(id, clock());
    const gigs = (await Promise.all(due.map((id) => store.gig(id)))).filter((gig) => gig !== null);
    for (const [chainId, ofChain] of Map.groupBy(gigs, ({ token }) => token.chainId)) {
      for (const gig of await findUsed(deps, chainId, ofChain)) await tryReturn(deps, gig);
    }
  }

  return async () => {
    const since = clock() - LOOKED_AT_MS;
    const due = new Set<number>();
    let ids: number[];
    do {
      ids = await store.gigsToReturn({ since, after: Math.max(0, ...due), limit: PAGE });
      for (const id of ids) due.add(id);
      await returnMoneyOf(ids);
    } while (ids.length === PAGE);
    heldSteps.keep('return', due);
  };
}
