import { type Config, loadConfig } from '../config.ts';
import type { Store } from '../store/port.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';

/** What the operator's commands share. */
export interface Context {
  readonly print: (line: string) => void;
  /** @throws ConfigError when the environment is not usable */
  readonly config: () => Config;
  /** Opens the store for one piece of work and closes it afterwards, also when the work fails. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** The {@link Context} of one run. */
export function createContext(options: {
  env: Readonly<Record<string, string | undefined>>;
  migrationsFolder: string;
  print: (line: string) => void;
}): Context {
  const config = () => loadConfig(options.env);
  return {
    print: options.print,
    config,
    withStore: async (work) => {
      const store = await openSqliteStore({
        path: config().databasePath,
        migrationsFolder: options.migrationsFolder,
      });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
  };
}

/** Prints rows as a table with aligned columns, or as a JSON array. */
export function printRows(
  context: Pick<Context, 'print'>,
  rows: readonly Record<string, string | number | boolean | null>[],
  options: { json: boolean; empty: string },
): void {
  if (options.json) {
    context.print(JSON.stringify(rows, null, 2));
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    context.print(options.empty);
    return;
  }
  const columns = Object.keys(first);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  for (const line of cells) {
    context.print(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
