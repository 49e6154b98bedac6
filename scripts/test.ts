import { type ChildProcess, spawn } from 'node:child_process';

// `npm test`: types, lint and migrations beside the tests. What fails first ends the other, so that a wrong type is told within
// half a minute. Arguments go to vitest: `npm test -- test/bot`.

/** Runs a command of this project's packages; its output is this process's own. */
function start(command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, { stdio: 'inherit' });
}

/** @returns its exit code; 1 when it was ended by a signal */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

console.log('gigclaim: the tests, and beside them lint, types and migrations; some five minutes on two cores.');
const check = start('npm', ['run', '--silent', 'check']);
const tests = start('vitest', ['run', '--project', '!long*', ...process.argv.slice(2)]);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    check.kill(signal);
    tests.kill(signal);
  });
}

const [checked, tested] = await Promise.all([
  ended(check).then((code) => {
    if (code === 0) console.log('gigclaim: lint, types and migrations are right.');
    else tests.kill('SIGTERM');
    return code;
  }),
  ended(tests),
]);
if (checked !== 0) console.error('gigclaim: lint, types or migrations are wrong: npm run check says what.');
process.exitCode = checked === 0 ? tested : checked;
