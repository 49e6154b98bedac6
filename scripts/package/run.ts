import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ADMIN_NODE_FLAGS, NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/node-flags.ts';

// Bundled as `bin/run.mjs`, which is loaded by `require` once the version of Node is known.

const FOLDER = resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as { version: string };

const HELP = `gigclaim ${version}: pays the tips that people earn on Farcaster and X

Usage: npx gigclaim <command> [options]

Try it, on this machine alone:
  sandbox                   start simulated networks, an EVM node and the service, and print what to try
  say, act, later, listen   talk to the running sandbox from another terminal

Run it, with .env and the database in the current folder:
  init                      ask for the settings, write .env, and check them
  start                     start the service
  admin <command>           run an operator’s command: "admin --help" lists them, "admin doctor" checks everything
  update --check            say whether there is a newer version, and how to update

  --help, --version         print this text, or the version

Documents: ${join(FOLDER, 'docs', 'operate.md')}
`;

interface Program {
  readonly file: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const ofSandbox = (name: string): Program => ({
  file: `sandbox/${name}.js`,
  flags: ADMIN_NODE_FLAGS,
  // Its state is where it is started, not in the package.
  env: { SANDBOX_STATE_FILE: resolve('data/sandbox.json') },
});

const ADMIN: Program = { file: 'dist/admin.js', flags: ADMIN_NODE_FLAGS };
const PROGRAMS: Readonly<Record<string, Program>> = {
  start: { file: 'dist/main.js', flags: NODE_FLAGS, env: NODE_ENVIRONMENT },
  sandbox: ofSandbox('main'),
  say: ofSandbox('say'),
  act: ofSandbox('act'),
  later: ofSandbox('later'),
  listen: ofSandbox('listen'),
};

function refuse(message: string): never {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** Ends as the program ends, and hands signals on to it meanwhile. */
function follow(child: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code) => process.exit(code ?? 1));
}

function run({ file, flags, env = {} }: Program, words: readonly string[]): void {
  const args = [...flags, join(FOLDER, file), ...words];
  const environment = { ...env, ...process.env };
  // Where the system can, this process becomes the program: signals and the exit code are its own.
  if (process.platform !== 'win32' && process.execve !== undefined) {
    process.execve(process.execPath, [process.execPath, ...args], environment);
  }
  follow(spawn(process.execPath, args, { env: environment, stdio: 'inherit' }));
}

const [command = '--help', ...words] = process.argv.slice(2);
const program = Object.hasOwn(PROGRAMS, command) ? PROGRAMS[command] : undefined;
const asksHelp = (word: string | undefined) => ['help', '--help', '-h'].includes(word ?? '');
if (asksHelp(command) || (command === 'start' && asksHelp(words[0]))) process.stdout.write(HELP);
else if (['version', '--version', '-v'].includes(command)) process.stdout.write(`${version}\n`);
else if (command === 'admin') run(ADMIN, words);
else if (command === 'init' || command === 'update') run(ADMIN, [command, ...words]);
else if (program === undefined) refuse(`There is no command ${JSON.stringify(command)}.`);
else if (command === 'start' && words.length > 0)
  refuse('"start" takes no options: settings come from .env and from the environment.');
else run(program, words);
