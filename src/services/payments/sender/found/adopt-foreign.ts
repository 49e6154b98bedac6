import { accountKeyText } from '../../../../domain/account.ts';
import { type NewEvent, paymentEvent } from '../../../../domain/events/event.ts';
import type { Gig } from '../../../../domain/gigs/gig.ts';
import { OTHER_NUMBERS, type Tip } from '../../../../domain/gigs/tip.ts';
import type { PaidEvent } from '../../../../domain/payments/payer-chain.ts';
import {
  FEE_NUMBER,
  kindOfNumber,
  ownNumber,
  type Payment,
  type PaymentKind,
} from '../../../../domain/payments/payment.ts';
import {
  type Foreign,
  findMade,
  isMark,
  judge,
  type Made,
  restOf,
  type Verdict,
} from '../../../../domain/payments/payment-marks.ts';
import { smaller } from '../../../../domain/payments/payment-step.ts';
import type { StoreTx } from '../../../../store/port/index.ts';

/** The payments of a gig's wallet in the chain. */
export interface WalletEvents {
  readonly gigId: number;
  readonly events: readonly PaidEvent[];
}

interface Terms {
  readonly now: number;
  readonly settled: bigint;
  readonly renumberBlocks: bigint;
  /** The payments of which every endpoint tells the same: they alone may give tips other numbers. */
  readonly witnessed: ReadonlySet<PaidEvent>;
}

/** How long a claim holds its tips, as clients see it. */
const LOCK_MS = 60 * 60 * 1000;

function sumOf(tips: readonly Tip[]): bigint {
  return tips.reduce((sum, { amount }) => sum + amount, 0n);
}

/** A tip of a payment, or what it pays under its own number. */
interface Part {
  readonly number: number | bigint;
  readonly amount: bigint;
}

function numbersOf(parts: readonly Part[]): bigint[] {
  return parts.map(({ number }) => BigInt(number));
}

function markedIn({ hash, blockNumber }: PaidEvent) {
  return { hash, blockNumber, gasUsed: 0n };
}

/** What the ledger has taken of a payment of which it knows some numbers already. */
async function knownPart(tx: StoreTx, { hash, numbers }: PaidEvent, payments: readonly Payment[]): Promise<bigint> {
  const isOf = (number: bigint | number) => numbers.includes(BigInt(number));
  let sum = 0n;
  for (const { id, amount } of payments.filter((payment) => payment.hash === hash)) {
    // One whose tips the ledger has lost is known as a whole.
    const isWhole = (await tx.payment(id))?.numbers.every(isOf) === true;
    sum += isWhole ? amount : sumOf((await tx.tipsOfPayment(id)).filter(({ number }) => isOf(number)));
  }
  return sum;
}

/** What the ledger has sent is left out: that is settled with its transaction. */
async function findForeign(tx: StoreTx, { gigId, events }: WalletEvents, payments: readonly Payment[]) {
  const sent = payments.filter(({ state }) => state === 'sent');
  const underWay = await Promise.all(sent.map(({ id }) => tx.payment(id)));
  const signed = new Set(underWay.flatMap((payment) => payment?.numbers ?? []));
  const known = new Set(await tx.markedNumbers(gigId));
  const found: Foreign[] = [];
  for (const event of events) {
    const numbers = event.numbers.filter((number) => !known.has(number));
    if (numbers.length === 0 || numbers.some((number) => signed.has(number))) continue;
    const taken = numbers.length === event.numbers.length ? 0n : await knownPart(tx, event, payments);
    found.push({ event, numbers, left: event.amount - smaller(event.amount, taken) });
  }
  return found;
}

/**
 * That a payment is made, which the ledger may have planned to another address. It is told as the chain has it, also where the
 * ledger knows some of its tips alone: the store tells it once.
 */
function confirmedEvent(payment: Payment, { hash, to: recipient, amount, numbers }: PaidEvent, now: number): NewEvent {
  return paymentEvent({ ...payment, recipient }, { type: 'payment.confirmed', hash, amount, numbers }, now);
}

