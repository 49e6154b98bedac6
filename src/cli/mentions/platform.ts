import type { Command } from 'commander';
import type { Platform } from '../../domain/account.ts';
import { platformField } from '../../domain/fields.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { resumePlatform } from '../../services/mentions/platform-pause.ts';
import { by, examples } from '../arguments.ts';
import type { Context } from '../context.ts';
import { addAnswersCommand } from './answers.ts';

async function resume(context: Context, platform: Platform): Promise<void> {
  const { clock } = context;
  await context.withStore((store) => resumePlatform({ store, clock }, { platform, actor: COMMAND_LINE }));
  context.print(`The service asks ${platformFacts(platform).label} again within a minute, and sends what waits.`);
}

/** `platform resume|answers`: ends a pause that a platform has asked for, and lists what was not understood. */
export function addPlatformCommands(program: Command, context: Context): void {
  const command = program.command('platform').description('the platforms that the bot is on');
  const resuming = command
    .command('resume')
    .description('end the pause for a spending or usage cap, after you raised the cap; otherwise it ends by itself')
    .argument('<platform>', 'farcaster or x', by(platformField('platform')))
    .action((platform: Platform) => resume(context, platform));
  examples(resuming, 'platform resume x');
  addAnswersCommand(command, context);
}
