import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import * as tables from '../postgres/tables.ts';
import { VALUES } from '../sql/value-tables.ts';

/** What a column holds, whatever the engine: a type of PostgreSQL's. */
export type CellType = 'bigint' | 'boolean' | 'numeric' | 'text';

/** A table as it is copied: both engines have it under the same names. */
export interface TablePlan {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: CellType }[];
  /** The columns of the primary key, by which rows are read. */
  readonly key: readonly string[];
  /** The column of the ids that the store gives; null without one. */
  readonly id: string | null;
}

/** A row: each value as text, or null. */
export type Row = readonly (string | null)[];

/**
 * What the store counts by triggers, and how it is counted anew: each engine keeps the counts in its own way. A count of zero is
 * the same as none.
 */
export const COUNTED: Readonly<Record<string, string>> = {
  state_counts: `select 'mentions' as subject, state, count(*) as n from mentions where state <> 'received' group by state
    union all select 'replies', state, count(*) from replies group by state
    union all select 'replies', 'held', count(*) from replies where held_for is not null
    union all select 'payments', state, count(*) from payments group by state`,
  earning_counts: 'select gig_id, state, count(*) as n from earnings group by gig_id, state',
};

function typeOf(name: string, sqlType: string): CellType {
  const type = /^(bigint|boolean|numeric|text)\b/.exec(sqlType)?.[1];
  if (type === undefined) throw new TypeError(`${name} has the type ${sqlType}, which store copy does not know`);
  return type as CellType;
}

function planOf(table: PgTable): TablePlan {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const single = columns.filter(({ primary }) => primary);
  const key = (single.length > 0 ? single : (primaryKeys[0]?.columns ?? [])).map((column) => column.name);
  if (key.length === 0) throw new TypeError(`${name} has no primary key, by which store copy reads`);
  const [first] = single;
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(`${name}.${column.name}`, column.getSQLType()),
    })),
    key,
    id: first?.getSQLType() === 'bigint' ? first.name : null,
  };
}

/** Every table of the store but what says that it is a side of a copy. */
export const PLAN: readonly TablePlan[] = Object.values<PgTable>(tables)
  .map(planOf)
  .filter(({ name }) => name !== 'store_moves');

/** The tables whose rows are copied. */
export const COPIED = PLAN.filter(({ name }) => COUNTED[name] === undefined);

/** The copied tables that have no row before the first thing happens. Opening an empty database writes to the others. */
export const EMPTY_AT_FIRST = COPIED.filter(({ name }) => VALUES[name] === undefined && name !== 'ledger_state');

/** Reads a table by its key, each value as text; of one that is counted those that do not count zero. */
export function selectRows(
  { name, columns, key }: TablePlan,
  textOf: (column: string, type: CellType) => string,
): string {
  const cells = columns.map((column) => textOf(column.name, column.type));
  const counting = COUNTED[name] === undefined ? '' : 'where n <> 0';
  // Without the table a name would be that of the text which is selected, and 10 come before 9.
  const order = key.map((column) => `${name}.${column}`);
  return `select ${cells.join()} from ${name} ${counting} order by ${order.join()}`;
}
