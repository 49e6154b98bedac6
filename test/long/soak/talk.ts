import { setTimeout as wait } from 'node:timers/promises';
import type { LocalPlatform, SocialNetwork } from '../../../sandbox/networks/network.ts';
import type { Answers } from './answers.ts';
import type { Chance } from './chance.ts';

/** A post that names the bot. */
export interface Mentioned {
  readonly platform: LocalPlatform;
  readonly postId: string;
  readonly url: string;
  readonly text: string;
  /** Whether one of its deliveries was answered with 200: from then on it must be answered, once. */
  acknowledged: boolean;
}

/** Somebody on a network. */
export interface Author {
  readonly platform: LocalPlatform;
  readonly id: string;
  readonly username: string;
}

/** People who talk to the bot, and the platforms' deliveries of what they say. */
export interface Talk {
  /** A new member of a network. */
  join(platform: LocalPlatform, options?: { verifiedAddress?: string }): Author;
  /** Posts, and delivers until the service takes it; or leaves it to the service to find, after the first failures. */
  mention(author: Author, text: string): { mentioned: Mentioned; delivered: Promise<void> };
  /** Somebody says one of the ordinary things, each of which gets exactly one reply. */
  chat(platform: LocalPlatform): Promise<void>;
  /** Delivers once more what was delivered before. */
  redeliver(): Promise<void>;
  readonly mentions: readonly Mentioned[];
}

/** Far below the ten replies an hour that an author gets, and with no word of which the second gets silence. */
const ORDINARY = ['claims', 'help', 'status 1', 'what does this bot do', 'my tips', 'gig 1'];
/** Whoever says one of these says nothing else: after `stop` there is silence. */
const PARTING = ['stop', 'unstop'];
const FIRST_FID = 100_000;
const FIRST_X_ID = 1_800_000_000_000_000_000n;
/** How often a platform that got no 200 delivers once more. */
const DELIVERED_AGAIN = 0.7;
const AGAIN_MS = { least: 500, most: 3_000 };
const MOST_DELIVERIES = 20;
/** The last so many posts are delivered again. */
const RECENT = 2_000;

/** Nobody has said anything yet. */
export function createTalk(options: {
  networks: Readonly<Record<LocalPlatform, SocialNetwork>>;
  bot: string;
  answers: Answers;
  chance: Chance;
}): Talk {
  const { networks, answers, chance } = options;
  const mentions: Mentioned[] = [];
  const speakers = new Map<LocalPlatform, { author: Author; left: string[] }>();
  let members = 0;

  function join(platform: LocalPlatform, { verifiedAddress }: { verifiedAddress?: string } = {}): Author {
    members += 1;
    const id = platform === 'farcaster' ? String(FIRST_FID + members) : String(FIRST_X_ID + BigInt(members));
    const author = { platform, id, username: `member${members}` };
    const verifiedAddresses = verifiedAddress === undefined ? [] : [verifiedAddress];
    networks[platform].addUser({ id, username: author.username, verifiedAddresses });
    return author;
  }

  /** @returns whether one of the answers was a 200 */
  async function deliver({ platform, postId }: Mentioned, times: number): Promise<boolean> {
    const startedAt = Date.now();
    const statuses = await networks[platform].redeliver(postId, times);
    for (const status of statuses) answers.note('webhook', { status, body: '', startedAt, at: Date.now() });
    return statuses.includes(200);
  }

  async function deliverFirst(mentioned: Mentioned): Promise<void> {
    for (let count = 0; count < MOST_DELIVERIES; count += 1) {
      if (await deliver(mentioned, 1)) {
        mentioned.acknowledged = true;
        return;
      }
      if (!chance.happens(DELIVERED_AGAIN)) return;
      await wait(chance.between(AGAIN_MS.least, AGAIN_MS.most));
    }
  }

  function mention(author: Author, text: string): { mentioned: Mentioned; delivered: Promise<void> } {
    const { platform } = author;
    const post = networks[platform].post({ author: author.id, text: `@${options.bot} ${text}` });
    const mentioned: Mentioned = { platform, postId: post.id, url: post.url, text, acknowledged: false };
    mentions.push(mentioned);
    return { mentioned, delivered: deliverFirst(mentioned) };
  }

  return {
    join,
    mention,
    mentions,
    chat: async (platform) => {
      if (chance.happens(0.05)) {
        await mention(join(platform), chance.pick(PARTING)).delivered;
        return;
      }
      const speaker = speakers.get(platform) ?? { author: join(platform), left: [...ORDINARY] };
      const text = speaker.left.shift() ?? 'claims';
      if (speaker.left.length === 0) speakers.delete(platform);
      else speakers.set(platform, speaker);
      await mention(speaker.author, text).delivered;
    },
    redeliver: async () => {
      const known = mentions.slice(-RECENT).filter(({ acknowledged }) => acknowledged);
      if (known.length === 0) return;
      await deliver(chance.pick(known), chance.happens(0.1) ? 3 : 1);
    },
  };
}
