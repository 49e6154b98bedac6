import { NOTICE_WORDS } from '../../../src/bot/notice-replies.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Mention } from '../../../src/domain/mentions/mention.ts';
import type { NoticeContext } from '../../../src/services/notices/context.ts';
import { createOwnerTeller } from '../../../src/services/notices/tell-owners.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { type GigSeed, seedGig, seedTips } from '../../support/store.ts';
import { createWorld, HOUR, type World } from '../world.ts';

export const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
export const BOB = { platform: 'farcaster', platformUserId: '1002' } as const;
export const ALICE_ON_X = { platform: 'twitter', platformUserId: '7001' } as const;
export const UNIT = 10n ** 18n;
export const DAY = 24 * HOUR;

/** What the bot has posted on a platform: each text with the post that it answers, oldest first. */
export type Posted = readonly { readonly under: string; readonly text: string }[];

/** The services over a store with one gig of 100 DEGEN over a day, and the job that tells its owners. */
export async function openScene({ owners = [ALICE, ALICE_ON_X], ...seed }: GigSeed = {}) {
  const world = await createWorld();
  const gig = await seedGig(world.store, { owners, ...seed });
  const deps = (store: Store): NoticeContext => ({
    store,
    chains: world.ledger.chains,
    platforms: world.answering.platforms,
    noticeWords: NOTICE_WORDS,
    clock: world.clock,
    log: world.answering.log,
    wake: () => undefined,
  });
  const look = createOwnerTeller(deps(world.store));
  let said = 0;

  return {
    ...world,
    gig,
    look,
    /** A job of another process on the same database. */
    tellerOf: (store: Store) => createOwnerTeller(deps(store)),
    fund: (held = 105n * UNIT) => world.ledger.fund(gig.walletAddress, held),
    award: (amount: bigint) => seedTips(world.store, gig, [{ ...BOB, amount, createdAt: world.clock() }]),
    /** An owner says something to the bot and is answered. @returns the id of the post */
    async say(text: string, author: Partial<Mention> & { platform?: 'farcaster' | 'twitter' } = {}): Promise<string> {
      said += 1;
      const platform = author.platform ?? 'farcaster';
      const postId = platform === 'twitter' ? String(3_000_000 + said) : `0x${String(said).padStart(40, 'a')}`;
      const authorId = platform === 'twitter' ? ALICE_ON_X.platformUserId : ALICE.platformUserId;
      const post = { postId, replyTo: postId, threadId: postId, authorId, ...author };
      await world.hear({ ...post, text: `@gigclaim ${text}` });
      await world.answerAll();
      await world.sendAll(platform);
      return postId;
    },
    /** Lets the job look, and sends what it queued. */
    async tell(): Promise<void> {
      await look();
      for (const platform of ['farcaster', 'twitter'] as const) await world.sendAll(platform);
    },
    /** What the bot has posted under a post, oldest first, without X's mark at the end. */
    under: (postId: string) =>
      [...world.farcaster.posts, ...world.x.posts]
        .filter(({ replyTo }) => replyTo === postId)
        .map(({ text }) => text.replace(/ \[\w+\]$/, '')),
    notices: async () =>
      (await world.store.replies({ limit: 99 })).filter(({ kind }) => kind === 'notice').toReversed(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Makes the gig live as a client of the API does. */
export async function startByClient(world: Pick<World, 'store' | 'clock'>, { id, duration }: Gig): Promise<void> {
  const now = world.clock();
  await world.store.transaction(async (tx) => {
    await tx.lockGig(id, { holder: 'api', now, until: now + 60_000 });
    await tx.markLive(id, { holder: 'api', startTime: now, endTime: now + duration });
  });
}
