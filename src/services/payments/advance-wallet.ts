import type { Actor } from '../../domain/actor.ts';
import { type ChainWriter, type Inclusion, TransferRefused } from '../../domain/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import { hasPassed } from '../../domain/time.ts';
import { TANK_IS_LOW, type Transfer } from '../../domain/transfer.ts';
import { summarizeError } from '../../log.ts';
import type { Sender } from '../../store/port/index.ts';
import { changeFreeze } from '../gigs/freezes.ts';
import {
  broadcast,
  callOf,
  fieldsOf,
  fillNonceGap,
  latestAttempt,
  nonceOf,
  type PaymentDeps,
  rebroadcastOrBump,
  walletOf,
} from './broadcast.ts';
import { findGigNonceProblem, isTankAhead, tankIsAhead } from './foreign-nonces.ts';
import { findGas, GAS_IS_COMING } from './top-up.ts';

/** The result of one step: something changed, the wallet waits for the chain or for gas, or nothing is left to pay. */
export type Progress = 'moved' | 'waiting' | 'done';

/** An account with this many reverted payouts within this time gets no gas. */
const WASTE = { reverts: 3, withinMs: 24 * 60 * 60 * 1000 };

/** The most gas one transfer may use, to protect the gas tank: clients choose tokens, claimants native recipients. */
const MAX_GAS = { token: 1_000_000n, native: 100_000n };

const FUNDING_MAY_GO = 'its gig was funded a moment ago, and the chain may still take that back';
const TRIED_AGAIN = 'it is tried again: ';
const NODE_LAGS = 'the node that tried it lags behind what the ledger knows of the chain';
const IS_WAITING = 'another transaction of its wallet waits to land';
const PAYMENTS: Actor = { kind: 'job', name: 'payments' };

const IS_LANDING = 'another transaction of its wallet is landing';
const SPENT_ELSEWHERE = 'its nonce was spent by a transaction that is not ours';
const SPENT_BY_UNKNOWN = 'its nonce is spent, and the chain does not show yet by what';
const NONCE_GAP = 'an earlier transaction of its wallet, which the chain has lost, has to land again';

function frozenText(reason: string): string {
  return `the gig is frozen: ${reason}`;
}

/** Records why a transfer waits. `calm`: the wait is normal, and the operator need not act. */
async function note(
  deps: PaymentDeps,
  transfer: Transfer,
  { reason, calm = false }: { reason: string; calm?: boolean },
): Promise<Progress> {
  if (transfer.reason !== reason) {
    await deps.store.transaction((tx) => tx.noteTransfer(transfer.id, { reason, now: deps.clock() }));
    deps.log[calm ? 'info' : 'warn']({ ...fieldsOf(transfer), reason }, 'transfer waits');
  }
  return 'waiting';
}

function noteLack(deps: PaymentDeps, transfer: Transfer, reason: string): Promise<Progress> {
  if (reason === TANK_IS_LOW && transfer.reason !== reason) deps.tankIsLow?.();
  return note(deps, transfer, { reason, calm: reason === GAS_IS_COMING });
}

/** Fails a transfer that was never signed, so that its tips can be claimed again. */
async function refuse(deps: PaymentDeps, transfer: Transfer, reason: string): Promise<Progress> {
  await deps.store.transaction((tx) =>
    tx.markTransferFailed(transfer.id, { reason, inclusion: null, now: deps.clock() }),
  );
  deps.log.error({ ...fieldsOf(transfer), reason }, 'transfer failed');
  return 'moved';
}

/**
 * Fails a transfer whose simulation is refused for all of `refusedMs` or `barelyRefusedMs`. A refusal from a node
 * behind the gig's newest settled block does not count.
 */
async function refuseWhenSure(deps: PaymentDeps, transfer: Transfer, refused: TransferRefused): Promise<Progress> {
  const settled = await deps.store.newestBlockOf(transfer.gigId);
  if (refused.blockNumber !== null && settled !== null && refused.blockNumber < settled) {
    return await note(deps, transfer, { reason: NODE_LAGS });
  }
  const ms = refused.isBare ? deps.timing.barelyRefusedMs : deps.timing.refusedMs;
  const wasRefused = transfer.reason?.startsWith(TRIED_AGAIN) ?? false;
  const lasts = wasRefused && hasPassed(ms, { since: transfer.updatedAt, now: deps.clock() });
  if (ms === 0 || lasts) return await refuse(deps, transfer, refused.message);
  return wasRefused ? 'waiting' : await note(deps, transfer, { reason: `${TRIED_AGAIN}${refused.message}` });
}

/** Why a gig must be frozen after one of its transfers: the ledger and the chain disagree. Null when they agree. */
function mismatch(transfer: Transfer, inclusion: Inclusion): string | null {
  if (!inclusion.succeeded || inclusion.moved === transfer.amount) return null;
  return inclusion.moved === 0n
    ? `transfer ${transfer.id} succeeded, but its token does not say that anything moved`
    : `transfer ${transfer.id} moved another amount than planned`;
}

