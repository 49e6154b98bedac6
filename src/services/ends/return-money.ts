import { invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { refundRecipient, refundWaitWords } from '../../domain/gigs/gig-end.ts';
import type { Address, Token } from '../../domain/gigs/token.ts';
import type { Actor, AskingActor } from '../../domain/operators/actor.ts';
import { addsUp } from '../../domain/payments/audit.ts';
import { kindOfNumber, MOST_RETURNS, type Payment } from '../../domain/payments/payment.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import { reconcileGig, whyUnproved } from '../audits/reconcile.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { findPaidBefore } from '../gigs/read-funding.ts';
import type { Ender } from '../gigs/steps/check-step.ts';
import { whyTipsMayBeLost } from '../gigs/steps/lost-tips.ts';
import { findOrAddToken } from '../gigs/terms/tokens.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { adoptMarks } from '../payments/sender/found/adopt.ts';
import type { ReturnContext } from './context.ts';
import { requireSafeRecipient } from './name-refund-address.ts';

/** What is to be returned from a gig's wallet: of one asset, all that its ledger does not need. */
export interface ReturnRequest {
  readonly gigId: number;
  /** The gig's own token when absent. */
  readonly tokenAddress?: Address | undefined;
  /** Where its terms, or the operator, say when absent. */
  readonly to?: Address | undefined;
  /** An operator says that the gig owes no tips that the ledger has lost. */
  readonly isApproved?: boolean;
  readonly actor: Actor;
}

/** What a gig's wallet holds of an asset beyond what its ledger needs, in base units, and where it would go. */
export interface Returnable {
  readonly gig: Gig;
  readonly token: Token;
  readonly recipient: Address;
  readonly amount: bigint;
  /** Returns of the gig that were planned when this was read. */
  readonly returns: readonly Payment[];
}

function returnsIn(payments: readonly Payment[]): Payment[] {
  return payments.filter(({ kind }) => kind === 'return');
}

/**
 * The next free place of a gig's returns. Of a gig that was rebuilt from its chain, returns that it has made before are
 * known by their numbers alone.
 * @throws DomainError `invalid_request` when it has made too many
 */
export async function nextPlace(reads: StoreReads, gigId: number): Promise<number> {
  const planned = returnsIn(await reads.otherPaymentsOfGig(gigId)).map(({ place }) => place ?? 0);
  const marked = (await reads.markedByOthers(gigId)).flatMap((number) => kindOfNumber(number)?.place ?? []);
  const place = Math.max(-1, ...planned, ...marked) + 1;
  if (place < MOST_RETURNS) return place;
  throw invalidRequest(`Gig ${gigId} has made ${MOST_RETURNS} returns; a wallet makes no more.`);
}

function underWay(returns: readonly Payment[], token: Token, blockNumber: bigint): bigint {
  const open = returns.filter(
    (payment) =>
      payment.token.id === token.id &&
      (payment.state === 'planned' || payment.state === 'sent' || (payment.blockNumber ?? 0n) > blockNumber),
  );
  return open.reduce((sum, { amount }) => sum + amount, 0n);
}

interface Held {
  readonly held: bigint;
  readonly blockNumber: bigint;
}

/** @throws DomainError while the ledger does not know every mark of the wallet */
async function readHeld(deps: ReturnContext, gig: Gig, token: Token): Promise<Held> {
  const payer = deps.payers.payer(gig.token.chainId);
  const { unexplained } = await adoptMarks(deps, payer, { gigs: [gig] });
  if (unexplained.length > 0) {
    throw invalidRequest(`Gig ${gig.id}: the wallet has paid something that the ledger does not know yet; try again.`);
  }
  const { settled } = await payer.head();
  const [held] = await payer.balances([{ wallet: gig.walletAddress, token: token.address }], settled.number);
  if (held === null || held === undefined) {
    throw invalidRequest(`The contract of ${token.symbol} does not answer with the balance of gig ${gig.id}’s wallet.`);
  }
  return { held, blockNumber: settled.number };
}

/**
 * Refuses to empty the wallet of a cancelled gig that has paid tips, a fee or a refund: it had started in a ledger that is
 * lost, and what it holds may be owed to those who earned it.
 */
async function checkNeverStarted(deps: ReturnContext, gig: Gig, blockNumber: bigint): Promise<void> {
  const payout = { gigId: gig.id, kind: 'payout', state: 'confirmed', limit: 1 } as const;
  const payments = [...(await deps.store.payments(payout)), ...(await deps.store.otherPaymentsOfGig(gig.id))];
  const isKnown = payments.some(({ kind, state }) => kind !== 'return' && state === 'confirmed');
  if (!isKnown && (await findPaidBefore(deps, gig, blockNumber)) === null) return;
  throw invalidRequest(
    `The wallet of gig ${gig.id} has paid, so the gig had started in a ledger that is lost, and may owe tips.`,
  );
}

/**
 * Refuses to return what a cancelled gig holds, or what is left of a refunded one, while the gig may owe it for tips that
 * the ledger has lost. A gig that is neither needs its whole reward.
 */
async function checkNoTipsLost({ store }: ReturnContext, gig: Gig): Promise<void> {
  if (gig.cancelledAt === null && gig.refundedAt === null) return;
  const why = await whyTipsMayBeLost(store, gig);
  if (why === null) return;
  if (why === 'restored') throw invalidRequest(`Nothing is returned from gig ${gig.id}: ${refundWaitWords(why)}.`);
  throw invalidRequest(`The ledger has lost tips of the time of gig ${gig.id}, to which what it holds may be owed.`);
}

/** In base units of the token that has fewer decimals. */
function rescaled(amount: bigint, from: Token, to: Token): bigint {
  return amount / 10n ** BigInt(Math.max(0, from.decimals - to.decimals));
}

/**
 * Refuses an asset of which a started gig's wallet holds as much as of its own: it may be the same one. Some chains show
 * their native asset as an ERC-20 as well (Polygon's 0x…1010, Celo's GoldToken), and some tokens have two addresses.
 */
async function checkOther(deps: ReturnContext, gig: Gig, { token, held, blockNumber }: { token: Token } & Held) {
  const payer = deps.payers.payer(gig.token.chainId);
  const [own] = await payer.balances([{ wallet: gig.walletAddress, token: gig.token.address }], blockNumber);
  if (own === null || own === undefined) {
    throw invalidRequest(
      `The contract of ${gig.token.symbol} does not answer with the balance of gig ${gig.id}’s wallet.`,
    );
  }
  if (held === 0n || rescaled(held, token, gig.token) !== rescaled(own, gig.token, token)) return;
  throw invalidRequest(
    `The wallet of gig ${gig.id} holds as much ${token.symbol} as ${gig.token.symbol}: that may be one asset by two ` +
      'addresses, and the gig owes it.',
  );
}

/** What a cancelled gig's wallet holds of an asset, or a started one's of another than its own. */
async function readUnneeded(
  deps: ReturnContext,
  gig: Gig,
  { token, isApproved }: { token: Token; isApproved: boolean },
) {
  const { held, blockNumber } = await readHeld(deps, gig, token);
  if (gig.cancelledAt !== null && !isApproved) await checkNeverStarted(deps, gig, blockNumber);
  if (gig.status === 'live') await checkOther(deps, gig, { token, held, blockNumber });
  return { held, needed: 0n, blockNumber };
}

/** @throws DomainError when the books of the gig are not proved */
async function readNeeded(
  deps: ReturnContext,
  gig: Gig,
): Promise<{ held: bigint; needed: bigint; blockNumber: bigint }> {
  const reconciled = await reconcileGig(deps, gig.id);
  const { audit } = reconciled;
  if (audit === null || addsUp(audit) !== true || audit.held === null) {
    const why = whyUnproved(reconciled);
    throw invalidRequest(`Nothing is returned, because the books of gig ${gig.id} are not proved: ${why}.`);
  }
  return { held: audit.held, needed: audit.expected, blockNumber: audit.blockNumber };
}

/**
 * What could be returned from a gig's wallet: of a cancelled gig all that it holds, else what it holds beyond what its
 * ledger needs, after an audit.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the gig may still be started, its books are not proved,
 * its wallet has paid although it never started, it may owe tips that are lost, the asset may be the gig's own by another
 * address, there is no recipient, or that is one where the money would be lost
 * @throws AdapterError when the chain does not answer
 */
export async function findReturnable(deps: ReturnContext, request: ReturnRequest): Promise<Returnable> {
  const { gigId, actor } = request;
  const gig = await commandGig(deps.store, { gigId, actor, act: 'refund' });
  return await deps.payers.payer(gig.token.chainId).decide(() => readReturnable(deps, gig, request));
}

async function readReturnable(
  deps: ReturnContext,
  gig: Gig,
  { gigId, tokenAddress, to, isApproved = false, actor }: ReturnRequest,
): Promise<Returnable> {
  if (gig.status === 'created' && gig.cancelledAt === null) {
    throw invalidRequest(`Gig ${gigId} is not started: cancel it first, then all that it holds is returned.`);
  }
  const recipient = to ?? refundRecipient(gig);
  if (recipient === null) throw invalidRequest(`Gig ${gigId} does not say where money returns to: name it with --to.`);
  await requireSafeRecipient(deps, { chainId: gig.token.chainId, recipient });
  const { chain } = deps.payers.payer(gig.token.chainId);
  const token =
    tokenAddress === undefined || tokenAddress === gig.token.address
      ? gig.token
      : await findOrAddToken(deps, { chain, address: tokenAddress, actor });
  const isOwed = gig.status === 'live' && token.id === gig.token.id;
  const { held, needed, blockNumber } = isOwed
    ? await readNeeded(deps, gig)
    : await readUnneeded(deps, gig, { token, isApproved });
  // After what the wallet has paid was taken into the ledger.
  if (!isApproved && token.id === gig.token.id) await checkNoTipsLost(deps, gig);
  const returns = returnsIn(await deps.store.otherPaymentsOfGig(gigId));
  // The audit counts those of the gig's own token among what is needed.
  const amount = held - needed - (isOwed ? 0n : underWay(returns, token, blockNumber));
  return { gig, token, recipient, amount: amount > 0n ? amount : 0n, returns };
}

/**
 * Plans the return of what was found, within a transaction.
 * @throws DomainError `invalid_request` when another return was planned since
 */
export async function planReturn(
  tx: StoreTx,
  found: Returnable,
  deed: Ender & { readonly now: number },
): Promise<Payment> {
  const { actor, now } = deed;
  const { token, recipient, amount, returns } = found;
  const gig = await commandGig(tx, { gigId: found.gig.id, actor, act: 'refund' });
  const current = returnsIn(await tx.otherPaymentsOfGig(gig.id));
  const same = (some: readonly Payment[]) => some.map(({ id, state }) => `${id} ${state}`).join();
  if (same(current) !== same(returns))
    throw invalidRequest(`A return of gig ${gig.id} has changed meanwhile; try again.`);
  const place = await nextPlace(tx, gig.id);
  const shared = { chainId: token.chainId, gigId: gig.id, claimId: null, tokenId: token.id, recipient, amount };
  const payment = await tx.planPayment({ ...shared, kind: 'return', place }, { now, tipIds: [] });
  const detail = { amount, token: token.address, recipient, payment_id: payment.id };
  await recordGigEvent(tx, { actor, now }, { action: 'gig.return', gigId: gig.id, detail });
  return payment;
}

/**
 * Plans the return of what {@link findReturnable} finds.
 * @throws DomainError as findReturnable, and `invalid_request` when there is nothing to return
 */
export async function returnMoney(
  deps: ReturnContext,
  request: ReturnRequest & { readonly actor: AskingActor },
): Promise<Payment> {
  const found = await findReturnable(deps, request);
  const { gig, token, amount } = found;
  if (amount === 0n) {
    throw invalidRequest(`The wallet of gig ${gig.id} holds no ${token.symbol} that could be returned.`);
  }
  const { actor } = request;
  return await deps.store.transaction((tx) => planReturn(tx, found, { actor, now: deps.clock() }));
}
