import { type Command, InvalidArgumentError } from 'commander';
import { DATABASE_URL_FORMS, isDatabaseUrl } from '../../domain/settings/database-url.ts';
import { copyStore } from '../../store/copy/copy-store.ts';
import { nameDatabase } from '../../store/open.ts';
import { examples } from '../arguments.ts';
import { type Context, explainUnusable } from '../context.ts';

function databaseUrl(text: string): string {
  if (isDatabaseUrl(text)) return text;
  throw new InvalidArgumentError(`It must be ${DATABASE_URL_FORMS}.`);
}

async function copy({ config, migrationsFolder, print, fail }: Context, to: string): Promise<void> {
  const { databaseUrl: from } = config();
  let isBegun = false;
  try {
    const { source, target, rows } = await copyStore({
      from,
      to,
      migrationsFolder,
      onStep(step) {
        if (step === 'locked') isBegun = true;
        if (step === 'loaded') print('All rows are copied. Comparing them …');
      },
      onTable: (table, count) => print(`  ${table}: ${count} ${count === 1 ? 'row' : 'rows'}`),
    });
    print(rows === null ? 'The rows had been copied before.' : `Copied and verified ${rows} rows.`);
    print(
      `${source} is now marked as moved and can no longer be opened. Keep it as a backup, and never as a second ledger.`,
    );
    print(`Set DATABASE_URL to ${target}, and start the service.`);
  } catch (error) {
    if (isBegun) fail('The copy broke off. Run the same command again.');
    // Errors that name one of the databases are the operator's to fix.
    throw [from, to].reduce<unknown>((cause, url) => explainUnusable(cause, nameDatabase(url)), error);
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
    .requiredOption(
      '--to <url>',
      'the new database: a file, which is made, or an empty database on a PostgreSQL server, which must be there',
      databaseUrl,
    )
    .action(async ({ to }: { to: string }) => await copy(context, to));
  examples(command, 'store copy --to postgres://gigclaim@db.internal/gigclaim');
}