/** Records the outcome of a transaction once it is final. */
async function settle(deps: PaymentDeps, transfer: Transfer, inclusion: Inclusion): Promise<Progress> {
  if (!inclusion.final) return 'waiting';
  const now = deps.clock();
  const { hash, blockNumber, gasSpent } = inclusion;
  const frozen = transfer.kind === 'gas' ? null : mismatch(transfer, inclusion);
  const reason = inclusion.moved > 0n ? null : inclusion.succeeded ? 'nothing moved' : 'the chain reverted it';
  const settled = await deps.store.transaction(async (tx) => {
    const change = { hash, blockNumber, gasSpent };
    const kept =
      reason === null
        ? await tx.markConfirmed(transfer.id, { ...change, now })
        : await tx.markTransferFailed(transfer.id, { reason, inclusion: change, now });
    if (kept && frozen !== null)
      await changeFreeze(tx, { actor: PAYMENTS, now }, { gigId: transfer.gigId, reason: frozen });
    return kept;
  });
  if (!settled) return 'waiting';
  if (frozen !== null) deps.log.error({ ...fieldsOf(transfer), hash, reason: frozen }, 'gig frozen');
  if (reason === null) deps.log.info({ ...fieldsOf(transfer), hash }, 'transfer confirmed');
  else deps.log.error({ ...fieldsOf(transfer), hash, reason }, 'transfer failed');
  return 'moved';
}

/** Advances a signed or broadcast transfer. It is never planned anew while one of its attempts may be included. */
async function follow(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer): Promise<Progress> {
  const hashes = transfer.attempts.map(({ hash }) => hash);
  const look = () => writer.inclusion({ hashes, call: callOf(transfer) });
  const inclusion = await look();
  if (inclusion !== null) return await settle(deps, transfer, inclusion);
  const spent = await writer.spentNonces(transfer.sender);
  const nonce = nonceOf(transfer);
  if (spent.final > nonce) {
    // It may have been included between the two requests.
    const late = await look();
    return late === null ? await planAgain(deps, writer, transfer) : await settle(deps, transfer, late);
  }
  if (spent.latest > nonce) return 'waiting';
  if (transfer.state === 'signed') {
    await broadcast(deps, writer, transfer, latestAttempt(transfer));
    return 'moved';
  }
  await rebroadcastOrBump(deps, writer, transfer, spent.latest);
  return 'waiting';
}

/**
 * Plans a transfer again whose nonce is spent for good while no attempt has a receipt. Endpoints lag and forget, so two
 * checks, `rebroadcastMs` apart, must find that another transaction used the nonce.
 */
async function planAgain(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer): Promise<Progress> {
  const hash = await writer.transactionAtNonce({ address: transfer.sender, nonce: nonceOf(transfer) });
  const isOurs = transfer.attempts.some((attempt) => attempt.hash === hash);
  if (hash === null || isOurs) return await note(deps, transfer, { reason: SPENT_BY_UNKNOWN });
  if (transfer.reason !== SPENT_ELSEWHERE) return await note(deps, transfer, { reason: SPENT_ELSEWHERE });
  const now = deps.clock();
  if (!hasPassed(deps.timing.rebroadcastMs, { since: transfer.updatedAt, now })) return 'waiting';
  const problem = `nonce ${transfer.nonce} of its wallet was spent by transaction ${hash}, which this database does not know`;
  // The other transaction may have made this very payment, so only an audit unfreezes the gig.
  if (transfer.kind !== 'gas') await freezeGig(deps, transfer, problem);
  await deps.store.transaction((tx) => tx.planAgain(transfer.id, { reason: SPENT_ELSEWHERE, now }));
  const fields = { ...fieldsOf(transfer), spender: hash, reason: SPENT_ELSEWHERE };
  deps.log.error(fields, 'transfer replaced; the key of its wallet is used elsewhere');
  return 'moved';
}

async function freezeGig(deps: PaymentDeps, transfer: Transfer, reason: string): Promise<void> {
  const now = deps.clock();
  const { gigId } = transfer;
  const isNew = await deps.store.transaction(async (tx) => {
    const before = await tx.gigFreeze(gigId);
    return (await changeFreeze(tx, { actor: PAYMENTS, now }, { gigId, reason })) !== before;
  });
  if (isNew) deps.log.error({ ...fieldsOf(transfer), reason }, 'gig frozen');
}

/**
 * Why a wallet must not sign: the chain has more of its nonces than the ledger, as after an older backup was restored.
 * The unknown transactions may be payouts, which would be paid twice.
 */
async function findNonceProblem(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer, spent: number) {
  if (transfer.kind === 'gas') return (await isTankAhead(deps, transfer, spent)) ? tankIsAhead(writer.chain) : null;
  const problem = await findGigNonceProblem(deps, writer, transfer, spent);
  if (problem === null) return null;
  await freezeGig(deps, transfer, problem);
  return frozenText(problem);
}

/** Whether the start's funding block of a gig is still to be checked. */
async function awaitsFunding({ store }: PaymentDeps, { gigId }: Transfer): Promise<boolean> {
  const [start] = await store.gigTransactions(gigId);
  return start !== undefined && start.checkBlock !== null;
}

