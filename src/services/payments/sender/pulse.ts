import { AdapterError, faultText } from '../../../domain/errors.ts';
import type { PayerChain } from '../../../domain/payments/payer-chain.ts';
import { IS_STOPPED } from '../../../domain/payments/payment.ts';
import { nextStep, type PaymentStep } from '../../../domain/payments/payment-step.ts';
import { summarizeError } from '../../../log.ts';
import { readFacts } from './chain.ts';
import type { Facts, PaymentContext } from './context.ts';
import { finish } from './finish.ts';
import { recheck } from './found/recheck.ts';
import { release, shrink } from './give-up.ts';
import { readHeld, readLedger } from './ledger.ts';
import { offer } from './offer.ts';
import { raise } from './raise.ts';
import { noteWaits, waitAll } from './refusals.ts';
import { send } from './send.ts';

/** The result of one step: something changed, the chain or a payment has to be waited for, or nothing is left to do. */
export type Progress = 'moved' | 'waiting' | 'done';

/** What a step hands to the chain. Without it the ledger only learns what the chain has done. */
const PAYING: ReadonlySet<string> = new Set<PaymentStep<never>['kind']>(['offer', 'raise', 'shrink', 'send']);

/**
 * Whether kept bytes may be offered. Asked in a transaction, which is told once all that it may have read is on disk: another
 * process may have kept them just now.
 */
async function mayOffer({ store }: PaymentContext): Promise<boolean> {
  return (await store.transaction((tx) => tx.paymentStop(), { narrow: true })) === null;
}

async function tellStopped(deps: PaymentContext, { chain }: PayerChain): Promise<void> {
  const { store, clock, policy, timing } = deps;
  const due = await store.paymentCandidates(chain.id, { now: clock(), limit: policy.payments });
  await noteWaits(deps, waitAll(due, { reason: IS_STOPPED, isCalm: false, waitMs: timing.lookMs }));
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

async function takeStep(deps: PaymentContext, payer: PayerChain): Promise<Progress> {
  const { store, clock, timing } = deps;
  const { id, maxFeePerGas } = payer.chain;
  // The ledger first: what it has under way is then in the chain that is read after it.
  const ledger = await readLedger(store, id);
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
  if (PAYING.has(step.kind) && (await store.paymentStop()) !== null) {
    await tellStopped(deps, payer);
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
      if (!(await mayOffer(deps))) return 'waiting';
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
    return await payer.decide(() => takeStep(deps, payer));
  } catch (error) {
    const fields = { chain: payer.chain.key, error: summarizeError(error) };
    const isFault = error instanceof AdapterError;
    if (isFault) deps.log.warn(fields, 'payments wait: chain does not answer');
    else deps.log.error(fields, 'payments of a chain fail');
    failed?.(isFault ? faultText(error) : DEFECT);
    return 'waiting';
  }
}
