import { z } from 'zod';
import { readState, STATE_FILE } from './state.ts';

const USAGE = `Usage: npm run later -- <span>

Moves the time of the running sandbox on, for the service, the networks and the chain together, for example:
  npm run later -- 90m
  npm run later -- 13h
  npm run later -- 2d
`;

const outcome = z.object({ ok: z.boolean(), message: z.string() });

async function later(by: string): Promise<z.infer<typeof outcome>> {
  const { page } = readState(process.env['SANDBOX_STATE_FILE'] ?? STATE_FILE);
  const answer = await fetch(`${page}/time`, {
    method: 'POST',
    headers: { origin: page, accept: 'application/json' },
    body: new URLSearchParams({ by }),
  });
  return outcome.parse(await answer.json());
}

const [by, ...more] = process.argv.slice(2);
if (by === undefined || more.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await later(by).then(
    ({ ok, message }) => {
      (ok ? process.stdout : process.stderr).write(`${message}\n`);
      process.exitCode = ok ? 0 : 2;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
