import { formatAmount } from '../../src/domain/amount.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { counted, shortened } from '../../src/http/ui/badges.ts';
import { PEOPLE } from '../people.ts';
import type { EarnStep } from './earn-steps.ts';
import { isByBot, saidIn } from './events.ts';
import { PLATFORM_OF } from './names.ts';
import { buttonOutcome, ownerOutcome } from './people-outcomes.ts';
import type { Missed } from './receiver-step.ts';
import { postKey } from './records.ts';
import { excerpt, SILENCE_WORDS } from './words.ts';
import type { PostPlace, World } from './world.ts';

/** The demonstrations of the page, in the order in which to try them. */
export const STEPS = [
  'look-up',
  'refused',
  'accepted',
  'payout',
  'crash',
  'restore',
  'earn',
  'bounty',
  'raffle',
  'refund',
  'receiver',
  'owner',
  'button',
] as const;
export type StepName = (typeof STEPS)[number];

/** What was paid, and what the people hold of it. */
export interface Paid {
  /** The gig of each confirmed payout, by a text of its gig and transaction. */
  readonly payouts: ReadonlyMap<string, number>;
  /** Base units, by owner and token, as the page's holdings name them. */
  readonly amounts: ReadonlyMap<string, bigint>;
}

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
  /** What had been paid before an older database was put back; null for other steps. */
  readonly before: Paid | null;
  /** What happened while the receiver of events was down; absent for other steps. */
  readonly missed?: Missed;
  /** What came of it, in a sentence, and whether that is what the step is there to show; null until it is known. */
  readonly outcome: { readonly text: string; readonly asMeant: boolean } | null;
}

function answersTo({ network, postId }: PostPlace, { posts }: World): readonly string[] {
  const answers = posts[network].filter((post) => isByBot(post) && post.replyTo === postId);
  return answers.map((post) => saidIn(network, post));
}

function postAt(place: PostPlace | undefined, { posts }: World) {
  return place === undefined ? undefined : posts[place.network].find(({ id }) => id === place.postId);
}

function mentionOf({ network, postId }: PostPlace, { records }: World) {
  return records.mentions.get(postKey(PLATFORM_OF[network], postId));
}

/** Why a post will never be answered, or null. */
function silenceAbout(place: PostPlace, world: World): string | null {
  const mention = mentionOf(place, world);
  if (mention === undefined) return null;
  if (mention.ignoreReason) return SILENCE_WORDS[mention.ignoreReason];
  if (mention.state === 'failed') return 'it was given up';
  return world.records.replies.get(mention.id)?.state === 'failed' ? 'the reply could not be posted' : null;
}

function amountOf({ amount, token }: Pick<Payment, 'amount' | 'token'>): string {
  return `${formatAmount(amount, token.decimals)} ${token.symbol}`;
}

type Asked = Pick<Press, 'author' | 'posts' | 'gig' | 'before' | 'missed'>;

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
  const amounts = paid.map(amountOf);
  const [hash, ...more] = new Set(paid.map((payment) => payment.hash));
  const isShared = paid.length > 1 && more.length === 0 && hash !== undefined && hash !== null;
  const how = isShared ? `: ${counted(paid.length, 'gig')}, one transaction (${shortened(hash)})` : '';
  return { text: `${author} was paid ${amounts.join(', ')}${how}.`, asMeant: true };
}

/** What the ledger and the chain say now of all that was paid. Null before the chain has answered. */
export function paidNow({ records, holdings }: Pick<World, 'records' | 'holdings'>): Paid | null {
  if (holdings === null) return null;
  const payouts = [...records.payments.values()].filter(
    ({ kind, state }) => kind === 'payout' && state === 'confirmed',
  );
  const owners = PEOPLE.map(({ address }) => `${address.toLowerCase()}:`);
  return {
    payouts: new Map(payouts.map(({ gigId, hash }) => [`${gigId} ${hash}`, gigId])),
    amounts: new Map([...holdings.amounts].filter(([key]) => owners.some((owner) => key.startsWith(owner)))),
  };
}

/** The payouts that an older ledger can have again: those of gigs that it knows to be live. */
function findable({ payouts }: Paid, { records }: World): string[] {
  return [...payouts].filter(([, gigId]) => records.gigs.get(gigId)?.status === 'live').map(([payout]) => payout);
}

