import { createHash } from 'node:crypto';
import type { AccountKey } from '../../account.ts';
import type { BlockRef } from '../../chains/block.ts';
import { isoText } from '../../time.ts';
import { closesAt, type GigWindow, type Hold } from '../due.ts';
import { PAYOUT_DEFAULTS, type RulePayout } from './payout.ts';

/** How much later than the clock and the newest block, when the entrants are fixed, the block of a draw is at least. */
export const DRAW_DELAY_MS = 60_000;

/** The form of a new root. Version 1 covers the entrants alone; version 2 also says which block decides, and how many win. */
export const ROOT_VERSION = 2;

/** How many random bytes decide, with the block, who wins. */
export const SECRET_BYTES = 32;

export const DRAW_STATES = ['open', 'closed', 'fixed', 'drawn'] as const;
/** `closed`: nobody enters or leaves any more; `fixed`: the entrants' hash is known; `drawn`: the winners are. */
export type DrawState = (typeof DRAW_STATES)[number];

/** An account that wins, with its ticket and its place among the winners, the first being 1. */
export interface Winner extends AccountKey {
  readonly place: number;
  /** Hex. */
  readonly ticket: string;
}

/** The entrants of a draw as they were fixed. Times are epoch milliseconds. */
export interface FixedEntrants {
  readonly entrants: number;
  /** SHA-256 of the root's text, hex: see {@link headLine}. */
  readonly root: string;
  /** 1 or {@link ROOT_VERSION}. */
  readonly rootVersion: number;
  readonly fixedAt: number;
  /** The block is the chain's first with this timestamp or a later one. */
  readonly notBefore: number;
}

/** What decided a draw, apart from its entrants. */
export interface DrawnLot {
  readonly block: BlockRef;
  /** Hex. */
  readonly seed: string;
  /** Epoch milliseconds. */
  readonly drawnAt: number;
}

/** The draw of a gig. Hashes and the secret are hex. */
export interface Draw {
  readonly gigId: number;
  /** Nobody may know it before the draw. */
  readonly secret: string;
  /** SHA-256 of the secret. */
  readonly commitment: string;
  readonly state: DrawState;
  /** Null until they are fixed. */
  readonly fixed: FixedEntrants | null;
  /** Null until the draw. */
  readonly lot: DrawnLot | null;
}

const bytes = (hex: string) => Buffer.from(hex, 'hex');

function sha256Of(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** The hash by which a secret is known before the draw. */
export function commitmentOf(secret: string): string {
  return sha256Of(bytes(secret));
}

/** The line of an entrant: `farcaster:1001`. */
export function lineOf({ platform, platformUserId }: AccountKey): string {
  return `${platform}:${platformUserId}`;
}

/** Lines as they are hashed and published: each ends with a line feed. */
export function linesText(entrants: readonly AccountKey[]): string {
  return entrants.map((entrant) => `${lineOf(entrant)}\n`).join('');
}

/**
 * The first line of a root's text, which the entrants' lines follow: with the commitment the root then fixes everything
 * that decides, so that no other draw is possible under what people have noted.
 */
export function headLine({
  gigId,
  chainId,
  places,
  notBefore,
}: {
  gigId: number;
  chainId: number;
  places: number;
  notBefore: number;
}): string {
  return `${gigId} ${chainId} ${places} ${isoText(notBefore)}\n`;
}

/** Hashes a root's text: its first line, then the entrants' lines, which are given in the order of their bytes. */
export function createRoot(head: string): {
  add(entrants: readonly AccountKey[]): void;
  done(): { entrants: number; root: string };
} {
  const hash = createHash('sha256').update(head, 'utf8');
  let count = 0;
  return {
    add(entrants) {
      count += entrants.length;
      hash.update(linesText(entrants), 'utf8');
    },
    done: () => ({ entrants: count, root: hash.digest('hex') }),
  };
}

/** The number that decides a draw. @param blockHash `0x` and 64 hex digits */
export function seedOf({
  secret,
  blockHash,
  root,
}: {
  secret: string;
  blockHash: `0x${string}`;
  root: string;
}): string {
  return sha256Of(bytes(secret), bytes(blockHash.slice(2)), bytes(root));
}

/** The ticket of a line in a draw with this seed; the lowest tickets win. */
export function ticketOf(seed: string, line: string): string {
  return sha256Of(bytes(seed), Buffer.from(line, 'utf8'));
}

/** Draws the lowest tickets of entrants that come one by one, and keeps no others. Ties go by the order of the lines. */
export function createLottery({ seed, winners }: { seed: string; winners: number }): {
  enter(entrants: readonly AccountKey[]): void;
  winners(): readonly Winner[];
} {
  const best: { key: AccountKey; ticket: string; order: string }[] = [];
  function enter(key: AccountKey): void {
    const line = lineOf(key);
    const ticket = ticketOf(seed, line);
    const order = `${ticket} ${line}`;
    if (best.length === winners && order > (best.at(-1)?.order ?? '')) return;
    let low = 0;
    for (let high = best.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((best[middle]?.order ?? '') < order) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, { key, ticket, order });
    if (best.length > winners) best.pop();
  }
  return {
    enter: (entrants) => entrants.forEach(enter),
    winners: () =>
      best.map(({ key: { platform, platformUserId }, ticket }, index) => {
        return { platform, platformUserId, ticket, place: index + 1 };
      }),
  };
}

/** When a raffle can be drawn at the earliest; the chain's confirmations come on top. */
export function drawsAt(hold: Hold, window: GigWindow): number {
  return closesAt(hold, window) + DRAW_DELAY_MS;
}

/** After the end so many accounts are drawn, and each gets an equal share of what is left. */
export function drawPayout(places: number): RulePayout<'draw'> {
  return {
    ...PAYOUT_DEFAULTS,
    by: 'draw',
    places,
    hasDraw: true,
    nextDivisionAt: (hold, window, divided) => (divided === 0 ? drawsAt(hold, window) : null),
    settlesAt: drawsAt,
    countAwards: ({ eligible, awarded }) => Math.min(eligible, Math.max(0, places - awarded)),
  };
}
