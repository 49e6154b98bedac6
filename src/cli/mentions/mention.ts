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
import { isoText } from '../../domain/time.ts';
import { examples, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { accountText, plain, shortPostId } from '../output.ts';
import { printList, type Table } from '../table.ts';

const SHOWN_TEXT = 60;

function toItem(mention: MentionRecord) {
  const { id, state, ignoreReason: silence } = mention;
  return { id, state, silence, ...factsJson(MENTION_FACTS, mention) };
}

const MENTION_TABLE: Table<MentionRecord> = {
  id: ({ id }) => id,
  state: ({ state, ignoreReason }) => (ignoreReason === null ? state : `${state} (${ignoreReason})`),
  received: { read: ({ receivedAt }) => isoText(receivedAt), cut: 'time', spare: 3 },
  author: {
    read: (mention) => plain(accountText({ ...authorOf(mention), username: mention.authorUsername }), SHOWN_TEXT),
    cut: 'end',
    spare: 4,
  },
  post: { read: ({ postId }) => shortPostId(postId), spare: 2 },
  text: { read: ({ text }) => plain(text, SHOWN_TEXT), cut: 'end' },
  attempts: { read: ({ attempts }) => attempts, spare: 1 },
  error: { read: mentionFault, cut: 'end' },
};

/** `mention list`: the posts that named the bot. */
export function addMentionCommands(program: Command, context: Context): void {
  const command = program.command('mention').description('the posts that mention the bot');
  const list = pageOptions(
    command
      .command('list')
      .description(`the mentions and their states. ${mentionStateWords((state) => state)}`)
      .addOption(new Option('--state <state>', 'only those in this state').choices(MENTION_STATES)),
    MENTION_TABLE,
  ).action(async (options: ListOptions & { state?: MentionState }) => {
    const { limit, before, state } = options;
    const mentions = await context.withStore((store) => store.mentions({ limit, before, state }));
    const empty = state === undefined ? 'No mentions.' : `No mentions are ${state}.`;
    printList(context, mentions, { view: options, empty, item: toItem, table: MENTION_TABLE });
  });
  examples(list, 'mention list', 'mention list --state failed --json');
}
