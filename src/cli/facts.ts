import { formatAmount } from '../domain/amount.ts';
import { type Fact, factsJson, type Piece, type Told } from '../domain/facts/fact.ts';
import { checksummed } from '../domain/gigs/token.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';
import { isoText } from '../domain/time.ts';
import type { Printer } from './context.ts';
import { accountText, printRecord } from './output.ts';
import type { Cut } from './shorten.ts';
import type { Column, Table } from './table.ts';

function pieceText(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('amount' in piece) return `${formatAmount(piece.amount, piece.of.decimals)} ${piece.of.symbol}`;
  if ('moment' in piece) return isoText(piece.moment);
  if ('platform' in piece) return platformFacts(piece.platform).label;
  if ('account' in piece) return accountText(piece.account);
  if ('address' in piece) return checksummed(piece.address);
  if ('whole' in piece) return piece.whole;
  if ('transaction' in piece) return piece.transaction;
  if ('foreign' in piece) return piece.foreign;
  if ('text' in piece) return piece.text;
  if ('record' in piece) return `${piece.record} ${piece.id}`;
  return 'command' in piece ? piece.command : toldText(piece.problem);
}

/** What a fact says, as text. Texts by others in it are not made safe for a terminal yet. */
export function toldText(told: Told): string {
  return typeof told === 'object' && 'map' in told ? told.map(pieceText).join('') : pieceText(told);
}

/** Facts as labelled values for the terminal, without those that have nothing to tell. */
export function factFields<Subject>(facts: readonly Fact<Subject>[], subject: Subject): Record<string, string> {
  const told = facts.map(({ label, read }) => [label, read(subject)] as const);
  return Object.fromEntries(told.flatMap(([label, value]) => (value === null ? [] : [[label, toldText(value)]])));
}

/** Facts as columns of a table; `shapes` says by their labels how they go where the terminal is narrow, see {@link Column}. */
export function factColumns<Subject>(
  facts: readonly Fact<Subject>[],
  shapes: Readonly<Record<string, { readonly cut?: Cut; readonly spare?: number }>>,
): Table<Subject> {
  return Object.fromEntries(
    facts.map(({ label, read }) => {
      const cell = (subject: Subject) => {
        const told = read(subject);
        return told === null ? null : toldText(told);
      };
      return [label, { ...shapes[label], read: cell }];
    }),
  );
}

/** A record of a list in JSON: its id and facts. */
export function factItem<Subject>(facts: readonly Fact<Subject>[]) {
  return (subject: Subject & { readonly id: number }) => ({ id: subject.id, ...factsJson(facts, subject) });
}

/** Prints one record: its id and facts as JSON, or its title and facts. */
export function printFacts<Subject>(
  context: Printer,
  facts: readonly Fact<Subject>[],
  { subject, ...options }: { subject: Subject; json: boolean; noun: string; id: number },
): void {
  const { json, noun, id } = options;
  printRecord(
    context,
    { id, ...factsJson(facts, subject) },
    { json, title: `${noun} ${id}`, fields: factFields(facts, subject) },
  );
}
