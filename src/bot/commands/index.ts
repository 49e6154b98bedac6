import { readCommand } from '../../domain/mentions/command.ts';
import type { CommandGuide } from '../../domain/mentions/command-guide.ts';
import type { BotCommand, CommandCall } from '../command.ts';
import type { CommandNeed } from '../context.ts';
import { claimCommand } from './claim.ts';
import { claimsCommand } from './claims.ts';
import { endCommand } from './end.ts';
import { helpCommand, refusedCommand, unknownCommand } from './help.ts';
import { joinCommand } from './join.ts';
import { linkCommand, unlinkCommand } from './link.ts';
import { claimToNameCommand } from './names/claim-to-name.ts';
import { notificationsOffCommand, notificationsOnCommand } from './notifications.ts';
import { notifyCommand, unnotifyCommand } from './notify.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';
import { stopCommand, unstopCommand } from './stop.ts';
import { submitCommand } from './submit.ts';
import { whyCommand } from './why.ts';

/** All commands, in the order of the help text. */
export const COMMANDS = [
  claimsCommand,
  claimCommand,
  claimToNameCommand,
  statusCommand,
  whyCommand,
  startCommand,
  endCommand,
  notifyCommand,
  unnotifyCommand,
  submitCommand,
  joinCommand,
  linkCommand,
  unlinkCommand,
  notificationsOffCommand,
  notificationsOnCommand,
  stopCommand,
  unstopCommand,
  helpCommand,
  refusedCommand,
  unknownCommand,
] as const;

type ParsedOf<T> = T extends BotCommand<infer _, infer Parsed> ? Parsed : never;
export type Command = ParsedOf<(typeof COMMANDS)[number]>;

type Commands = readonly (typeof COMMANDS)[number][];

/** The commands of a service that offers this. */
export function commandsFor(offered: readonly CommandNeed[]): Commands {
  return COMMANDS.filter(({ needs }) => needs === undefined || offered.includes(needs));
}

/** What the help says about these commands. */
export function helpOf(commands: Commands): string {
  const words = commands.flatMap(({ help }) => help ?? []).join(', ');
  return `Mention me with: ${words}. Post "start" and "claim" on their own.`;
}

/** What the page of commands says about the commands of a service that offers this, in the order of the help. */
export function guideOf(commands: Commands, offered: readonly CommandNeed[]): readonly CommandGuide[] {
  const shown = commands.filter(({ guideNeeds }) => guideNeeds === undefined || offered.includes(guideNeeds));
  return shown.flatMap(({ guide }) => guide ?? []);
}

/** The command of a mention's text, ready to be prepared: `refused` or `unknown` where there is none. Never throws. */
export function readCall(
  text: string,
  bot: { readonly username: string },
  commands: Commands = COMMANDS,
): CommandCall<Command> {
  const read = readCommand<CommandCall<Command>>(text, bot, commands);
  if (read === null) return unknownCommand.call({});
  return 'refused' in read ? refusedCommand.call({ reason: read.refused }) : read.command;
}

/** The command of a mention's text, as {@link readCommand} reads it where all commands are. */
export function parseCommand(text: string, bot: { readonly username: string }): Command {
  return readCall(text, bot).parsed;
}
