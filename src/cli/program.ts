import { Command, CommanderError } from 'commander';
import type { DiskSpace } from '../domain/operators/disk.ts';
import { createContext } from './context.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addAccountCommands } from './earning/account.ts';
import { failureText } from './failure.ts';
import { addGigCommands } from './gigs/gig.ts';
import { addTipCommands } from './gigs/tip.ts';
import { addTokenCommands } from './gigs/token.ts';
import { addMentionCommands } from './mentions/mention.ts';
import { addReplyCommands } from './mentions/reply.ts';
import { addAlertCommands } from './operators/alert.ts';
import { addApiKeyCommands } from './operators/api-key.ts';
import { addAuditCommands } from './operators/audit.ts';
import { addLoginCommand } from './operators/login.ts';
import { addStoreCommands } from './operators/store.ts';
import { addWebhooksCommands } from './operators/webhooks.ts';
import { addClaimCommands } from './payments/claim.ts';
import { addPayerCommands } from './payments/payer.ts';
import { addPaymentCommands } from './payments/payment.ts';
import { addReconcileCommand } from './payments/reconcile.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

const FOOTER = `
Start with: npm run admin -- doctor
In scripts, use npm run -s, so that npm itself prints nothing: npm run -s admin -- gig list --json

Exit codes: 0 success, 1 failed or refused, 2 usage error.`;

export interface AdminOptions {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the committed migrations. */
  readonly migrationsFolder: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** The space where the database is; read from its file system when absent. */
  readonly readDisk?: () => Promise<DiskSpace | null>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Runs an operator command and returns its exit code: 0 done, 1 failed or refused, 2 wrong usage. */
export async function runAdmin(options: AdminOptions): Promise<number> {
  const { args, env, migrationsFolder, clock, readDisk, stdout, stderr } = options;
  let failed = false;
  const context = createContext({
    env,
    migrationsFolder,
    clock,
    readDisk,
    print: (line) => stdout(`${line}\n`),
    fail: (line) => {
      failed = true;
      stderr(`${line}\n`);
    },
  });
  const program = new Command('npm run admin --')
    .description(
      'Operate a gigclaim service. All commands use the database in DATABASE_URL, and also work while the service runs, but for store copy.',
    )
    .configureOutput({ writeOut: stdout, writeErr: stderr })
    .exitOverride()
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', FOOTER);
  const groups = [
    addDoctorCommand,
    addApiKeyCommands,
    addLoginCommand,
    addGigCommands,
    addAccountCommands,
    addPayerCommands,
    addTipCommands,
    addTokenCommands,
    addMentionCommands,
    addReplyCommands,
    addClaimCommands,
    addPaymentCommands,
    addReconcileCommand,
    addWebhooksCommands,
    addAlertCommands,
    addAuditCommands,
    addStoreCommands,
  ];
  for (const add of groups) add(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    stderr(`${failureText(error)}\n`);
    return FAILED;
  }
  return failed ? FAILED : 0;
}
