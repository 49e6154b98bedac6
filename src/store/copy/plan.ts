import { getTableName, type Table } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import * as tables from '../postgres/tables.ts';

/** What a column holds, whatever the engine: a type of PostgreSQL's. */
export type CellType = 'bigint' | 'boolean' | 'numeric' | 'text';

export interface ColumnPlan {
  readonly name: string;
  readonly type: CellType;
}

/** A table as it is copied: both engines have it under the same names. */
export interface TablePlan {
  readonly name: string;
  readonly columns: readonly ColumnPlan[];
  /** The columns of the primary key, by which rows are read. */
  readonly key: readonly string[];
  /** The column of the ids that the store gives; null without one. */
  readonly id: string | null;
}

/** A row: each value as text, or null. */
export type Row = readonly (string | null)[];

/** Not copied: what says that a store is a side of a copy. */
const OWN_STATE = 'store_moves';

/** Tables with rows that opening an empty database writes; the copy replaces them. */
export const OPENED = ['platforms', 'ledger_state'] as const;

/**
 * What the store counts by triggers, and how it is counted anew: each engine keeps the counts in its own way. A count of zero is
 * the same as none.
 */
export const COUNTED: Readonly<Record<string, string>> = {
  state_counts: `select 'mentions' as subject, state, count(*) as n from mentions where state <> 'received' group by state
    union all select 'replies', state, count(*) from replies group by state
    union all select 'payments', state, count(*) from payments group by state`,
  earning_counts: 'select gig_id, state, count(*) as n from earnings group by gig_id, state',
};

function typeOf(name: string, sqlType: string): CellType {
  const type = /^(bigint|boolean|numeric|text)\b/.exec(sqlType)?.[1];
  if (type === undefined) throw new TypeError(`${name} has the type ${sqlType}, which store copy does not know`);
  return type as CellType;
}

type Config = ReturnType<typeof getTableConfig>;

function planOf({ name, columns, primaryKeys }: Config): TablePlan {
  const typed = columns.map((column) => ({
    name: column.name,
    type: typeOf(`${name}.${column.name}`, column.getSQLType()),
  }));
  const single = columns.filter(({ primary }) => primary);
  const key = (single.length > 0 ? single : (primaryKeys[0]?.columns ?? [])).map((column) => column.name);
  if (key.length === 0) throw new TypeError(`${name} has no primary key, by which store copy reads`);
  const [first] = single;
  return { name, columns: typed, key, id: first?.getSQLType() === 'bigint' ? first.name : null };
}

/** Each table after those that it refers to. */
function inOrder(configs: readonly Config[]): Config[] {
  const byName = new Map(configs.map((config) => [config.name, config]));
  const placed = new Set<Config>();
  function place(config: Config): void {
    if (placed.has(config)) return;
    for (const { reference } of config.foreignKeys) {
      const other = byName.get(getTableName<Table>(reference().foreignTable));
      if (other !== undefined && other !== config) place(other);
    }
    placed.add(config);
  }
  for (const config of configs) place(config);
  return [...placed];
}

/** Every table of the store but {@link OWN_STATE}, each after those that it refers to. */
export const PLAN: readonly TablePlan[] = inOrder(Object.values<PgTable>(tables).map(getTableConfig))
  .filter(({ name }) => name !== OWN_STATE)
  .map(planOf);

/** The tables whose rows are copied. */
export const COPIED = PLAN.filter(({ name }) => COUNTED[name] === undefined);

/** The copied tables that have no row before the first thing happens. */
export const EMPTY_AT_FIRST = COPIED.filter(({ name }) => !OPENED.some((opened) => opened === name));
