import { type BlockId, REORGANISATION } from '../../../../domain/chains/block.ts';
import { AdapterError } from '../../../../domain/errors.ts';
import { type ChainPart, type NewEvent, paymentEvent } from '../../../../domain/events/event.ts';
import { inGigOrder } from '../../../../domain/gigs/gig.ts';
import type { EventSearch, PaidEvent, PayerChain } from '../../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../../domain/payments/payment.ts';
import { findMarking, isMark, isPaidBy } from '../../../../domain/payments/payment-marks.ts';
import { byWord } from '../../../../domain/payments/payment-numbers.ts';
import { summarizeError } from '../../../../log.ts';
import type { StoreTx } from '../../../../store/port/index.ts';
import { type Facts, fieldsOf, type PaymentContext } from '../context.ts';
import { readMarked } from '../marks.ts';
import { FEW_REQUESTS } from './events.ts';

const TAKEN_BACK = 'the chain has taken its block back';

/**
 * The payments of these wallets in blocks that may have been replaced; null when the endpoint does not tell, which must not
 * hold up the chain.
 */
async function readReplaced(
  { log }: PaymentContext,
  payer: PayerChain,
  query: EventSearch,
): Promise<PaidEvent[] | null> {
  try {
    return await payer.paidEvents({ ...query, mostRequests: FEW_REQUESTS });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    log.warn(
      { chain: payer.chain.key, error: summarizeError(error) },
      'events of replaced blocks cannot be read; marked payments count as paid',
    );
    return null;
  }
}

/** Another process may have taken the payment back meanwhile, and have seen it paid again. */
async function isAsJudged(tx: StoreTx, { id, gigId, hash, updatedAt }: NumberedPayment): Promise<boolean> {
  // Nothing changes it while its gig is locked.
  await tx.gig(gigId);
  const current = await tx.payment(id);
  return current?.hash === hash && current?.updatedAt === updatedAt;
}

/** The parts by which a payment was told as confirmed: a wallet pays the numbers of each word of its marks by themselves. */
async function findParts(tx: StoreTx, { id, amount, numbers }: NumberedPayment): Promise<ChainPart[]> {
  const words = byWord(numbers);
  if (words.length === 1) return [{ amount, numbers }];
  const amounts = new Map((await tx.tipsOfPayment(id)).map((tip) => [BigInt(tip.number), tip.amount]));
  return words.map((part) => ({
    numbers: part,
    amount: part.reduce((sum, number) => sum + (amounts.get(number) ?? 0n), 0n),
  }));
}

/**
 * What was confirmed above a block, or in blocks that may have been replaced with it, and is not marked any more after the
 * settled one, or whose marks another payment has.
 */
export async function findGone(
  deps: PaymentContext,
  payer: PayerChain,
  { from: { number }, settled }: { from: BlockId; settled: BlockId },
): Promise<NumberedPayment[]> {
  const from = number < REORGANISATION ? 0n : number - REORGANISATION + 1n;
  const confirmed = await deps.store.paymentsConfirmedAbove(payer.chain.id, from - 1n);
  const isMarked = await readMarked(payer, confirmed, settled.number);
  const wallets = [...new Set(confirmed.map(({ wallet }) => wallet))];
  const events = await readReplaced(deps, payer, { wallets, from, to: settled.number });

  function isGone(payment: NumberedPayment): boolean {
    const { wallet, numbers, recipient } = payment;
    if (!numbers.every((number) => isMarked(wallet, number))) return true;
    if (events === null) return false;
    const ofWallet = events.filter((event) => event.wallet === wallet && !isMark(event));
    const marking = findMarking(numbers, ofWallet);
    // What is marked is paid, also when the endpoint has lost its event, and when it was paid with other numbers.
    if (marking.kind === 'exact') return !isPaidBy(payment, marking.events);
    return ofWallet.some((event) => event.to !== recipient && event.numbers.some((number) => numbers.includes(number)));
  }

  return confirmed.filter(isGone);
}

/** Plans payments that are gone again. @returns those that have changed */
export async function takeBack(
  tx: StoreTx,
  { clock }: PaymentContext,
  gone: readonly NumberedPayment[],
): Promise<NumberedPayment[]> {
  const unconfirmed: NumberedPayment[] = [];
  const told: NewEvent[] = [];
  for (const payment of gone.toSorted(inGigOrder)) {
    if (!(await isAsJudged(tx, payment))) continue;
    const parts = await findParts(tx, payment);
    if (!(await tx.unconfirmPayment(payment.id, { reason: TAKEN_BACK, now: clock() }))) continue;
    unconfirmed.push(payment);
    const fate = { type: 'payment.taken_back', reason: TAKEN_BACK, hash: payment.hash } as const;
    told.push(...parts.map((part) => paymentEvent(payment, { ...fate, ...part }, clock())));
  }
  await tx.insertEvents(told);
  return unconfirmed;
}

/**
 * Looks up again what was confirmed in blocks that the chain may have lost, since the settled block that the ledger
 * counts on is gone. A payment that is no longer marked, or whose marks another payment has, is planned again. Then the ledger
 * counts on the settled block of now.
 */
export async function recheck(deps: PaymentContext, payer: PayerChain, { anchor, settled }: Facts): Promise<void> {
  const { store, log } = deps;
  if (anchor === null) return;
  await payer.compare();
  const { id: chainId, key } = payer.chain;
  const gone = await findGone(deps, payer, { from: anchor, settled });
  const changed = await store.transaction(async (tx) => {
    const unconfirmed = await takeBack(tx, deps, gone);
    // Else another process has had the ledger count on a block that it has read later.
    if ((await tx.chainAnchor(chainId))?.hash === anchor.hash) await tx.setChainAnchor(chainId, settled);
    return unconfirmed;
  });
  log.warn({ chain: key, block: anchor.number, gone: changed.length }, 'a reorganisation has replaced settled blocks');
  for (const payment of changed) log.error(fieldsOf(payment), 'payment taken back by a reorganisation');
}
