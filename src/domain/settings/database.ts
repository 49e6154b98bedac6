import type { z } from 'zod';
import { databaseUrlProblem, withoutFileScheme } from './database-url.ts';
import { settingChoice, settingNumber, settingWithout } from './setting-values.ts';

/** What makes a commit on PostgreSQL last: the server's own writes to its disk, or storage of the host that replaces them. */
const DURABLE_WAYS = ['server', 'storage'] as const;
export type DurableWay = (typeof DURABLE_WAYS)[number];

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

type DatabaseSettings = {
  readonly [Name in keyof typeof DATABASE_SETTINGS]: z.output<(typeof DATABASE_SETTINGS)[Name]>;
};

export function databaseOf(read: DatabaseSettings): DatabaseConfig {
  return {
    databaseUrl: read.DATABASE_URL,
    databasePool: read.DATABASE_POOL,
    postgresDurable: read.POSTGRES_DURABLE,
  };
}
