import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { CHAINS, type Chain, chainByKey } from '../domain/chains/chain.ts';
import { platformField, userIdField } from '../domain/fields.ts';
import type { ListView, Table } from './table.ts';

const MAX_PAGE = 1_000;
export const USUAL_PAGE = 50;

interface Field<T> {
  safeParse(
    text: string,
  ): { success: true; data: T } | { success: false; error: { issues: readonly { message: string }[] } };
}

/** Parses an argument with the API's rule for it. */
export function by<T>(field: Field<T>): (text: string) => T {
  return (text) => {
    const result = field.safeParse(text);
    if (result.success) return result.data;
    throw new InvalidArgumentError(result.error.issues.map(({ message }) => message).join('; '));
  };
}

/** Reads an id; `hint` says where ids are found. */
export function id(hint: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9][0-9]{0,14}$/.test(text))
      throw new InvalidArgumentError(`It must be a positive whole number of at most 15 digits; ${hint}.`);
    return Number(text);
  };
}

/** The id of a gig, as an argument of a command. */
export function gigArgument(): Argument {
  return new Argument('<gig>', 'the id of the gig').argParser(id('gig list shows the ids'));
}

/** An account, as two arguments of a command: its platform and its id there. */
export function accountArguments(command: Command): Command {
  return command
    .argument('<platform>', 'farcaster or x', by(platformField('platform')))
    .argument('<user id>', "the account's FID or numeric X id, digits only", by(userIdField));
}

/** The option by which a command's table stays whole on a narrow terminal. */
export function wideOption(): Option {
  return new Option('--wide', 'on a terminal: all columns, whole').conflicts('json');
}

/** Reads one use of an option; `before` is what its earlier uses gave. */
type Separated<Item> = (text: string, before?: readonly Item[]) => Item[];

/** Reads an option that takes a comma-separated list and can be given several times, which adds to the list. */
export function separated<Item>(read: (part: string) => Item): Separated<Item> {
  return (text, before = []) => [...before, ...text.split(',').map((part) => read(part.trim()))];
}

function columnNames(known: readonly string[]): Separated<string> {
  return separated((name) => {
    if (known.includes(name)) return name;
    throw new InvalidArgumentError(`There is no column ${JSON.stringify(name)}; there are ${known.join(', ')}.`);
  });
}

/** The options by which a command prints the columns of its table that are wanted, whole. */
export function tableOptions<Item>(command: Command, table: Table<Item>): Command {
  const known = Object.keys(table);
  return command
    .addOption(wideOption())
    .addOption(
      new Option('--columns <names>', `only these columns, comma-separated: ${known.join(', ')}`)
        .argParser(columnNames(known))
        .conflicts('json'),
    );
}

/** The option by which a command prints JSON: one object, or an array of what it lists. */
export function jsonOption(form: 'object' | 'array'): Option {
  return new Option('--json', form === 'object' ? 'as one JSON object' : 'as a JSON array').default(false);
}

/** `Date.parse` reads February 30 as a day in March. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T|$)/.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Reads a date into epoch milliseconds. */
export function instant(text: string): number {
  const time = isDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return time;
}

/** Reads a chain's key. */
export function chain(text: string): Chain {
  const found = chainByKey(text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`It must be one of ${CHAINS.map(({ key }) => key).join(', ')}.`);
}

/** Reads an http or https URL. */
export function webUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > 500) {
    throw new InvalidArgumentError('It must be an http or https URL of at most 500 characters.');
  }
  return url.href;
}

/** Reads CoinGecko's id of a coin. */
export function coingeckoId(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be the id in the address of the coin’s page on CoinGecko, such as degen-base.',
  );
}

function limit(text: string): number {
  const count = Number(text);
  if (/^[1-9][0-9]{0,3}$/.test(text) && count <= MAX_PAGE) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_PAGE}.`);
}

export interface ListOptions extends ListView {
  readonly limit: number;
  readonly before?: number;
}

/** Adds the {@link ListOptions} to a command that lists. */
export function pageOptions<Item>(command: Command, table: Table<Item>): Command {
  const paged = command
    .option('--limit <count>', 'the maximum number of entries, newest first', limit, USUAL_PAGE)
    .option(
      '--before <id>',
      'only those with a smaller id, for the next page',
      id('it is the last id of the previous page'),
    )
    .addOption(jsonOption('array'));
  return tableOptions(paged, table);
}

/** Shows examples at the end of a command's help. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const shown = lines.map((line) => `  npm run admin -- ${line}`).join('\n');
  return command.addHelpText('after', `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${shown}`);
}
