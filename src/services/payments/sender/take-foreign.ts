import type { Gig } from '../../../domain/gig.ts';
import type { PaidEvent } from '../../../domain/payer-chain.ts';
import { FEE_NUMBER, type Payment } from '../../../domain/payment.ts';
import { findMarking, isMark, judgeEvent, mayBePaidAt, movesAmount } from '../../../domain/payment-marks.ts';
import { OTHER_NUMBERS, type Tip } from '../../../domain/tip.ts';
import type { StoreTx } from '../../../store/port/index.ts';

/** The payments of a gig's wallet in the chain, and when their blocks were made, epoch milliseconds. */
export interface WalletEvents {
  readonly events: readonly PaidEvent[];
  readonly times: ReadonlyMap<bigint, number>;
}

/** What decides whether and how a payment is taken. */
interface Terms {
  readonly now: number;
  readonly settled: bigint;
  readonly renumberBlocks: bigint;
}

/** A payment in the chain with those of its numbers that the ledger does not know. */
interface Foreign {
  readonly event: PaidEvent;
  readonly at: number;
}

/** How long a claim holds its tips, as clients see it. */
const LOCK_MS = 60 * 60 * 1000;

function sumOf(tips: readonly Tip[]): bigint {
  return tips.reduce((sum, { amount }) => sum + amount, 0n);
}

function numbersOf(tips: readonly Tip[]): bigint[] {
  return tips.map(({ number }) => BigInt(number));
}

function markedIn({ hash, blockNumber }: PaidEvent) {
  return { hash, blockNumber, gasUsed: 0n };
}

/** What the ledger does not know of, but for what it has sent: that is settled with its transaction. */
async function findForeign(
  tx: StoreTx,
  { events, times }: WalletEvents,
  gigId: number,
  sent: readonly Payment[],
): Promise<Foreign[]> {
  const known = new Set(await tx.markedNumbers(gigId));
  const underWay = new Set<bigint>();
  for (const { id, kind } of sent) {
    const numbers = kind === 'fee' ? [FEE_NUMBER] : numbersOf(await tx.tipsOfPayment(id));
    for (const number of numbers) underWay.add(number);
  }
  const hasMark = sent.some(({ kind }) => kind === 'mark');
  return events.flatMap((event) => {
    const numbers = event.numbers.filter((number) => !known.has(number));
    const at = times.get(event.blockNumber);
    const isSent = numbers.some((number) => underWay.has(number)) || (hasMark && isMark(event));
    return at === undefined || isSent || numbers.length === 0 ? [] : [{ event: { ...event, numbers }, at }];
  });
}

/** The payments in the chain that are a planned one, to whatever recipient; none when they are not. */
async function findMade(tx: StoreTx, payment: Payment, foreign: readonly Foreign[]): Promise<readonly Foreign[]> {
  if (payment.kind === 'mark') return [];
  const tips = await tx.tipsOfPayment(payment.id);
  const numbers = payment.kind === 'fee' ? [FEE_NUMBER] : numbersOf(tips);
  const marking = findMarking(
    numbers,
    foreign.map(({ event }) => event),
  );
  if (marking.kind !== 'exact' || !movesAmount({ ...payment, numbers }, marking.events)) return [];
  const made = foreign.filter(({ event }) => marking.events.includes(event));
  return made.every(({ at }) => tips.every((tip) => mayBePaidAt(tip, at))) ? made : [];
}

/**
 * Takes one payment of a gig's wallet: as that of the unpaid tips with its numbers, or as one whose tips the ledger has
 * lost. In the second case tips that have its numbers get others.
 * @returns whether it was taken; false while a reorganisation may still give the numbers back
 */
