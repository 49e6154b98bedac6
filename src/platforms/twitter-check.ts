import { z } from 'zod';
import type { PlatformCheck } from '../domain/mention.ts';
import { checkResult, guardCheck } from './check.ts';
import type { TwitterClient, TwitterOptions } from './twitter-client.ts';
import { twitterId } from './twitter-id.ts';
import { findSubscriptions, findWebhook, SUBSCRIBED_EVENTS } from './twitter-webhook.ts';

const meAnswer = z.object({ data: z.object({ id: twitterId, username: z.string() }) });

function checkAccount(client: TwitterClient, options: TwitterOptions): Promise<PlatformCheck> {
  const name = 'x credentials';
  const remedy = 'Check X_APP_KEY, X_APP_SECRET, X_ACCESS_TOKEN and X_ACCESS_SECRET, and the credits of the account.';
  return guardCheck(name, remedy, async () => {
    const { data } = await client.call({ what: 'look up the bot', answer: meAnswer }, (sdk) => sdk.v2.me());
    if (data.id !== options.botUserId) {
      const detail = `The access token belongs to user ${data.id}, not to ${options.botUserId}`;
      return checkResult(name, {
        detail,
        remedy: "Set X_BOT_USER_ID to the token's user, or make a token as the bot.",
      });
    }
    if (data.username.toLowerCase() !== options.botUsername.toLowerCase()) {
      const detail = `The bot is called @${data.username}, not @${options.botUsername}`;
      return checkResult(name, { detail, remedy: `Set X_BOT_USERNAME to ${data.username}.` });
    }
    return checkResult(name, `The access token belongs to @${data.username}`);
  });
}

const REGISTER = 'Run `npm run admin -- webhooks register` while the service runs.';

function checkWebhook(client: TwitterClient, webhookUrl: string): Promise<PlatformCheck> {
  const name = 'x webhook';
  return guardCheck(name, 'Check X_APP_KEY and X_APP_SECRET.', async () => {
    const ours = await findWebhook(client, webhookUrl);
    if (ours === undefined) {
      return checkResult(name, { detail: `No webhook delivers to ${webhookUrl}`, remedy: REGISTER });
    }
    if (!ours.valid) {
      const detail = `X holds the webhook for ${webhookUrl} to be invalid and delivers nothing`;
      return checkResult(name, { detail, remedy: `See that the service is reachable there. ${REGISTER}` });
    }
    return checkResult(name, `The webhook for ${webhookUrl} is valid`);
  });
}

function checkSubscriptions(client: TwitterClient, options: TwitterOptions, webhookUrl: string) {
  const name = 'x subscriptions';
  return guardCheck(name, 'Check X_APP_KEY and X_APP_SECRET.', async () => {
    const ours = await findWebhook(client, webhookUrl);
    const subscriptions = await findSubscriptions(client, options.botUserId);
    const missing = SUBSCRIBED_EVENTS.filter(
      (event) => !subscriptions.some(({ event_type, webhook_id }) => event_type === event && webhook_id === ours?.id),
    );
    if (ours !== undefined && missing.length === 0) {
      return checkResult(name, `Subscribed to ${SUBSCRIBED_EVENTS.join(' and ')} of the bot`);
    }
    const detail = `X has no subscription that delivers ${missing.join(' and ')} of the bot to ${webhookUrl}`;
    return checkResult(name, { detail, remedy: REGISTER });
  });
}

/** Whether the access token is the bot's, and whether X delivers the bot's mentions to `webhookUrl`. */
export async function checkTwitter(
  client: TwitterClient,
  options: TwitterOptions,
  webhookUrl: string,
): Promise<PlatformCheck[]> {
  return [
    await checkAccount(client, options),
    await checkWebhook(client, webhookUrl),
    await checkSubscriptions(client, options, webhookUrl),
  ];
}
