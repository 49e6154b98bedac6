import { type Command, Option } from 'commander';
import { factsJson } from '../../domain/facts/fact.ts';
import { REPLY_FACTS, REPLY_STATE_WORDS, replyFault } from '../../domain/facts/reply-facts.ts';
import { REPLY_STATES, type ReplyRecord, type ReplyState } from '../../domain/mentions/mention.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { isoText } from '../../domain/time.ts';
import { retryReply } from '../../services/mentions/send-replies.ts';
import { examples, id, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain } from '../output.ts';
import { printList, type Table } from '../table.ts';

const SHOWN_TEXT = 60;

function toItem(reply: ReplyRecord) {
  return { id: reply.id, state: reply.state, ...factsJson(REPLY_FACTS, { reply, mention: null }) };
}

const REPLY_TABLE: Table<ReplyRecord> = {
  id: ({ id: replyId }) => replyId,
  state: ({ state }) => state,
  platform: { read: ({ platform }) => platform, spare: 3 },
  mention: ({ mentionId }) => mentionId,
  created: { read: ({ createdAt }) => isoText(createdAt), cut: 'time', spare: 2 },
  text: { read: ({ text }) => plain(text, SHOWN_TEXT), cut: 'end' },
  attempts: { read: ({ attempts }) => attempts, spare: 1 },
  error: { read: replyFault, cut: 'end' },
};

async function retry(context: Context, replyId: number): Promise<void> {
  await context.withStore((store) => retryReply({ store, clock: context.clock }, { replyId, actor: COMMAND_LINE }));
  context.print(
    `Reply ${replyId} is queued again: the service looks for it on the platform, and sends it if it is not there.`,
  );
}

/** `reply list|retry`: the bot's replies. */
export function addReplyCommands(program: Command, context: Context): void {
  const command = program.command('reply').description('the replies of the bot');

  const list = pageOptions(
    command
      .command('list')
      .description(`the replies and their states. ${REPLY_STATE_WORDS}`)
      .addOption(new Option('--state <state>', 'only those in this state').choices(REPLY_STATES)),
    REPLY_TABLE,
  ).action(async (options: ListOptions & { state?: ReplyState }) => {
    const { limit, before, state } = options;
    const replies = await context.withStore((store) => store.replies({ limit, before, state }));
    const empty = state === undefined ? 'No replies.' : `No replies are ${state}.`;
    printList(context, replies, { view: options, empty, item: toItem, table: REPLY_TABLE });
  });
  examples(list, 'reply list', 'reply list --state failed --json');

  const again = command
    .command('retry')
    .description('retry a failed reply; the running service checks the platform first, so that it is not sent twice')
    .argument('<id>', 'the id of the reply', id('reply list --state failed shows it'))
    .action((replyId: number) => retry(context, replyId));
  examples(again, 'reply retry 12');
}
