const WRONG_USE = 2;

/** Prints how a command is used and ends the process: well when it was asked for, otherwise after a word on what is wrong. */
export function endWithUsage(usage: string, problem?: string): never {
  if (problem === undefined) process.stdout.write(usage);
  else process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(problem === undefined ? 0 : WRONG_USE);
}

/** What `read` finds in the command line; `--help` and what it cannot read end the process with the usage. */
export function readOptions<T extends { readonly values: { readonly help: boolean } }>(
  usage: string,
  read: () => T,
): T {
  try {
    const found = read();
    return found.values.help ? endWithUsage(usage) : found;
  } catch (error) {
    // Node's message names the option and what would be right.
    return endWithUsage(usage, error instanceof Error ? error.message : String(error));
  }
}

/** The number that an option holds; anything else, or less than `least`, ends the process with the usage. */
export function readNumber(
  usage: string,
  name: string,
  text: string,
  { least, whole = true }: { least: number; whole?: boolean },
): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= least && (!whole || Number.isSafeInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  return endWithUsage(usage, `--${name} must be ${kind} of at least ${least}, got ${JSON.stringify(text)}`);
}

/** The one of the choices that an option names; anything else ends the process with the usage. */
export function readChoice<T extends string>(usage: string, name: string, text: string, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === text);
  return chosen ?? endWithUsage(usage, `--${name} must be one of ${choices.join(', ')}, got ${JSON.stringify(text)}`);
}

/** Ends the process on a signal as if by itself, so that what is cleaned up at its end is: a signal alone skips that. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}
