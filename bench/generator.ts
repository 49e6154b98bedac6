import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Job, Outcome } from './load/job.ts';
import { CLIENT_CORE, startProgram } from './processes.ts';

const PROGRAM = fileURLToPath(new URL('./load/main.ts', import.meta.url));

/** The load generator in its own process, on the core that is not the servers'. */
export interface Generator {
  run(job: Job): Promise<Outcome>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const program = startProgram(process.execPath, ['--max-semi-space-size=64', PROGRAM], {
    core: CLIENT_CORE,
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const { stdin, stdout } = program.child;
  if (stdin === null || stdout === null) throw new Error('the load generator has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async run(job) {
      stdin.write(`${JSON.stringify(job)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error('the load generator ended');
      // Written by `bench/load/main.ts`.
      const answer = JSON.parse(line.value) as { outcome?: Outcome; error?: string };
      if (answer.outcome === undefined) throw new Error(`the load generator failed: ${answer.error}`);
      return answer.outcome;
    },
    stop: () => program.stop(),
  };
}