async function takeOne(
  tx: StoreTx,
  { gig, mark }: { gig: Gig; mark: Payment | null },
  { event, at }: Foreign,
  { now, settled, renumberBlocks }: Terms,
): Promise<boolean> {
  const { numbers, to: recipient, amount, blockNumber } = event;
  const { token } = gig;
  const shared = { chainId: token.chainId, gigId: gig.id, claimId: null, tokenId: token.id, recipient };
  const where = markedIn(event);
  if (numbers.includes(FEE_NUMBER)) {
    await tx.adoptPayment({ ...shared, kind: 'fee', amount, numbers }, { ...where, tipIds: [], now });
    return true;
  }
  const tips = await tx.unpaidTipsByNumber(gig.id, numbers);
  const { paid, misnumbered } = judgeEvent(event, { tips, tokenId: token.id, token: token.address, blockAt: at });
  if (misnumbered.length > 0 && settled - blockNumber < renumberBlocks) return false;
  for (const { id } of misnumbered) {
    if ((await tx.renumberTip(id)) === null) throw new TypeError(`tip ${id} cannot get another number`);
  }
  for (const ofAccount of paid) {
    const payment = { ...shared, kind: 'payout', amount: sumOf(ofAccount), numbers: numbersOf(ofAccount) } as const;
    await tx.adoptPayment(payment, { ...where, tipIds: ofAccount.map(({ id }) => id), now });
  }
  const taken = new Set(paid.flatMap(numbersOf));
  const rest = numbers.filter((number) => !taken.has(number));
  if (rest.length === 0) return true;
  const kind = isMark(event) ? 'mark' : 'payout';
  const isKept =
    kind === 'mark' && mark !== null && (await tx.confirmPayment(mark.id, { ...where, recipient, numbers: rest, now }));
  if (!isKept) await tx.adoptPayment({ ...shared, kind, amount, numbers: rest }, { ...where, tipIds: [], now });
  return true;
}

/** Plans what is left of a planned payment when some of its tips turned out to be paid. */
async function planRest(tx: StoreTx, { id }: Payment, now: number): Promise<void> {
  const payment = await tx.payment(id);
  if (payment?.state !== 'failed' || payment.claimId === null) return;
  const claim = await tx.claim(payment.claimId);
  if (claim === null) return;
  const tips = await tx.retakePaymentTips(id, { claim, now, lockTimeout: now + LOCK_MS });
  if (tips.length === 0) return;
  const { kind, chainId, gigId, claimId, token } = payment;
  const rest = { kind, chainId, gigId, claimId, tokenId: token.id, recipient: claim.recipient, amount: sumOf(tips) };
  await tx.planPayment(rest, { now, tipIds: tips.map((tip) => tip.id) });
}

/**
 * Takes what a gig's wallet has paid and its ledger does not know into the ledger, within one transaction.
 * @returns how many payments it took, and how many it had to leave for later
 */
export async function takeForeign(
  tx: StoreTx,
  found: WalletEvents & { readonly gigId: number },
  terms: Terms,
): Promise<{ taken: number; left: number }> {
  const { now } = terms;
  const gig = await tx.gig(found.gigId);
  if (gig === null) throw new RangeError(`there is no gig ${found.gigId}`);
  const payments = await tx.paymentsOfGig(gig.id);
  const planned = payments.filter(({ state }) => state === 'planned');
  const sent = payments.filter(({ state }) => state === 'sent');
  const left = new Set(await findForeign(tx, found, gig.id, sent));
  // Before any tip is made, which must not get one of these.
  const counted = [...left].flatMap(({ event }) => event.numbers.filter((number) => number < OTHER_NUMBERS));
  await tx.skipTipNumbers(gig.id, Math.max(-1, ...counted.map(Number)) + 1);
  let taken = 0;
  for (const payment of planned) {
    const made = await findMade(tx, payment, [...left]);
    const [first] = made;
    if (first === undefined) continue;
    const { event } = first;
    const numbers = made.flatMap((each) => each.event.numbers);
    const isKept = await tx.confirmPayment(payment.id, { ...markedIn(event), recipient: event.to, numbers, now });
    if (!isKept) continue;
    taken += 1;
    for (const each of made) left.delete(each);
  }
  const mark = planned.find(({ kind }) => kind === 'mark') ?? null;
  for (const each of [...left]) {
    if (!(await takeOne(tx, { gig, mark }, each, terms))) continue;
    taken += 1;
    left.delete(each);
  }
  for (const payment of planned) await planRest(tx, payment, now);
  return { taken, left: left.size };
}
