import { troubleReason, wasRefusedAlone } from '../../../domain/chains/endpoint-trouble.ts';
import type { PayerChain } from '../../../domain/payments/payer-chain.ts';
import { type PaymentCandidate, TANK_IS_LOW, type TankTransaction } from '../../../domain/payments/payment.ts';
import { findFreeze, findPause, findShortage } from '../../../domain/payments/payment-limits.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import type { Facts, PaymentContext } from './context.ts';
import { delayFollowers } from './delays.ts';
import { adoptMarks } from './found/adopt.ts';
import { type Offer, storeAndOffer } from './offer.ts';
import { conclude, type Findings, noteWaits, waitAll } from './refusals.ts';
import { type Budgets, readBudgets } from './signing/budgets.ts';
import { priceCalls, type TriedCall } from './signing/pricing.ts';
import { screen } from './signing/screen.ts';
import { signAffordable } from './signing/sign.ts';
import { simulateAll } from './signing/simulate.ts';

/** By how many wei the fees of two transactions with the same nonce and payments may differ. */
const DISTINCT_WEI = 1_000;
const TOO_LARGE = `${REASON.tooLarge} than its chain takes in one transaction`;
const IS_MARKED = 'already paid on chain; waiting for that block to settle';

function findTryable(
  { policy, clock, timing }: PaymentContext,
  { candidates, budgets }: { candidates: readonly PaymentCandidate[]; budgets: Budgets },
  found: Findings,
): PaymentCandidate[] {
  const now = clock();
  return candidates.filter((payment) => {
    const used = budgets(payment);
    const { kind, numbers, failures } = payment;
    const hasFailed = kind !== 'mark' && failures >= policy.paymentFailures;
    const reason = hasFailed ? `${REASON.sentOften} ${failures} times, and failed each time` : 'it has nothing to mark';
    const delay =
      findFreeze(payment, timing) ??
      findPause(payment, used, { policy, now }) ??
      findShortage(payment, used, { policy, gas: 0n });
    if (hasFailed || numbers.length === 0) found.failed.push({ payment, reason });
    else if (delay !== null) found.waits.push({ ...delay, payment });
    else return true;
    return false;
  });
}

/**
 * Has a payment that the endpoint refuses alone wait until nothing else can be sent, or its turn has come: what shared its
 * transaction would wait with it.
 */
function takeTurns(
  { clock, timing }: PaymentContext,
  { tryable, alone }: { tryable: readonly PaymentCandidate[]; alone: ReadonlySet<PaymentCandidate> },
): readonly PaymentCandidate[] {
  const [first] = tryable.filter((payment) => alone.has(payment));
  if (first === undefined) return tryable;
  const others = tryable.filter((payment) => !alone.has(payment));
  const isItsTurn = others.length === 0 || clock() - first.dueAt >= timing.raiseMs;
  return isItsTurn ? [first] : others;
}

/** `tooLarge` is a call that fits into no transaction. */
type Outcome = Offer | { readonly tooLarge: TriedCall };

async function sendSome(
  deps: PaymentContext,
  payer: PayerChain,
  { facts, nonce, candidates, alone, most }: PageTerms,
  found: Findings,
): Promise<Outcome> {
  const { store, policy, clock, timing } = deps;
  const lack = { reason: TANK_IS_LOW, isCalm: false, waitMs: timing.lookMs };
  const budgets = await readBudgets(store, candidates, clock());
  const screened = await screen(deps, payer, { facts, tryable: findTryable(deps, { candidates, budgets }, found) });
  found.waits.push(...screened.waits);
  const tryable = takeTurns(deps, { tryable: screened.passed, alone });
  if (tryable.length === 0) return null;
  const [fees, transferCost] = await Promise.all([payer.fees(), payer.transferCost()]);
  if (facts.balance < transferCost) {
    found.waits.push(...waitAll(tryable, lack));
    return null;
  }
  // Some wei of difference: a chain that has lost blocks would else be sent the same bytes again, as another transaction.
  const maxFeePerGas = fees.maxFeePerGas + BigInt(clock() % DISTINCT_WEI);
  const prices = { maxFeePerGas, transferCost, publishing: 0n };
  const tried = await simulateAll({ ...deps, payer, facts, prices }, { tryable, budgets, most });
  const { calls, waits, refused } = priceCalls(tried.calls, { prices, budgets, policy });
  found.marked.push(...tried.marked);
  found.waits.push(...tried.waits, ...waits);
  found.refused.push(...tried.refused, ...refused);
  const terms = { nonce, fees: { ...fees, maxFeePerGas }, balance: facts.balance };
  const signed = await signAffordable(payer, calls, terms);
  if ('why' in signed) {
    if (signed.why === 'too_large') return { tooLarge: signed.call };
    const payments = calls.flatMap(({ parts }) => parts.map(({ payment }) => payment));
    found.waits.push(...waitAll(payments, lack));
    return null;
  }
  // What publishing costs is known of signed bytes alone.
  const { publishing } = signed;
  const whole = priceCalls(signed.calls, { prices: { ...prices, publishing }, budgets, policy });
  found.waits.push(...whole.waits);
  return whole.waits.length === 0 ? await storeAndOffer(deps, payer, signed, { payments: whole.charges, facts }) : null;
}

