import { AdapterError } from '../../../domain/errors.ts';
import { type NewEvent, paymentEvent } from '../../../domain/events/event.ts';
import { inGigOrder } from '../../../domain/gigs/gig.ts';
import type { BatchInclusion, PayerChain } from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../domain/payments/payment.ts';
import { smaller } from '../../../domain/payments/payment-step.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import { summarizeError } from '../../../log.ts';
import type { MadePayment, MissedPayment, StoreTx } from '../../../store/port/index.ts';
import { type Facts, fieldsOf, type PaymentContext } from './context.ts';
import { adoptMarks } from './found/adopt.ts';
import { createPaidSearch, type PaidFate } from './found/find-paid.ts';
import type { HeldTransaction } from './ledger.ts';
import { readMarked } from './marks.ts';
import { fieldsOfTransaction } from './offer.ts';

type Fate =
  | PaidFate
  | { readonly kind: 'failed' }
  /** Its transaction is not in the chain: another has used the nonce. */
  | { readonly kind: 'unsent' };

const REASONS = {
  elsewhere: 'another transaction has used its numbers',
  failed: `${REASON.failedOnChain}; it is tried again`,
  unsent: 'another transaction has used its nonce; it is sent again',
} as const;

interface Judged {
  readonly payment: NumberedPayment;
  readonly fate: Fate;
}

interface Over extends Found {
  readonly transaction: HeldTransaction;
  readonly facts: Facts;
}

interface Found {
  /** Null when none of its attempts is in the chain, or the endpoint has lost the receipt. */
  readonly inclusion: BatchInclusion | null;
  /** Why the endpoint does not report its inclusion; null when it does. */
  readonly fault: AdapterError | null;
}

function whyNotTold(error: AdapterError): string {
  return `the endpoint does not report the outcome of its transaction: ${summarizeError(error).message}`;
}

async function judge(deps: PaymentContext, payer: PayerChain, over: Over): Promise<Judged[]> {
  const { inclusion, fault, facts } = over;
  const { held } = over.transaction;
  const settled = facts.settled.number;
  const isMarked = await readMarked(payer, held, settled);
  const marksOf = ({ wallet, numbers }: NumberedPayment) => numbers.map((number) => isMarked(wallet, number));
  // A wallet makes all its payments or none, so one whose numbers were used excuses the others.
  const excused = new Set(held.filter((payment) => marksOf(payment).includes(true)).map(({ gigId }) => gigId));
  const findPaid = createPaidSearch({ store: deps.store, payer }, { held, inclusion, settled });

  async function fateOf(payment: NumberedPayment): Promise<Fate> {
    const marks = marksOf(payment);
    if (!marks.includes(true)) {
      if (fault !== null) return { kind: 'unknown', why: whyNotTold(fault) };
      return { kind: inclusion === null || excused.has(payment.gigId) ? 'unsent' : 'failed' };
    }
    return marks.includes(false) ? { kind: 'elsewhere' } : await findPaid(payment);
  }

  const judged: Judged[] = [];
  for (const payment of held) judged.push({ payment, fate: await fateOf(payment) });
  return judged;
}

function hashesOf({ attempts }: HeldTransaction) {
  return attempts.map(({ hash }) => hash);
}

/** Its part of our transaction is its client's to bear; all that it reserved where the transaction has no receipt. */
function shareGas({ transaction, inclusion, fault }: Over): (payment: NumberedPayment, fate: Fate) => bigint {
  const all = transaction.held.reduce((sum, payment) => sum + payment.gasReserved, 0n);
  const isOurs = (hash: string) => transaction.attempts.some((attempt) => attempt.hash === hash);
  return ({ gasReserved }, fate) => {
    const hasLostReceipt = fate.kind === 'paid' && fate.events.some(({ hash }) => isOurs(hash));
    if (fault !== null || (inclusion === null && hasLostReceipt)) return gasReserved;
    if (inclusion === null || all === 0n) return 0n;
    const share = (inclusion.gasUsed * gasReserved) / all;
    return smaller(share, gasReserved);
  };
}

