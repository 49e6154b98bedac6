import { readTrouble, troubleReason } from '../../domain/chains/endpoint-trouble.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { hasPassed } from '../../domain/time.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { PaymentContext } from './sender/context.ts';
import { depositDueAt } from './sender/deposits.ts';
import { readLedger } from './sender/ledger.ts';
import { pulse } from './sender/pulse.ts';
import { noteWaits, TOLD_AT_ONCE, waitAll } from './sender/refusals.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
const IDLE_MS = 60_000;
/** Each wait is this part of the time waited so far, so that a change is noticed soon after it happens. */
const PART = 4;
/** So long the steps of a chain have failed when its payments say so: one lost answer is no reason. */
const FAILS_MS = 20_000;

/** `why` becomes the reason of planned and sent payments; null when the steps succeed again. */
async function tellTrouble(deps: PaymentContext, chainId: number, why: string | null): Promise<void> {
  const { store } = deps;
  const now = deps.clock();
  const reason = why === null ? null : troubleReason('step_fails', why);
  if (reason !== null) {
    const due = await store.paymentCandidates(chainId, { now, limit: TOLD_AT_ONCE });
    await noteWaits(deps, waitAll(due, { reason, isCalm: false, waitMs: LONGEST_WAIT_MS }));
  }
  const { open } = await readLedger(store, chainId);
  // What the endpoint has said of a transaction, or has not told of it, says more.
  const isSilent = (said: string | null) => said === null || readTrouble(said)?.trouble === 'step_fails';
  const sent = open.flatMap(({ held }) => held).filter((payment) => isSilent(payment.reason));
  const changed = sent.filter((payment) => payment.reason !== reason);
  if (changed.length === 0) return;
  const note = async (tx: StoreTx) => {
    for (const { id } of changed) await tx.noteSent(id, { reason, now });
  };
  await store.transaction(note, { narrow: true });
}

function createTeller(deps: PaymentContext, chainId: number) {
  let failingSince: number | null = null;
  // An earlier process may have told it of payments that wait for their block now.
  let isTold = true;
  return async (why: string | null) => {
    const now = deps.clock();
    failingSince = why === null ? null : Math.min(failingSince ?? now, now);
    const isLong = failingSince !== null && now - failingSince >= FAILS_MS;
    if (!isLong && !(isTold && why === null)) return;
    await tellTrouble(deps, chainId, why);
    isTold = why !== null;
  };
}

/**
 * Makes the payments of one chain, step by step; the steps must not run at once. While nothing is left to do the chain is
 * asked once a minute, and the ledger, which another process can add to, at each step.
 * @returns makes one step; then true when the next may follow at once, the milliseconds to wait, or false when nothing is
 * left to do
 */
export function createChainPayments(deps: PaymentContext, payer: PayerChain): () => Promise<boolean | number> {
  const { store, clock } = deps;
  let waitingSince: number | null = null;
  let doneAt: number | null = null;
  const tell = createTeller(deps, payer.chain.id);
  return async () => {
    const isIdle = doneAt !== null && !hasPassed(IDLE_MS, { since: doneAt, now: clock() });
    const { id } = payer.chain;
    const hasNothing = async () => (await store.nextPaymentDue(id)) === null && (await depositDueAt(deps, id)) === null;
    if (isIdle && (await hasNothing())) return false;
    let failure: string | null = null;
    const progress = await pulse(deps, payer, (why) => {
      failure = why;
    });
    await tell(failure);
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