/** Payments whose marks are not explained yet wait. */
async function adoptFor(
  deps: PaymentContext,
  payer: PayerChain,
  marked: readonly PaymentCandidate[],
): Promise<boolean> {
  if (marked.length === 0) return false;
  const gigs = new Map(marked.map(({ gigId, wallet }) => [gigId, { id: gigId, walletAddress: wallet }]));
  const { taken, doubt } = await adoptMarks(deps, payer, { gigs: [...gigs.values()] });
  if (taken > 0) return true;
  const reason = doubt === undefined ? IS_MARKED : troubleReason('endpoints_differ', doubt);
  await noteWaits(deps, waitAll(marked, { reason, isCalm: doubt === undefined, waitMs: deps.timing.lookMs }));
  return false;
}

/** When the payments of a wallet are too large together, fewer of them are sent. */
async function sendFitting(
  deps: PaymentContext,
  payer: PayerChain,
  terms: PageTerms,
): Promise<{ sent: Offer; found: Findings }> {
  for (let { most } = terms; ; ) {
    const found: Findings = { waits: [], refused: [], failed: [], marked: [] };
    let outcome: Outcome = null;
    try {
      outcome = await sendSome(deps, payer, { ...terms, most }, found);
    } catch (error) {
      // What is known of payments need not be found out again when the endpoint fails meanwhile.
      await conclude(deps, terms.facts, found);
      throw error;
    }
    if (outcome === null || !('tooLarge' in outcome)) return { sent: outcome, found };
    const { parts } = outcome.tooLarge;
    most = Math.floor(parts.length / 2);
    if (most > 0) continue;
    const refusal = { message: TOO_LARGE, blockNumber: null, isBare: false };
    found.refused.push(...parts.map(({ payment }) => ({ payment, refusal })));
    return { sent: null, found };
  }
}

interface SendTerms {
  readonly facts: Facts;
  readonly nonce: number;
}

interface PageTerms extends SendTerms {
  readonly candidates: readonly PaymentCandidate[];
  /** Those that the endpoint has refused alone. */
  readonly alone: ReadonlySet<PaymentCandidate>;
  readonly most: number;
}

/** What sending has done. */
export interface Sent {
  /** Whether anything has changed, so that there may be more to do at once. */
  readonly hasMoved: boolean;
  /** The transaction that the endpoint has refused; null when it took it, or there was none. */
  readonly refused: TankTransaction | null;
  /** Whether what it refused is known to be refused alone. */
  readonly wasKnown: boolean;
}

/**
 * Sends planned payments in one transaction: as many as pass their simulations and fit into its gas and the gas tank, and
 * at most so many. Payments that are left out wait with a reason, or fail when they are refused for long.
 */
export async function send(
  deps: PaymentContext,
  payer: PayerChain,
  { most = deps.policy.payments, ...terms }: SendTerms & { most?: number },
): Promise<Sent> {
  const limit = 2 * deps.policy.payments;
  const candidates = await deps.store.paymentCandidates(payer.chain.id, { now: deps.clock(), limit });
  const alone = new Set(candidates.filter(wasRefusedAlone));
  const { sent, found } = await sendFitting(deps, payer, { ...terms, candidates, alone, most });
  await conclude(deps, terms.facts, found);
  const { waits, failed, marked } = found;
  const isFull = candidates.length === limit;
  if (isFull) await delayFollowers(deps, { page: candidates, waits });
  const isTaken = await adoptFor(deps, payer, marked);
  // What is left, and what is behind it, may pass now without those that wait.
  const hasRest = waits.length > 0 && (isFull || candidates.length > waits.length);
  return {
    hasMoved: sent !== null || isTaken || failed.length > 0 || hasRest,
    refused: sent?.isRefused ? sent.transaction : null,
    wasKnown: alone.size > 0,
  };
}
