import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { hasPassed } from '../../domain/time.ts';
import { type Deposit, UNPAID_CLIENT } from '../../domain/x402/deposit.ts';
import { requiredFor, type SentPayment } from '../../domain/x402/payment-json.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { readFunding } from '../gigs/read-funding.ts';
import { startFundedGig } from '../gigs/start-funded.ts';
import { advanceDeposit, FAILED, REFUSES } from './advance-deposit.ts';
import type { PaidGigContext } from './context.ts';
import { adoptDeposit, keepDeposit, refusal } from './keep-deposit.ts';
import { requireDomain } from './tokens.ts';

/** How long a request waits for its payment's block, and how often it looks at first and later. Milliseconds. */
export const PAY_PATIENCE = { patienceMs: 20_000, firstMs: 40, mostMs: 1_000 };
/** How long a facilitator's refusal has to stand while no block has the payment: a node may lag. */
const REFUSED_MS = 3_000;

/** A gig as a request for it leaves it: live or over, or with a payment that no block has yet. */
export interface PaidGig {
  readonly isPaid: boolean;
  readonly gig: Gig;
  /** The last one; null when the gig was funded in another way. */
  readonly deposit: Deposit | null;
}

type Standing =
  | PaidGig
  | { readonly isPaid: false; readonly unpaid: Gig; readonly held: bigint; readonly deposit: Deposit | null };

function isOpen(deposit: Deposit | null): deposit is Deposit {
  return deposit !== null && deposit.state !== 'settled' && deposit.state !== 'unused';
}

/** By a transaction, because what is read outside one may not be on disk yet. */
async function read({ store }: PaidGigContext, gigId: number): Promise<PaidGig> {
  const all = async (tx: StoreTx) => ({
    gig: await findGig({ store: tx }, { gigId }),
    deposit: await tx.depositOf(gigId),
  });
  const { gig, deposit } = await store.transaction(all, { narrow: true });
  if (gig.status !== 'live' && gig.cancelledAt !== null) throw new DomainError({ code: 'gig_cancelled', gigId });
  return { isPaid: gig.status === 'live', gig, deposit };
}

/** The ledger first, then the chain: one that is funded starts, and is paid. */
async function standingOf(deps: PaidGigContext, gigId: number): Promise<Standing> {
  const before = await read(deps, gigId);
  if (before.isPaid) return before;
  if (isOpen(before.deposit)) {
    await advanceDeposit(deps, before.deposit);
    const after = await read(deps, gigId);
    if (after.isPaid || isOpen(after.deposit)) return after;
  }
  const { gig, deposit } = before;
  const { actual, expected } = await readFunding(deps, { gig });
  if (actual !== expected) {
    // A block may have had it between the two looks.
    const after = await read(deps, gigId);
    return after.isPaid || isOpen(after.deposit) ? after : { isPaid: false, unpaid: gig, held: actual, deposit };
  }
  await startFundedGig(deps, gig);
  return await read(deps, gigId);
}

/** Why a payment has failed, in a word of x402, although it may be used until it expires; null while it may come. */
function failureOf({ clock }: PaidGigContext, { state, reason, updatedAt }: Deposit): string | null {
  if (state !== 'sent' || reason === null) return null;
  if (reason.startsWith(FAILED)) return 'invalid_exact_evm_transaction_failed';
  const isRefused = reason.startsWith(REFUSES) && hasPassed(REFUSED_MS, { since: updatedAt, now: clock() });
  return isRefused ? reason.slice(REFUSES.length) : null;
}

interface Patience {
  readonly since: number;
  waitMs: number;
}

/** Waits for a payment that is on its way. */
async function follow(deps: PaidGigContext, gigId: number, patience: Patience): Promise<Standing> {
  for (;;) {
    const standing = await standingOf(deps, gigId);
    if (standing.isPaid || 'unpaid' in standing) return standing;
    const { gig, deposit } = standing;
    const error = deposit && failureOf(deps, deposit);
    if (deposit && error !== null) throw await refusal(deps, gig, { error, payer: deposit.payer });
    if (hasPassed(PAY_PATIENCE.patienceMs, { since: patience.since, now: deps.clock() })) return standing;
    if (!(await deps.sleep(patience.waitMs))) return standing;
    patience.waitMs = Math.min(patience.waitMs * 1.5, PAY_PATIENCE.mostMs);
  }
}

function begin({ clock }: PaidGigContext): Patience {
  return { since: clock(), waitMs: PAY_PATIENCE.firstMs };
}

/**
 * The gig with this id when it is paid for; while a payment is on its way, as it is after a wait.
 * @throws DomainError `payment_required` when nothing is on its way, `payment_refused`, `gig_cancelled`
 * @throws AdapterError when the chain does not answer
 */
export async function awaitPayment(deps: PaidGigContext, gigId: number): Promise<PaidGig> {
  const standing = await follow(deps, gigId, begin(deps));
  if (!('unpaid' in standing)) return standing;
  const { unpaid: gig } = standing;
  const domain = await requireDomain(deps, gig.token);
  const required = requiredFor(deps.x402, { gig, domain }, 'PAYMENT-SIGNATURE header is required');
  throw new DomainError({ code: 'payment_required', required });
}

/**
 * Pays for the gig whose wallet a payment names, unless it is funded or another payment is on its way: then nothing is sent,
 * and the answer is that gig's.
 * @throws DomainError `payment_refused` for a payment that is not the gig's, or whose authorization can never be used;
 * `gig_cancelled`, `x402_full`
 * @throws AdapterError when the chain does not answer
 */
export async function payForGig(
  deps: PaidGigContext,
  { sent, requestId }: { readonly sent: SentPayment; readonly requestId: string | null },
): Promise<PaidGig> {
  const gigId = await deps.store.x402GigOf(sent.accepted.payTo);
  if (gigId === null) throw await refusal(deps, null, { error: 'invalid_exact_evm_recipient_mismatch' });
  const patience = begin(deps);
  const before = await follow(deps, gigId, patience);
  if (!('unpaid' in before)) {
    const { gig: paid, deposit } = before;
    if (deposit !== null || paid.client !== UNPAID_CLIENT) return before;
    await adoptDeposit(deps, paid, sent);
    return await read(deps, gigId);
  }
  const { unpaid: gig, held } = before;
  // With the payment it would hold more than it needs, and never start.
  if (held !== 0n) throw await refusal(deps, gig, { error: 'invalid_transaction_state' });
  try {
    await keepDeposit(deps, { gig, sent, requestId });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // Another request may have paid meanwhile, also with the money that this one lacks now.
    if ('unpaid' in (await standingOf(deps, gigId))) throw error;
  }
  const after = await follow(deps, gigId, patience);
  if (!('unpaid' in after)) return after;
  const { payer } = sent.authorization;
  throw await refusal(deps, gig, { error: 'invalid_exact_evm_transaction_failed', payer });
}

/** The refusal of what is no payment by x402. */
export async function noPayment(deps: PaidGigContext): Promise<DomainError> {
  return await refusal(deps, null, { error: 'invalid_payload' });
}
