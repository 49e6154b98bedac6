import { lookBackFrom } from '../../domain/chains/block.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Deposit } from '../../domain/x402/deposit.ts';
import type { UsedIn } from '../../domain/x402/deposit-chain.ts';
import { requiredFor, settleRequest, termsOf } from '../../domain/x402/payment-json.ts';
import { summarizeError } from '../../log.ts';
import { readFunding } from '../gigs/read-funding.ts';
import { startFundedGig } from '../gigs/start-funded.ts';
import type { DepositContext, DepositWork } from './context.ts';
import { giveToPayer } from './keep-deposit.ts';
import { findDomain } from './tokens.ts';

/** How soon a facilitator is asked again about a payment that no block has; longer than it is waited for. */
const ASK_AGAIN_MS = 20_000;
/** What a facilitator's refusal begins with. */
export const REFUSES = 'the facilitator refuses it: ';
/** How the reason begins of a deposit that the gas tank has sent in vain. */
export const FAILED = 'its transaction has failed on the chain: ';

interface Seen {
  readonly latest: bigint;
  /** The chain's time in the newest settled block, epoch milliseconds. */
  readonly settledAt: number;
  readonly settled: bigint;
  /** Whether the authorization is used or cancelled, in the newest block and in the settled one. */
  readonly isSpent: boolean;
  readonly isSpentForGood: boolean;
  readonly use: UsedIn | null;
  /** Whether it is spent for good by its payer's cancelling, and the gig's wallet holds nothing. */
  readonly isCancelled: boolean;
}

/**
 * A node that takes in a block may tell its state before its events: what seems cancelled may have been used. So the event of
 * the cancelling is asked for; a token without one is believed once no block can use the authorization any more.
 */
async function findCancelled(
  deps: DepositWork,
  { token, walletAddress: wallet }: Gig,
  {
    deposit,
    settled,
  }: { readonly deposit: Deposit; readonly settled: { readonly number: bigint; readonly at: number } },
): Promise<boolean> {
  const { payer, nonce, chainId, keptBlock, validBefore } = deposit;
  const of = { token: token.address, payer, nonce, from: lookBackFrom(keptBlock), to: settled.number };
  if (settled.at < validBefore * 1_000 && !(await deps.x402.chains(chainId).isCancelled(of))) return false;
  const [held] = await deps.payers.payer(chainId).balances([{ wallet, token: token.address }], settled.number);
  return held === 0n;
}

async function look(deps: DepositWork, gig: Gig, deposit: Deposit): Promise<Seen> {
  const { payer, nonce, chainId, keptBlock } = deposit;
  const chain = deps.x402.chains(chainId);
  const payers = deps.payers.payer(chainId);
  const of = { token: gig.token.address, payer, nonce };
  return await chain.decide(async () => {
    const { latest, settled } = await payers.head();
    const isSpent = await chain.isSpent({ ...of, blockNumber: latest.number });
    const isSame = settled.number === latest.number;
    const isSpentForGood = isSame ? isSpent : await chain.isSpent({ ...of, blockNumber: settled.number });
    const use = isSpent ? await chain.findUse({ ...of, from: lookBackFrom(keptBlock), to: latest.number }) : null;
    const isOdd = isSpentForGood && use === null;
    const isCancelled = isOdd && (await findCancelled(deps, gig, { deposit, settled }));
    const blocks = { latest: latest.number, settledAt: settled.at, settled: settled.number };
    return { ...blocks, isSpent, isSpentForGood, use, isCancelled };
  });
}

async function noteUse(deps: DepositWork, deposit: Deposit, { use, settled, isSpentForGood }: Seen & { use: UsedIn }) {
  const isSettled = isSpentForGood && use.blockNumber <= settled;
  const isKnown = deposit.state === 'used' && deposit.hash === use.hash && deposit.blockNumber === use.blockNumber;
  if (isKnown && !isSettled) return;
  await deps.store.transaction(async (tx) => {
    const now = deps.clock();
    if (!isKnown && !(await tx.useDeposit(deposit, { ...use, now }))) return;
    await giveToPayer(tx, deposit, now);
    if (isSettled) await tx.settleDeposit(deposit, now);
  });
  if (!isKnown) deps.log.info({ gigId: deposit.gigId, hash: use.hash }, 'deposit used');
}

async function drop({ store, clock, log }: DepositContext, deposit: Deposit, reason: string): Promise<void> {
  const isDropped = await store.transaction((tx) => tx.dropDeposit(deposit, { reason, now: clock() }));
  if (isDropped) log.warn({ gigId: deposit.gigId, reason }, 'deposit is unused');
}

