import { gigAfter } from '../../domain/mentions/command.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { prepareNotices } from '../../services/notices/ask-notices.ts';
import { type CommandContext, defineCommand } from '../command.ts';

export function notifiedReply(gigId: number): string {
  return `You'll get updates on gig ${gigId} as replies to your latest command. To stop, send "unnotify gig ${gigId}".`;
}

export function unnotifiedReply(gigId: number): string {
  return `You'll get no more updates on gig ${gigId}. To get them again, send "notify gig ${gigId}".`;
}

async function changeNotices(
  { deps, actor, mention }: CommandContext,
  { gigId, wanted }: { gigId: number; wanted: boolean },
) {
  const commit = await prepareNotices(deps, { gigId, actor, mentionId: mention.id, wanted });
  return { text: wanted ? notifiedReply(gigId) : unnotifiedReply(gigId), commit };
}

/** Asks for notices of a gig, under this author's commands about it. */
export const notifyCommand = defineCommand({
  name: 'notify',
  worth: REPLY_WORTH.lookUp,
  help: '"notify 42"',
  guide: [{ say: 'notify gig 42', who: 'an owner of the gig', does: 'Sends you updates on the gig as replies.' }],
  changes: true,
  ranksRefusals: true,
  notices: 'left',
  read: gigAfter('notify', 'notify gig'),
  prepare: (ctx, { gigId }) => changeNotices(ctx, { gigId, wanted: true }),
});

export const unnotifyCommand = defineCommand({
  name: 'unnotify',
  worth: REPLY_WORTH.lookUp,
  guide: [{ say: 'unnotify gig 42', who: 'an owner of the gig', does: 'Ends the updates on the gig.' }],
  changes: true,
  ranksRefusals: true,
  notices: 'left',
  read: gigAfter('unnotify', 'unnotify gig'),
  prepare: (ctx, { gigId }) => changeNotices(ctx, { gigId, wanted: false }),
});
