import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { createLoginLink, LINK_MS } from '../../services/operators/sessions.ts';
import { examples } from '../arguments.ts';
import type { Context } from '../context.ts';

/** `login`: a one-time link to the operator's pages. */
export function addLoginCommand(program: Command, context: Context): void {
  const minutes = LINK_MS / 60_000;
  const command = program
    .command('login')
    .description(
      `print a link, as the last line, that logs one browser in to the operator’s pages (at PUBLIC_URL, or at ADMIN_PORT on localhost if that is set). It works once, ` +
        `within ${minutes} minutes; only its hash is stored`,
    )
    .action(async () => {
      const { publicUrl, adminPort } = context.config();
      // With a port of their own, the pages have no public URL; see SECURITY.md.
      const base = adminPort === null ? publicUrl : `http://localhost:${adminPort}`;
      const { clock } = context;
      const { token } = await context.withStore((store) =>
        createLoginLink({ store, clock, randomBytes }, { actor: COMMAND_LINE }),
      );
      context.print(`Open this link within ${minutes} minutes. It works once; do not share it.`);
      context.print(`${base}/admin/login?token=${token}`);
    });
  examples(command, 'login');
}
