import { z } from 'zod';
import { AdapterError } from '../../domain/errors.ts';
import type { PlatformCheck } from '../../domain/mentions/mention.ts';
import { checkResult, guardCheck } from '../check.ts';
import { entriesOf } from '../payload.ts';
import type { XClient, XOptions } from './client.ts';
import { xId } from './id.ts';
import { absentFields, missingFields, missingMentionFields, readIncludes, readPost } from './post.ts';
import { findSubscriptions, listXWebhooks, SUBSCRIBED_EVENTS, webhookFor } from './subscription.ts';
import { POST_QUERY, type Vocabulary } from './vocabulary.ts';

const meAnswer = z.object({ data: z.object({ id: xId, username: z.string() }) });

function checkAccount(client: XClient, options: XOptions): Promise<PlatformCheck> {
  const name = 'x credentials';
  const remedy = 'Check X_APP_KEY, X_APP_SECRET, X_ACCESS_TOKEN and X_ACCESS_SECRET, and the credits of the account.';
  return guardCheck(name, remedy, async () => {
    const { data } = await client.call({ what: 'look up the bot', answer: meAnswer }, (sdk) => sdk.v2.me());
    if (data.id !== options.botUserId) {
      const detail = `The access token belongs to user ${data.id}, not to ${options.botUserId}`;
      return checkResult(name, {
        detail,
        remedy: "Set X_BOT_USER_ID to the token's user, or create a token with the bot's account.",
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

function checkWebhook(client: XClient, webhookUrl: string): Promise<PlatformCheck> {
  const name = 'x webhook';
  return guardCheck(name, 'Check X_APP_KEY and X_APP_SECRET.', async () => {
    const ours = webhookFor(webhookUrl, await listXWebhooks(client));
    if (ours === undefined) {
      return checkResult(name, { detail: `No webhook delivers to ${webhookUrl}`, remedy: REGISTER });
    }
    if (!ours.valid) {
      const detail = `X reports the webhook for ${webhookUrl} as invalid and delivers nothing`;
      return checkResult(name, { detail, remedy: `Check that X can reach the service there. ${REGISTER}` });
    }
    return checkResult(name, `The webhook for ${webhookUrl} is valid`);
  });
}

function checkSubscriptions(client: XClient, options: XOptions, webhookUrl: string) {
  const name = 'x subscriptions';
  return guardCheck(name, 'Check X_APP_KEY and X_APP_SECRET.', async () => {
    const ours = webhookFor(webhookUrl, await listXWebhooks(client));
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

const idsAnswer = z.object({ data: entriesOf(z.object({ id: xId })).optional() });
const postAnswer = z.object({ data: z.unknown().optional(), includes: z.unknown().optional() });

async function newestPost(client: XClient, botUserId: string): Promise<string | null> {
  for (const list of ['mentions', 'tweets']) {
    const request = { what: `list the bot's ${list === 'tweets' ? 'own posts' : 'mentions'}`, answer: idsAnswer };
    const { data } = await client.call(request, (sdk) => sdk.v2.get(`users/${botUserId}/${list}`, { max_results: 5 }));
    const [newest] = data ?? [];
    if (newest !== undefined) return newest.id;
  }
  return null;
}

interface Absent {
  readonly names: readonly string[];
  /** Whether the post is neither paid nor answered without them. */
  readonly isLost: boolean;
}

async function absentIn(client: XClient, id: string, vocabulary: Vocabulary): Promise<Absent> {
  try {
    const answer = await client.call({ what: 'look up a post', answer: postAnswer }, (sdk) =>
      sdk.v2.get(`tweets/${id}`, POST_QUERY[vocabulary]),
    );
    const post = readPost(answer.data);
    if (post === null) return { names: ['id', 'text'], isLost: true };
    const needed = post.text.includes('@') ? missingMentionFields(post) : missingFields(post);
    return { names: absentFields(post, readIncludes(answer.includes)), isLost: needed.length > 0 };
  } catch (error) {
    if (error instanceof AdapterError && error.reason === 'rejected')
      return { names: ['every field, because it rejects the request'], isLost: true };
    throw error;
  }
}

const unreadable = (what: string) =>
  `Posts without these fields are ${what}. Check docs.x.com/x-api for their current names, and update this service.`;

/** Whether X still returns the post fields that payments and replies need, in the new vocabulary or the old one. */
function checkPosts(client: XClient, options: XOptions): Promise<PlatformCheck> {
  const name = 'x posts';
  return guardCheck(
    name,
    'Check the credentials first, then the documentation of this request at docs.x.com/x-api.',
    async () => {
      const id = await newestPost(client, options.botUserId);
      if (id === null) {
        const detail = 'Not checked: the bot has no posts yet';
        return { ...checkResult(name, detail), mark: 'warning' };
      }
      const lacksNew = await absentIn(client, id, 'post');
      if (lacksNew.names.length === 0)
        return checkResult(name, `X returns all expected fields of post ${id} under their new names`);
      const byNew = `under their new names (post.fields) X omits ${lacksNew.names.join(', ')}`;
      const lacksOld = await absentIn(client, id, 'tweet');
      if (lacksOld.names.length === 0) {
        return checkResult(
          name,
          `X returns all expected fields of post ${id} under their old names, which are used; ${byNew}`,
        );
      }
      const detail = `Of the fields of post ${id}, ${byNew}, and under their old ones (tweet.fields) ${lacksOld.names.join(', ')}`;
      if (lacksNew.isLost && lacksOld.isLost) {
        return checkResult(name, { detail, remedy: unreadable('neither paid nor answered') });
      }
      const usable = checkResult(name, { detail, remedy: unreadable('still paid and answered') });
      return { ...usable, ok: true, mark: 'warning' };
    },
  );
}

/**
 * Checks that the access token is the bot's, that X delivers the bot's mentions to `webhookUrl`, and that it returns
 * complete posts.
 */
export async function checkX(client: XClient, options: XOptions, webhookUrl: string): Promise<PlatformCheck[]> {
  return [
    await checkAccount(client, options),
    await checkWebhook(client, webhookUrl),
    await checkSubscriptions(client, options, webhookUrl),
    await checkPosts(client, options),
  ];
}