/** Null when payments in the chain have not paid its tips, its fee or its return. */
async function confirmMade(tx: StoreTx, payment: Payment, verdicts: readonly Verdict[], now: number) {
  const { id, token, amount } = payment;
  const own = ownNumber(payment);
  const tips = own === null ? await tx.tipsOfPayment(id) : [];
  const parts = own === null ? tips : [{ number: own, amount }];
  const numbers = numbersOf(parts);
  const made = findMade(verdicts, own === null ? { tips: numbers } : { own, amount }, token.address);
  if (made === null) return null;
  const [{ foreign }] = made;
  const { event } = foreign;
  const [kept] = await tx.confirmPayments([{ ...markedIn(event), id, recipient: event.to, numbers }], now);
  const told = made.map(({ foreign }) => confirmedEvent(payment, foreign.event, now));
  return kept === undefined ? null : { made, parts, tips, told };
}

/** What is left of payments besides the planned one that they have made. */
function restsOf({ made, parts, tips }: { made: Made; parts: readonly Part[]; tips: readonly Tip[] }): Verdict[] {
  const confirmed = new Set(tips.map(({ id }) => id));
  const rests = made.map(({ foreign, paid, misnumbered }): Verdict => {
    const own = parts.filter(({ number }) => foreign.numbers.includes(BigInt(number)));
    return { foreign: restOf(foreign, own), paid: paid.filter(({ id }) => !confirmed.has(id)), misnumbered };
  });
  return rests.filter(({ foreign }) => foreign.numbers.length > 0);
}

/**
 * Takes money that went back into the ledger. After a refund nothing more can be awarded. An asset that the ledger does not
 * know is none of its sums: then only the number is kept.
 */
async function takeReturn(
  tx: StoreTx,
  gig: Gig,
  {
    foreign: { event, numbers },
    back,
    now,
  }: { foreign: Foreign; back: { readonly kind: PaymentKind; readonly place: number | null }; now: number },
): Promise<NewEvent> {
  const { chainId } = gig.token;
  const token = await tx.token(chainId, event.token);
  const moved = { tokenId: (token ?? gig.token).id, amount: token === null ? 0n : event.amount };
  const shared = { chainId, gigId: gig.id, claimId: null, recipient: event.to, numbers };
  const how = { ...markedIn(event), tipIds: [], now };
  const adopted = await tx.adoptPayment({ ...shared, ...moved, ...back }, how);
  if (back.kind === 'refund') await tx.markRefunded(gig.id, now);
  return confirmedEvent(adopted, { ...event, amount: moved.amount }, now);
}

/**
 * Takes one payment of a gig's wallet: as that of the unpaid tips with its numbers, or as one whose tips the ledger has
 * lost. In the second case tips that have its numbers get others.
 * @returns what programs are told about it; null while a reorganisation may still give the numbers back, or one endpoint
 * alone tells of it
 */
async function takeOne(
  tx: StoreTx,
  { gig, mark, owesFee }: { gig: Gig; mark: Payment | null; owesFee: boolean },
  { foreign, paid, misnumbered }: Verdict,
  { now, settled, renumberBlocks, witnessed }: Terms,
): Promise<NewEvent[] | null> {
  const { event, numbers } = foreign;
  const { to: recipient, blockNumber } = event;
  const { token } = gig;
  const where = { ...markedIn(event), now };
  const adopt = async (
    kind: Payment['kind'],
    part: { amount: bigint; numbers: readonly bigint[] },
    tips: readonly Tip[] = [],
  ) => {
    const shared = { chainId: token.chainId, gigId: gig.id, claimId: null, tokenId: token.id, recipient };
    const how = { ...where, tipIds: tips.map(({ id }) => id) };
    return confirmedEvent(await tx.adoptPayment({ ...shared, ...part, kind }, how), event, now);
  };
  const back = numbers.map(kindOfNumber).find((found) => found?.kind === 'refund' || found?.kind === 'return');
  if (back) {
    return [await takeReturn(tx, gig, { foreign, back, now })];
  }
  // A fee that was paid before the contract is marked like the tips of that time.
  if (numbers.includes(FEE_NUMBER) && (!isMark(event) || owesFee)) {
    return [await adopt('fee', { amount: event.amount, numbers })];
  }
  const mayRenumber = settled - blockNumber >= renumberBlocks && witnessed.has(event);
  if (misnumbered.length > 0 && !mayRenumber) return null;
  for (const { id } of misnumbered) {
    if ((await tx.renumberTip(id)) === null) throw new TypeError(`tip ${id} cannot get another number`);
  }
  const told: NewEvent[] = [];
  for (const tips of Map.groupBy(paid, accountKeyText).values()) {
    told.push(await adopt('payout', { amount: sumOf(tips), numbers: numbersOf(tips) }, tips));
  }
  const rest = restOf(foreign, paid);
  if (rest.numbers.length === 0) return told;
  if (isMark(event) && mark !== null) {
    const made = { ...markedIn(event), id: mark.id, recipient, numbers: rest.numbers };
    const [kept] = await tx.confirmPayments([made], now);
    if (kept !== undefined) return [...told, confirmedEvent(mark, event, now)];
  }
  const kind = isMark(event) ? 'mark' : 'payout';
  return [...told, await adopt(kind, { amount: rest.left, numbers: rest.numbers })];
}

