import type { AccountName, Platform } from './account.ts';
import { invalidRequest } from './errors.ts';
import { PLATFORMS, type PlatformFacts, parseProfileUrl, platformFacts, platformNamed } from './platforms/platforms.ts';

export const MAX_IDENTIFIERS = 100;

function identifiedBy(kind: 'id' | 'handle') {
  for (const row of PLATFORMS) if (row.identifier?.kind === kind) return { row, ...row.identifier };
  throw new TypeError(`identifiers name no platform by ${kind}`);
}

/** The platform whose accounts `identifiers` names by their ids, with the noun of one and of several. */
export const BY_ID = identifiedBy('id');
/** The same for the one whose accounts it names by their handles. */
export const BY_HANDLE = identifiedBy('handle');
export const IDENTIFIERS_REQUIRED = `identifiers is required: a comma-separated list of ${BY_ID.plural} and ${BY_HANDLE.plural}`;

/** Reads a name on one of these platforms: digits are an id; other text, and any text after an `@`, is a handle. */
function readName(text: string, { ids, handles }: { ids: PlatformFacts; handles: PlatformFacts }): AccountName | null {
  if (/^[0-9]+$/.test(text)) {
    const id = text.replace(/^0+(?=[0-9])/, '');
    return ids.isId(id) ? { platform: ids.id, platformUserId: id } : null;
  }
  const handle = text.startsWith('@') ? text.slice(1) : text;
  // Lower-cased only after the test: the lower case of the Kelvin sign, for one, is `k`.
  return handles.isHandle(handle) ? { platform: handles.id, handle: handle.toLowerCase() } : null;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/**
 * Reads the `identifiers` parameter of a claim look-up: comma-separated FIDs (digits) and X handles, in any mix.
 * Empty items are dropped and repeated ones folded; a leading `@` makes any item a handle.
 * @throws DomainError `invalid_request` when nothing is left, an item is malformed, or there are more than 100
 */
export function parseIdentifiers(text: string | undefined): AccountName[] {
  const found = new Map<string, AccountName>();
  for (const part of (text ?? '').split(',')) {
    const item = part.trim();
    if (item === '') continue;
    const name = readName(item, { ids: BY_ID.row, handles: BY_HANDLE.row });
    if (name === null) {
      throw invalidRequest(
        `identifiers: ${quoted(item)} is neither ${BY_ID.noun} (a whole number of at most 20 digits) nor ${BY_HANDLE.noun} (1 to 20 letters, digits or _)`,
      );
    }
    found.set('handle' in name ? `@${name.handle}` : name.platformUserId, name);
  }
  if (found.size === 0) {
    throw invalidRequest(IDENTIFIERS_REQUIRED);
  }
  if (found.size > MAX_IDENTIFIERS) {
    throw invalidRequest(`identifiers: at most ${MAX_IDENTIFIERS} are allowed, got ${found.size}`);
  }
  return [...found.values()];
}

/**
 * Reads the name of one account of a platform: digits are its id; other text, and any text after an `@`, is a handle.
 * @throws DomainError `invalid_request` when it is neither
 */
export function parseAccountName(platform: Platform, text: string): AccountName {
  const row = platformFacts(platform);
  const name = readName(text, { ids: row, handles: row });
  if (name !== null) return name;
  throw invalidRequest(
    `${quoted(text)} is neither ${row.idNoun} (a whole number of at most 20 digits) nor a username on ${row.label}`,
  );
}

/** A platform before a name: `x:alice`, `x:@alice`, `twitter@alice`. */
const IN_PLATFORM = /^([a-z]+)(?::|(?=@))(.+)$/i;

/**
 * Divides an account as people write it: the platform of a profile's URL or before a colon, and the name there, which is a handle or
 * an id. The platform is null for a text that leaves it open, such as `@alice`.
 */
export function splitAccount(text: string): { readonly platform: Platform | null; readonly name: string } {
  const profile = parseProfileUrl(text);
  if (profile !== null) return profile;
  const [, named = '', name = ''] = IN_PLATFORM.exec(text) ?? [];
  const platform = platformNamed(named.toLowerCase());
  return platform === undefined ? { platform: null, name: text } : { platform, name };
}

/**
 * Reads an account as people write it: `@alice`, `alice`, `1001`, `farcaster:1001`, or the URL of a profile. One that leaves its
 * platform open is of this one.
 * @throws DomainError `invalid_request`
 */
export function readWrittenAccount(platform: Platform, text: string): AccountName {
  const { platform: said, name } = splitAccount(text.trim());
  return parseAccountName(said ?? platform, name);
}

/**
 * Reads a comma-separated list of accounts of one platform, each as {@link parseAccountName} does. Empty items are
 * dropped and repeated ones folded.
 * @throws DomainError `invalid_request` when nothing is left, an item is malformed, or there are more than 100
 */
export function parseAccountNames(platform: Platform, text: string): AccountName[] {
  const items = text.split(',').map((part) => part.trim());
  const named = items.filter((item) => item !== '').map((item) => parseAccountName(platform, item));
  const found = new Map(named.map((name) => ['handle' in name ? `@${name.handle}` : name.platformUserId, name]));
  if (found.size === 0) throw invalidRequest('identifiers must name at least one account');
  if (found.size > MAX_IDENTIFIERS) {
    throw invalidRequest(`identifiers: at most ${MAX_IDENTIFIERS} are allowed, got ${found.size}`);
  }
  return [...found.values()];
}
