import type { AccountKey, Platform } from '../account.ts';
import { splitAccount } from '../account-name.ts';
import { decimalText } from '../amount.ts';
import { PLATFORMS, type PlatformFacts, platformFacts } from '../platforms/platforms.ts';
import { type ListLine, readListLines, type Separator } from './list-fields.ts';

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
const CONTROLS = /[\p{Cc}\p{Cf}]/u;

/** How lists call their columns, in lower case. */
const ACCOUNT_COLUMNS = ['account', 'handle', 'username', 'user', 'id', 'profile'];
/** Those with accounts of one platform: its names, and that of its ids. */
const ownColumns = ({ id, slug, idLabels: [label] }: PlatformFacts) => [id, slug, label.toLowerCase()];
const AMOUNT_COLUMNS = ['amount', 'reward', 'award', 'tokens', 'value'];

/** In which fields a list has the account and the amount. */
interface Columns {
  readonly account: number;
  readonly amount: number;
  /** How many fields the header has; null without one: then a line has these two fields alone. */
  readonly header: number | null;
}

/** @returns the columns, or why these cannot be told: a handle is another account elsewhere, and an amount may be in a currency */
function findColumns(first: ListLine | undefined, platform: Platform): Columns | { readonly problem: string } {
  const names = (first?.fields ?? []).map((field) => field.toLowerCase());
  const placesOf = (known: readonly string[]) => names.flatMap((name, at) => (known.includes(name) ? [at] : []));
  const [account] = placesOf([...ACCOUNT_COLUMNS, ...ownColumns(platformFacts(platform))]);
  const [foreign] = placesOf(PLATFORMS.flatMap(ownColumns));
  const [amount, second] = placesOf(AMOUNT_COLUMNS);
  if (amount === undefined || (account === undefined && foreign === undefined))
    return { account: 0, amount: 1, header: null };
  if (account === undefined)
    return { problem: `The column “${names[foreign ?? 0]}” names no accounts of ${platformFacts(platform).label}.` };
  if (second !== undefined)
    return { problem: `The columns “${names[amount]}” and “${names[second]}” may both be the amount: leave one out.` };
  return { account, amount, header: names.length };
}

function readId(platform: Platform, id: string): ListedName | string {
  const facts = platformFacts(platform);
  return facts.isId(id) && id !== '0' ? { platform, platformUserId: id } : `not a valid ${facts.label} id`;
}

function readHandle(platform: Platform, handle: string): ListedName | string {
  const { isHandle, label } = platformFacts(platform);
  return isHandle(handle) ? { platform, handle: handle.toLowerCase() } : `not a valid ${label} handle`;
}

const LIKE = 'the account must be like @alice, farcaster:1001 or x:2222, or the URL of a profile';

function readName(text: string, platform: Platform): ListedName | string {
  if (/^[0-9]+$/.test(text)) {
    return `${text} is ambiguous: write @${text} for a handle, or ${platformFacts(platform).slug}:${text} for an id`;
  }
  const { platform: said, name } = splitAccount(text);
  if (said !== null && /^[0-9]+$/.test(name)) return readId(said, name);
  // After a platform, digits with a slip are no handle.
  const isHandle = name.startsWith('@') || (said === null && platformFacts(platform).isHandle(name));
  if (!isHandle) return LIKE;
  if (said !== null && said !== platform) return 'a handle must be on the platform of the gig';
  return readHandle(platform, name.replace(/^@/, ''));
}

/** One digit to three, then a comma or a point, then three: as people write a thousand, and as others write one. */
const AMBIGUOUS = /^[1-9][0-9]{0,2}([.,])[0-9]{3}$/;

/** Decimal text, or what is wrong with it. */
function readAmount(given: string, separator: Separator): { readonly amount: string } | { readonly problem: string } {
  const point = given.replace(',', '.');
  if (AMBIGUOUS.test(given)) {
    return { problem: `${given} is ambiguous: write ${point}0 or ${given.replace(/[.,]/u, '')}` };
  }
  // Where a comma separates the fields, one in quotes may stand for anything.
  const amount = decimalText(separator === ',' ? given : point);
  return amount === null ? { problem: 'the amount must be a positive number such as 10 or 0.5' } : { amount };
}

