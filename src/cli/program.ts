import { Command, CommanderError } from 'commander';
import type { DiskSpace } from '../domain/operators/disk.ts';
import { type Context, createContext } from './context.ts';
import { failureText } from './failure.ts';
import { createProgress, type Screen } from './progress.ts';
import type { Setup } from './setup/setup.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

const FOOTER = `
Start with: npm run admin -- doctor
In scripts, use npm run -s, so that npm itself prints nothing: npm run -s admin -- gig list --json

Exit codes: 0 success, 1 failed or refused, 2 usage error.`;

type Add = (program: Command, context: Context) => void;

/** The commands in the order of the help. Each loads what it needs when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  init: async () => (await import('./setup/init.ts')).addInitCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctorCommand,
  'api-key': async () => (await import('./operators/api-key.ts')).addApiKeyCommands,
  login: async () => (await import('./operators/login.ts')).addLoginCommand,
  find: async () => (await import('./operators/find.ts')).addFindCommand,
  gig: async () => (await import('./gigs/gig.ts')).addGigCommands,
  account: async () => (await import('./earning/account.ts')).addAccountCommands,
  owner: async () => (await import('./owners/owner.ts')).addOwnerCommands,
  payer: async () => (await import('./payments/payer.ts')).addPayerCommands,
  tip: async () => (await import('./gigs/tip.ts')).addTipCommands,
  token: async () => (await import('./gigs/token.ts')).addTokenCommands,
  mention: async () => (await import('./mentions/mention.ts')).addMentionCommands,
  reply: async () => (await import('./mentions/reply.ts')).addReplyCommands,
  platform: async () => (await import('./mentions/platform.ts')).addPlatformCommands,
  claim: async () => (await import('./payments/claim.ts')).addClaimCommands,
  payment: async () => (await import('./payments/payment.ts')).addPaymentCommands,
  reconcile: async () => (await import('./payments/reconcile.ts')).addReconcileCommand,
  webhooks: async () => (await import('./operators/webhooks.ts')).addWebhooksCommands,
  webhook: async () => (await import('./operators/webhook.ts')).addWebhookCommands,
  listen: async () => (await import('./operators/listen.ts')).addListenCommand,
  alert: async () => (await import('./operators/alert.ts')).addAlertCommands,
  audit: async () => (await import('./operators/audit.ts')).addAuditCommands,
  store: async () => (await import('./operators/store.ts')).addStoreCommands,
  update: async () => (await import('./setup/update.ts')).addUpdateCommand,
};

export interface AdminOptions {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly migrationsFolder: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** The space where the database is; read from its file system when absent. */
  readonly readDisk?: () => Promise<DiskSpace | null>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** The width of the terminal that stdout is; null, or absent, when it is none. */
  readonly width?: number | null;
  /** The terminal that stderr is, for long work to show how far it is; null, or absent, when it is none. */
  readonly screen?: Screen | null;
  /** For `init` and `update`, which cannot be used without it. */
  readonly setup?: Omit<Setup, 'run'>;
  /** Milliseconds since some moment; the `clock` when absent. */
  readonly elapsed?: () => number;
}

/** Runs an operator command and returns its exit code: 0 done, 1 failed or refused, 2 wrong usage. */
export async function runAdmin(options: AdminOptions): Promise<number> {
  const { args, env, migrationsFolder, clock, readDisk, stdout, stderr, width = null, screen = null } = options;
  const progress = createProgress({ screen, elapsed: options.elapsed ?? clock });
  let failed = false;
  const context = createContext({
    env,
    migrationsFolder,
    clock,
    readDisk,
    width,
    progress,
    setup: options.setup
      ? {
          ...options.setup,
          run: (words, settings) => runAdmin({ ...options, args: words, env: { ...settings, ...env } }),
        }
      : null,
    print: (line) => {
      progress.clear();
      stdout(`${line}\n`);
    },
    fail: (line) => {
      failed = true;
      progress.clear();
      stderr(`${line}\n`);
    },
  });
  const program = new Command('npm run admin --')
    .description(
      'Operate a gigclaim service. Commands use DATABASE_URL and work while the service runs. Stop it only for store copy.',
    )
    .configureOutput({ writeOut: stdout, writeErr: stderr })
    .exitOverride()
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', FOOTER);
  const [first = ''] = args;
  // Help and mistakes need all of them.
  const wanted = Object.hasOwn(COMMANDS, first) ? [COMMANDS[first]] : Object.values(COMMANDS);
  for (const add of await Promise.all(wanted.map((load) => load?.()))) add?.(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    progress.clear();
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    stderr(`${failureText(error)}\n`);
    return FAILED;
  }
  progress.clear();
  return failed ? FAILED : 0;
}
