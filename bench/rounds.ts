import { createProgress, screenOf } from '../src/cli/progress.ts';

const progress = createProgress({ screen: screenOf(process.stderr), elapsed: () => performance.now() });

/** Writes a line on stderr, with the time. */
export function say(line: string): void {
  progress.clear();
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** Runs rounds one after another; a terminal shows how many are done. */
export async function inRounds(count: number, run: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    progress.count('rounds', round, count);
    await run(round);
  }
  progress.count('rounds', count, count);
}
