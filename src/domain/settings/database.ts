import { DURABLE_WAYS, type DurableWay, databaseUrlProblem, withoutFileScheme } from './database-url.ts';
import { settingChoice, settingNumber, settingWithout } from './setting-values.ts';

/** The settings of the database, with their defaults. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: settingWithout(databaseUrlProblem).transform(withoutFileScheme).default('./data/gigclaim.db'),
  DATABASE_POOL: settingNumber({ min: 1, max: 100 }).default(10),
  POSTGRES_DURABLE: settingChoice(DURABLE_WAYS).default('server'),
};

export interface DatabaseConfig {
  /** The path of the SQLite file, or `postgres://…`, which may hold a password. */
  readonly databaseUrl: string;
  /** How many transactions of this instance PostgreSQL runs at the same time. */
  readonly databasePool: number;
  /** What makes a commit on PostgreSQL last, as the operator knows of the host. */
  readonly postgresDurable: DurableWay;
}

interface Read {
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL: number;
  readonly POSTGRES_DURABLE: DurableWay;
}

export function databaseOf(read: Read): DatabaseConfig {
  return {
    databaseUrl: read.DATABASE_URL,
    databasePool: read.DATABASE_POOL,
    postgresDurable: read.POSTGRES_DURABLE,
  };
}
