import type { ReplyAllowance } from '../../domain/mentions/reply-worth.ts';
import type { BotSettings } from '../define-platform.ts';

/** The configuration of a bot on X: OAuth 1.0a of its account. Secrets: all but the bot's id and name. */
export interface XConfig extends BotSettings {
  readonly appKey: string;
  /** Also signs webhooks and answers their challenge. */
  readonly appSecret: string;
  readonly accessToken: string;
  readonly accessSecret: string;
  readonly botUserId: string;
  /** How many replies X accepts from the account; X's documented numbers when absent. */
  readonly replyBudget?: readonly ReplyAllowance[] | undefined;
}
