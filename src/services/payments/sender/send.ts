import type { Fees } from '../../../domain/chain.ts';
import type { PayerChain, SignedBatch } from '../../../domain/payer-chain.ts';
import type { PaymentCandidate } from '../../../domain/payment.ts';
import {
  chargeOf,
  findExcess,
  findFreeze,
  findPrice,
  findShortage,
  groupPayments,
  type PaymentCost,
  shareOf,
  takeFitting,
} from '../../../domain/payment-batch.ts';
import { summarizeError } from '../../../log.ts';
import { adoptMarks } from './adopt.ts';
import { type Budgets, openBudgets } from './budgets.ts';
import type { Facts, SenderDeps } from './deps.ts';
import { inTurns } from './in-turns.ts';
import { offer } from './offer.ts';
import { failPayments, judgeRefusal, noteLack, noteWaits, type Refused, type Wait } from './refusals.ts';
import { AT_ONCE, type Part, type Trial, type TriedCall, trySending } from './simulate.ts';

/** By how many wei the fees of two transactions with the same nonce and payments may differ. */
const DISTINCT_WEI = 1_000;
const NOT_READY = 'the contracts that pay are not deployed on its chain';
const IS_MARKED = 'its numbers are marked on the chain; what has paid them has to settle';

/** What one attempt to send came to, besides what was sent. */
interface Outcome {
  readonly waits: Wait[];
  readonly refused: Refused[];
  readonly failed: { readonly payment: PaymentCandidate; readonly reason: string }[];
}

/** What gas and transfers cost now. */
interface Prices {
  readonly fees: Fees;
  readonly transferCost: bigint;
}

/** A call that may be sent, with what each of its payments counts for in the budgets. */
interface PricedCall extends TriedCall {
  readonly parts: readonly (Part & { readonly cost: PaymentCost })[];
}

/** Leaves out what may not be tried for now. */
async function findTryable(
  deps: SenderDeps,
  budgets: Budgets,
  candidates: readonly PaymentCandidate[],
  outcome: Outcome,
) {
  const { policy } = deps;
  const tryable: PaymentCandidate[] = [];
  for (const payment of candidates) {
    const { kind, numbers, failures } = payment;
    const obstacle = findFreeze(payment) ?? findShortage(payment, await budgets.of(payment), { policy, gas: 0n });
    if (numbers.length === 0) outcome.failed.push({ payment, reason: 'it has nothing to mark' });
    else if (kind !== 'mark' && failures >= policy.paymentFailures) {
      outcome.failed.push({ payment, reason: `it was sent ${failures} times, and failed each time` });
    } else if (obstacle !== null) outcome.waits.push({ ...obstacle, payment });
    else tryable.push(payment);
  }
  return tryable;
}

/** Prices a call; null when one of its payments may not be sent, which leaves the others for the next transaction. */
async function price(
  { policy }: SenderDeps,
  { budgets, prices, outcome }: { budgets: Budgets; prices: Prices; outcome: Outcome },
  call: TriedCall,
): Promise<PricedCall | null> {
  const all = call.parts.reduce((sum, { words }) => sum + words, 0);
  const { fees, transferCost } = prices;
  const parts: PricedCall['parts'][number][] = [];
  let isSendable = true;
  for (const { payment, words } of call.parts) {
    const gas = shareOf(call.gas, { words, all });
    const cost = { gas, maxFeePerGas: fees.maxFeePerGas, publishing: 0n, transferCost, words };
    const charge = chargeOf(cost);
    const excess = findExcess(payment, cost, policy);
    const obstacle =
      findPrice(cost, policy) ?? findShortage(payment, await budgets.of(payment), { policy, gas: charge });
    if (excess !== null) {
      outcome.refused.push({ payment, refusal: { message: excess, blockNumber: null, isBare: false } });
    } else if (obstacle !== null) outcome.waits.push({ ...obstacle, payment });
    if (excess !== null || obstacle !== null) isSendable = false;
    else budgets.add(payment, charge);
    parts.push({ payment, words, cost });
  }
  return isSendable ? { ...call, parts } : null;
}

