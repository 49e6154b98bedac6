import type { BatchInclusion, PaidEvent, PayerChain } from '../../../domain/payer-chain.ts';
import type { NumberedPayment } from '../../../domain/payment.ts';
import { findMarking, isPaidBy } from '../../../domain/payment-marks.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { adoptMarks } from './adopt.ts';
import { type Facts, fieldsOf, type SenderDeps } from './deps.ts';
import { type HeldTransaction, moveAnchor, readEvents, readMarked } from './facts.ts';

/** What became of a payment whose transaction is over. */
type Fate =
  | { readonly kind: 'paid'; readonly events: readonly [PaidEvent, ...PaidEvent[]] }
  /** Another payment has marked its numbers, or some of them. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'failed' }
  /** Its transaction is not in the chain: another has used the nonce. */
  | { readonly kind: 'unsent' }
  /** It is marked, and the endpoint does not tell by what. */
  | { readonly kind: 'unknown' };

const REASONS = {
  elsewhere: 'another transaction has used its numbers',
  failed: 'it failed on the chain; it is tried again',
  unsent: 'another transaction has used its nonce; it is sent again',
} as const;

interface Judged {
  readonly payment: NumberedPayment;
  readonly fate: Fate;
}

/** A transaction that is over, and what the chain says of it. */
interface Over {
  readonly transaction: HeldTransaction;
  /** Null when none of its attempts is in the chain, or the endpoint has lost the receipt. */
  readonly inclusion: BatchInclusion | null;
  readonly facts: Facts;
}

/** How a payment that is marked was paid: by the receipt, else by the events of its wallet. */
async function findPaid(
  { store }: SenderDeps,
  payer: PayerChain,
  { inclusion, facts }: Over,
  payment: NumberedPayment,
): Promise<Fate> {
  const { gigId, wallet, numbers } = payment;
  const own = findMarking(numbers, inclusion?.paid.filter((event) => event.wallet === wallet) ?? []);
  const read = () => readEvents({ store, payer }, [{ id: gigId, wallet }], facts.settled.number);
  const found = own.kind === 'exact' ? own : findMarking(numbers, await read());
  if (found.kind === 'unknown') return found;
  const isPaid = found.kind === 'exact' && isPaidBy(payment, found.events);
  return isPaid ? { kind: 'paid', events: found.events } : { kind: 'elsewhere' };
}

/** What became of a transaction's payments, by the marks in the settled block. */
async function judge(deps: SenderDeps, payer: PayerChain, over: Over): Promise<Judged[]> {
  const { held } = over.transaction;
  const isMarked = await readMarked(payer, held, over.facts.settled.number);
  const marksOf = ({ wallet, numbers }: NumberedPayment) => numbers.map((number) => isMarked(wallet, number));
  // A wallet makes all its payments or none, so one whose numbers were used excuses the others.
  const excused = new Set(held.filter((payment) => marksOf(payment).includes(true)).map(({ gigId }) => gigId));
  const judged: Judged[] = [];
  for (const payment of held) {
    const marks = marksOf(payment);
    const isUnsent = over.inclusion === null || excused.has(payment.gigId);
    if (!marks.includes(true)) judged.push({ payment, fate: { kind: isUnsent ? 'unsent' : 'failed' } });
    else if (marks.includes(false)) judged.push({ payment, fate: { kind: 'elsewhere' } });
    else judged.push({ payment, fate: await findPaid(deps, payer, over, payment) });
  }
  return judged;
}

/** The gas of a transaction that falls to one of its payments. */
function gasOf({ transaction, inclusion }: Over, { gasReserved }: NumberedPayment): bigint {
  const all = transaction.held.reduce((sum, payment) => sum + payment.gasReserved, 0n);
  if (inclusion === null || all === 0n) return 0n;
  const share = (inclusion.gasUsed * gasReserved) / all;
  return share < gasReserved ? share : gasReserved;
}

/** Records what became of a payment. */
async function record(tx: StoreTx, deps: SenderDeps, over: Over, { payment, fate }: Judged): Promise<boolean> {
  const now = deps.clock();
  if (fate.kind === 'unknown') return false;
  if (fate.kind === 'paid') {
    const [{ hash, blockNumber, to: recipient }] = fate.events;
    const isOurs = over.transaction.attempts.some((attempt) => attempt.hash === hash);
    const gasUsed = isOurs ? gasOf(over, payment) : 0n;
    const { numbers } = payment;
    return await tx.confirmPayment(payment.id, { hash, blockNumber, gasUsed, recipient, numbers, now });
  }
  const hasFailed = fate.kind === 'failed';
  const pause = hasFailed ? deps.timing.failedMs * 4 ** Math.min(payment.failures, 6) : 0;
  const gasUsed = hasFailed ? payment.gasReserved : gasOf(over, payment);
  return await tx.replanPayment(payment.id, {
    reason: REASONS[fate.kind],
    dueAt: now + pause,
    hasFailed,
    gasUsed,
    now,
  });
}

/**
 * Settles a transaction whose nonce is spent for good, by whatever transaction: a payment that is marked is confirmed,
 * every other is planned again.
 * @returns what it has changed; null when the endpoint cannot tell yet
 */
async function settleOne(deps: SenderDeps, payer: PayerChain, over: Over): Promise<Judged[] | null> {
  const { transaction, inclusion, facts } = over;
  // The node that counted the nonces is ahead of the one that named the settled block.
  if (inclusion !== null && inclusion.blockNumber > facts.settled.number) return null;
  const judged = await judge(deps, payer, over);
  const unknown = judged.filter(({ fate }) => fate.kind === 'unknown');
  for (const { payment } of unknown) {
    deps.log.warn(fieldsOf(payment), 'payment is marked, and the endpoint does not tell by what');
  }
  if (unknown.length === judged.length && judged.length > 0) return null;
  const changed = await deps.store.transaction(async (tx) => {
    const recorded: Judged[] = [];
    for (const each of judged) if (await record(tx, deps, over, each)) recorded.push(each);
    await tx.endTankTransaction(transaction.id, deps.clock());
    await moveAnchor(tx, payer, facts);
    return recorded;
  });
  for (const { payment, fate } of changed) {
    if (fate.kind === 'paid') deps.log.info({ ...fieldsOf(payment), hash: fate.events[0].hash }, 'payment confirmed');
    else deps.log.warn({ ...fieldsOf(payment), fate: fate.kind }, 'payment planned again');
  }
  return changed;
}

/**
 * Settles transactions that are over, and takes what others have paid in place of their payments into the ledger.
 * @returns whether anything has changed
 */
export async function settle(
  deps: SenderDeps,
  payer: PayerChain,
  { transactions, facts }: { transactions: readonly HeldTransaction[]; facts: Facts },
): Promise<boolean> {
  const changed: Judged[] = [];
  let hasMoved = false;
  for (const transaction of transactions) {
    const hashes = transaction.attempts.map(({ hash }) => hash);
    const inclusion = transaction.held.length === 0 ? null : await payer.inclusion(hashes);
    const settled = await settleOne(deps, payer, { transaction, inclusion, facts });
    hasMoved ||= settled !== null;
    changed.push(...(settled ?? []));
  }
  const elsewhere = changed.filter(({ fate }) => fate.kind === 'elsewhere').map(({ payment }) => payment);
  const gigs = new Map(elsewhere.map(({ gigId, wallet }) => [gigId, { id: gigId, walletAddress: wallet }]));
  if (gigs.size > 0) await adoptMarks(deps, payer, { gigs: [...gigs.values()] });
  return hasMoved;
}
