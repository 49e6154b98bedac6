import { z } from 'zod';
import type { PlatformCheck } from '../domain/mention.ts';
import { checkResult, guardCheck } from './check.ts';
import type { TwitterClient, TwitterOptions } from './twitter-client.ts';
import { twitterId } from './twitter-id.ts';

const meAnswer = z.object({ data: z.object({ id: twitterId, username: z.string() }) });
const webhooksAnswer = z.object({
  data: z.array(z.object({ id: z.string(), url: z.string(), valid: z.boolean() })).optional(),
});

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

function checkWebhook(client: TwitterClient, webhookUrl: string): Promise<PlatformCheck> {
  const name = 'x webhook';
  return guardCheck(name, 'Check X_APP_KEY and X_APP_SECRET.', async () => {
    const { data } = await client.callAsApp({ what: 'list the webhooks', answer: webhooksAnswer }, (sdk) =>
      sdk.v2.get('webhooks'),
    );
    const ours = (data ?? []).filter((webhook) => webhook.url === webhookUrl);
    if (ours.length === 0) {
      const remedy = `Register ${webhookUrl} (POST /2/webhooks) and subscribe it to post.mention.create of the bot.`;
      return checkResult(name, { detail: `No webhook delivers to ${webhookUrl}`, remedy });
    }
    if (!ours.some((webhook) => webhook.valid)) {
      const detail = `X holds the webhook for ${webhookUrl} to be invalid and delivers nothing`;
      const remedy = 'See that the service is reachable there, then let X validate it again (PUT /2/webhooks/:id).';
      return checkResult(name, { detail, remedy });
    }
    return checkResult(name, `The webhook for ${webhookUrl} is valid`);
  });
}

/** Whether the access token is the bot's, and whether X delivers to `webhookUrl`. */
export async function checkTwitter(
  client: TwitterClient,
  options: TwitterOptions,
  webhookUrl: string,
): Promise<PlatformCheck[]> {
  return [await checkAccount(client, options), await checkWebhook(client, webhookUrl)];
}
