import { createHash } from 'node:crypto';
import { OTHER_NUMBERS } from '../../domain/tip.ts';
import type { Row, TablePlan } from './plan.ts';

/** What a table holds, in two words. */
export interface Digest {
  readonly rows: number;
  /** SHA-256 over its rows by their key, each as a JSON array of texts, one a line. */
  readonly hash: string;
}

/** Reads what a store holds while its rows pass by: each table once, in the order of references. */
export interface SideReading {
  add(table: TablePlan, rows: readonly Row[]): void;
  /** Of a table that has passed by. */
  digest(table: TablePlan): Digest;
  /** The number of the next tip of each gig, and the next nonce of the gas tank on each chain, as text. */
  nextNonces(): string;
  /** A sentence for each gig that has awarded other than the sum of its tips, or whose next number was given. */
  problems(): string[];
}

interface GigFacts {
  readonly awarded: bigint;
  readonly nextNumber: bigint;
  tips: bigint;
  highest: bigint;
}

type Cell = (name: string) => string;

/** Gives a row's cells by the names of their columns; null as an empty text. */
function cellsOf({ columns }: TablePlan): (row: Row) => Cell {
  const places = new Map(columns.map(({ name }, place) => [name, place]));
  return (row) => (name) => row[places.get(name) ?? -1] ?? '';
}

export function createReading(): SideReading {
  const tables = new Map<string, { hash: ReturnType<typeof createHash>; rows: number }>();
  const gigs = new Map<string, GigFacts>();
  const nonces = new Map<string, bigint>();

  const noted: Readonly<Record<string, (cell: Cell) => void>> = {
    gigs(cell) {
      const [awarded, nextNumber] = [BigInt(cell('awarded_amount')), BigInt(cell('next_tip_number'))];
      gigs.set(cell('id'), { awarded, nextNumber, tips: 0n, highest: -1n });
    },
    tips(cell) {
      const gig = gigs.get(cell('gig_id'));
      if (gig === undefined)
        throw new RangeError(`tip ${cell('id')} is of gig ${cell('gig_id')}, which does not exist`);
      if (cell('is_void') !== '1') gig.tips += BigInt(cell('amount'));
      const number = BigInt(cell('number'));
      if (number < OTHER_NUMBERS && number > gig.highest) gig.highest = number;
    },
    tank_transactions(cell) {
      const [chain, nonce] = [cell('chain_id'), BigInt(cell('nonce'))];
      if (nonce >= (nonces.get(chain) ?? 0n)) nonces.set(chain, nonce + 1n);
    },
  };

  return {
    add(table, rows) {
      const read = tables.get(table.name) ?? { hash: createHash('sha256'), rows: 0 };
      tables.set(table.name, read);
      read.hash.update(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const note = noted[table.name];
      const toCells = cellsOf(table);
      if (note !== undefined) for (const row of rows) note(toCells(row));
      read.rows += rows.length;
    },
    digest({ name }) {
      const read = tables.get(name);
      const hash = read?.hash.copy() ?? createHash('sha256');
      return { rows: read?.rows ?? 0, hash: hash.digest('hex') };
    },
    nextNonces: () =>
      JSON.stringify([
        [...gigs].map(([id, { nextNumber }]) => [id, String(nextNumber)]),
        [...nonces].map(([chain, nonce]) => [chain, String(nonce)]).toSorted(),
      ]),
    problems: () =>
      [...gigs].flatMap(([id, { awarded, tips, nextNumber, highest }]) => [
        ...(awarded === tips ? [] : [`gig ${id} has awarded ${awarded}, but its tips are ${tips}`]),
        ...(nextNumber > highest ? [] : [`gig ${id} would give the number ${nextNumber} to a tip again`]),
      ]),
  };
}
