import type { AccountKey, Platform } from '../account.ts';
import { decimalText } from '../amount.ts';
import { platformFacts, platformNamed } from '../platforms/platforms.ts';

export const MAX_AWARD_LINES = 500;
export const MAX_AWARD_BYTES = 64 * 1024;
/** How many handles of one list its platform is asked about: on X each question is paid for. */
export const MAX_HANDLES = 50;

/** The account of a line: by its id, or by its handle in lower case, without `@`, on the platform of the gig. */
export type ListedName = AccountKey | { readonly platform: Platform; readonly handle: string };

/** One line of a list of awards: what it says, or why it says nothing. */
export interface AwardLine {
  /** Its number in the list, from 1 on. */
  readonly place: number;
  /** As it was written, cut. */
  readonly text: string;
  readonly said: { readonly name: ListedName; readonly amount: string } | { readonly problem: string };
}

/** A list of awards, or why it cannot be read at all. */
export type AwardList = { readonly lines: readonly AwardLine[] } | { readonly problem: string };

const SHOWN = 80;
const HEADER = /^"?account"?\s*,\s*"?amount"?$/i;
/** A field in quotes, in which two quotes are one, or one without quotes. */
const FIELD = /(?:\s*"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y;
const CONTROLS = /[\p{Cc}\p{Cf}]/u;

/** The fields of a line; null when its quotes do not match. */
function fieldsOf(line: string): string[] | null {
  const fields: string[] = [];
  for (let at = 0; ; at = FIELD.lastIndex) {
    FIELD.lastIndex = at;
    const found = FIELD.exec(line);
    if (found === null) return null;
    const [, quoted, bare = '', end] = found;
    fields.push((quoted?.replaceAll('""', '"') ?? bare).trim());
    if (end === '') return fields;
  }
}

function readName(text: string, platform: Platform): ListedName | string {
  if (/^[0-9]+$/.test(text)) {
    return `${text} is ambiguous: write @${text} for a handle, or ${platformFacts(platform).slug}:${text} for an id`;
  }
  if (text.startsWith('@')) {
    const handle = text.slice(1);
    const { isHandle, label } = platformFacts(platform);
    return isHandle(handle) ? { platform, handle: handle.toLowerCase() } : `the account is no handle of ${label}`;
  }
  const [, name = '', id = ''] = /^([a-z]+):([0-9]+)$/i.exec(text) ?? [];
  const named = platformNamed(name.toLowerCase());
  if (named === undefined) return 'the account must be like @alice, farcaster:1001 or x:2222';
  if (!platformFacts(named).isId(id) || id === '0') return `the account is no id of ${platformFacts(named).label}`;
  return { platform: named, platformUserId: id };
}

function readLine(line: string, platform: Platform): AwardLine['said'] {
  if (CONTROLS.test(line.replaceAll('\t', ''))) return { problem: 'the line has invisible characters' };
  const fields = fieldsOf(line);
  if (fields === null) return { problem: 'its quotes do not match' };
  const [account = '', given = ''] = fields;
  if (fields.length !== 2) return { problem: 'the line must be an account, a comma and an amount, such as @alice,10' };
  const name = readName(account, platform);
  if (typeof name === 'string') return { problem: name };
  const amount = decimalText(given);
  if (amount === null) return { problem: 'the amount must be a positive number such as 10 or 0.5' };
  return { name, amount };
}

/**
 * Reads a list of awards, one `account,amount` a line. Quotes, a header, a byte order mark and empty lines are accepted; a line
 * that is wrong spoils no other.
 * @param platform the gig's: handles are of it
 */
export function readAwardList(text: string, platform: Platform): AwardList {
  if (new TextEncoder().encode(text).byteLength > MAX_AWARD_BYTES) {
    return { problem: `The list must have at most ${MAX_AWARD_BYTES / 1024} kB: divide it into several lists.` };
  }
  if (/[\0\uFFFD]/.test(text)) return { problem: 'The list must be plain text in UTF-8: save it as CSV in UTF-8.' };
  const written = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ place: index + 1, line: line.trim() }))
    .filter(({ line }) => line !== '');
  const lines = HEADER.test(written[0]?.line ?? '') ? written.slice(1) : written;
  if (lines.length === 0) return { problem: 'The list is empty: write one account and one amount on each line.' };
  if (lines.length > MAX_AWARD_LINES) {
    const many = `The list has ${lines.length} lines, and may have ${MAX_AWARD_LINES}`;
    return { problem: `${many}: divide it into several lists.` };
  }
  return {
    lines: lines.map(({ place, line }) => ({ place, text: line.slice(0, SHOWN), said: readLine(line, platform) })),
  };
}
