import { type Command, Option } from 'commander';
import { COMMAND_LINE } from '../domain/actor.ts';
import { REPLY_STATES, type ReplyRecord, type ReplyState } from '../domain/mention.ts';
import { retryReply } from '../services/mentions/send-replies.ts';
import { examples, id, type ListOptions, pageOptions } from './arguments.ts';
import type { Context } from './context.ts';
import { momentText, plain, printList } from './output.ts';

const SHOWN_TEXT = 60;

function toItem(reply: ReplyRecord) {
  return {
    id: reply.id,
    state: reply.state,
    platform: reply.platform,
    kind: reply.kind,
    mention_id: reply.mentionId,
    gig_id: reply.notice?.gigId ?? null,
    event: reply.notice?.event ?? null,
    in_reply_to: reply.mention.replyTo,
    post_id: reply.postId,
    text: reply.text,
    created_at: momentText(reply.createdAt),
    sent_at: momentText(reply.sentAt),
    attempts: reply.attempts,
    last_error: reply.lastError,
  };
}

function toRow(item: ReturnType<typeof toItem>) {
  return {
    id: item.id,
    state: item.state,
    platform: item.platform,
    mention: item.mention_id,
    created: item.created_at,
    text: plain(item.text, SHOWN_TEXT),
    attempts: item.attempts,
    // Uncut, because it is the last column and says what to do; null once the reply is sent.
    error: item.last_error === null || item.state === 'sent' ? null : plain(item.last_error),
  };
}

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
      .description(
        'the replies and their states. unknown: the outcome of sending is not known; the service checks the platform before it sends again',
      )
      .addOption(new Option('--state <state>', 'only those in this state').choices(REPLY_STATES)),
  ).action(async (options: ListOptions & { state?: ReplyState }) => {
    const { limit, before, state } = options;
    const replies = await context.withStore((store) => store.replies({ limit, before, state }));
    const empty = state === undefined ? 'No replies.' : `No replies are ${state}.`;
    printList(context, replies.map(toItem), { json: options.json, empty, row: toRow });
  });
  examples(list, 'reply list', 'reply list --state failed --json');

  const again = command
    .command('retry')
    .description('retry a failed reply; the running service checks the platform first, so that it is not sent twice')
    .argument('<id>', 'the id of the reply', id('reply list --state failed shows it'))
    .action((replyId: number) => retry(context, replyId));
  examples(again, 'reply retry 12');
}
