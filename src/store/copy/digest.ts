import { createHash, type Hash } from 'node:crypto';
import { OTHER_NUMBERS } from '../../domain/gigs/tip.ts';
import type { Row, TablePlan } from './plan.ts';

/** Reads what a store holds while the rows of its tables pass by, each table once. */
export interface SideReading {
  add(table: TablePlan, rows: readonly Row[]): void;
  /** How many rows of a table have passed by, and the SHA-256 over them by their key, each as a JSON array of texts, one a line. */
  digest(table: TablePlan): { readonly rows: number; readonly hash: string };
  /** A sentence for each gig that has awarded other than the sum of its tips, or whose next number was given. */
  problems(): string[];
}

export function createReading(): SideReading {
  const tables = new Map<string, { hash: Hash; rows: number }>();
  const gigs = new Map<string, { awarded: bigint; nextNumber: bigint }>();
  const tips = new Map<string, { sum: bigint; highest: bigint }>();
  const noted: Readonly<Record<string, (cell: (name: string) => string) => void>> = {
    gigs(cell) {
      gigs.set(cell('id'), { awarded: BigInt(cell('awarded_amount')), nextNumber: BigInt(cell('next_tip_number')) });
    },
    tips(cell) {
      const { sum, highest } = tips.get(cell('gig_id')) ?? { sum: 0n, highest: -1n };
      const [amount, number] = [cell('is_void') === '1' ? 0n : BigInt(cell('amount')), BigInt(cell('number'))];
      const isHighest = number < OTHER_NUMBERS && number > highest;
      tips.set(cell('gig_id'), { sum: sum + amount, highest: isHighest ? number : highest });
    },
  };
  return {
    add({ name, columns }, rows) {
      const read = tables.get(name) ?? { hash: createHash('sha256'), rows: 0 };
      tables.set(name, read);
      read.hash.update(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      read.rows += rows.length;
      const places = new Map(columns.map((column, place) => [column.name, place]));
      for (const row of rows) noted[name]?.((column) => row[places.get(column) ?? -1] ?? '');
    },
    digest({ name }) {
      const { hash, rows } = tables.get(name) ?? { hash: createHash('sha256'), rows: 0 };
      return { rows, hash: hash.copy().digest('hex') };
    },
    problems: () =>
      [...gigs].flatMap(([id, { awarded, nextNumber }]) => {
        const { sum, highest } = tips.get(id) ?? { sum: 0n, highest: -1n };
        return [
          ...(awarded === sum ? [] : [`gig ${id} has awarded ${awarded}, but its tips are ${sum}`]),
          ...(nextNumber > highest ? [] : [`gig ${id} would give the number ${nextNumber} to a tip again`]),
        ];
      }),
  };
}
