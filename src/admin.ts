import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { keepCompiled } from './compile-cache.ts';

keepCompiled(import.meta.url, process.env);
// Compiled from here on.
const [{ runAdmin }, { screenOf, widthOfTerminal }, { createQuestions }, { createSourcePositions }] = await Promise.all(
  [import('./cli/program.ts'), import('./cli/progress.ts'), import('./cli/setup/questions.ts'), import('./log.ts')],
);
if (existsSync('.env')) process.loadEnvFile('.env');
const { stdin, stdout, stderr } = process;
const namePositions = createSourcePositions();
function fail(text: string): void {
  stderr.write(namePositions(text));
}
// The reader of the output may stop reading early, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
// Such as a failed sync of the database: Node would print a line of the source above it.
process.on('uncaughtException', (error) => {
  fail(`${error.stack ?? error.message}\n`);
  process.exit(1);
});
process.exitCode = await runAdmin({
  args: process.argv.slice(2),
  env: process.env,
  // The same from this file and from a bundle.
  migrationsFolder: fileURLToPath(new URL('../drizzle', import.meta.url)),
  clock: Date.now,
  elapsed: () => performance.now(),
  stdout: (text) => void stdout.write(text),
  stderr: fail,
  width: widthOfTerminal(stdout),
  screen: screenOf(stderr),
  setup: {
    folder: process.cwd(),
    program: fileURLToPath(new URL('..', import.meta.url)),
    registry: process.env['npm_config_registry'] || null,
    questions: () =>
      createQuestions({ input: stdin, output: stdout, isTerminal: stdin.isTTY === true && stdout.isTTY === true }),
  },
});
