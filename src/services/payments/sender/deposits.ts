import type { AdapterError } from '../../../domain/errors.ts';
import { type Gig, requiredFunds } from '../../../domain/gigs/gig.ts';
import type { PayerChain, SignedBatch } from '../../../domain/payments/payer-chain.ts';
import { TANK_IS_LOW, type TankTransaction } from '../../../domain/payments/payment.ts';
import { DAY_MS, hasPassed } from '../../../domain/time.ts';
import type { Deposit, SignedTransfer } from '../../../domain/x402/deposit.ts';
import { type DepositChain, DepositRefused } from '../../../domain/x402/deposit-chain.ts';
import type { Facts, PaymentContext } from './context.ts';
import { release } from './give-up.ts';
import { fieldsOfTransaction, offer } from './offer.ts';

/** For how long a simulation must refuse a deposit before it is unused: nodes lag. */
const REFUSED_MS = 10_000;
const REFUSED_AGAIN_MS = 1_000;
const BUDGET_MS = 60_000;
const BUDGET = 'the gas for deposits of the day is used up';
/** By how many wei the fees of two transactions with the same nonce and transfer may differ. */
const DISTINCT_WEI = 1_000;

/** A deposit that is to be sent, with its gig. */
interface Due {
  readonly deposit: Deposit;
  readonly gig: Gig;
  readonly transfer: SignedTransfer;
  readonly chain: DepositChain;
}

async function findDue({ store, deposits }: PaymentContext, deposit: Deposit | null): Promise<Due | null> {
  const gig = deposit === null ? null : await store.gig(deposit.gigId);
  if (deposit === null || gig === null || deposits === undefined) return null;
  const transfer = { ...deposit, token: gig.token.address, to: gig.walletAddress };
  return { deposit, gig, transfer, chain: deposits.chains(deposit.chainId) };
}

/** What becomes of a deposit that is not sent now. */
type Instead =
  /** It is not sent, and unused where nobody but its payer has it: what was broadcast once may still be used by anybody. */
  | { readonly drop: string }
  /** Somebody else has sent it. */
  | { readonly isSent: true }
  | { readonly wait: string; readonly ms: number };

/** The ledger first, then the wallet: what is funded is not funded again. */
async function findReason(
  payer: PayerChain,
  { gig, deposit, transfer, chain }: Due,
  facts: Facts,
): Promise<Instead | null> {
  const { number: blockNumber, at } = facts.latest;
  if (gig.status === 'live' || gig.cancelledAt !== null) return { drop: 'its gig does not wait for it any more' };
  if (requiredFunds(gig) !== deposit.amount) return { drop: 'the terms of its gig have changed' };
  const { token, payer: owner, nonce } = transfer;
  if (await chain.isSpent({ token, payer: owner, nonce, blockNumber })) return { isSent: true };
  const [held = null] = await payer.balances([{ wallet: gig.walletAddress, token }], blockNumber);
  if (held === null) return { wait: 'the chain does not tell what the wallet of its gig holds', ms: REFUSED_AGAIN_MS };
  if (held !== 0n) return { drop: 'the wallet of its gig holds something already' };
  return at >= deposit.validBefore * 1_000 ? { drop: 'it has expired' } : null;
}

/** Null when it is refused, or may not be paid for. */
async function sign(deps: PaymentContext, payer: PayerChain, due: Due, { facts, nonce }: SendTerms) {
  const { store, clock, deposits } = deps;
  const { gas } = await due.chain.simulate(due.transfer);
  const most = deposits?.gasPerDay ?? null;
  const used = most === null ? 0n : await store.gasOfDeposits(clock() - DAY_MS);
  if (most !== null && used + gas > most) return { wait: BUDGET, ms: BUDGET_MS };
  const fees = await payer.fees();
  // Some wei of difference: a chain that has lost blocks would else be sent the same bytes again, as another transaction.
  const distinct = { ...fees, maxFeePerGas: fees.maxFeePerGas + BigInt(clock() % DISTINCT_WEI) };
  const signed = await due.chain.sign(due.transfer, { gas, nonce, fees: distinct });
  const cost = gas * distinct.maxFeePerGas + (await payer.publishingCost(signed));
  if (cost > facts.balance) return { wait: TANK_IS_LOW, ms: deps.timing.lookMs };
  return { ...signed, ...distinct, signedAt: clock(), signedBlock: facts.latest.number };
}

