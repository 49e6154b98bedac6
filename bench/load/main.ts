import { createInterface } from 'node:readline';
import type { Job } from './job.ts';
import { measure } from './measure.ts';

/** The load generator, a process of its own: one job as JSON on each line in, one outcome on each line out. */
for await (const line of createInterface({ input: process.stdin })) {
  // Written by `bench/generator.ts`, which takes its jobs typed.
  const job = JSON.parse(line) as Job;
  const answer = await measure(job).then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ error: String(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
