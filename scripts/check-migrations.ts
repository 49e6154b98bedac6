import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

interface Engine {
  /** As drizzle-kit calls it. */
  readonly dialect: string;
  /** The file that exports its tables. */
  readonly schema: string;
  /** The folder of its migrations. */
  readonly folder: string;
  /** The script that generates one. */
  readonly script: string;
}

const ENGINES: readonly Engine[] = [
  { dialect: 'sqlite', schema: './src/store/sqlite/tables.ts', folder: 'drizzle', script: 'db:generate' },
  {
    dialect: 'postgresql',
    schema: './src/store/postgres/tables.ts',
    folder: 'drizzle-postgres',
    script: 'db:generate:postgres',
  },
];

/** The migrations that the schema asks for and the folder lacks; generated into a copy that is thrown away. */
function missingMigrations({ dialect, schema, folder }: Engine): string[] {
  const scratch = join(ROOT, 'node_modules', '.cache');
  mkdirSync(scratch, { recursive: true });
  const copy = mkdtempSync(join(scratch, 'migrations-'));
  try {
    cpSync(join(ROOT, folder), copy, { recursive: true });
    const before = new Set(filesIn(copy));
    // drizzle-kit takes its output folder only relative to where it runs.
    const out = `./${relative(ROOT, copy)}`;
    const options = ['--dialect', dialect, '--schema', schema, '--out', out];
    execFileSync(join(ROOT, 'node_modules', '.bin', 'drizzle-kit'), ['generate', ...options], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return filesIn(copy).filter((file) => !before.has(file));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

for (const engine of ENGINES) {
  const { folder, script } = engine;
  if (missingMigrations(engine).length > 0) {
    console.error(`The schema in src/store/sql asks for a migration that ${folder}/ does not hold.`);
    console.error(`Run \`npm run ${script} -- --name <what-changes>\` and commit what it writes.`);
    process.exitCode = 1;
  } else {
    console.log(`${folder}/ holds every migration that the schema asks for`);
  }
}
