import { normalize } from 'viem/ens';
import type { Address } from '../gigs/token.ts';

/** A name of ENS as ENSIP-15 writes it; also a Basename, such as `alice.base.eth`. */
export type EnsName = `${string}.eth`;

/** More bytes than a whole reply of the bot has room for, beside the address and its own words. */
const MAX_BYTES = 100;
const MAX_LABELS = 10;

/** A text that means a name, however it is written. */
const MEANT = /^[^@]*\.eth$/iu;
/** In a reply it would be a tag. */
const TAG = '$';
const LATIN = /\p{Script=Latin}/u;
const OTHER_LETTER = /[\p{L}--[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]]/v;

export type NameProblem =
  | { readonly kind: 'too_long' }
  /** It has characters that no name may have, or mixes scripts. */
  | { readonly kind: 'unfit' }
  /** `written` is the name as ENSIP-15 writes it. */
  | { readonly kind: 'written_otherwise'; readonly written: EnsName };

/** Whether a word means a name, also one that is refused. @param word without invisible characters */
export function isNameMeant(word: string): boolean {
  return MEANT.test(word);
}

/** Whether a text is a name rather than an address. It may be one that nobody can have. */
export function isEnsName(text: string): text is EnsName {
  return text.endsWith('.eth');
}

function mixesScripts(label: string): boolean {
  return LATIN.test(label) && OTHER_LETTER.test(label);
}

/** The name by ENSIP-15; null for a text that it refuses. */
function normalized(text: string): EnsName | null {
  try {
    const name = normalize(text);
    return isEnsName(name) ? name : null;
  } catch {
    return null;
  }
}

/** Reads one whole name. It is refused when ENSIP-15 writes it otherwise: what it looks like may be another name. */
export function readName(text: string): { readonly name: EnsName } | NameProblem {
  if (Buffer.byteLength(text) > MAX_BYTES || text.split('.').length > MAX_LABELS) return { kind: 'too_long' };
  const name = normalized(text);
  if (name === null || name.includes(TAG) || name.split('.').some(mixesScripts)) return { kind: 'unfit' };
  return name === text ? { name } : { kind: 'written_otherwise', written: name };
}

/** Whether a name is one of Base, whose addresses are those of Base. */
export function isBasename(name: EnsName): boolean {
  return name.endsWith('.base.eth');
}

const CONFIRMING_DIGITS = 4;

/** The beginning of an address, by which a person confirms it: `0x1234`. */
export function confirmationOf(address: Address): string {
  return address.slice(0, 2 + CONFIRMING_DIGITS);
}

/** What a claim to a name needs instead, where no name is paid. */
export const ADDRESS_INSTEAD = 'name an address: 0x and 40 hex digits';
