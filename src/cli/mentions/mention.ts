import { type Command, Option } from 'commander';
import { factsJson } from '../../domain/facts/fact.ts';
import { MENTION_FACTS, mentionStateWords } from '../../domain/facts/mention-facts.ts';
import {
  authorOf,
  MENTION_STATES,
  type MentionRecord,
  type MentionState,
  mentionFault,
} from '../../domain/mentions/mention.ts';
import { examples, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { accountText, momentText, plain, printList, shortPostId } from '../output.ts';

const SHOWN_TEXT = 60;

function toItem(mention: MentionRecord) {
  const { id, state, ignoreReason: silence } = mention;
  return { id, state, silence, ...factsJson(MENTION_FACTS, mention) };
}

function toRow(mention: MentionRecord) {
  const { id, state, ignoreReason, receivedAt, authorUsername: username, postId, text, attempts } = mention;
  const fault = mentionFault(mention);
  return {
    id,
    state: ignoreReason === null ? state : `${state} (${ignoreReason})`,
    received: momentText(receivedAt),
    author: plain(accountText({ ...authorOf(mention), username }), SHOWN_TEXT),
    post: shortPostId(postId),
    text: plain(text, SHOWN_TEXT),
    attempts,
    error: fault === null ? null : plain(fault),
  };
}

/** `mention list`: the posts that named the bot. */
export function addMentionCommands(program: Command, context: Context): void {
  const command = program.command('mention').description('the posts that mention the bot');
  const list = pageOptions(
    command
      .command('list')
      .description(`the mentions and their states. ${mentionStateWords((state) => state)}`)
      .addOption(new Option('--state <state>', 'only those in this state').choices(MENTION_STATES)),
  ).action(async (options: ListOptions & { state?: MentionState }) => {
    const { limit, before, state } = options;
    const mentions = await context.withStore((store) => store.mentions({ limit, before, state }));
    const empty = state === undefined ? 'No mentions.' : `No mentions are ${state}.`;
    printList(context, mentions, { json: options.json, empty, item: toItem, row: toRow });
  });
  examples(list, 'mention list', 'mention list --state failed --json');
}
