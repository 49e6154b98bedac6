import { anyOf, type OddCharacters } from '../../domain/mentions/command.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { defineCommand } from '../command.ts';

export const helpCommand = defineCommand({
  name: 'help',
  worth: REPLY_WORTH.help,
  help: '"help"',
  guide: [{ say: 'help', who: 'anyone', does: 'Lists the commands.' }],
  read: anyOf('help'),
  prepare: ({ help }) => ({ text: help }),
});

export const unknownCommand = defineCommand({
  name: 'unknown',
  worth: REPLY_WORTH.unaskedHelp,
  prepare: ({ help }) => ({ text: help, kind: 'unasked_help' }),
});

export function refusedCharactersReply(reason: OddCharacters): string {
  return reason === 'invisible'
    ? 'Your post contains invisible characters, so I did nothing. Please type the command again by hand.'
    : 'Your post contains characters that look like others, so I did nothing. Please type the command in plain letters and digits.';
}

/** A command but for invisible or look-alike characters. Never carried out. */
export const refusedCommand = defineCommand({
  name: 'refused',
  worth: REPLY_WORTH.help,
  prepare: (_, { reason }: { readonly reason: OddCharacters }) => ({ text: refusedCharactersReply(reason) }),
});