type Outcome = { readonly made: MadePayment } | { readonly missed: MissedPayment };

/** Outcomes that are alike and follow each other. */
function runsOf(outcomes: readonly Outcome[]): Outcome[][] {
  const runs: Outcome[][] = [];
  for (const each of outcomes) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && 'made' in run[0] === 'made' in each) run.push(each);
    else runs.push([each]);
  }
  return runs;
}

/**
 * Records the outcome of payments, by their gigs: as many at once as are alike and follow each other.
 * @returns those that have changed
 */
async function record(tx: StoreTx, deps: PaymentContext, over: Over, judged: readonly Judged[]): Promise<Judged[]> {
  const now = deps.clock();
  const { id: transactionId } = over.transaction;
  const gasOf = shareGas(over);

  /** None while the endpoint does not tell it. */
  function outcomeOf({ payment, fate }: Judged): Outcome[] {
    const { id, numbers, failures, gasReserved } = payment;
    switch (fate.kind) {
      case 'unknown':
        return [];
      case 'paid': {
        const [{ hash, blockNumber, to: recipient }] = fate.events;
        // Also when a stranger has paid it before.
        return [{ made: { id, hash, blockNumber, gasUsed: gasOf(payment, fate), recipient, numbers } }];
      }
      default: {
        const hasFailed = fate.kind === 'failed';
        const pause = hasFailed ? deps.timing.failedMs * 4 ** Math.min(failures, 6) : 0;
        const gasUsed = hasFailed ? gasReserved : gasOf(payment, fate);
        return [{ missed: { id, reason: REASONS[fate.kind], dueAt: now + pause, hasFailed, gasUsed } }];
      }
    }
  }

  function tell({ payment, fate }: Judged): NewEvent[] {
    if (fate.kind !== 'paid') return [];
    return fate.events.map(({ hash, to: recipient, amount, numbers }) =>
      paymentEvent({ ...payment, recipient }, { type: 'payment.confirmed', hash, amount, numbers }, now),
    );
  }

  const changed = new Set<number>();
  const inOrder = judged.toSorted((a, b) => inGigOrder(a.payment, b.payment));
  // In sequence: each call locks its gigs, and gigs are locked in the order of their ids, before rows.
  for (const run of runsOf(inOrder.flatMap(outcomeOf))) {
    const made = run.flatMap((each) => ('made' in each ? [each.made] : []));
    const missed = run.flatMap((each) => ('missed' in each ? [each.missed] : []));
    const confirmed = await tx.confirmPayments(made, now, transactionId);
    const replanned = await tx.replanPayments(missed, { transactionId, now });
    for (const id of [...confirmed, ...replanned]) changed.add(id);
  }
  await tx.insertEvents(inOrder.filter(({ payment }) => changed.has(payment.id)).flatMap(tell));
  for (const { payment, fate } of judged) {
    if (fate.kind === 'unknown') await tx.noteSent(payment.id, { reason: fate.why, now });
  }
  return inOrder.filter(({ payment }) => changed.has(payment.id));
}

function tellUnknown({ log }: PaymentContext, payment: NumberedPayment, reason: string): void {
  if (payment.reason !== reason) log.warn({ ...fieldsOf(payment), reason }, 'payment cannot be settled yet');
}

/**
 * Settles a transaction whose nonce is spent permanently, by whatever transaction: a payment that is marked is confirmed,
 * every other is planned again.
 * @returns what it has changed; null when the endpoint cannot tell yet
 */
