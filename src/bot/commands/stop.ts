import { anyOf } from '../../domain/command.ts';
import { MAX_COMMAND_LENGTH } from '../../domain/command-text.ts';
import { asksToLeave } from '../../domain/leave-words.ts';
import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { setOptedOut } from '../../services/mentions/opt-out.ts';
import { type CommandContext, defineCommand, type Prepared } from '../command.ts';
import { stoppedReply, unstoppedReply } from '../replies.ts';

function changeOptOut({ deps, actor }: CommandContext, optedOut: boolean): Prepared {
  const { requestId } = actor;
  return {
    text: optedOut ? stoppedReply() : unstoppedReply(),
    commit: (tx) => setOptedOut(tx, { account: actor, requestId, optedOut, now: deps.clock() }),
  };
}

/** Turns the bot's replies to its author off. Words that ask to be left alone need no grammar; a second one gets no reply. */
export const stopCommand = defineCommand({
  name: 'stop',
  worth: REPLY_WORTH.lookUp,
  help: '"stop" or "unstop" (replies off or on)',
  changes: true,
  whenOptedOut: 'silent',
  read: anyOf('stop'),
  readPosted: (text) => (text.length <= MAX_COMMAND_LENGTH && asksToLeave(text) ? { command: {} } : null),
  prepare: (ctx) => changeOptOut(ctx, true),
});

export const unstopCommand = defineCommand({
  name: 'unstop',
  worth: REPLY_WORTH.lookUp,
  changes: true,
  whenOptedOut: 'answered',
  read: anyOf('unstop'),
  prepare: (ctx) => changeOptOut(ctx, false),
});
