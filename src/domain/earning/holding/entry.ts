import { createHash } from 'node:crypto';
import type { AccountKey } from '../../account.ts';
import type { BlockId, BlockRef } from '../../chains/block.ts';
import type { Address } from '../../gigs/token.ts';
import { HOUR_MS, MINUTE_MS } from '../../time.ts';
import {
  type HeldInBlock,
  type Holding,
  type HoldingFacts,
  type HoldingStanding,
  UNKNOWN_PATIENCE_MS,
} from './holding.ts';

/** What accounts that enter are to hold, and for how long. */
export interface EntryTerms {
  readonly holding: Holding;
  /** From the entry, in milliseconds. */
  readonly forMs: number;
}

/** Accounts whose time is over within the same half hour are looked at in one block: no token counts twice in it. */
export const SLOT_MS = HOUR_MS / 2;
/** How much later than its slot begins a block is drawn at least: until then the block that decides on it has settled. */
const SLOT_MARGIN_MS = 2 * MINUTE_MS;
/** How long after it was made a drawn block is asked for, before another one is drawn: nodes forget. */
export const LATE_MS = HOUR_MS / 2;

export const ENTRY_STATES = ['joined', 'entered', 'told'] as const;
/** `joined`: its holding is to be read; `entered`: it held enough, and is read again in a drawn block; `told`: nothing is read any more. */
export type EntryState = (typeof ENTRY_STATES)[number];

/** What an account held, in base units, in a block. */
export interface HeldAt extends BlockId {
  readonly amount: bigint;
}

/** The entry of an account for a gig. Times are epoch milliseconds. */
export interface HolderEntry extends AccountKey {
  readonly gigId: number;
  readonly state: EntryState;
  /** When it is read, or its block is drawn; of no meaning once told. */
  readonly dueAt: number;
  readonly joinedAt: number;
  /** The addresses that count for it, from its entry on. */
  readonly addresses: readonly Address[];
  /** How many of its addresses count for another account. */
  readonly counted: number;
  readonly enteredAt: number | null;
  /** When the half hour begins in which its block is drawn; null before its entry. */
  readonly slot: number | null;
  readonly entry: HeldAt | null;
  readonly last: HeldAt | null;
  /** Since when the token does not tell; null when it did. */
  readonly unknownSince: number | null;
}

/** When the half hour begins in which a block is drawn for an account that entered then. */
export function slotAfter(enteredAt: number, { forMs }: EntryTerms): number {
  return Math.ceil((enteredAt + forMs) / SLOT_MS) * SLOT_MS;
}

/**
 * The time of the block that is drawn for a slot: it is the first one with this timestamp or a later one. The secret is as old as the
 * gig, so that its keeper cannot choose it, and the block is younger than the slot, so that nobody else can know it before.
 * @param begun the first block of the slot
 */
export function drawnTime(
  { secret, gigId, slot }: { secret: string; gigId: number; slot: number },
  begun: BlockRef,
): number {
  const hash = createHash('sha256');
  for (const hex of [secret, begun.hash.slice(2)]) hash.update(Buffer.from(hex, 'hex'));
  const digest = hash.update(`${gigId} ${slot}`, 'utf8').digest();
  const span = BigInt(SLOT_MS - 2 * SLOT_MARGIN_MS);
  const part = Number(BigInt(`0x${digest.toString('hex')}`) % span);
  return Math.max(begun.at, slot) + SLOT_MARGIN_MS + part;
}

/** Whether an account whose token has not told since then is given up. */
export function isGivenUp(unknownSince: number | null, now: number): boolean {
  return unknownSince !== null && now - unknownSince >= UNKNOWN_PATIENCE_MS;
}

function inBlock({ amount, number, hash }: HeldAt): HeldInBlock {
  return { amount: String(amount), block: String(number), hash };
}

function factsOf({ entry, last, counted, unknownSince }: HolderEntry, { token, amount }: Holding): HoldingFacts {
  return {
    token,
    needed: String(amount),
    ...(entry === null ? {} : { entry: inBlock(entry) }),
    ...(last === null ? {} : { last: inBlock(last) }),
    ...(counted === 0 ? {} : { counted }),
    ...(unknownSince === null ? {} : { isUnknown: true }),
  };
}

/** When what an account holds is known at the earliest, with time for the block to settle. */
function knownAt({ state, dueAt, slot }: HolderEntry): number {
  return (state === 'entered' && slot !== null ? slot + SLOT_MS : dueAt) + MINUTE_MS;
}

/** How an account that has entered stands. `now` is epoch milliseconds. */
export function standingOf(entry: HolderEntry, { holding }: EntryTerms, now: number): HoldingStanding {
  const facts = factsOf(entry, holding);
  // A time that is over is one at which it could not be read: it is looked at again soon.
  if (entry.state !== 'told') return { state: 'waits', dueAt: Math.max(knownAt(entry), now + MINUTE_MS), facts };
  if (entry.entry === null) return { state: 'never_known', facts };
  if (entry.entry.amount < holding.amount) return { state: 'too_little', facts };
  if (entry.last === null) return { state: 'never_known', facts };
  return { state: entry.last.amount < holding.amount ? 'too_little' : 'enough', facts };
}

/** Which block decides for the accounts of a slot. Times are epoch milliseconds. */
export interface EntryDraw {
  readonly gigId: number;
  /** When its half hour begins. */
  readonly slot: number;
  /** The first block of the half hour, which took part in the draw. */
  readonly begunBlock: bigint;
  readonly begunHash: `0x${string}`;
  /** The block that decides is the first with this timestamp or a later one. */
  readonly notBefore: number;
  readonly drawnAt: number;
}
