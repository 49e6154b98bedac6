import type { AccountName, Identifier, Platform } from './account.ts';
import { DomainError } from './errors.ts';

export const MAX_IDENTIFIERS = 100;

const MAX_FID_DIGITS = 20;
const HANDLE = /^[A-Za-z0-9_]{1,15}$/;

function invalid(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

function parseIdentifier(item: string): Identifier {
  if (/^[0-9]+$/.test(item)) {
    const fid = item.replace(/^0+(?=[0-9])/, '');
    if (fid.length <= MAX_FID_DIGITS) return { platform: 'farcaster', platformUserId: fid };
  }
  const handle = item.startsWith('@') ? item.slice(1) : item;
  // Lower case only after the test: the Kelvin sign, for one, has the lower case `k`.
  if (!/^[0-9]+$/.test(item) && HANDLE.test(handle)) return { platform: 'twitter', handle: handle.toLowerCase() };
  const shown = JSON.stringify(item.length > 40 ? `${item.slice(0, 40)}…` : item);
  throw invalid(
    `identifiers: ${shown} is neither a Farcaster FID (digits) nor an X username (1 to 15 letters, digits or _)`,
  );
}

/**
 * Reads the `identifiers` parameter of a claim look-up: comma-separated FIDs (digits) and X handles, in any mix.
 * Empty items are dropped and repeated ones folded; a leading `@` makes any item a handle.
 * @throws DomainError `invalid_request` when nothing is left, an item is malformed, or there are more than 100
 */
export function parseIdentifiers(text: string | undefined): Identifier[] {
  const found = new Map<string, Identifier>();
  for (const part of (text ?? '').split(',')) {
    const item = part.trim();
    if (item === '') continue;
    const identifier = parseIdentifier(item);
    found.set('handle' in identifier ? `@${identifier.handle}` : identifier.platformUserId, identifier);
  }
  if (found.size === 0) {
    throw invalid('identifiers is required: a comma-separated list of Farcaster FIDs and X usernames');
  }
  if (found.size > MAX_IDENTIFIERS) {
    throw invalid(`identifiers: at most ${MAX_IDENTIFIERS} are allowed, got ${found.size}`);
  }
  return [...found.values()];
}

const HANDLES: Readonly<Record<Platform, RegExp>> = { farcaster: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, twitter: HANDLE };
const ID_NOUN: Readonly<Record<Platform, string>> = {
  farcaster: 'a Farcaster FID (digits)',
  twitter: 'an X id (digits)',
};

/**
 * Reads the name of one account of a platform: digits are its id; anything else, and everything after an `@`, is a handle.
 * @throws DomainError `invalid_request` when it is neither
 */
export function parseAccountName(platform: Platform, text: string): AccountName {
  if (/^[0-9]+$/.test(text)) {
    const id = text.replace(/^0+(?=[0-9])/, '');
    if (id.length <= MAX_FID_DIGITS) return { platform, platformUserId: id };
  }
  const handle = text.startsWith('@') ? text.slice(1) : text;
  if (!/^[0-9]+$/.test(text) && HANDLES[platform].test(handle)) return { platform, handle: handle.toLowerCase() };
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  throw invalid(`${shown} is neither ${ID_NOUN[platform]} nor a username there`);
}