async function trySign(deps: PaymentContext, payer: PayerChain, due: Due, terms: SendTerms) {
  try {
    return await sign(deps, payer, due, terms);
  } catch (error) {
    if (!(error instanceof DepositRefused)) throw error;
    const isOver = hasPassed(REFUSED_MS, { since: due.deposit.createdAt, now: deps.clock() });
    return isOver ? { drop: error.message } : { wait: error.message, ms: REFUSED_AGAIN_MS };
  }
}

async function putOff({ store, clock, log }: PaymentContext, { deposit }: Due, instead: Instead): Promise<void> {
  const now = clock();
  const reason = 'drop' in instead ? instead.drop : 'wait' in instead ? instead.wait : 'somebody else has sent it';
  await store.transaction(async (tx) => {
    if ('wait' in instead) await tx.noteDeposit(deposit, { reason, dueAt: now + instead.ms, now });
    else if ('drop' in instead && deposit.transactionId === null) await tx.dropDeposit(deposit, { reason, now });
    else await tx.findDepositSent(deposit, { reason, now });
  });
  log.warn({ gigId: deposit.gigId, reason }, 'deposit is not sent');
}

interface SendTerms {
  readonly facts: Facts;
  readonly nonce: number;
}

type Attempt = TankTransaction['attempts'][0];

/** Null when it was sent meanwhile, its gig does not wait any more, or payments are stopped. */
async function keep(
  { store, clock }: PaymentContext,
  { deposit }: Due,
  { nonce, attempt }: { readonly nonce: number; readonly attempt: Attempt },
): Promise<TankTransaction | null> {
  return await store.transaction(async (tx) => {
    const now = clock();
    // In the order of the locks: the gig, then its chain.
    const gig = await tx.gig(deposit.gigId);
    const standing = await tx.depositOf(deposit.gigId);
    const waits = gig !== null && gig.status === 'created' && gig.cancelledAt === null;
    if (!waits || standing?.id !== deposit.id || standing.state !== 'kept') return null;
    if ((await tx.paymentStop()) !== null) return null;
    const { chainId } = deposit;
    const transaction = await tx.insertTankTransaction({ chainId, nonce, attempt }, { payments: [], now });
    if (transaction === null) return null;
    const { id: transactionId } = transaction;
    if (await tx.sendDeposit(deposit, { transactionId, gas: attempt.gas, now })) return transaction;
    throw new TypeError(`deposit ${deposit.id} was sent twice`);
  });
}

/**
 * Sends the deposit that is due on a chain, in a transaction of the gas tank. Its bytes are on disk before.
 * @returns whether anything has changed
 */
export async function sendDeposit(deps: PaymentContext, payer: PayerChain, terms: SendTerms): Promise<boolean> {
  const due = await findDue(deps, await deps.store.nextDeposit(payer.chain.id));
  if (due === null) return false;
  const instead = await findReason(payer, due, terms.facts);
  const attempt = instead ?? (await trySign(deps, payer, due, terms));
  if (!('raw' in attempt)) {
    await putOff(deps, due, attempt);
    return true;
  }
  const transaction = await keep(deps, due, { nonce: terms.nonce, attempt });
  if (transaction === null) return false;
  deps.log.info({ ...fieldsOfTransaction(transaction), gigId: due.gig.id }, 'deposit sent');
  const isRefused = await offer(deps, payer, { ...transaction, held: [] });
  // Its bytes never pass: it is sent again in other ones, unless a block has it all the same.
  if (isRefused) await release(deps, { ...transaction, held: [], triedAt: null, objection: null });
  return true;
}

/** Signs the deposit that a transaction holds with other fees; null when it holds none. */
export async function signDepositAgain(
  deps: PaymentContext,
  { id, nonce, attempts: [{ gas }] }: TankTransaction,
  fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint },
): Promise<(SignedBatch & { gas: bigint }) | null> {
  const due = await findDue(deps, await deps.store.depositIn(id));
  return due === null ? null : await due.chain.sign(due.transfer, { gas, nonce, fees });
}

/** When a chain's next deposit is due, epoch milliseconds; null without one, and where none can be sent. */
export async function depositDueAt({ store, deposits }: PaymentContext, chainId: number): Promise<number | null> {
  if (deposits === undefined) return null;
  return (await store.nextDeposit(chainId))?.dueAt ?? null;
}

/** Leaves a deposit aside for a while that the chain cannot be asked about: payments go on. */
export async function setDepositAside(deps: PaymentContext, chainId: number, error: AdapterError): Promise<void> {
  const { store, clock, timing } = deps;
  const deposit = await store.nextDeposit(chainId);
  const now = clock();
  if (deposit === null) return;
  const change = { reason: error.message, dueAt: now + timing.lookMs, now };
  await store.transaction((tx) => tx.noteDeposit(deposit, change));
}
