import { runAdmin } from '../../src/cli/program.ts';
import { readAmpleDisk } from './disk.ts';
import { MIGRATIONS } from './store.ts';

/** Runs an operator's command beside a service, with its variables and its clock. @returns what it wrote, and how it ended */
export async function runBeside(
  { env }: { readonly env: Record<string, string> },
  { args, clock }: { args: readonly string[]; clock: () => number },
): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const code = await runAdmin({
    args,
    env,
    clock,
    migrationsFolder: MIGRATIONS,
    readDisk: readAmpleDisk,
    stdout: (text) => {
      written.out += text;
    },
    stderr: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}