/** Signs as many calls as the gas tank can pay for, publishing included; null when it cannot pay for any. */
async function signAffordable(
  payer: PayerChain,
  calls: readonly PricedCall[],
  { nonce, fees, balance }: { nonce: number; fees: Fees; balance: bigint },
): Promise<{ batch: SignedBatch & { gas: bigint }; calls: PricedCall[]; publishing: bigint } | null> {
  const { batchGas } = payer.chain;
  let chosen = takeFitting(calls, batchGas);
  while (chosen.length > 0) {
    const batch = await payer.sign({ calls: chosen, nonce, fees });
    const publishing = await payer.publishingCost(batch.raw);
    if (batch.gas * fees.maxFeePerGas + publishing <= balance) return { batch, calls: chosen, publishing };
    const gas = chosen.reduce((sum, call) => sum + call.gas, 0n);
    chosen = takeFitting(calls, gas / 2n);
  }
  return null;
}

/** Adds what publishing costs to the payments of a signed transaction; null when one of them is too expensive by that. */
function publish(
  { policy }: SenderDeps,
  { calls, publishing }: { calls: readonly PricedCall[]; publishing: bigint },
  outcome: Outcome,
): { id: number; numbers: readonly bigint[]; gas: bigint }[] | null {
  const parts = calls.flatMap((call) => call.parts);
  const all = parts.reduce((sum, { words }) => sum + words, 0);
  const published = parts.map(({ payment, words, cost }) => {
    return { payment, cost: { ...cost, publishing: shareOf(publishing, { words, all }) } };
  });
  const before = outcome.waits.length;
  for (const { payment, cost } of published) {
    const obstacle = findPrice(cost, policy);
    if (obstacle !== null) outcome.waits.push({ ...obstacle, payment });
  }
  if (outcome.waits.length > before) return null;
  return published.map(({ payment: { id, numbers }, cost }) => ({ id, numbers, gas: chargeOf(cost) }));
}

/** Keeps a signed transaction with its payments and broadcasts it. False when one of them has changed meanwhile. */
async function keep(
  deps: SenderDeps,
  payer: PayerChain,
  signed: { nonce: number; fees: Fees; batch: SignedBatch & { gas: bigint } },
  payments: readonly { id: number; numbers: readonly bigint[]; gas: bigint }[],
): Promise<boolean> {
  const { nonce, fees, batch } = signed;
  const now = deps.clock();
  const attempt = { ...batch, ...fees, signedAt: now };
  const transaction = { chainId: payer.chain.id, nonce, attempt };
  // Stored before the broadcast: after a crash the same bytes are broadcast again.
  const kept = await deps.store.transaction((tx) => tx.keepTankTransaction(transaction, { payments, now }));
  if (kept === null) return false;
  deps.log.info({ chain: payer.chain.key, nonce, hash: batch.hash, payments: payments.length }, 'payments sent');
  await offer(deps, payer, kept);
  return true;
}

/** Simulates groups of payments until they fill a transaction. @throws AdapterError when the endpoint answers nothing */
async function tryAll(
  deps: SenderDeps,
  { payer, facts, tryable }: { payer: PayerChain; facts: Facts; tryable: readonly PaymentCandidate[] },
  outcome: Outcome,
): Promise<Trial[]> {
  const source = { store: deps.store, payer, facts };
  const gasOf = (trials: readonly Trial[]) => trials.reduce((sum, { call }) => sum + (call?.gas ?? 0n), 0n);
  const trials = await inTurns(
    groupPayments(tryable, deps.policy.payments),
    AT_ONCE,
    (group) => trySending(source, group),
    (done) => gasOf(done) >= payer.chain.batchGas,
  );
  const unanswered = trials.flatMap((trial) => trial.unanswered);
  const [first] = unanswered;
  const hasAnswer = trials.some(({ call, refused, marked }) => call !== null || refused.length + marked.length > 0);
  if (first !== undefined && !hasAnswer) throw first.error;
  for (const { payment, error } of unanswered) {
    const reason = `the node could not try it: ${summarizeError(error).message}`;
    outcome.waits.push({ payment, reason, isCalm: false, waitMs: deps.timing.unansweredMs });
  }
  return trials;
}

