import type { Printer } from './context.ts';
import { plain, printJson } from './output.ts';
import { type Cut, shorten, widthOf } from './shorten.ts';

export type Cell = string | number | boolean | null;

type Read<Item> = (item: Item) => Cell;

/** What a column shows. On a narrow terminal one with `cut` is shortened, and those with `spare` are left out, 1 first. */
export type Column<Item> =
  | Read<Item>
  | { readonly read: Read<Item>; readonly cut?: Cut | undefined; readonly spare?: number | undefined };

/** The columns of a table by name, in order. */
export type Table<Item> = Readonly<Record<string, Column<Item>>>;

/** How a list is printed: as JSON, or as a table of all columns or those that are named, in their order. */
export interface ListView {
  readonly json: boolean;
  /** Whole, whatever the width of the terminal is. */
  readonly wide?: boolean;
  readonly columns?: readonly string[];
}

const GAP = 2;
/** How short a value may become. */
const LEAST = { middle: 11, end: 16, time: 17 } as const satisfies Record<Cut, number>;

interface Shown {
  readonly name: string;
  readonly cells: readonly string[];
  readonly cut: Cut | undefined;
  readonly spare: number | undefined;
  readonly width: number;
  readonly least: number;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, GAP * (widths.length - 1));
}

/** Without the spare columns for which there is no room, however much the others are shortened. */
function chooseColumns(all: readonly Shown[], width: number): Shown[] {
  const isTooWide = (some: readonly Shown[]) => sum(some.map(({ least }) => least)) > width;
  const order = all.filter(({ spare }) => spare !== undefined).toSorted((a, b) => (a.spare ?? 0) - (b.spare ?? 0));
  let shown = [...all];
  for (const next of order) if (isTooWide(shown)) shown = shown.filter((column) => column !== next);
  return shown;
}

/** Texts share what is left, then addresses and times are whole where that fits. */
function chooseWidths(shown: readonly Shown[], width: number): number[] {
  const widths = shown.map(({ least }) => least);
  const shortened = shown.map((column, place) => ({ column, place })).filter(({ column }) => column.cut !== undefined);
  const texts = shortened.filter(({ column }) => column.cut === 'end');
  const smallestFirst = texts.toSorted((a, b) => a.column.width - b.column.width);
  for (const [index, { column, place }] of smallestFirst.entries()) {
    const share = Math.floor((width - sum(widths)) / (smallestFirst.length - index));
    widths[place] = Math.min(column.width, column.least + Math.max(0, share));
  }
  for (const { column, place } of shortened) {
    if (sum(widths) + column.width - (widths[place] ?? 0) <= width) widths[place] = column.width;
  }
  return widths;
}

function toShown<Item>(table: Table<Item>, names: readonly string[], items: readonly Item[]): Shown[] {
  return names.map((name) => {
    const column = table[name];
    if (column === undefined) throw new TypeError(`the table has no column ${name}`);
    const { read, cut, spare } = typeof column === 'function' ? { read: column } : { cut: undefined, ...column };
    const cells = [name, ...items.map((item) => plain(String(read(item) ?? '-')))];
    const width = Math.max(...cells.map(widthOf));
    return { name, cells, cut, spare, width, least: cut === undefined ? width : Math.min(width, LEAST[cut]) };
  });
}

function printRows(context: Printer, columns: readonly (readonly string[])[], lengthOf: (text: string) => number) {
  const widths = columns.map((cells) => Math.max(...cells.map(lengthOf)));
  for (let row = 0; row < (columns[0]?.length ?? 0); row += 1) {
    const cells = columns.map((column) => column[row] ?? '');
    const padded = cells.map((cell, place) => cell + ' '.repeat(Math.max(0, (widths[place] ?? 0) - lengthOf(cell))));
    context.print(padded.join(' '.repeat(GAP)).trimEnd());
  }
}

function hintOf(left: readonly string[], isShortened: boolean): string | null {
  if (left.length > 0) return `Not shown: ${left.join(', ')}. --wide shows all.`;
  return isShortened ? 'Shortened; --wide shows all.' : null;
}

function printFitted(context: Printer, all: readonly Shown[], width: number): void {
  const shown = chooseColumns(all, width);
  const widths = chooseWidths(shown, width);
  const fitted = shown.map(({ cells, cut }, place) =>
    cut === undefined ? cells : cells.map((cell) => shorten(cell, widths[place] ?? 0, cut)),
  );
  printRows(context, fitted, widthOf);
  const left = all.filter((column) => !shown.includes(column)).map(({ name }) => name);
  const isShortened = shown.some((column, place) => column.width > (widths[place] ?? 0));
  const hint = hintOf(left, isShortened);
  if (hint !== null) context.print(hint);
}

function printTable<Item>(context: Printer, items: readonly Item[], { table, view }: Printed<Item>): void {
  const all = toShown(table, view.columns ?? Object.keys(table), items);
  const cells = all.map((column) => column.cells);
  const { width } = context;
  const isWhole = view.wide === true || view.columns !== undefined;
  // What no terminal shows is laid out by the length of texts.
  if (width === null) printRows(context, cells, (text) => text.length);
  else if (isWhole || sum(all.map((column) => column.width)) <= width) printRows(context, cells, widthOf);
  else printFitted(context, all, width);
}

interface Printed<Item> {
  readonly table: Table<Item>;
  readonly view: ListView;
}

/** Prints a list: as a JSON array of its items or what `item` makes of them, or as a table. */
export function printList<Item>(
  context: Printer,
  items: readonly Item[],
  options: Printed<Item> & { readonly empty: string; readonly item?: (item: Item) => object },
): void {
  const { view, item: toItem } = options;
  if (view.json) printJson(context, toItem === undefined ? items : items.map(toItem));
  else if (items.length === 0) context.print(options.empty);
  else printTable(context, items, options);
}
