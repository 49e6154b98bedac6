import type { Gig } from '../../../domain/gig.ts';
import type { PaidEvent } from '../../../domain/payer-chain.ts';
import { FEE_NUMBER, type Payment } from '../../../domain/payment.ts';
import { type Foreign, isMark, judge, mayHavePaid, restOf } from '../../../domain/payment-marks.ts';
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
    const left = numbers.length === event.numbers.length ? event.amount : 0n;
    return at === undefined || isSent || numbers.length === 0 ? [] : [{ event, numbers, left, at }];
  });
}

/**
 * Confirms a planned payment whose tips, or whose fee, payments in the chain have paid, to whatever recipient.
 * @returns what these payments are and what is left of them; null when they have not paid it
 */
async function confirmMade(tx: StoreTx, payment: Payment, foreign: readonly Foreign[], now: number) {
  const { id, kind, token, amount } = payment;
  if (kind === 'mark') return null;
  const tips = await tx.tipsOfPayment(id);
  const owed = kind === 'fee' ? [{ number: FEE_NUMBER, amount, createdAt: 0 }] : tips;
  const numbers = owed.map(({ number }) => BigInt(number));
  const made = foreign.filter((each) => each.numbers.some((number) => numbers.includes(number)));
  const [first] = made;
  const found = new Set(made.flatMap((each) => each.numbers));
  if (first === undefined || !numbers.every((number) => found.has(number))) return null;
  const { to: recipient } = first.event;
  const of = ({ event }: Foreign) => owed.filter(({ number }) => event.numbers.includes(BigInt(number)));
  const isMade = made.every((each) => {
    const { event } = each;
    const isSame = event.to === recipient && event.token === token.address;
    return isSame && of(each).every((tip) => mayHavePaid(each, tip));
  });
  if (!isMade) return null;
  const isKept = await tx.confirmPayment(id, { ...markedIn(first.event), recipient, numbers, now });
  if (!isKept) return null;
  return { made, rests: made.map((each) => restOf(each, of(each))).filter((rest) => rest.numbers.length > 0) };
}

/**
 * Takes one payment of a gig's wallet: as that of the unpaid tips with its numbers, or as one whose tips the ledger has
 * lost. In the second case tips that have its numbers get others.
 * @returns whether it was taken; false while a reorganisation may still give the numbers back
 */
async function takeOne(
  tx: StoreTx,
  { gig, mark, owesFee }: { gig: Gig; mark: Payment | null; owesFee: boolean },
  foreign: Foreign,
  { now, settled, renumberBlocks }: Terms,
): Promise<boolean> {
  const { event, numbers } = foreign;
  const { to: recipient, amount, blockNumber } = event;
  const { token } = gig;
  const shared = { chainId: token.chainId, gigId: gig.id, claimId: null, tokenId: token.id, recipient };
  const where = markedIn(event);
  // A fee that was paid before the contract is marked like the tips of that time.
  if (numbers.includes(FEE_NUMBER) && (!isMark(event) || owesFee)) {
    await tx.adoptPayment({ ...shared, kind: 'fee', amount, numbers }, { ...where, tipIds: [], now });
    return true;
  }
  const tips = await tx.unpaidTipsByNumber(gig.id, numbers);
  const { paid, misnumbered, rest } = judge(foreign, { tips, token });
  if (misnumbered.length > 0 && settled - blockNumber < renumberBlocks) return false;
  for (const { id } of misnumbered) {
    if ((await tx.renumberTip(id)) === null) throw new TypeError(`tip ${id} cannot get another number`);
  }
  for (const ofAccount of paid) {
    const payment = { ...shared, kind: 'payout', amount: sumOf(ofAccount), numbers: numbersOf(ofAccount) } as const;
    await tx.adoptPayment(payment, { ...where, tipIds: ofAccount.map(({ id }) => id), now });
  }
  const lost = { amount: rest.left, numbers: rest.numbers };
  if (lost.numbers.length === 0) return true;
  const kind = isMark(event) ? 'mark' : 'payout';
  const isKept =
    kind === 'mark' &&
    mark !== null &&
    (await tx.confirmPayment(mark.id, { ...where, recipient, numbers: lost.numbers, now }));
  if (!isKept) await tx.adoptPayment({ ...shared, ...lost, kind }, { ...where, tipIds: [], now });
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
  const counted = [...left].flatMap(({ numbers }) => numbers.filter((number) => number < OTHER_NUMBERS));
  await tx.skipTipNumbers(gig.id, Math.max(-1, ...counted.map(Number)) + 1);
  let taken = 0;
  for (const payment of planned) {
    const confirmed = await confirmMade(tx, payment, [...left], now);
    if (confirmed === null) continue;
    taken += 1;
    for (const each of confirmed.made) left.delete(each);
    for (const rest of confirmed.rests) left.add(rest);
  }
  const mark = planned.find(({ kind }) => kind === 'mark') ?? null;
  const owesFee = planned.some(({ kind }) => kind === 'fee');
  for (const each of [...left]) {
    if (!(await takeOne(tx, { gig, mark, owesFee }, each, terms))) continue;
    taken += 1;
    left.delete(each);
  }
  for (const payment of planned) await planRest(tx, payment, now);
  return { taken, left: left.size };
}
