import { describe, expect, test } from 'vitest';
import { createReading } from '../../../src/store/copy/digest.ts';
import { COPIED, type Row, type TablePlan } from '../../../src/store/copy/plan.ts';

function planOf(name: string): TablePlan {
  const plan = COPIED.find((table) => table.name === name);
  if (plan === undefined) throw new Error(`there is no ${name}`);
  return plan;
}

/** A row of a table with these values, and zeros. */
function rowOf(table: string, values: Readonly<Record<string, string>>): Row {
  return planOf(table).columns.map(({ name }) => values[name] ?? '0');
}

function read(tables: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>) {
  const reading = createReading();
  for (const [table, rows] of Object.entries(tables)) {
    reading.add(
      planOf(table),
      rows.map((row) => rowOf(table, row)),
    );
  }
  return reading;
}

describe('what passes by', () => {
  const gig = { id: '1', awarded_amount: '7', next_tip_number: '2' };
  const tips = [
    { id: '1', gig_id: '1', number: '0', amount: '3' },
    { id: '2', gig_id: '1', number: '1', amount: '4' },
    { id: '3', gig_id: '1', number: '4503599627370496', amount: '9', is_void: '1' },
  ];

  test('security: is found when a gig has awarded other than its tips, or would give a number again', () => {
    expect(read({ gigs: [gig], tips }).problems()).toEqual([]);
    expect(read({ gigs: [{ ...gig, awarded_amount: '16' }], tips }).problems()).toEqual([
      'gig 1 has awarded 16, but its tips are 7',
    ]);
    expect(read({ gigs: [{ ...gig, next_tip_number: '1' }], tips }).problems()).toEqual([
      'gig 1 would give the number 1 to a tip again',
    ]);
  });

  test('security: a digest tells values, nulls, rows and their order apart, and not how rows were gathered', () => {
    const plan = planOf('platforms');
    const digestOf = (...batches: readonly Row[][]) => {
      const reading = createReading();
      for (const rows of batches) reading.add(plan, rows);
      return reading.digest(plan);
    };
    const digests = [[], [['a']], [[null]], [['']], [['null']], [['a'], ['b']], [['b'], ['a']], [['a', 'b']]].map(
      (rows) => digestOf(rows),
    );
    expect(new Set(digests.map(({ hash }) => hash)).size).toBe(digests.length);
    expect(digestOf([['a']], [['b']])).toEqual(digestOf([['a'], ['b']]));
    expect(digestOf([['a']], [['b']]).rows).toBe(2);
  });
});