/** Takes into the ledger what has used the numbers of these payments, and has those wait that are not explained yet. */
async function adoptFor(deps: SenderDeps, payer: PayerChain, marked: readonly PaymentCandidate[]): Promise<boolean> {
  if (marked.length === 0) return false;
  const gigs = new Map(marked.map(({ gigId, wallet }) => [gigId, { id: gigId, walletAddress: wallet }]));
  const { taken } = await adoptMarks(deps, payer, { gigs: [...gigs.values()] });
  if (taken > 0) return true;
  const wait = { reason: IS_MARKED, isCalm: true, waitMs: deps.timing.lookMs };
  await noteWaits(
    deps,
    marked.map((payment) => ({ ...wait, payment })),
  );
  return false;
}

/** Tries candidates and sends what passes. */
async function sendSome(
  deps: SenderDeps,
  payer: PayerChain,
  { facts, nonce, candidates }: { facts: Facts; nonce: number; candidates: readonly PaymentCandidate[] },
  outcome: Outcome,
): Promise<{ isSent: boolean; marked: readonly PaymentCandidate[] }> {
  const { balance } = facts;
  const budgets = openBudgets(deps.store, deps.clock());
  const tryable = await findTryable(deps, budgets, candidates, outcome);
  const nothing = { isSent: false, marked: [] };
  if (tryable.length === 0) return nothing;
  const [now, transferCost] = await Promise.all([payer.fees(), payer.transferCost()]);
  // Some wei of difference: a chain that has lost blocks would else be sent the same bytes again, as another transaction.
  const fees = { ...now, maxFeePerGas: now.maxFeePerGas + BigInt(deps.clock() % DISTINCT_WEI) };
  if (balance < transferCost) {
    await noteLack(deps, payer, tryable);
    return nothing;
  }
  const trials = await tryAll(deps, { payer, facts, tryable }, outcome);
  outcome.refused.push(...trials.flatMap(({ refused }) => refused));
  const marked = trials.flatMap((trial) => trial.marked);
  const calls: PricedCall[] = [];
  for (const { call } of trials) {
    const priced = call && (await price(deps, { budgets, prices: { fees, transferCost }, outcome }, call));
    if (priced !== null) calls.push(priced);
  }
  if (calls.length === 0) return { isSent: false, marked };
  const signed = await signAffordable(payer, calls, { nonce, fees, balance });
  if (signed === null) {
    await noteLack(
      deps,
      payer,
      calls.flatMap(({ parts }) => parts.map(({ payment }) => payment)),
    );
    return { isSent: false, marked };
  }
  const payments = publish(deps, signed, outcome);
  if (payments === null) return { isSent: false, marked };
  return { isSent: await keep(deps, payer, { nonce, fees, batch: signed.batch }, payments), marked };
}

/**
 * Sends planned payments in one transaction: as many as pass their simulations and fit into its gas and the gas tank. What
 * is left out waits with a reason, or fails for good when it is refused for long.
 * @returns whether anything has changed, so that there may be more to do at once
 */
export async function send(
  deps: SenderDeps,
  payer: PayerChain,
  { facts, nonce }: { facts: Facts; nonce: number },
): Promise<boolean> {
  const limit = 2 * deps.policy.payments;
  const candidates = await deps.store.paymentCandidates(payer.chain.id, { now: deps.clock(), limit });
  const outcome: Outcome = { waits: [], refused: [], failed: [] };
  if (!(await payer.isReady())) {
    const wait = { reason: NOT_READY, isCalm: false, waitMs: deps.timing.lookMs };
    await noteWaits(
      deps,
      candidates.map((payment) => ({ ...wait, payment })),
    );
    return false;
  }
  const { isSent, marked } = await sendSome(deps, payer, { facts, nonce, candidates }, outcome);
  for (const refused of outcome.refused) {
    const wait = judgeRefusal(deps, facts, refused);
    if (wait === null) outcome.failed.push({ payment: refused.payment, reason: refused.refusal.message });
    else if (wait !== 'as_before') outcome.waits.push(wait);
  }
  await noteWaits(deps, outcome.waits);
  await failPayments(deps, outcome.failed);
  const isTaken = await adoptFor(deps, payer, marked);
  // What is left may pass now without those that wait.
  const hasRest = candidates.length > outcome.waits.length && outcome.waits.length > 0;
  return isSent || isTaken || outcome.failed.length > 0 || hasRest;
}