/** Asks a facilitator. Its answer is noted, and decides nothing. */
async function ask(deps: DepositWork, gig: Gig, deposit: Deposit): Promise<void> {
  const { store, clock, log } = deps;
  const { facilitator } = deps.x402;
  const domain = facilitator === null ? null : await findDomain(deps, gig.token);
  if (facilitator === null || domain === null) return;
  const now = clock();
  if (deposit.state === 'kept') {
    const { actual } = await readFunding(deps, { gig });
    if (gig.status === 'live' || gig.cancelledAt !== null || actual !== 0n) {
      // Nobody but its payer has it.
      return await drop(
        deps,
        deposit,
        'the wallet of its gig holds something already, or its gig does not wait any more',
      );
    }
  }
  // Only one asks at a time, and the authorization is on disk by then.
  const mayAsk = await store.transaction(async (tx) => {
    if ((await tx.paymentStop()) !== null) return false;
    return await tx.askForDeposit(deposit, { askedBy: now - ASK_AGAIN_MS, now });
  });
  if (!mayAsk) return;
  const required = requiredFor(deps.x402, { gig, domain }, '');
  let reason: string | null = null;
  try {
    const { success, reason: why } = await facilitator.settle(
      settleRequest(gig, termsOf(gig, domain), required, deposit),
    );
    if (!success) reason = `${REFUSES}${why ?? 'it does not say why'}`;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    reason = summarizeError(error).message;
  }
  if (reason === null) return;
  log.warn({ gigId: gig.id, reason }, 'facilitator does not settle a deposit');
  await store.transaction((tx) => tx.noteDeposit(deposit, { reason, dueAt: deposit.dueAt, now: clock() }));
}

/**
 * Has the gas tank send a deposit again whose transaction is over, unless that has reverted: a block has it, and the
 * authorization was seen unused in that block or a later one. What was seen before that block proves nothing.
 */
async function sendAgain(deps: DepositWork, deposit: Deposit, { latest }: Seen): Promise<void> {
  const { store, clock, log, payers } = deps;
  const transaction = deposit.transactionId === null ? null : await store.tankTransaction(deposit.transactionId);
  if (transaction === null || !transaction.isOver) return;
  const inclusion = await payers.payer(deposit.chainId).inclusion(transaction.attempts.map(({ hash }) => hash));
  const now = clock();
  if (inclusion === null) {
    const reason = 'another transaction has used its nonce; it is sent again';
    if (await store.transaction((tx) => tx.keepDepositAgain(deposit, { reason, dueAt: now, now }))) deps.wakePayments();
  } else if (deposit.reason === null && inclusion.blockNumber <= latest) {
    const reason = `${FAILED}${inclusion.hash}`;
    const isNoted = await store.transaction((tx) => tx.noteDeposit(deposit, { reason, dueAt: now, now }));
    if (isNoted) log.warn({ gigId: deposit.gigId, reason }, 'deposit has failed');
  }
}

async function moveOn(deps: DepositWork, gig: Gig, deposit: Deposit): Promise<void> {
  const seen = await look(deps, gig, deposit);
  const { use, isSpent, isSpentForGood, isCancelled } = seen;
  if (use !== null) await noteUse(deps, deposit, { ...seen, use });
  else if (isSpent) {
    const isWaiting = gig.status === 'created' && deposit.state === 'sent';
    if (isCancelled && isWaiting) await drop(deps, deposit, 'its payer has cancelled it');
  } else if (deposit.state === 'used') await deps.store.transaction((tx) => tx.loseDeposit(deposit, deps.clock()));
  else if (!isSpentForGood && seen.settledAt >= deposit.validBefore * 1_000) {
    await drop(deps, deposit, deposit.reason ?? 'it has expired');
  } else if (deposit.settler === 'tank') await sendAgain(deps, deposit, seen);
  else await ask(deps, gig, deposit);
}

/** Whether deposits can be looked after here. */
export function canDeposit(deps: DepositContext): deps is DepositContext & DepositWork {
  return deps.payers !== null && deps.x402 !== undefined;
}

/**
 * Looks what has become of a deposit: a block that has it makes it the payer's gig, which starts; one that no block can have
 * any more is unused. A facilitator is asked about one that it has not sent yet.
 * @throws AdapterError when the chain does not answer
 */
export async function advanceDeposit(deps: DepositWork, deposit: Deposit): Promise<void> {
  // The sender of its chain has it.
  if (deposit.state === 'kept' && deposit.settler === 'tank') return;
  const gig = await deps.store.gig(deposit.gigId);
  if (gig === null) throw new TypeError(`deposit ${deposit.id} is of no gig`);
  await moveOn(deps, gig, deposit);
  if (gig.status === 'created' && gig.cancelledAt === null) {
    const now = await deps.store.depositOf(gig.id);
    if (now?.state === 'used' || now?.state === 'settled') await startFundedGig(deps, gig);
  }
}

/** Looks after the deposits of all chains, one after another. */
export async function advanceDeposits(deps: DepositContext): Promise<void> {
  if (!canDeposit(deps)) return;
  for (const { chain } of deps.chains.list()) {
    for (const deposit of await deps.store.openDeposits(chain.id)) {
      try {
        await advanceDeposit(deps, deposit);
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        deps.log.warn({ gigId: deposit.gigId, error: summarizeError(error) }, 'cannot look after a deposit yet');
      }
    }
  }
}
