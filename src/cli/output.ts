import type { Account } from '../domain/account.ts';
import { plain, UNSAFE } from '../domain/plain-text.ts';
import type { Printer } from './context.ts';

export { plain };

/** Prints JSON, with control characters escaped. */
export function printJson(context: Printer, value: unknown): void {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value, null, 2);
  // The line breaks are JSON's own: those in strings are escaped already.
  context.print(text.replace(UNSAFE, (found) => (found === '\n' ? found : found.split('').map(escaped).join(''))));
}

/** Prints labelled values below each other. */
export function printFields(context: Printer, fields: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(fields).map((label) => label.length));
  for (const [label, value] of Object.entries(fields)) {
    context.print(`  ${label.padEnd(width)}  ${plain(value)}`);
  }
}

/** Prints one record: `item` as JSON, or its title and labelled values. */
export function printRecord(
  context: Printer,
  item: object,
  options: { json: boolean; title: string; fields: Readonly<Record<string, string>> },
): void {
  if (options.json) {
    printJson(context, item);
  } else {
    context.print(options.title);
    printFields(context, options.fields);
  }
}

/** The id of a post for a table; of a hash only the beginning. */
export function shortPostId(postId: string): string {
  return postId.startsWith('0x') ? postId.slice(0, 10) : postId;
}

/** An account for people: `farcaster:1001 (@alice)`. */
export function accountText({ platform, platformUserId, username }: Account): string {
  return `${platform}:${platformUserId}${username === null ? '' : ` (@${username})`}`;
}