interface ListForm {
  readonly platform: Platform;
  readonly separator: Separator;
  readonly columns: Columns;
}

function readLine({ text, fields, within }: ListLine, { platform, separator, columns }: ListForm): AwardLine['said'] {
  if (within !== null) return { problem: `it stands within the quotes that line ${within} opens` };
  if (CONTROLS.test(text.replaceAll('\t', ''))) return { problem: 'the line has invisible characters' };
  if (fields === null) return { problem: 'its quotes do not match' };
  const { header } = columns;
  // More fields than the header names: a decimal comma without quotes has divided one.
  if (header !== null && fields.length > header) return { problem: 'the line has more fields than the header' };
  const isWhole = header === null ? fields.length === 2 : fields[columns.amount] !== undefined;
  if (!isWhole) return { problem: 'the line must be an account, a comma and an amount, such as @alice,10' };
  const name = readName(fields[columns.account] ?? '', platform);
  if (typeof name === 'string') return { problem: name };
  const amount = readAmount(fields[columns.amount] ?? '', separator);
  return 'problem' in amount ? amount : { name, ...amount };
}

/**
 * Reads a list of awards: an account and an amount in each line, as people and spreadsheets write it, or with a header that names
 * these two columns. A line that is wrong spoils no other.
 * @param platform the gig's: handles are of it
 */
export function readAwardList(text: string, platform: Platform): AwardList {
  if (new TextEncoder().encode(text).byteLength > MAX_AWARD_BYTES) {
    return { problem: `Up to ${MAX_AWARD_BYTES / 1024} kB per list. Divide the list.` };
  }
  if (/[\0\uFFFD]/.test(text)) return { problem: 'The list must be plain text: save it as CSV.' };
  const { separator, lines: all } = readListLines(text);
  const columns = findColumns(all[0], platform);
  if ('problem' in columns) return columns;
  const lines = columns.header === null ? all : all.slice(1);
  if (lines.length === 0) return { problem: 'The list is empty: write one account and one amount on each line.' };
  if (lines.length > MAX_AWARD_LINES) return { problem: `Up to ${MAX_AWARD_LINES} lines per list. Divide the list.` };
  const form = { platform, separator, columns };
  return {
    lines: lines.map((line) => ({
      place: line.place,
      text: line.text.trim().slice(0, SHOWN),
      said: readLine(line, form),
    })),
  };
}

/** An award as a page of the service writes it, for a list of its own. */
export function awardText({ platform, platformUserId }: AccountKey, amount: string): string {
  return `${platform}:${platformUserId},${amount}`;
}

/** An award beside what the gig has awarded the account before, so that a later award is noticed. */
export function askedText(award: string, has: bigint): string {
  return `${award},${has}`;
}

/** Reads what {@link askedText} wrote; null for anything else. `has` is base units. */
export function readAskedText(text: string): { readonly award: string; readonly has: bigint } | null {
  const [, award = '', has = ''] = /^(.*),([0-9]{1,78})$/.exec(text) ?? [];
  return has === '' ? null : { award, has: BigInt(has) };
}

/** Reads what {@link awardText} wrote; null for anything else. */
export function readAwardText(text: string): (AccountKey & { readonly amount: string }) | null {
  const [account = '', given = '', ...more] = text.split(',');
  const [platform = '', platformUserId = '', ...others] = account.split(':');
  const amount = more.length === 0 && others.length === 0 ? decimalText(given) : null;
  const facts = PLATFORMS.find(({ id }) => id === platform);
  if (amount === null || facts === undefined) return null;
  return facts.isId(platformUserId) && platformUserId !== '0' ? { platform: facts.id, platformUserId, amount } : null;
}
