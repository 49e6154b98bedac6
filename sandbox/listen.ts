import { runAdmin } from '../src/cli/program.ts';
import { MIGRATIONS } from './database.ts';
import { operatorKeyFile } from './operator-env.ts';
import { readState, STATE_FILE } from './state.ts';

const USAGE = `Usage: npm run listen -- [--forward <url>] [--types <types>] [--after <cursor>] [--most <count>]

Prints the events of the running sandbox as they happen, until it is stopped, for example:
  npm run listen
  npm run listen -- --types tips.awarded,payment.confirmed
  npm run listen -- --forward http://127.0.0.1:8080/hook

With --forward each event is also sent there, signed as a webhook's with a secret that is printed first.
`;

/** `listen` of the operator's commands, with the service and the key of the sandbox. */
async function listen(options: readonly string[]): Promise<number> {
  const stateFile = process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE;
  const { service } = readState(stateFile);
  return await runAdmin({
    args: ['listen', '--url', service, '--key-file', operatorKeyFile(stateFile), ...options],
    env: {},
    migrationsFolder: MIGRATIONS,
    clock: Date.now,
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
  });
}

const options = process.argv.slice(2);
if (options.includes('--help') || options.includes('-h')) {
  process.stdout.write(USAGE);
} else {
  process.exitCode = await listen(options).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
}
