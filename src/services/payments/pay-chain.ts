import { AdapterError } from '../../domain/errors.ts';
import type { PayerChain } from '../../domain/payer-chain.ts';
import { hasPassed } from '../../domain/time.ts';
import { summarizeError } from '../../log.ts';
import type { SenderDeps } from './sender/deps.ts';
import { pulse } from './sender/pulse.ts';
import { noteWaits, waitAll } from './sender/refusals.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
const IDLE_MS = 60_000;
/** Each wait is this part of the time waited so far, so that a change is noticed soon after it happens. */
const PART = 4;
/** How many waiting payments are told that the contracts are missing, at once. */
const TOLD_AT_ONCE = 100;

/** Tells the payments that are due that their chain lacks the contracts. */
async function tellMissing(deps: SenderDeps, { chain }: PayerChain): Promise<void> {
  const reason = `the payer contracts are not deployed on ${chain.name}; run npm run admin -- payer deploy ${chain.key}`;
  const waiting = await deps.store.paymentCandidates(chain.id, { now: deps.clock(), limit: TOLD_AT_ONCE });
  await noteWaits(deps, waitAll(waiting, { reason, isCalm: false, waitMs: LONGEST_WAIT_MS }));
}

/** One step of a chain's payments; nothing is paid while its contracts are missing. */
async function step(deps: SenderDeps, payer: PayerChain): Promise<'moved' | 'waiting' | 'done'> {
  try {
    if (await payer.isReady()) return await pulse(deps, payer);
    await tellMissing(deps, payer);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chain: payer.chain.key, error: summarizeError(error) }, 'payments wait: chain does not answer');
  }
  return 'waiting';
}

/**
 * Makes the payments of one chain, step by step; the steps must not run at once. While nothing is left to do the chain is
 * asked once a minute, and the ledger, which another process can add to, at each step.
 * @returns makes one step; then true when the next may follow at once, the milliseconds to wait, or false when nothing is
 * left to do
 */
export function createChainPayments(deps: SenderDeps, payer: PayerChain): () => Promise<boolean | number> {
  const { store, clock } = deps;
  let waitingSince: number | null = null;
  let doneAt: number | null = null;
  return async () => {
    const isIdle = doneAt !== null && !hasPassed(IDLE_MS, { since: doneAt, now: clock() });
    if (isIdle && (await store.nextPaymentDue(payer.chain.id)) === null) return false;
    const progress = await step(deps, payer);
    const now = clock();
    doneAt = progress === 'done' ? now : null;
    if (progress !== 'waiting') {
      waitingSince = null;
      return progress === 'moved';
    }
    // After the clock was set back, a wait would last too long.
    waitingSince = Math.min(waitingSince ?? now, now);
    return Math.min(Math.max((now - waitingSince) / PART, FIRST_WAIT_MS), LONGEST_WAIT_MS);
  };
}
