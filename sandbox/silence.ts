import { type NetworkName, PLATFORM_OF } from './page/parts.ts';
import { openRecords, postKey, type Records } from './page/records.ts';
import { SILENCE_WORDS } from './page/words.ts';
import { BOT } from './people.ts';

/** Why a post has no reply. */
export interface Silence {
  /** A sentence. */
  readonly why: string;
  /** Whether no reply will come. */
  readonly isFinal: boolean;
}

interface SaidPost {
  readonly network: NetworkName;
  readonly id: string;
  readonly text: string;
}

/** Why a post that has no reply has none, as far as the service's store knows. */
export function explainSilence({ mentions, replies }: Pick<Records, 'mentions' | 'replies'>, post: SaidPost): Silence {
  const mention = mentions.get(postKey(PLATFORM_OF[post.network], post.id));
  if (mention === undefined) {
    return post.text.toLowerCase().includes(`@${BOT.username}`)
      ? { why: 'The service has not received the post.', isFinal: false }
      : { why: `The post does not mention @${BOT.username}, so it is not for the bot.`, isFinal: true };
  }
  if (mention.ignoreReason !== null) {
    return { why: `The service does not answer the post: ${SILENCE_WORDS[mention.ignoreReason]}.`, isFinal: true };
  }
  const reply = replies.get(mention.id);
  const { state, lastError } = reply ?? mention;
  const what = reply === undefined ? 'The post' : 'The reply';
  const held = reply?.heldFor == null ? '' : `, held for its ${reply.heldFor}`;
  return {
    why: `${what} is ${state}${held}${lastError === null ? '' : `: ${lastError}`}.`,
    isFinal: state === 'failed',
  };
}

/** As {@link explainSilence}, from the database of the running sandbox's service. */
export async function readSilence(database: string, post: SaidPost): Promise<Silence> {
  const records = await openRecords(database);
  try {
    return explainSilence(await records.read(), post);
  } finally {
    await records.close();
  }
}