/**
 * Plans what is left of a planned payment when some of its tips turned out to be paid.
 * @returns what programs are told about it
 */
async function planRest(tx: StoreTx, { id }: Payment, now: number): Promise<NewEvent[]> {
  const payment = await tx.payment(id);
  if (payment?.state !== 'failed') return [];
  await planAgain(tx, payment, now);
  return [paymentEvent(payment, { type: 'payment.failed', reason: payment.reason ?? '' }, now)];
}

async function planAgain(tx: StoreTx, payment: Payment, now: number): Promise<void> {
  const claim = payment.claimId === null ? null : await tx.claim(payment.claimId);
  if (claim === null) return;
  const tips = await tx.retakePaymentTips(payment.id, { claim, now, lockTimeout: now + LOCK_MS });
  if (tips.length === 0) return;
  const { kind, chainId, gigId, claimId, token } = payment;
  const rest = { kind, chainId, gigId, claimId, tokenId: token.id, recipient: claim.recipient, amount: sumOf(tips) };
  await tx.planPayment(rest, { now, tipIds: tips.map((tip) => tip.id) });
}

/**
 * Takes what a gig's wallet has paid and its ledger does not know into the ledger, within one transaction.
 * @returns how many payments it took, and those that it had to leave for later
 */
export async function adoptForeign(
  tx: StoreTx,
  found: WalletEvents,
  terms: Terms,
): Promise<{ taken: number; left: readonly PaidEvent[] }> {
  const { now } = terms;
  const gig = await tx.gig(found.gigId);
  if (gig === null) throw new RangeError(`there is no gig ${found.gigId}`);
  const payments = await tx.paymentsOfGig(gig.id);
  const planned = payments.filter(({ state }) => state === 'planned');
  const foreign = await findForeign(tx, found, payments);
  // Before any tip is made, which must not get one of these.
  const counted = foreign.flatMap(({ numbers }) => numbers.filter((number) => number < OTHER_NUMBERS));
  await tx.skipTipNumbers(gig.id, Math.max(-1, ...counted.map(Number)) + 1);
  const left = new Set<Verdict>();
  for (const each of foreign) {
    left.add(judge(each, { tips: await tx.unpaidTipsByNumber(gig.id, each.numbers), token: gig.token }));
  }
  let taken = 0;
  const told: NewEvent[] = [];
  for (const payment of planned) {
    const confirmed = await confirmMade(tx, payment, [...left], now);
    if (confirmed === null) continue;
    taken += 1;
    told.push(...confirmed.told);
    for (const each of confirmed.made) left.delete(each);
    for (const rest of restsOf(confirmed)) left.add(rest);
  }
  const mark = planned.find(({ kind }) => kind === 'mark') ?? null;
  const owesFee = planned.some(({ kind }) => kind === 'fee');
  for (const each of [...left]) {
    const events = await takeOne(tx, { gig, mark, owesFee }, each, terms);
    if (events === null) continue;
    told.push(...events);
    taken += 1;
    left.delete(each);
  }
  for (const payment of planned) told.push(...(await planRest(tx, payment, now)));
  await tx.insertEvents(told);
  return { taken, left: [...left].map(({ foreign }) => foreign.event) };
}
