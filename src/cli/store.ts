import { type Command, InvalidArgumentError } from 'commander';
import { DATABASE_URL_FORMS, isDatabaseUrl } from '../domain/database-url.ts';
import { abandonCopy, copyStore } from '../store/copy/copy-store.ts';
import { nameDatabase } from '../store/open.ts';
import { examples } from './arguments.ts';
import { type Context, explainUnusable } from './context.ts';

function databaseUrl(text: string): string {
  if (isDatabaseUrl(text)) return text;
  throw new InvalidArgumentError(`It must be ${DATABASE_URL_FORMS}.`);
}

/** Errors that name one of the databases are the operator's to fix. */
function explain(error: unknown, urls: readonly string[]): unknown {
  return urls.reduce((cause, url) => explainUnusable(cause, nameDatabase(url)), error);
}

async function abandon({ config, migrationsFolder, print }: Context): Promise<void> {
  const { databaseUrl: from } = config();
  try {
    const { source, target } = await abandonCopy({ from, migrationsFolder });
    print(`The copy of ${source} is given up: start the service on it as before.`);
    print(`What was copied to ${target} is never opened. Remove it.`);
  } catch (error) {
    throw explain(error, [from]);
  }
}

async function copy({ config, migrationsFolder, print, fail }: Context, to: string): Promise<void> {
  const { databaseUrl: from } = config();
  let isMarked = false;
  try {
    const { source, target, rows } = await copyStore({
      from,
      to,
      migrationsFolder,
      onStep: (step) => {
        if (step === 'marked') isMarked = true;
        if (step === 'loaded') print('All rows are copied. Comparing them …');
      },
      onTable: (table, count) => print(`  ${table}: ${count} ${count === 1 ? 'row' : 'rows'}`),
    });
    print(rows === null ? 'The rows had been copied before.' : `${rows} rows are copied, and are the same there.`);
    print(`${source} is moved: no service opens it again. Keep it as a backup, and never as a second ledger.`);
    print(`Set DATABASE_URL to ${target}, and start the service.`);
  } catch (error) {
    if (isMarked) {
      fail('The copy broke off. Run the same command again, or give it up: npm run admin -- store copy --abandon');
    }
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
        'an empty database and compared; then no service opens the old one again. A copy that broke off is finished by running it again.',
    )
    .option(
      '--to <url>',
      'the new database: a file, which is made, or an empty database on a PostgreSQL server, which must be there',
      databaseUrl,
    )
    .option('--abandon', 'give up a copy that broke off, and use the database in DATABASE_URL as before', false)
    .action(async ({ to, abandon: isAbandoned }: { to?: string; abandon: boolean }) => {
      if (isAbandoned && to === undefined) await abandon(context);
      else if (!isAbandoned && to !== undefined) await copy(context, to);
      else command.error("error: name either the new database with '--to <url>', or '--abandon'");
    });
  examples(command, 'store copy --to postgres://gigclaim@db.internal/gigclaim', 'store copy --abandon');
}
