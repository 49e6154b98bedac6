import type { Command } from 'commander';
import { databaseUrlProblem } from '../../domain/settings/database-url.ts';
import { abandonCopy, copyStore } from '../../store/copy/copy-store.ts';
import { nameDatabase } from '../../store/open.ts';
import { examples } from '../arguments.ts';
import { type Context, explainUnusable } from '../context.ts';

// Errors that name one of the databases are the operator's to fix.
function explain(error: unknown, urls: readonly string[]): unknown {
  return urls.reduce((cause, url) => explainUnusable(cause, nameDatabase(url)), error);
}

async function abandon({ config, migrationsFolder, print }: Context): Promise<void> {
  const { databaseUrl: from, postgresDurable: durable } = config();
  try {
    const { source, target } = await abandonCopy({ from, migrationsFolder, durable });
    if (target === null) return print(`No copy of ${source} broke off. Start the service on it as before.`);
    print(`The copy of ${source} is given up. Start the service on it as before, and remove ${target}.`);
  } catch (error) {
    throw explain(error, [from]);
  }
}

async function copy({ config, migrationsFolder, print, fail, progress }: Context, to: string): Promise<void> {
  const { databaseUrl: from, postgresDurable: durable } = config();
  let isBegun = false;
  try {
    const { source, target, rows } = await copyStore({
      from,
      to,
      migrationsFolder,
      durable,
      onStep(step) {
        if (step === 'locked') isBegun = true;
        if (step === 'loaded') print('All rows are copied. Comparing them …');
      },
      onRows: (work, done, total) => progress.count(`rows ${work}`, done, total),
      onTable: (table, count) => print(`  ${table}: ${count} ${count === 1 ? 'row' : 'rows'}`),
    });
    print(rows === null ? 'The rows had been copied before.' : `Copied and verified ${rows} rows.`);
    print(
      `${source} is now marked as moved and can no longer be opened. Keep it as a backup, and never as a second ledger.`,
    );
    print(`Set DATABASE_URL to ${target}, and start the service.`);
  } catch (error) {
    if (isBegun) fail('The copy broke off. Run the same command again.');
    throw explain(error, [from, to]);
  }
}

/** `store`: the database as a whole. */
export function addStoreCommands(program: Command, context: Context): void {
  const store = program.command('store').description('move the store to another database');
  const command = store
    .command('copy')
    .description(
      'move the store to another database, from a file to PostgreSQL or back. Stop every instance first. All rows are copied into ' +
        'an empty database and compared; then no service opens the old one again. If the copy breaks off, run it again.',
    )
    .option(
      '--to <url>',
      'the new database: a file, which is made, or an empty database on a PostgreSQL server, which must be there',
    )
    .option('--abandon', 'give up a copy that broke off, and use the database in DATABASE_URL as before', false)
    .action(async ({ to, abandon: isAbandoned }: { to?: string; abandon: boolean }) => {
      const problem = to === undefined ? null : databaseUrlProblem(to);
      // Not by commander's own check of an argument, which shows the text and with it a password.
      if (problem !== null) command.error(`error: the URL behind '--to' ${problem}`);
      if (isAbandoned && to === undefined) await abandon(context);
      else if (!isAbandoned && to !== undefined) await copy(context, to);
      else command.error("error: name either the new database with '--to <url>', or '--abandon'");
    });
  examples(command, 'store copy --to postgres://gigclaim@db.internal/gigclaim', 'store copy --abandon');
}
