import { AdapterError, DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { JobActor } from '../../domain/operators/actor.ts';
import { UNPAID_MS } from '../../domain/x402/deposit.ts';
import { summarizeError } from '../../log.ts';
import type { UnfundedContext } from '../ends/context.ts';
import { prepareEnd } from '../ends/end-gig.ts';
import { findFundedGigs } from '../gigs/read-funding.ts';
import { checkUnstarted, isCleared, type Known } from '../gigs/steps/check-step.ts';
import { carryOut } from '../prepared.ts';

const TOGETHER = 50;
const JOB: JobActor = { kind: 'job', name: 'cancel unpaid gigs' };

async function cancel(deps: UnfundedContext, known: Known): Promise<void> {
  const { gigId } = known;
  const end = prepareEnd({ gigId, ending: 'cancel', actor: JOB, known, holder: deps.newId() });
  try {
    await carryOut(deps, {
      async commit(tx, now) {
        const deposit = await tx.depositOf(gigId);
        const isOver = deposit === null || deposit.state === 'unused' || deposit.state === 'settled';
        // Its payment came at this moment.
        if (!isOver) throw new DomainError({ code: 'gig_in_progress', gigId });
        return await end.commit(tx, now);
      },
    });
    deps.log.info({ gigId }, 'gig that was not paid for cancelled');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

async function cancelOn(deps: UnfundedContext, chainId: number, gigs: readonly Gig[]): Promise<void> {
  try {
    const checked = await deps.chains.reader(chainId).decide(async () => {
      // Those start.
      const funded = new Set((await findFundedGigs(deps, gigs)).map(({ id }) => id));
      const others = gigs.filter(({ id }) => !funded.has(id));
      return others.length === 0 ? [] : await checkUnstarted(deps, chainId, { gigs: others, areShort: false });
    });
    for (const { check } of checked) if (isCleared(check)) await cancel(deps, check);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether gigs that wait are paid for');
  }
}

/**
 * Cancels gigs that are ten minutes old and not paid for, and those whose wallets hold something else than they need: that
 * returns. None with a payment on its way is cancelled.
 */
export async function cancelUnpaid(deps: UnfundedContext): Promise<void> {
  const createdBy = deps.clock() - UNPAID_MS;
  let after = 0;
  for (;;) {
    const ids = await deps.store.waitingX402Gigs({ createdBy, after, limit: TOGETHER });
    const gigs = (await Promise.all(ids.map((id) => deps.store.gig(id)))).filter((gig) => gig !== null);
    for (const [chainId, some] of Map.groupBy(gigs, ({ token }) => token.chainId)) await cancelOn(deps, chainId, some);
    after = ids.at(-1) ?? after;
    if (ids.length < TOGETHER) return;
  }
}
