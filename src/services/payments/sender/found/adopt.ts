import { AdapterError } from '../../../../domain/errors.ts';
import type { Address } from '../../../../domain/gigs/token.ts';
import type { PaidEvent, PayerChain } from '../../../../domain/payments/payer-chain.ts';
import { hasNumber, type NumberBits, numbersWithout } from '../../../../domain/payments/payment-numbers.ts';
import { summarizeError } from '../../../../log.ts';
import { readFacts } from '../chain.ts';
import type { Facts, PaymentContext } from '../context.ts';
import { adoptForeign, type WalletEvents } from './adopt-foreign.ts';
import { FEW_REQUESTS, readEvents } from './events.ts';
import { readKnownMarks, readWords } from './known-marks.ts';
import { recheck } from './recheck.ts';
import { hearAll } from './witnesses.ts';

const NONE: NumberBits = new Map();

/** A gig whose wallet's marks are compared with the ledger. */
export interface MarkedGig {
  readonly id: number;
  readonly walletAddress: Address;
}

/** The result of a comparison of marks with the ledger. */
export interface Adoption {
  /** How many payments were taken into the ledger. */
  readonly taken: number;
  /** Gigs with marks that the ledger still does not know: their events are lost, too new, or of a payment under way. */
  readonly unexplained: readonly number[];
  /** How endpoints differ over a payment that would give tips other numbers, which wait for that; absent when they do not. */
  readonly doubt?: string | undefined;
}

/** A gig's wallet, the numbers in it that the ledger knows to be paid, and those that are marked besides. */
interface Look {
  readonly id: number;
  readonly wallet: Address;
  readonly known: NumberBits;
  readonly unknown: readonly bigint[];
}

async function readMarks({ store }: PaymentContext, payer: PayerChain, gigs: readonly MarkedGig[], block: bigint) {
  const looks: { id: number; wallet: Address; words: readonly bigint[]; known: NumberBits }[] = [];
  for (const { id, walletAddress: wallet } of gigs) {
    const words = await readWords(store, id);
    const known = await readKnownMarks(store, id);
    looks.push({ id, wallet, words, known });
  }
  const queries = looks.flatMap(({ wallet, words, known }) =>
    words.map((word) => ({ wallet, word, due: known.get(word) ?? 0n })),
  );
  const bits = (await payer.marks(queries, block)).values();
  return looks.map(({ words, known, ...gig }) => {
    const marked = new Map(words.map((word) => [word, bits.next().value ?? 0n]));
    return { ...gig, known, unknown: words.flatMap((word) => numbersWithout(word, marked, known)) };
  });
}

/**
 * The payments of these wallets; null when the endpoint does not list them. A thorough
 * look may take long, and has to succeed.
 */
async function readPaid(
  { store, log }: PaymentContext,
  payer: PayerChain,
  { gigs, until, isThorough }: { gigs: readonly Look[]; until: bigint; isThorough: boolean },
): Promise<PaidEvent[] | null> {
  try {
    const marked = gigs.map(({ wallet, unknown: numbers }) => ({ wallet, numbers }));
    return await readEvents({ store, payer }, gigs, {
      until,
      mostRequests: isThorough ? undefined : FEW_REQUESTS,
      marked,
    });
  } catch (error) {
    if (!(error instanceof AdapterError) || isThorough) throw error;
    log.warn({ chain: payer.chain.key, error: summarizeError(error) }, 'payments of wallets cannot be read yet');
    return null;
  }
}

/** What would give tips other numbers is taken only when every endpoint of the chain tells of it. */
async function adoptEvents(deps: PaymentContext, payer: PayerChain, found: WalletEvents, facts: Facts) {
  const { settled } = facts;
  const { renumberBlocks } = deps.timing;
  const take = (witnessed: ReadonlySet<PaidEvent>) =>
    deps.store.transaction(async (tx) => {
      const terms = { now: deps.clock(), settled: settled.number, renumberBlocks, witnessed };
      const result = await adoptForeign(tx, found, terms);
      await tx.advanceChainAnchor(payer.chain.id, settled);
      return result;
    });
  const first = await take(new Set());
  const deep = first.left.filter(({ blockNumber }) => settled.number - blockNumber >= renumberBlocks);
  const { agreed, doubt } = await hearAll(payer, { events: deep, settled });
  if (agreed.size === 0) return { ...first, doubt };
  const second = await take(agreed);
  return { taken: first.taken + second.taken, left: second.left, doubt };
}

/**
 * Compares the marks of gigs' wallets in the settled block with the ledger, and takes what it does not know into it: a
 * payment by another instance, or by one whose database was put back. A payment for tips that the ledger has lost keeps
 * its numbers; tips that have got the same ones get others. A thorough comparison asks for events without a mark as
 * well: lost tips may have had numbers in words that the ledger does not know.
 * @throws AdapterError when the chain does not answer; when its events alone cannot be read, a thorough comparison throws,
 * and of any other every gig in question is unexplained
 */
export async function adoptMarks(
  deps: PaymentContext,
  payer: PayerChain,
  { gigs, isThorough = false }: { gigs: readonly MarkedGig[]; isThorough?: boolean },
): Promise<Adoption> {
  const { store, log } = deps;
  const facts = await readFacts(store, payer);
  if (!facts.isAnchorCanonical) await recheck(deps, payer, facts);
  const settled = facts.settled.number;
  const looks = await readMarks(deps, payer, gigs, settled);
  const found = looks.filter(({ unknown }) => isThorough || unknown.length > 0);
  if (found.length > 0) await payer.compare();
  const all = await readPaid(deps, payer, { gigs: found, until: settled, isThorough });
  if (all === null) return { taken: 0, unexplained: found.map(({ id }) => id) };
  const knownOf = new Map(found.map(({ wallet, known }) => [wallet, known]));
  const isNew = ({ wallet, numbers }: PaidEvent) =>
    numbers.some((number) => !hasNumber(knownOf.get(wallet) ?? NONE, number));
  const events = all.filter(isNew);
  const unexplained: number[] = [];
  let taken = 0;
  let doubt: string | undefined;
  for (const { id: gigId, wallet, unknown } of found) {
    const own = events.filter((event) => event.wallet === wallet);
    const named = new Set(own.flatMap(({ numbers }) => numbers));
    const result = await adoptEvents(deps, payer, { gigId, events: own }, facts);
    taken += result.taken;
    doubt ??= result.doubt;
    const left = result.left.length;
    const isExplained = left === 0 && unknown.every((number) => named.has(number));
    if (!isExplained) unexplained.push(gigId);
    const fields = { gigId, chain: payer.chain.key, taken: result.taken, left };
    if (result.taken > 0) log.warn(fields, 'unknown payments of a wallet are added to the ledger');
    if (!isExplained) log.warn({ ...fields, doubt }, 'a wallet has marks that the ledger cannot explain yet');
  }
  return { taken, unexplained, doubt };
}