async function finishOne(deps: PaymentContext, payer: PayerChain, over: Over): Promise<Judged[] | null> {
  const { transaction, inclusion, facts } = over;
  // The node that counted the nonces is ahead of the one that named the settled block.
  if (inclusion !== null && inclusion.blockNumber > facts.settled.number) return null;
  const judged = await judge(deps, payer, over);
  // Where blocks were replaced meanwhile, what was in them looks as if it had failed.
  const isStale = judged.some(({ fate }) => fate.kind === 'failed') && !(await payer.isCanonical(facts.settled));
  if (isStale) return null;
  // A node may count the nonce before it shows the transaction; until then another seems to have used the nonce.
  const isUnsent = inclusion === null && judged.some(({ fate }) => fate.kind === 'unsent');
  if (isUnsent && (await payer.inclusion(hashesOf(transaction))) !== null) return null;
  const isUnknown = judged.length > 0 && judged.every(({ fate }) => fate.kind === 'unknown');
  const changed = await deps.store.transaction(async (tx) => {
    const recorded = await record(tx, deps, over, judged);
    if (isUnknown) return null;
    await tx.endTankTransaction(transaction.id);
    await tx.advanceChainAnchor(payer.chain.id, facts.settled);
    return recorded;
  });
  for (const { payment, fate } of judged) if (fate.kind === 'unknown') tellUnknown(deps, payment, fate.why);
  if (changed === null) return null;
  for (const { payment, fate } of changed) {
    if (fate.kind === 'paid') deps.log.info({ ...fieldsOf(payment), hash: fate.events[0].hash }, 'payment confirmed');
    else deps.log.warn({ ...fieldsOf(payment), fate: fate.kind }, 'payment planned again');
  }
  return changed;
}

async function readInclusion(payer: PayerChain, transaction: HeldTransaction): Promise<Found> {
  try {
    return { inclusion: await payer.inclusion(hashesOf(transaction)), fault: null };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { inclusion: null, fault: error };
  }
}

async function noteNotTold(deps: PaymentContext, transaction: HeldTransaction, error: AdapterError): Promise<void> {
  const [now, reason] = [deps.clock(), whyNotTold(error)];
  const note = async (tx: StoreTx) => {
    for (const { id } of transaction.held) await tx.noteSent(id, { reason, now });
  };
  await deps.store.transaction(note, { narrow: true });
  deps.log.warn(
    { ...fieldsOfTransaction(transaction), error: summarizeError(error) },
    'transaction cannot be settled yet',
  );
}

/** Without it only the next payments of these gigs would notice it. */
async function adoptElsewhere(deps: PaymentContext, payer: PayerChain, changed: readonly Judged[]): Promise<void> {
  const elsewhere = changed.filter(({ fate }) => fate.kind === 'elsewhere').map(({ payment }) => payment);
  const gigs = new Map(elsewhere.map(({ gigId, wallet }) => [gigId, { id: gigId, walletAddress: wallet }]));
  if (gigs.size === 0) return;
  try {
    await adoptMarks(deps, payer, { gigs: [...gigs.values()] });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn(
      { chain: payer.chain.key, gigIds: [...gigs.keys()], error: summarizeError(error) },
      'payments by other instances cannot be read yet',
    );
  }
}

/**
 * Settles transactions that are over, and takes what others have paid in place of their payments into the ledger. One of
 * which the endpoint does not tell holds up no other: it is left alone for a while.
 * @returns whether anything was finished
 */
export async function finish(
  deps: PaymentContext,
  payer: PayerChain,
  { transactions, facts }: { transactions: readonly HeldTransaction[]; facts: Facts },
): Promise<boolean> {
  await payer.compare();
  const changed: Judged[] = [];
  let hasMoved = false;
  for (const transaction of transactions) {
    try {
      const settled = await finishOne(deps, payer, {
        ...(await readInclusion(payer, transaction)),
        transaction,
        facts,
      });
      hasMoved ||= settled !== null;
      changed.push(...(settled ?? []));
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      await noteNotTold(deps, transaction, error);
      // An endpoint that is silent would be waited for once for each; the others come first the next time.
      break;
    }
  }
  await adoptElsewhere(deps, payer, changed);
  return hasMoved;
}
