import SqliteDatabase from 'better-sqlite3';
import { readMethodNames } from '../src/store/sqlite/methods.ts';

// Prints what the bundler puts into the bundles in the place of `src/store/sql/method-names.ts`.
process.stdout.write(JSON.stringify(readMethodNames(new SqliteDatabase(':memory:'))));
