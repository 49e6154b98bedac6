import { Param, Placeholder, type Query } from 'drizzle-orm';

/** A constant as SQLite's language has it. @throws TypeError for a value that statements do not have as a constant */
function literalOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw new TypeError(`a statement has a constant of type ${typeof value}`);
}

function isGiven(param: unknown): boolean {
  return param instanceof Placeholder || (param instanceof Param && param.value instanceof Placeholder);
}

/**
 * The same query with a plan that SQLite keeps. Where a plan may depend on a bound value, SQLite plans the statement anew at
 * each run, which takes ten times as long as most statements. So a constant is written into the text, and a bound limit as a
 * sum.
 */
export function withLastingPlan({ sql, params, ...query }: Query): Query {
  const parts = sql.split('?');
  if (parts.length !== params.length + 1) throw new TypeError(`a statement has other question marks: ${sql}`);
  const given = params.filter(isGiven);
  const text = parts.map((part, index) => {
    if (index === params.length) return part;
    const param = params[index];
    if (!isGiven(param)) return part + literalOf(param);
    return part.endsWith(' limit ') ? `${part}0 + ?` : `${part}?`;
  });
  return { ...query, sql: text.join(''), params: given };
}
