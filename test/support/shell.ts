import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A line that no command prints. */
const END = 'end-of-the-command-7d1f';

/** A shell in the folder of this project, which keeps its variables from one command to the next. */
export interface Shell {
  /** Runs a command. @returns what it printed @throws Error when the shell is gone */
  enter(command: string): Promise<string>;
  close(): void;
}

export function openShell(env: Readonly<Record<string, string>>): Shell {
  const shell = spawn('bash', ['-s'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  let look: () => void = () => undefined;
  let end: () => void = () => undefined;
  shell.once('close', () => end());
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    look();
  });
  return {
    enter: async (command) =>
      await new Promise((resolve, reject) => {
        output = '';
        end = () => reject(new Error(`The shell ended at: ${command}`));
        look = () => {
          const length = output.indexOf(`\n${END}\n`);
          if (length !== -1) resolve(output.slice(0, length));
        };
        // A command must not read the rest of the input.
        shell.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\n%s\\n' ${END}\n`);
      }),
    close: () => shell.kill('SIGKILL'),
  };
}
