import { formatAmount } from '../../src/domain/amount.ts';
import { isByBot } from './events.ts';
import { PLATFORM_OF } from './names.ts';
import { postKey } from './records.ts';
import { excerpt, SILENCE_WORDS } from './words.ts';
import type { PostPlace, World } from './world.ts';

/** The demonstrations of the page, in the order in which to try them. */
export const STEPS = ['look-up', 'refused', 'accepted', 'payout', 'crash'] as const;
export type StepName = (typeof STEPS)[number];

/** The last press of a step's button. */
export interface Press {
  /** Another one for each press; its outcome's element has it. */
  readonly id: string;
  /** Who posted. */
  readonly author: string;
  /** What was posted. */
  readonly posts: readonly PostPlace[];
  /** The gig it was about, and what its wallet held just then, in words. */
  readonly gig: { readonly id: number; readonly standing: string } | null;
  /** What came of it, in a sentence, and whether that is what the step is there to show; null until it is known. */
  readonly outcome: { readonly text: string; readonly asMeant: boolean } | null;
}

function answersTo({ network, postId }: PostPlace, { posts }: World): readonly string[] {
  return posts[network].filter((post) => isByBot(post) && post.replyTo === postId).map(({ text }) => text);
}

function mentionOf({ network, postId }: PostPlace, { records }: World) {
  return records.mentions.get(postKey(PLATFORM_OF[network], postId));
}

/** Why a post will never be answered, or null. */
function silenceAbout(place: PostPlace, world: World): string | null {
  const mention = mentionOf(place, world);
  if (mention?.ignoreReason) return SILENCE_WORDS[mention.ignoreReason];
  return mention?.state === 'failed' ? 'it was given up' : null;
}

type Asked = Pick<Press, 'author' | 'posts' | 'gig'>;

/** The payouts of the claim that the post made, once all of them have ended. */
function payoutOutcome({ author }: Asked, place: PostPlace, answer: string, { records }: World): Press['outcome'] {
  const claim = [...records.claims.values()].find(
    ({ platform, postId }) => platform === PLATFORM_OF[place.network] && postId === place.postId,
  );
  const payments = [...records.payments.values()].filter(
    ({ kind, claimId }) => claim !== undefined && kind === 'payout' && claimId === claim.id,
  );
  if (payments.length === 0) return { text: `${author} was paid nothing: “${excerpt(answer)}”`, asMeant: false };
  if (payments.some(({ state }) => state !== 'confirmed' && state !== 'failed')) return null;
  const paid = payments.filter(({ state }) => state === 'confirmed');
  if (paid.length < payments.length) return { text: `${author} was not paid everything.`, asMeant: false };
  const amounts = paid.map(({ amount, token }) => `${formatAmount(amount, token.decimals)} ${token.symbol}`);
  return { text: `${author} was paid ${amounts.join(', ')}.`, asMeant: true };
}

function crashOutcome({ posts }: Asked, world: World): Press['outcome'] {
  if (world.service.state !== 'up' || posts.some((place) => answersTo(place, world).length === 0)) return null;
  if (posts.some((place) => answersTo(place, world).length > 1)) {
    return { text: 'It is back; a post was answered twice.', asMeant: false };
  }
  const ms = world.crash?.backAfterMs ?? null;
  const after = ms === null ? '' : ` after ${(ms / 1_000).toFixed(1)} s`;
  return { text: `It is back${after}; both posts were answered once.`, asMeant: true };
}

/** What came of a press, as far as the world shows it; null while that is open. */
export function pressOutcome(name: StepName, press: Asked, world: World): Press['outcome'] {
  const { author, posts, gig } = press;
  const silences = posts.map((place) => silenceAbout(place, world)).filter((why) => why !== null);
  if (silences.length > 0) return { text: `There will be no reply: ${silences.join('; ')}.`, asMeant: false };
  if (name === 'crash') return crashOutcome(press, world);
  const [place] = posts;
  const answer = place === undefined ? undefined : answersTo(place, world).at(-1);
  // The post is seen at once, the store a moment later: without it a claim would look as if it had paid nothing.
  if (place === undefined || answer === undefined || mentionOf(place, world)?.state !== 'answered') return null;
  switch (name) {
    case 'look-up':
      return { text: `${author} was told: “${excerpt(answer)}”`, asMeant: true };
    case 'refused':
      return /is not funded/.test(answer) && gig !== null
        ? { text: `gig ${gig.id} was refused: it holds ${gig.standing}.`, asMeant: true }
        : { text: `gig ${gig?.id} was not refused: “${excerpt(answer)}”`, asMeant: false };
    case 'accepted':
      return gig !== null && world.records.gigs.get(gig.id)?.status === 'live'
        ? { text: `gig ${gig.id} is live: its wallet held ${gig.standing}.`, asMeant: true }
        : { text: `gig ${gig?.id} is not live: “${excerpt(answer)}”`, asMeant: false };
    case 'payout':
      return payoutOutcome(press, place, answer, world);
  }
}
