import { type Command, Option } from 'commander';
import { MENTION_STATES, type MentionRecord, type MentionState, mentionFault } from '../domain/mention.ts';
import { examples, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { accountText, momentText, plain, printList, shortPostId } from './output.ts';

const SHOWN_TEXT = 60;

function toItem(mention: MentionRecord) {
  return {
    id: mention.id,
    state: mention.state,
    silence: mention.ignoreReason,
    platform: mention.platform,
    post_id: mention.postId,
    author_id: mention.authorId,
    author_username: mention.authorUsername,
    text: mention.text,
    posted_at: momentText(mention.postedAt),
    received_at: momentText(mention.receivedAt),
    source: mention.source,
    attempts: mention.attempts,
    last_error: mention.lastError,
  };
}

function toRow(item: ReturnType<typeof toItem>) {
  const { platform, author_id: platformUserId, author_username: username } = item;
  const fault = mentionFault({ state: item.state, lastError: item.last_error });
  return {
    id: item.id,
    state: item.silence === null ? item.state : `${item.state} (${item.silence})`,
    received: item.received_at,
    author: plain(accountText({ platform, platformUserId, username }), SHOWN_TEXT),
    post: shortPostId(item.post_id),
    text: plain(item.text, SHOWN_TEXT),
    attempts: item.attempts,
    error: fault === null ? null : plain(fault),
  };
}

/** `mention list`: the posts that named the bot. */
export function addMentionCommands(program: Command, context: Context): void {
  const command = program.command('mention').description('the posts that mention the bot');
  const list = pageOptions(
    command
      .command('list')
      .description(
        'the mentions and their states. received: waiting for an answer; answered; ignored: not answered, by rule; failed: could not be answered',
      )
      .addOption(new Option('--state <state>', 'only those in this state').choices(MENTION_STATES)),
  ).action(async (options: ListOptions & { state?: MentionState }) => {
    const { limit, before, state } = options;
    const mentions = await context.withStore((store) => store.mentions({ limit, before, state }));
    const empty = state === undefined ? 'No mentions.' : `No mentions are ${state}.`;
    printList(context, mentions.map(toItem), { json: options.json, empty, row: toRow });
  });
  examples(list, 'mention list', 'mention list --state failed --json');
}
