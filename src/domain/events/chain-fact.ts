import { createHash } from 'node:crypto';
import type { Address } from '../gigs/token.ts';

/** Money of a gig's wallet on a chain: what an event of it is about, whichever ledger tells it. */
export interface ChainFact {
  readonly chainId: number;
  readonly wallet: Address;
  /** What the chain has marked; of a funding, its amount in base units. */
  readonly numbers: readonly bigint[];
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 26;
const BITS = 256 - 5 * LENGTH;

/** The first 130 bits in base32 (RFC 4648), in lower case. */
function base32(hex: string): string {
  const digits = (BigInt(`0x${hex}`) >> BigInt(BITS)).toString(32).padStart(LENGTH, '0');
  return [...digits].map((digit) => ALPHABET[Number.parseInt(digit, 32)]).join('');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The id of an event about money on a chain: the same from every ledger, also from one that was restored.
 * @param times how often the chain has taken the payment back before
 */
export function factUid({ chainId, wallet, numbers }: ChainFact, type: string, times = 0): string {
  const sorted = numbers.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  const parts = [chainId, wallet, sorted.join(','), type, ...(times > 0 ? [times] : [])];
  return `evt_${base32(digest(parts.join(' ')))}`;
}

/** Where an event's name begins, and how much of it a cursor holds. */
const NAMED = { from: 'evt_'.length, length: 8 };
const RANDOM = NAMED.from + 32;

/**
 * What distinguishes an event from others that get its place in a restored ledger. One about money on a chain may get the same
 * place again, behind other events than before: its time is never the same.
 */
export function cursorName({ uid, at }: { readonly uid: string; readonly at: number }): string {
  const name = uid.length === RANDOM ? uid.slice(NAMED.from) : digest(`${uid} ${at}`);
  return name.slice(0, NAMED.length);
}
