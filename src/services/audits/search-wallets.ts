import type { GigWallets } from '../../domain/chains/chain.ts';
import { ID_STEP } from '../../domain/gigs/id-skip.ts';
import { readWallets, type SearchedChain, type WalletTraces, withoutLying } from './find-wallets.ts';

/** How many ids are looked at where ids may have gone on: those of a jump begin 1 above a multiple of 1,000. */
const FIRST_OF_STEP = 20;
const STEPS_TOGETHER = 5;
const TOGETHER = 100;

export interface SearchRange {
  /** One gig alone; null for all. */
  readonly only: number | null;
  /** Every id up to this one is looked at, and none after it; null when it is not known. */
  readonly to: number | null;
  /** So many unused wallets in a row are looked at before the search goes on by thousands. */
  readonly gap: number;
  /** At the first ids of so many thousands it looks then. */
  readonly steps: number;
}

export interface Searched {
  readonly found: readonly WalletTraces[];
  /** Every id up to this one was looked at. */
  readonly lookedTo: number;
  /** The first ids of each thousand up to this one were looked at, too; null when no such search was made. */
  readonly stepsTo: number | null;
}

function idsFrom(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

interface Search {
  readonly chains: readonly SearchedChain[];
  readonly wallets: GigWallets;
  /** Whether the ledger has a gig of this id: that counts as used, and is not looked at. */
  readonly isKnown: (gigId: number) => boolean;
  /** Called after some ids were looked at, with their number. */
  readonly onLooked: (ids: number) => void;
}

async function readSome(search: Search, ids: readonly number[]) {
  const traces = await readWallets(
    search,
    ids.filter((id) => !search.isKnown(id)),
  );
  search.onLooked(ids.length);
  const used = [...traces.map(([{ gigId }]) => gigId), ...ids.filter(search.isKnown)];
  return { traces, lowest: Math.min(...used), highest: Math.max(0, ...used) };
}

/** The first thousand of ids after `from` at whose beginning a wallet is used; null when none of so many is. */
async function findStep(search: Search, from: number, steps: number): Promise<number | null> {
  const first = Math.ceil(from / ID_STEP) * ID_STEP + 1;
  for (let step = 0; step < steps; step += STEPS_TOGETHER) {
    const starts = idsFrom(0, Math.min(STEPS_TOGETHER, steps - step)).map((index) => first + (step + index) * ID_STEP);
    const { lowest } = await readSome(
      search,
      starts.flatMap((start) => idsFrom(start, FIRST_OF_STEP)),
    );
    if (Number.isFinite(lowest)) return Math.floor(lowest / ID_STEP) * ID_STEP + 1;
  }
  return null;
}

/** The wallets of gigs that the ledger does not have and that were used. @throws AdapterError when a chain does not answer */
export async function searchWallets(search: Search, { only, to, gap, steps }: SearchRange): Promise<Searched> {
  if (only !== null) return { found: await readWallets(search, [only]), lookedTo: only, stepsTo: null };
  const found: WalletTraces[] = [];
  if (to !== null) {
    for (let next = 1; next <= to; next += TOGETHER) {
      found.push(...(await readSome(search, idsFrom(next, Math.min(TOGETHER, to - next + 1)))).traces);
    }
    return { found: withoutLying(found), lookedTo: to, stepsTo: null };
  }
  let last = 0;
  let next: number | null = 1;
  let lookedTo = 0;
  while (next !== null) {
    while (next <= last + gap) {
      const { traces, highest } = await readSome(search, idsFrom(next, TOGETHER));
      found.push(...traces);
      last = Math.max(last, highest);
      next += TOGETHER;
    }
    lookedTo = next - 1;
    next = await findStep(search, lookedTo, steps);
    if (next !== null) last = next;
  }
  const stepsTo = Math.ceil(lookedTo / ID_STEP) * ID_STEP + (steps - 1) * ID_STEP + FIRST_OF_STEP;
  return { found: withoutLying(found), lookedTo, stepsTo };
}
