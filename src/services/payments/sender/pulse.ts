import { AdapterError, faultText } from '../../../domain/errors.ts';
import type { PayerChain } from '../../../domain/payments/payer-chain.ts';
import { IS_STOPPED } from '../../../domain/payments/payment.ts';
import { nextStep, type PaymentStep } from '../../../domain/payments/payment-step.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import { summarizeError } from '../../../log.ts';
import { readFacts } from './chain.ts';
import type { Facts, PaymentContext } from './context.ts';
import { depositDueAt, sendDeposit, setDepositAside } from './deposits.ts';
import { finish } from './finish.ts';
import { recheck } from './found/recheck.ts';
import { release, shrink } from './give-up.ts';
import { type HeldTransaction, readHeld, readLedger } from './ledger.ts';
import { offer } from './offer.ts';
import { raise } from './raise.ts';
import { noteWaits, TOLD_AT_ONCE, waitAll } from './refusals.ts';
import { send } from './send.ts';

/** The result of one step: something changed, the chain or a payment has to be waited for, or nothing is left to do. */
export type Progress = 'moved' | 'waiting' | 'done';

/** What a step hands to the chain. Without it the ledger only learns what the chain has done. */
const PAYING: ReadonlySet<string> = new Set<PaymentStep<never>['kind']>([
  'offer',
  'raise',
  'shrink',
  'send',
  'deposit',
]);

/**
 * Whether a stop of payments forbids a step. Before stored bytes are offered, a transaction asks: it returns once all that it
 * has read is on disk, because another process may have stored the bytes just now.
 */
async function isStopped({ store }: PaymentContext, { kind }: PaymentStep<HeldTransaction>): Promise<boolean> {
  if (!PAYING.has(kind)) return false;
  const isKept = kind === 'offer';
  const stop = isKept ? await store.transaction((tx) => tx.paymentStop(), { narrow: true }) : await store.paymentStop();
  return stop !== null;
}

async function tellAll(deps: PaymentContext, { chain }: PayerChain, reason: string): Promise<void> {
  const due = await deps.store.paymentCandidates(chain.id, { now: deps.clock(), limit: TOLD_AT_ONCE });
  await noteWaits(deps, waitAll(due, { reason, isCalm: false, waitMs: deps.timing.lookMs }));
}

/**
 * Tells the payments that are due that their chain lacks the contracts.
 * @throws AdapterError when the endpoint is too far behind to tell
 */
async function tellMissing(deps: PaymentContext, payer: PayerChain): Promise<void> {
  const { key, name } = payer.chain;
  await readFacts(deps.store, payer);
  await tellAll(deps, payer, `${REASON.payerMissing} on ${name}; run npm run admin -- payer deploy ${key}`);
}

/** A payment that is known to be refused alone does not hold up the chain a second time. */
async function sendNext(
  deps: PaymentContext,
  payer: PayerChain,
  terms: { facts: Facts; nonce: number },
): Promise<Progress> {
  const { refused, wasKnown, hasMoved } = await send(deps, payer, terms);
  if (refused !== null && wasKnown) {
    const transaction = await readHeld(deps.store, refused);
    if (transaction.held.length === 1) await shrink(deps, payer, { facts: terms.facts, transaction });
  }
  return hasMoved ? 'moved' : 'waiting';
}

/** A deposit of which the endpoint does not tell keeps no payment. */
async function sendNextDeposit(
  deps: PaymentContext,
  payer: PayerChain,
  terms: { facts: Facts; nonce: number },
): Promise<Progress> {
  try {
    return (await sendDeposit(deps, payer, terms)) ? 'moved' : 'waiting';
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    await setDepositAside(deps, payer.chain.id, error);
    throw error;
  }
}

async function takeStep(deps: PaymentContext, payer: PayerChain): Promise<Progress> {
  const { store, clock, timing } = deps;
  const { id, maxFeePerGas } = payer.chain;
  // The ledger first: what it has under way is then in the chain that is read after it.
  const ledger = { ...(await readLedger(store, id)), depositDueAt: await depositDueAt(deps, id) };
  const facts = await readFacts(store, payer);
  const terms = { now: clock(), timing, maxFeePerGas };
  let step = nextStep(ledger, facts, terms);
  if (step.kind === 'settle') {
    if (await finish(deps, payer, { transactions: step.transactions, facts })) return 'moved';
    // The endpoint cannot tell yet what became of them; the others go on.
    const over = new Set(step.transactions.map((transaction) => transaction.id));
    step = nextStep({ ...ledger, open: ledger.open.filter((transaction) => !over.has(transaction.id)) }, facts, terms);
    if (step.kind === 'done') return 'waiting';
  }
  if (await isStopped(deps, step)) {
    await tellAll(deps, payer, IS_STOPPED);
    return 'waiting';
  }
  switch (step.kind) {
    case 'recheck':
      await recheck(deps, payer, facts);
      return 'moved';
    case 'release':
      await release(deps, step.transaction);
      return 'moved';
    case 'offer':
      if (!(await offer(deps, payer, step.transaction))) return 'waiting';
      // Why it was refused is noted with its payments, and seen by the next step.
      if (step.transaction.held.length === 0) await release(deps, step.transaction);
      return 'moved';
    case 'raise':
      if (await raise(deps, payer, facts, step.transaction)) return 'waiting';
      await shrink(deps, payer, { facts, transaction: step.transaction });
      return 'moved';
    case 'shrink':
      await shrink(deps, payer, { facts, transaction: step.transaction });
      return 'moved';
    case 'send':
      return await sendNext(deps, payer, { facts, nonce: step.nonce });
    case 'deposit':
      return await sendNextDeposit(deps, payer, { facts, nonce: step.nonce });
    case 'done':
      return 'done';
    default:
      return 'waiting';
  }
}

const DEFECT = 'the service has a defect; its log says which';

/**
 * Does one step for the payments of a chain. Only one pulse of a chain runs at a time. An error (no answer from the chain,
 * or a defect, which is logged as an error) delays this chain alone. A chain without payments is pulsed now and then as
 * well: that is how a deep reorganisation is noticed.
 * @param failed called with why the step as a whole failed
 */
export async function pulse(
  deps: PaymentContext,
  payer: PayerChain,
  failed?: (why: string) => void,
): Promise<Progress> {
  try {
    if (await payer.isReady()) return await payer.decide(() => takeStep(deps, payer));
    await tellMissing(deps, payer);
    return 'waiting';
  } catch (error) {
    const fields = { chain: payer.chain.key, error: summarizeError(error) };
    const isFault = error instanceof AdapterError;
    if (isFault) deps.log.warn(fields, 'payments wait: chain does not answer');
    else deps.log.error(fields, 'payments of a chain fail');
    failed?.(isFault ? faultText(error) : DEFECT);
    return 'waiting';
  }
}
