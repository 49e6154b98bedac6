import { AdapterError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { PayerChain } from '../../domain/payments/payer-chain.ts';
import { stoppedServer } from '../one-server.ts';
import type { PaymentContext } from '../payments/sender/context.ts';
import { adoptMarks } from '../payments/sender/found/adopt.ts';
import type { LearnContext } from './context.ts';

/** The wallets of so many gigs share a request. */
const TOGETHER = 100;
/** Among how many watched gigs, the newest, others are found. */
const MOST_WATCHES = 500;

function notYet(payer: PayerChain, what: string): AdapterError {
  const message = `chain ${payer.chain.key}: ${what}`;
  return new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/**
 * Requires that the ledger knows every transaction of the gas tank that may still be replaced: what a lost ledger has sent
 * a moment ago is marked in no settled block yet.
 */
async function requireOwnTransactions({ store }: PaymentContext, payer: PayerChain): Promise<void> {
  const { id } = payer.chain;
  // Read on both sides: one may be sent, or be over, meanwhile.
  const before = await store.openTankTransactions(id);
  const { spentNonces, settledNonces } = await payer.tank();
  const own = new Set([...before, ...(await store.openTankTransactions(id))].map(({ nonce }) => nonce));
  for (let nonce = settledNonces; nonce < spentNonces; nonce += 1) {
    if (!own.has(nonce))
      throw notYet(payer, `transaction ${nonce} of the gas tank, which the ledger lacks, has to settle`);
  }
}

/** @returns the gigs of which all is known now */
async function compare(deps: LearnContext, payer: PayerChain, gigs: readonly Gig[]): Promise<readonly Gig[]> {
  await requireOwnTransactions(deps, payer);
  const { settled } = await payer.head();
  const wallets = gigs.map(({ walletAddress }) => walletAddress);
  const delegated = await payer.delegated(wallets, settled.number);
  const used = gigs.filter((_, index) => delegated[index]);
  if (used.length === 0) return gigs;
  // Tips that are lost have numbers of which nothing in the ledger tells.
  const { unexplained } = await adoptMarks(deps, payer, { gigs: used, isThorough: true });
  return gigs.filter(({ id }) => !unexplained.includes(id));
}

async function findTogether({ store }: LearnContext, gig: Gig, isKnown: (id: number) => boolean): Promise<Gig[]> {
  const watches = await store.openWatches(gig.platform, { limit: MOST_WATCHES });
  const ids = watches.map(({ gigId }) => gigId).filter((id) => id !== gig.id && !isKnown(id));
  const others = (await Promise.all(ids.map((id) => store.gig(id)))).filter((other) => other !== null);
  const sameChain = others.filter(({ token }) => token.chainId === gig.token.chainId);
  return [gig, ...sameChain.slice(0, TOGETHER - 1)];
}

/**
 * Compares the wallet of a watched gig with the ledger, once in the life of a process, and takes what it has paid into it:
 * the database may be an older copy. While a process has it open, only another server can put one in its place: then each
 * gig is compared again, unless all were reconciled. Other watched gigs of the chain are compared with it.
 * @returns a function that answers whether it did so now, and throws AdapterError when the chain does not tell all of it
 */
export function createPaidLearner(deps: LearnContext): (gig: Gig) => Promise<boolean> {
  /** The gigs that were compared, with the server for which all payments were stopped then, if they were. */
  const known = new Map<number, string | null>();
  const turns = new Map<number, Promise<boolean>>();
  const isKnown = (id: number, stop: string | null) => known.has(id) && (stop === null || known.get(id) === stop);

  async function learn(gig: Gig): Promise<boolean> {
    // Before the ledger is read: what is compared while the server changes is compared once more.
    const stop = await stoppedServer(deps.store);
    if (isKnown(gig.id, stop)) return false;
    const payer = deps.payers.payer(gig.token.chainId);
    const together = await findTogether(deps, gig, (id) => isKnown(id, stop));
    let found: readonly Gig[];
    try {
      found = await payer.decide(() => compare(deps, payer, together));
    } catch (error) {
      const isTooMuch = error instanceof AdapterError && error.retry === 'never' && together.length > 1;
      if (!isTooMuch) throw error;
      found = await payer.decide(() => compare(deps, payer, [gig]));
    }
    for (const { id } of found) known.set(id, stop);
    if (!isKnown(gig.id, stop))
      throw notYet(payer, `the wallet of gig ${gig.id} has made payments that the ledger cannot explain yet`);
    return true;
  }

  return async (gig) => {
    if (isKnown(gig.id, await stoppedServer(deps.store))) return false;
    const { chainId } = gig.token;
    // One after the other: the next one mostly finds that its gig was compared as well.
    const turn = (turns.get(chainId) ?? Promise.resolve(false)).catch(() => false).then(() => learn(gig));
    turns.set(chainId, turn);
    return await turn;
  };
}
