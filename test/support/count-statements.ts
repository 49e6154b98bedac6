import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { isOnPostgres } from './database.ts';

/** What was sent to the database of a test. */
export interface Sent {
  readonly statements: string[];
  /** How often a connection was sent something while it had answered all before; none on SQLite. */
  trips: number;
}

type Query = (this: object, ...args: unknown[]) => Promise<unknown>;

function watchPostgres(sent: Sent): void {
  // Its overloads are many, and the store calls one alone.
  const client = pg.Client.prototype as unknown as { query: Query };
  const { query } = client;
  const unanswered = new WeakMap<object, number>();
  client.query = function (...args) {
    const [config] = args as [string | { readonly text: string }];
    const before = unanswered.get(this) ?? 0;
    if (before === 0) sent.trips += 1;
    unanswered.set(this, before + 1);
    sent.statements.push(typeof config === 'string' ? config : config.text);
    const answer = query.apply(this, args);
    const settled = () => unanswered.set(this, (unanswered.get(this) ?? 0) - 1);
    answer.then(settled, settled);
    return answer;
  };
  onTestFinished(() => {
    client.query = query;
  });
}

type Step = (this: SqliteDatabase.Statement, ...args: unknown[]) => unknown;

function watchSqlite(sent: Sent): void {
  const statement: Record<string, Step> = Object.getPrototypeOf(new SqliteDatabase(':memory:').prepare('select 1'));
  for (const name of ['run', 'get', 'all']) {
    const step = statement[name];
    if (step === undefined) throw new TypeError(`a statement of SQLite has no method ${name}`);
    statement[name] = function (...args) {
      sent.statements.push(this.source);
      return step.apply(this, args);
    };
    onTestFinished(() => {
      statement[name] = step;
    });
  }
}

/** Notes from now on, until the end of the test, what all stores of this process send to their databases. */
export function watchStatements(): Sent {
  const sent: Sent = { statements: [], trips: 0 };
  if (isOnPostgres()) watchPostgres(sent);
  else watchSqlite(sent);
  return sent;
}
