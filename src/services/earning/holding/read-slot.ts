import type { BlockRef } from '../../../domain/chains/block.ts';
import { type ChainReader, MOST_HOLDERS } from '../../../domain/chains/chain.ts';
import {
  drawnTime,
  type EntryDraw,
  type EntryTerms,
  type HolderEntry,
  isGivenUp,
  LATE_MS,
  SLOT_MS,
} from '../../../domain/earning/holding/entry.ts';
import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import { ENGINE } from '../award/award-earnings.ts';
import type { WatchContext } from '../context.ts';
import { askToken, sumHeld, type TokenTold } from './ask-token.ts';

/** How often the chain is asked for a block that it does not have yet. */
const BLOCK_PAUSE_MS = 15_000;

function nextSlot(now: number): number {
  return (Math.floor(now / SLOT_MS) + 1) * SLOT_MS;
}

async function waitForBlock({ store, clock }: WatchContext, gigId: number, slot: number): Promise<void> {
  await store.transaction((tx) => tx.moveEntries(gigId, slot, { slot, dueAt: clock() + BLOCK_PAUSE_MS }));
}

/** @throws AdapterError when the chain has made no block for long */
function requireBlocks(reader: ChainReader, since: number, now: number): void {
  if (now < since + LATE_MS) return;
  const message = `chain ${reader.chain.key}: no settled block has the time at which holdings are read, or a later one`;
  throw new AdapterError({ retry: 'safe', reason: 'not_found', message });
}

/**
 * Draws the block that decides for the accounts of a slot, once its first block has settled.
 * @throws AdapterError when the chain does not answer
 */
export async function drawSlot(deps: WatchContext, gig: Gig, slot: number): Promise<void> {
  const { store, clock, chains } = deps;
  const { id: gigId, token } = gig;
  const reader = chains.reader(token.chainId);
  const begun = await reader.firstBlockSince(slot);
  if (begun === null) {
    requireBlocks(reader, slot, clock());
    await waitForBlock(deps, gigId, slot);
    return;
  }
  const secret = await store.entrySecret(gigId);
  if (secret === null) throw new TypeError(`gig ${gigId} is entered without a secret`);
  const notBefore = drawnTime({ secret, gigId, slot }, begun);
  await store.transaction(async (tx) => {
    const now = clock();
    const draw = { gigId, slot, begunBlock: begun.number, begunHash: begun.hash, notBefore, drawnAt: now };
    if (!(await tx.insertEntryDraw(draw))) return;
    const entries = await tx.moveEntries(gigId, slot, { slot, dueAt: notBefore });
    const detail = { slot, block: begun.number, notBefore, entries };
    await recordGigEvent(tx, { actor: ENGINE, now }, { action: 'entry.draw', gigId, detail });
  });
}

/** As many entries, in their order, as one call asks about. */
function fitting(entries: readonly HolderEntry[]): readonly HolderEntry[] {
  let asked = 0;
  const fits = entries.findIndex(({ addresses }) => {
    asked += addresses.length;
    return asked > MOST_HOLDERS;
  });
  return fits === -1 ? entries : entries.slice(0, Math.max(1, fits));
}

interface SlotTold {
  readonly entries: readonly HolderEntry[];
  /** The blocks of entries that are not of the chain any more, by their hashes. */
  readonly replaced: ReadonlySet<string>;
  readonly told: TokenTold;
}

async function findReplaced(reader: ChainReader, entries: readonly HolderEntry[]): Promise<ReadonlySet<string>> {
  const blocks = new Map(entries.flatMap(({ entry }) => (entry === null ? [] : [[entry.hash, entry] as const])));
  const replaced = new Set<string>();
  for (const [hash, block] of blocks) {
    if (!(await reader.isCanonical(block))) replaced.add(hash);
  }
  return replaced;
}

/** Null while the block has not settled. All is asked of one endpoint. */
async function askInBlock(
  { store }: WatchContext,
  reader: ChainReader,
  { draw, terms }: { draw: EntryDraw; terms: EntryTerms },
): Promise<SlotTold | null> {
  const { gigId, slot, notBefore } = draw;
  return await reader.decide(async () => {
    const block: BlockRef | null = await reader.firstBlockSince(notBefore);
    if (block === null) return null;
    const entries = fitting(await store.entriesInSlot(gigId, { slot, limit: AWARD_BATCH }));
    const replaced = await findReplaced(reader, entries);
    const owners = entries.flatMap(({ addresses }) => addresses);
    const told = await askToken(reader, { token: terms.holding.token.address, owners, block });
    return { entries, replaced, told };
  });
}

/** An entry after it was read in its drawn block. */
function afterRead(
  entry: HolderEntry,
  { replaced, told, now }: Omit<SlotTold, 'entries'> & { now: number },
): HolderEntry {
  const again = { ...entry, slot: null, enteredAt: null, entry: null, state: 'joined', dueAt: now } as const;
  // What it held at its entry was on a branch that is gone: it enters anew, and its hours begin anew.
  if (entry.entry !== null && replaced.has(entry.entry.hash)) return again;
  const amount = sumHeld(entry.addresses, told);
  if (amount !== null) {
    const { number, hash } = told.block;
    return { ...entry, state: 'told', last: { amount, number, hash }, unknownSince: null };
  }
  const unknownSince = entry.unknownSince ?? now;
  const slot = nextSlot(now);
  return { ...entry, unknownSince, state: isGivenUp(unknownSince, now) ? 'told' : 'entered', slot, dueAt: slot };
}

/** A node that has forgotten the block tells nothing about it, however often it is asked: another block is drawn. */
async function drawAnother({ store, clock }: WatchContext, { gigId, slot }: EntryDraw): Promise<void> {
  const next = nextSlot(clock());
  await store.transaction((tx) => tx.moveEntries(gigId, slot, { slot: next, dueAt: next }));
}

/**
 * Reads what accounts of a slot hold in the block that was drawn for it.
 * @throws AdapterError when the chain does not answer, until the block is old
 */
export async function readSlot(
  deps: WatchContext,
  gig: Gig,
  { draw, terms }: { draw: EntryDraw; terms: EntryTerms },
): Promise<void> {
  const { store, clock, chains, log } = deps;
  const { gigId, slot, notBefore } = draw;
  const reader = chains.reader(gig.token.chainId);
  const isLate = () => clock() >= notBefore + LATE_MS;
  const asked = await askInBlock(deps, reader, { draw, terms }).catch(async (error: unknown) => {
    if (!(error instanceof AdapterError) || !isLate()) throw error;
    log.warn({ gigId, slot }, 'holdings cannot be read in the block that was drawn; another one is drawn');
    await drawAnother(deps, draw);
    return 'moved' as const;
  });
  if (asked === 'moved') return;
  if (asked === null) {
    requireBlocks(reader, notBefore, clock());
    await waitForBlock(deps, gigId, slot);
    return;
  }
  await store.transaction(async (tx) => {
    const now = clock();
    for (const entry of asked.entries) await tx.changeEntry(afterRead(entry, { ...asked, now }), entry);
  });
}
