import type { BlockRef } from '../../../domain/chains/block.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { type Gig, requiredFunds } from '../../../domain/gigs/gig.ts';
import type { StepWait, Waiting } from '../../../domain/gigs/step-wait.ts';
import type { AskingActor, JobActor } from '../../../domain/operators/actor.ts';
import type { PayerChain, PayerChains } from '../../../domain/payments/payer-chain.ts';
import { summarizeError } from '../../../log.ts';
import type { ReadContext } from '../../context.ts';
import { whyTipsMayBeLost } from './lost-tips.ts';

declare const KNOWN: unique symbol;

/**
 * That the chain was asked what the wallet of a gig has done, and the ledger knows all of it. The functions of this file alone
 * make one; what the service does by itself and cannot undo takes one.
 */
export interface Known {
  readonly gigId: number;
  /** Whether something was taken into the ledger now: what was read of the gig before may be old. */
  readonly isNew: boolean;
  readonly [KNOWN]: true;
}

/**
 * Takes what a gig's wallet has paid into the ledger, once in the life of a process: its database may be an older copy.
 * @returns whether that was done now; false when it was done before
 * @throws AdapterError when the chain does not tell all of it yet
 */
export type LearnPaid = (gig: Gig) => Promise<boolean>;

/** Who ends something: a person, or a job that has asked the chain. */
export type Ender = { readonly actor: AskingActor } | { readonly actor: JobActor; readonly known: Known };

export interface StepContext extends ReadContext {
  /** Absent: no wallet pays anything here. */
  readonly learnPaid?: LearnPaid | undefined;
}

export interface UnstartedContext extends ReadContext {
  /** Null without a mnemonic. */
  readonly payers: PayerChains | null;
}

export type StepCheck = Known | Waiting;

/** Whether a step may be taken. */
export function isCleared(check: StepCheck): check is Known {
  return !('why' in check);
}

function known(gigId: number, isNew: boolean): Known {
  // Nothing else has the symbol.
  return { gigId, isNew } as Known;
}

function waits(why: StepWait, detail: string | null = null): Waiting {
  return { why, detail };
}

/**
 * Takes what the wallet of a started gig has paid into the ledger.
 * @throws AdapterError when the chain does not tell all of it yet
 */
export async function requireKnown({ learnPaid }: StepContext, gig: Gig): Promise<Known> {
  return known(gig.id, (await learnPaid?.(gig)) ?? false);
}

/** Whether what was lost of a gig's time may be owed, and only an operator can say so. */
export async function checkDoubts({ store }: ReadContext, gig: Gig): Promise<Waiting | null> {
  const why = await whyTipsMayBeLost(store, gig);
  return why === null ? null : waits(why);
}

/** Whether the ledger knows all that the wallet of a started, or of a cancelled gig has paid. */
export async function checkPaid(deps: StepContext, gig: Gig): Promise<StepCheck> {
  try {
    return await requireKnown(deps, gig);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const wait = waits('unknown', summarizeError(error).message);
    return error.reason === 'bad_response' ? wait : { ...wait, isSilent: true };
  }
}

/**
 * Whether wallets of gigs of one chain have paid, in the newest block: all that have delegate to the contract.
 * @throws AdapterError when the chain does not answer
 */
export async function readHavePaid(payer: PayerChain, gigs: readonly Gig[]): Promise<boolean[]> {
  const { latest } = await payer.head();
  return await readPaidAt(payer, gigs, latest);
}

async function readPaidAt(payer: PayerChain, gigs: readonly Gig[], { number }: BlockRef): Promise<boolean[]> {
  return await payer.delegated(
    gigs.map(({ walletAddress }) => walletAddress),
    number,
  );
}

/** What the service may cancel by itself, of gigs of one chain that have not started, by the ledger. */
interface Unstarted {
  readonly gigs: readonly Gig[];
  /** Whether only those whose wallets hold less than they need. */
  readonly areShort: boolean;
}

/** Whether wallets have paid, with what they hold in the same block. */
async function readUnstarted(
  payer: PayerChain,
  { gigs, areShort }: Unstarted,
): Promise<{ gig: Gig; hasPaid: boolean }[]> {
  const { latest } = await payer.head();
  const queries = gigs.map(({ walletAddress: wallet, token }) => ({ wallet, token: token.address }));
  const [held, havePaid] = await Promise.all([payer.balances(queries, latest.number), readPaidAt(payer, gigs, latest)]);
  return gigs.flatMap((gig, place) => {
    const balance = held[place] ?? null;
    const isShort = balance !== null && balance < requiredFunds(gig);
    return isShort || !areShort ? [{ gig, hasPaid: havePaid[place] !== false }] : [];
  });
}

/**
 * Whether wallets of gigs that have not started, by the ledger, have never paid. Nodes behind one endpoint differ, so both
 * answers are of the same block.
 * @throws AdapterError when the chain does not answer
 */
export async function checkUnstarted(
  deps: UnstartedContext,
  chainId: number,
  unstarted: Unstarted,
): Promise<{ readonly gig: Gig; readonly check: StepCheck }[]> {
  if (deps.payers === null) {
    return unstarted.gigs.map((gig) => ({ gig, check: waits('unknown', 'GIG_WALLET_MNEMONIC is not set') }));
  }
  const read = await readUnstarted(deps.payers.payer(chainId), unstarted);
  const checked = read.map(async ({ gig, hasPaid }) => {
    const paid = hasPaid ? waits('has_paid') : null;
    return { gig, check: paid ?? (await checkDoubts(deps, gig)) ?? known(gig.id, false) };
  });
  return await Promise.all(checked);
}
