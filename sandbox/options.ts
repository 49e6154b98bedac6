import { parseArgs } from 'node:util';

const STORES = ['sqlite', 'postgres'] as const;
const MOST_INSTANCES = 8;

/** What a sandbox is started with. */
export interface SandboxOptions {
  readonly store: (typeof STORES)[number];
  /** How many instances of the service there are; more than one need PostgreSQL. */
  readonly instances: number;
}

/** The command line is none. The message says what would be. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

const OPTIONS = {
  store: { type: 'string', default: STORES[0] },
  instances: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OptionError(
      `${reason}\nThe options are --store ${STORES.join('|')} and --instances 1 to ${MOST_INSTANCES}.`,
      { cause },
    );
  }
}

/**
 * Reads the arguments of `npm run sandbox`; null when they ask for help.
 * @throws OptionError for any that are not valid
 */
export function readOptions(args: readonly string[]): SandboxOptions | null {
  const { store: asked, instances: count, help } = parse(args);
  if (help) return null;
  const store = STORES.find((one) => one === asked);
  if (store === undefined) {
    throw new OptionError(`--store must be ${STORES.join(' or ')}, not ${JSON.stringify(asked)}.`);
  }
  const instances = /^[1-9]$/.test(count) ? Number(count) : 0;
  if (instances < 1 || instances > MOST_INSTANCES) {
    throw new OptionError(`--instances must be from 1 to ${MOST_INSTANCES}, not ${JSON.stringify(count)}.`);
  }
  if (store === 'sqlite' && instances > 1) {
    throw new OptionError(`--instances ${instances} needs --store postgres: one instance serves an SQLite file.`);
  }
  return { store, instances };
}