/** Null until the ledger has all payouts again that it can have. */
function restoreOutcome({ before }: Asked, world: World): Press['outcome'] {
  const now = paidNow(world);
  if (before === null || now === null || world.service.state !== 'up') return null;
  const wanted = findable(before, world);
  if (!wanted.every((payout) => now.payouts.has(payout))) return null;
  const isSame = [...before.amounts].every(([key, amount]) => now.amounts.get(key) === amount);
  const missing = before.payouts.size - wanted.length;
  const rest = missing === 0 ? '' : ` (${missing} more of gigs that were started after the copy)`;
  const found = `The ledger has its ${counted(wanted.length, 'payout')} again, from the chain${rest}`;
  return isSame
    ? { text: `${found}. Nobody was paid twice: all balances are the same.`, asMeant: true }
    : { text: `${found}, and a balance is another one.`, asMeant: false };
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

/** What the one who earned nothing must be told, by step. */
const REFUSALS: Readonly<Record<Exclude<EarnStep, 'refund'>, RegExp>> = {
  earn: /Not eligible: your Farcaster score/,
  bounty: /Not eligible: the verifier refused your submission: no link/,
  raffle: /Not eligible: the draw/,
};

function nameOf({ recipient }: Payment): string {
  return PEOPLE.find(({ address }) => address.toLowerCase() === recipient)?.name ?? shortened(recipient);
}

/** The payouts of a gig whose tips the service awarded by itself, and what the one who got none was told. */
function earnOutcome(step: keyof typeof REFUSALS, { posts, gig }: Asked, world: World): Press['outcome'] {
  const answers = posts.map((place) => answersTo(place, world).at(-1));
  const isAnswered = posts.every((place) => mentionOf(place, world)?.state === 'answered');
  const why = answers.at(-1);
  if (gig === null || why === undefined || !isAnswered || answers.includes(undefined)) return null;
  const payouts = [...world.records.payments.values()].filter(
    ({ kind, gigId }) => kind === 'payout' && gigId === gig.id,
  );
  if (payouts.some(({ state }) => state !== 'confirmed' && state !== 'failed')) return null;
  const paid = payouts.filter(({ state }) => state === 'confirmed');
  // Their order says only which claim was read first.
  const words = paid.map((each) => `${nameOf(each)} ${amountOf(each)}`).sort();
  const asMeant = paid.length === posts.length - 1 && REFUSALS[step].test(why);
  const asker = postAt(posts.at(-1), world)?.author.username;
  return {
    text: `gig ${gig.id} paid ${words.length === 0 ? 'nobody' : words.join(' and ')}; ${asker} was told: “${excerpt(why)}”`,
    asMeant,
  };
}

/** The refund of a gig, and the payout of the tip that was claimed after it. */
function refundOutcome({ author, posts, gig }: Asked, world: World): Press['outcome'] {
  const isAnswered = posts.every((place) => mentionOf(place, world)?.state === 'answered');
  if (gig === null || !isAnswered) return null;
  const payments = [...world.records.payments.values()].filter(({ gigId }) => gigId === gig.id);
  const refund = payments.find(({ kind }) => kind === 'refund');
  const payout = payments.find(({ kind }) => kind === 'payout');
  const states = [refund?.state, payout?.state];
  if (states.some((state) => state === 'planned' || state === 'sent')) return null;
  if (refund?.hash == null || payout === undefined || states.some((state) => state !== 'confirmed')) {
    return { text: `gig ${gig.id} did not make both payments.`, asMeant: false };
  }
  const returned = `gig ${gig.id} returned ${amountOf(refund)} to the funder’s wallet (${shortened(refund.hash)})`;
  return { text: `${returned}; after that ${author} was paid ${amountOf(payout)}.`, asMeant: true };
}

/** Null until the receiver has all events of the gig. */
function receiverOutcome({ missed }: Asked, { reception }: World): Press['outcome'] {
  if (missed === undefined) return null;
  const { gigId, events, downMs } = missed;
  const wanted = new Set(events.map(({ id }) => id));
  const arrived = reception.arrivals.filter(({ id }) => wanted.has(id));
  if (arrived.length < events.length) return null;
  const inOrder = arrived.every(({ id }, index) => id === events[index]?.id);
  const order = inOrder ? 'in order' : 'not in order';
  return {
    text: `the receiver was down for ${downMs / 1_000} s; of gig ${gigId} it was delivered ${arrived.length} of ${events.length} events, missing 0, ${order}.`,
    asMeant: inOrder,
  };
}

/** What came of a press, as far as the world shows it; null while that is open. */
export function pressOutcome(name: StepName, press: Asked, world: World): Press['outcome'] {
  const { author, posts, gig } = press;
  const silences = posts.map((place) => silenceAbout(place, world)).filter((why) => why !== null);
  if (silences.length > 0) return { text: `There will be no reply: ${silences.join('; ')}.`, asMeant: false };
  if (name === 'crash') return crashOutcome(press, world);
  if (name === 'restore') return restoreOutcome(press, world);
  if (name === 'receiver') return receiverOutcome(press, world);
  if (name === 'refund') return refundOutcome(press, world);
  if (name === 'owner') return gig === null ? null : ownerOutcome({ author, gigId: gig.id }, world);
  if (name === 'button') return gig === null ? null : buttonOutcome({ author, gigId: gig.id }, world);
  if (name === 'earn' || name === 'bounty' || name === 'raffle') return earnOutcome(name, press, world);
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
