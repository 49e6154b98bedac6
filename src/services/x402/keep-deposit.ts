import { lookBackFrom } from '../../domain/chains/block.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Gig, requiredFunds } from '../../domain/gigs/gig.ts';
import { refundRecipient } from '../../domain/gigs/gig-end.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import type { JobActor, OwnerActor } from '../../domain/operators/actor.ts';
import { ownerClient, ownerText } from '../../domain/owners/owner.ts';
import { DAY_MS } from '../../domain/time.ts';
import {
  type Authorization,
  type Deposit,
  type SignedTransfer,
  type Signer,
  UNPAID_CLIENT,
} from '../../domain/x402/deposit.ts';
import { DepositRefused } from '../../domain/x402/deposit-chain.ts';
import { findPaymentFault, type PaymentFault } from '../../domain/x402/payment-fault.ts';
import { networkOf, requiredFor, type SentPayment } from '../../domain/x402/payment-json.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import type { DepositWork } from './context.ts';
import { findDomain } from './tokens.ts';

const JOB: JobActor = { kind: 'job', name: 'give paid gigs' };

/** The transfer that an authorization is. */
export function transferOf(gig: Gig, authorization: Authorization): SignedTransfer {
  return { ...authorization, token: gig.token.address, to: gig.walletAddress };
}

/** Who becomes the owner of a gig by paying for it. */
export function payerOf(
  { payer, signer, chainId }: Pick<Deposit, 'payer' | 'signer' | 'chainId'>,
  { now, requestId = null }: { readonly now: number; readonly requestId?: string | null },
): OwnerActor {
  const owner = ownerText({ kind: 'wallet', address: payer, chainId: signer === 'contract' ? chainId : null });
  return { kind: 'owner', owner, client: ownerClient(owner), isNew: false, at: now, requestId };
}

/** The refusal of a payment for a gig; of one that was tried, with its payer. */
export async function refusal(
  deps: DepositWork,
  gig: Gig | null,
  { error, payer = null }: { readonly error: string; readonly payer?: Authorization['payer'] | null },
): Promise<DomainError> {
  const domain = gig === null ? null : await findDomain(deps, gig.token);
  const due = gig === null || domain === null ? null : { gig, domain };
  const required = requiredFor(deps.x402, due, error);
  const network = gig === null ? '' : networkOf(gig.token.chainId);
  const failed = { success: false, errorReason: error, transaction: '', network };
  const response = payer && { ...failed, payer: checksummed(payer) };
  return new DomainError({ code: 'payment_refused', required, response });
}

/** The gig becomes its payer's, and what is left of it returns there unless its terms say otherwise. */
export async function giveToPayer(
  tx: StoreTx,
  deposit: Pick<Deposit, 'gigId' | 'payer' | 'signer' | 'chainId'>,
  now: number,
): Promise<void> {
  const { gigId, payer } = deposit;
  const actor = payerOf(deposit, { now });
  const gig = await commandGig(tx, { gigId, actor: JOB, act: 'assign' });
  if (!(await tx.payX402Gig(gigId, actor.client))) return;
  if (refundRecipient(gig) === null) await tx.nameRefundAddress(gigId, payer);
  await recordGigEvent(tx, { actor, now }, { action: 'gig.assign', gigId, detail: { client: actor.client } });
}

interface Checked {
  readonly signer: Signer;
  readonly keptBlock: bigint;
  readonly gas: bigint;
}

/** Asks the chain about an authorization: its answers are of one endpoint. */
async function check(deps: DepositWork, gig: Gig, sent: SentPayment): Promise<Checked | PaymentFault> {
  const { id: chainId } = deps.chains.reader(gig.token.chainId).chain;
  const { token } = gig;
  const { authorization } = sent;
  const { payer, nonce } = authorization;
  const domain = await findDomain(deps, token);
  const reader = deps.chains.reader(chainId);
  const chain = deps.x402.chains(chainId);
  const { number: blockNumber, at } = await reader.newestBlock();
  const fault = findPaymentFault(sent, { gig, domain, at, now: deps.clock() });
  if (fault !== null || domain === null) return fault ?? 'invalid_exact_evm_missing_eip712_domain';
  const transfer = transferOf(gig, authorization);
  const signer = await chain.signerOf(transfer, domain);
  if (signer === null) return 'invalid_exact_evm_signature';
  if (await chain.isSpent({ token: token.address, payer, nonce, blockNumber })) {
    return 'invalid_exact_evm_nonce_already_used';
  }
  const { amount } = await reader.balance({ token, owner: payer });
  if (amount < authorization.amount) return 'invalid_exact_evm_insufficient_balance';
  try {
    return { signer, keptBlock: blockNumber, ...(await chain.simulate({ ...transfer, signer })) };
  } catch (error) {
    if (error instanceof DepositRefused) return 'invalid_exact_evm_transaction_simulation_failed';
    throw error;
  }
}

