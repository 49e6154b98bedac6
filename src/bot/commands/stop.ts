import { anyOf } from '../../domain/mentions/command.ts';
import { foldSpaces, INVISIBLE, MAX_COMMAND_LENGTH, skeleton } from '../../domain/mentions/command-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { setOptedOut } from '../../services/mentions/opt-out.ts';
import { type CommandAnswer, type CommandContext, defineCommand } from '../command.ts';

const HANDLES_AND_LINKS = /@[\p{L}\p{N}_][\p{L}\p{N}_.-]*|https?:\/\/\S+/giu;

const SIGNS = /[^\p{L}\p{N}]+/gu;

const ACT =
  '(?: (?:it|this|now|all|(?:replying|answering|mentioning|tagging|messaging|posting|spamming)(?: (?:to |at )?me)?))?';
const LEAVE = new RegExp(
  `^(?:(?:please|pls) )?(?:stop(?: stop){0,9}${ACT}|mute(?: me)?|unsubscribe(?: me)?|opt(?: me)? ?out|leave me alone)(?: (?:now|please|pls|thanks|thank you))?$`,
);

/**
 * Whether a text asks the bot for no more replies: `stop`, `STOP STOP`, `please stop`, `mute`, `unsubscribe`, `opt out`. It needs no
 * grammar, as it moves no money: handles, links, signs and look-alike letters do not matter. `stop 42` ends a gig.
 */
function asksToLeave(text: string): boolean {
  const visible = foldSpaces(text.normalize('NFKC')).replace(INVISIBLE, '');
  const said = skeleton(visible).replace(HANDLES_AND_LINKS, ' ').toLowerCase().replace(SIGNS, ' ');
  return LEAVE.test(foldSpaces(said));
}

export function stoppedReply(): string {
  return 'You will get no more replies from me. Mention me with "unstop" to change that.';
}

export function unstoppedReply(): string {
  return 'Replies are back on.';
}

function changeOptOut({ deps, author: account, actor }: CommandContext, optedOut: boolean): CommandAnswer {
  const { requestId } = actor;
  return {
    text: optedOut ? stoppedReply() : unstoppedReply(),
    commit: (tx) => setOptedOut(tx, { account, requestId, optedOut, now: deps.clock() }),
  };
}

/** Turns the bot's replies to its author off. Words that ask to be left alone need no grammar; a second one gets no reply. */
export const stopCommand = defineCommand({
  name: 'stop',
  worth: REPLY_WORTH.lookUp,
  help: '"stop" or "unstop" (replies)',
  guide: [{ say: 'stop', who: 'anyone', does: 'Turns off replies to you.' }],
  changes: true,
  whenOptedOut: 'silent',
  read: anyOf('stop'),
  readPosted: (text) => (text.length <= MAX_COMMAND_LENGTH && asksToLeave(text) ? { command: {} } : null),
  prepare: (ctx) => changeOptOut(ctx, true),
});

export const unstopCommand = defineCommand({
  name: 'unstop',
  worth: REPLY_WORTH.lookUp,
  guide: [{ say: 'unstop', who: 'anyone', does: 'Turns replies to you on again.' }],
  changes: true,
  whenOptedOut: 'answered',
  read: anyOf('unstop', 'unmute'),
  prepare: (ctx) => changeOptOut(ctx, false),
});
