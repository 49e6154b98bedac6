import { anyOf } from '../../domain/mentions/command.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { switchNotifications } from '../../services/notifications/switch-notifications.ts';
import { type CommandAnswer, type CommandContext, defineCommand } from '../command.ts';

export function notificationsOffReply(): string {
  return 'You\'ll get no more notifications from my mini app. To get them again, send "notify on".';
}

export function notificationsOnReply(): string {
  return 'You\'ll get notifications once you have added my mini app. To stop, send "notify off".';
}

export function noNotificationsReply(platform: string): string {
  return `I send no notifications on ${platformFacts(platform).label}.`;
}

function change({ deps, author: account, actor, platform }: CommandContext, off: boolean): CommandAnswer {
  if (platform.notify === undefined) return { text: noNotificationsReply(account.platform) };
  return {
    text: off ? notificationsOffReply() : notificationsOnReply(),
    commit: (tx) => switchNotifications(tx, { actor, now: deps.clock() }, { account, off }),
  };
}

/** Turns the notifications of the mini app to its author off. */
export const notificationsOffCommand = defineCommand({
  name: 'notifications_off',
  worth: REPLY_WORTH.lookUp,
  guide: [{ say: 'notify off', who: 'anyone', does: 'Turns off notifications of the mini app.' }],
  changes: true,
  needs: 'notifications',
  read: anyOf('notify off', 'notifications off'),
  prepare: (ctx) => change(ctx, true),
});

/** Turns them on again. */
export const notificationsOnCommand = defineCommand({
  name: 'notifications_on',
  worth: REPLY_WORTH.lookUp,
  guide: [{ say: 'notify on', who: 'anyone', does: 'Turns notifications on again.' }],
  changes: true,
  needs: 'notifications',
  read: anyOf('notify on', 'notifications on'),
  prepare: (ctx) => change(ctx, false),
});