/** The gig as the transaction sees it; null when it does not wait for this payment any more. */
async function findWaiting(tx: StoreTx, { id, token }: Gig, { amount }: Authorization): Promise<Gig | null> {
  const gig = await tx.gig(id);
  if (gig === null || gig.status === 'live' || gig.cancelledAt !== null || gig.client !== UNPAID_CLIENT) return null;
  return requiredFunds(gig) === amount && gig.token.id === token.id ? gig : null;
}

/**
 * Checks an authorization for a gig whose wallet is empty, and keeps it, so that it is sent whatever happens now. While
 * another one of the gig stands, nothing is kept.
 * @throws DomainError `payment_refused`, `x402_full`
 * @throws AdapterError when the chain does not answer; nothing was kept
 */
export async function keepDeposit(
  deps: DepositWork,
  { gig, sent, requestId }: { readonly gig: Gig; readonly sent: SentPayment; readonly requestId: string | null },
): Promise<void> {
  const { store, clock, x402 } = deps;
  const { authorization } = sent;
  const { chainId } = gig.token;
  const refuse = (error: PaymentFault) => refusal(deps, gig, { error });
  const checked = await deps.chains.reader(chainId).decide(() => check(deps, gig, sent));
  if (typeof checked === 'string') throw await refuse(checked);
  const { gas, ...seen } = checked;
  const settler = x402.facilitator === null ? 'tank' : 'facilitator';
  const isKept = await store.transaction(async (tx) => {
    const now = clock();
    if ((await findWaiting(tx, gig, authorization)) === null) return false;
    const standing = await tx.depositOf(gig.id);
    // It may have been kept by another request, also of this one's authorization.
    if (standing !== null && standing.state !== 'unused') return true;
    const used = settler === 'tank' && x402.gasPerDay !== null ? await tx.gasOfDeposits(now - DAY_MS) : 0n;
    const isUsedUp = x402.gasPerDay !== null && settler === 'tank' && used + gas > x402.gasPerDay;
    if (isUsedUp || (await tx.paymentStop()) !== null) throw new DomainError({ code: 'x402_full' });
    await tx.keepDeposit({ ...authorization, ...seen, gigId: gig.id, chainId, settler }, now);
    const actor = payerOf({ ...authorization, ...seen, chainId }, { now, requestId });
    const detail = { payer: authorization.payer, amount: authorization.amount, nonce: authorization.nonce, settler };
    await recordGigEvent(tx, { actor, now }, { action: 'gig.deposit', gigId: gig.id, detail });
    return true;
  });
  if (!isKept) throw await refuse('invalid_transaction_state');
  deps.wakePayments();
}

/**
 * Takes into the ledger that an authorization has paid for a gig, where the ledger has lost it, as after an older backup was
 * restored. Anybody may show it: the chain says whose it is.
 * @throws AdapterError when the chain does not answer
 */
export async function adoptDeposit(
  deps: DepositWork,
  gig: Gig,
  { accepted, to, authorization }: SentPayment,
): Promise<void> {
  const { store, clock, x402 } = deps;
  const { chainId, address: token } = gig.token;
  const domain = await findDomain(deps, gig.token);
  const isOfGig = to === gig.walletAddress && accepted.asset === token && authorization.amount === requiredFunds(gig);
  if (domain === null || !isOfGig) return;
  const chain = x402.chains(chainId);
  const found = await deps.chains.reader(chainId).decide(async () => {
    const signer = await chain.signerOf(transferOf(gig, authorization), domain);
    const { number: keptBlock } = await deps.chains.reader(chainId).newestBlock();
    const { payer, nonce } = authorization;
    const from = gig.createdBlock === null ? 0n : lookBackFrom(gig.createdBlock);
    const use = signer && (await chain.findUse({ token, payer, nonce, from, to: keptBlock }));
    return signer && use && { signer, keptBlock: use.blockNumber, use };
  });
  if (!found) return;
  const { use, ...seen } = found;
  await store.transaction(async (tx) => {
    const now = clock();
    const known = await tx.gig(gig.id);
    const standing = await tx.depositOf(gig.id);
    if (known?.client !== UNPAID_CLIENT || (standing !== null && standing.state !== 'unused')) return;
    const deposit = { ...authorization, ...seen, gigId: gig.id, chainId, settler: 'tank' } as const;
    const id = await tx.keepDeposit(deposit, now);
    await tx.useDeposit({ id, gigId: gig.id }, { ...use, now });
    await giveToPayer(tx, deposit, now);
  });
}