/** Whether an account's payouts keep reverting after good simulations: a recipient can detect simulation. */
async function wastesGas({ store, clock }: PaymentDeps, { claimId }: Transfer): Promise<boolean> {
  const claim = claimId === null ? null : await store.claim(claimId);
  if (claim === null) return false;
  const now = clock();
  return (await store.countRevertedPayouts(claim, { since: now - WASTE.withinMs, until: now })) >= WASTE.reverts;
}

/** Signs and broadcasts the next planned transfer of a wallet, if its gas can be paid. */
async function begin(deps: PaymentDeps, writer: ChainWriter, transfer: Transfer): Promise<Progress> {
  const { store, clock } = deps;
  const frozen = transfer.kind === 'gas' ? null : await store.gigFreeze(transfer.gigId);
  if (frozen !== null) return await note(deps, transfer, { reason: frozenText(frozen) });
  if (transfer.kind !== 'gas' && (await awaitsFunding(deps, transfer))) {
    return await note(deps, transfer, { reason: FUNDING_MAY_GO, calm: true });
  }
  if (await wastesGas(deps, transfer)) {
    return await refuse(
      deps,
      transfer,
      `it failed on the chain ${WASTE.reverts} times; it can be tried again in a day`,
    );
  }
  const spent = await writer.spentNonces(transfer.sender);
  if (spent.latest !== spent.final) return await note(deps, transfer, { reason: IS_LANDING, calm: true });
  const problem = await findNonceProblem(deps, writer, transfer, spent.latest);
  if (problem !== null) return await note(deps, transfer, { reason: problem });
  const nonce = Math.max(spent.latest, (await store.nextNonce(transfer)) ?? 0);
  if (nonce > spent.latest) {
    await fillNonceGap(deps, writer, transfer, { from: spent.latest, to: nonce });
    return await note(deps, transfer, { reason: NONCE_GAP });
  }
  const call = callOf(transfer);
  // Checked first, because a chain refuses to simulate a native transfer of more than the wallet holds.
  const missing = transfer.token.isNative ? await findGas(deps, writer, transfer, 0n) : null;
  if (missing !== null) return await noteLack(deps, transfer, missing);
  const [{ gas }, fees, pending] = await Promise.all([
    writer.simulateTransfer(call),
    writer.fees(),
    writer.pendingNonces(transfer.sender),
  ]);
  // The ledger has no open transfer here, so the pending transaction may be a payment that the ledger does not know.
  if (pending > nonce) return await note(deps, transfer, { reason: IS_WAITING });
  const most = transfer.token.isNative ? MAX_GAS.native : MAX_GAS.token;
  if (gas > most) {
    const seen = { blockNumber: null, isBare: false };
    throw new TransferRefused(`it would burn ${gas} gas, more than ${most} allowed`, seen);
  }
  const lack = await findGas(deps, writer, transfer, gas * fees.maxFeePerGas);
  if (lack !== null) return await noteLack(deps, transfer, lack);
  const bytes = await writer.sign(walletOf(transfer), { ...call, ...fees, nonce, gas });
  const attempt = { ...bytes, ...fees, gas, signedAt: clock() };
  // Stored before the broadcast: after a crash the same bytes are broadcast again.
  const isKept = await store.transaction(async (tx) => {
    // The gig may have been frozen during the requests above.
    if (transfer.kind !== 'gas' && (await tx.gigFreeze(transfer.gigId)) !== null) return false;
    return await tx.markSigned(transfer.id, { nonce, attempt, now: clock() });
  });
  if (!isKept) return 'waiting';
  await broadcast(deps, writer, transfer, attempt);
  return 'moved';
}

/**
 * Advances the payments of one wallet by one step: follows its open transfer, or begins the next planned one. A
 * transfer that its token refuses fails alone; a payment that may have been made is looked up and never repeated.
 * @throws AdapterError when the chain does not answer
 */
async function takeStep(deps: PaymentDeps, sender: Sender): Promise<Progress> {
  const writer = deps.writers.writer(sender.chainId);
  const open = await deps.store.openTransfer(sender);
  if (open !== null) return await follow(deps, writer, open);
  const planned = await deps.store.nextPlanned(sender);
  if (planned === null) return 'done';
  try {
    return await begin(deps, writer, planned);
  } catch (error) {
    if (!(error instanceof TransferRefused)) throw error;
    return await refuseWhenSure(deps, planned, error);
  }
}

/**
 * Advances the payments of one wallet by one step. An error (no answer from the chain, or a defect, which is logged as
 * an error) delays this wallet alone.
 */
export async function advanceWallet(deps: PaymentDeps, sender: Sender): Promise<Progress> {
  try {
    return await takeStep(deps, sender);
  } catch (error) {
    const fields = { ...sender, error: summarizeError(error) };
    if (error instanceof AdapterError) deps.log.warn(fields, 'payments of a wallet wait: chain does not answer');
    else deps.log.error(fields, 'payments of a wallet fail');
    return 'waiting';
  }
}
