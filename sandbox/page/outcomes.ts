import type { Payment } from '../../src/domain/payments/payment.ts';
import { counted, shortened } from '../../src/http/ui/badges.ts';
import { PEOPLE } from '../people.ts';
import { PLATFORM_OF, type PostPlace } from './parts.ts';
import { postKey } from './records.ts';
import type { World } from './stage.ts';
import { isByBot, saidIn } from './story.ts';
import { excerpt, SILENCE_WORDS, tokenText } from './words.ts';

/** What came of a press, in a sentence, and whether that is what its scene is there to show. */
export type Result = { readonly text: string; readonly asMeant: boolean };

/** What the list of the owner awards in all, in wei: 0.2 and 0.1 ETH. */
const LISTED = 3n * 10n ** 17n;

function answersTo({ posts }: World, { network, postId }: PostPlace): readonly string[] {
  const answers = posts[network].filter((post) => isByBot(post) && post.replyTo === postId);
  return answers.map((post) => saidIn(network, post));
}

function mentionOf({ records }: World, { network, postId }: PostPlace) {
  return records.mentions.get(postKey(PLATFORM_OF[network], postId));
}

/** Undefined also until the store shows the answer: without it a claim would look as if it had paid nothing. */
function answerTo(world: World, place: PostPlace): string | undefined {
  return mentionOf(world, place)?.state === 'answered' ? answersTo(world, place).at(-1) : undefined;
}

/** Why posts will never be answered; null while they may be. */
export function silenceAbout(world: World, posts: readonly PostPlace[]): Result | null {
  const reasons = posts.flatMap((place) => {
    const mention = mentionOf(world, place);
    if (mention === undefined) return [];
    if (mention.ignoreReason !== null) return SILENCE_WORDS[mention.ignoreReason];
    if (mention.state === 'failed') return 'it was given up';
    return world.records.replies.get(mention.id)?.state === 'failed' ? 'the reply could not be posted' : [];
  });
  return reasons.length === 0 ? null : { text: `There will be no reply: ${reasons.join('; ')}.`, asMeant: false };
}

/** What the author of a post was told. */
export function told(world: World, author: string, place: PostPlace): Result | null {
  const answer = answerTo(world, place);
  return answer === undefined ? null : { text: `The bot replied to ${author}: “${excerpt(answer)}”`, asMeant: true };
}

/** What is to come of a gig's start; `standing` is what its wallet held, in words. */
type Start = { readonly gigId: number; readonly standing: string; readonly meant: 'refused' | 'accepted' };

/** Whether a start was refused, or accepted, as meant. */
export function started(world: World, { gigId, standing, meant }: Start, place: PostPlace): Result | null {
  const answer = answerTo(world, place);
  if (answer === undefined) return null;
  const isRefusal = meant === 'refused';
  const asMeant = isRefusal ? /is not funded/.test(answer) : world.records.gigs.get(gigId)?.status === 'live';
  const [so, otherwise] = isRefusal ? ['was refused: it holds', 'was not'] : ['is live: its wallet held', 'is not'];
  const not = `${otherwise} ${isRefusal ? 'refused' : 'live'}: “${excerpt(answer)}”`;
  return { text: `gig ${gigId} ${asMeant ? `${so} ${standing}.` : not}`, asMeant };
}

const isOpen = ({ state }: Payment) => state !== 'confirmed' && state !== 'failed';
const amountOf = ({ amount, token }: Payment) => tokenText(amount, token);

function payoutsOf({ records }: Pick<World, 'records'>): Payment[] {
  return [...records.payments.values()].filter(({ kind }) => kind === 'payout');
}

function allPaid(author: string, payouts: readonly Payment[], how: string): Result | null {
  if (payouts.some(isOpen)) return null;
  const asMeant = payouts.every(({ state }) => state === 'confirmed');
  const words = asMeant ? `was paid ${payouts.map(amountOf).join(', ')}${how}` : 'was not paid everything';
  return { text: `${author} ${words}.`, asMeant };
}

/** The payouts of the claim that a post made. */
export function paidOut(world: World, author: string, place: PostPlace): Result | null {
  const answer = answerTo(world, place);
  if (answer === undefined) return null;
  const claim = [...world.records.claims.values()].find(
    ({ platform, postId }) => platform === PLATFORM_OF[place.network] && postId === place.postId,
  );
  const payouts = claim === undefined ? [] : payoutsOf(world).filter(({ claimId }) => claimId === claim.id);
  if (payouts.length === 0) return { text: `${author} was paid nothing: “${excerpt(answer)}”`, asMeant: false };
  const [hash, ...more] = new Set(payouts.map((payment) => payment.hash));
  const isShared = payouts.length > 1 && more.length === 0 && hash !== undefined && hash !== null;
  const how = isShared ? `: ${counted(payouts.length, 'gig')}, one transaction (${shortened(hash)})` : '';
  return allPaid(author, payouts, how);
}

/** Whether each post of a crash was answered once. */
export function survived(world: World, posts: readonly PostPlace[]): Result | null {
  const counts = posts.map((place) => answersTo(world, place).length);
  if (world.service.state !== 'up' || counts.includes(0)) return null;
  if (counts.some((count) => count > 1)) return { text: 'It is back; a post was answered twice.', asMeant: false };
  const after = world.backAfterMs === null ? '' : ` after ${(world.backAfterMs / 1_000).toFixed(1)} s`;
  return { text: `It is back${after}; both posts were answered once.`, asMeant: true };
}

/**
 * All that was paid: the gig of each confirmed payout, by a text of its gig and transaction, and what the people hold.
 * Null before the chain has answered.
 */
export function paidNow({ records, holdings }: Pick<World, 'records' | 'holdings'>) {
  if (holdings === null) return null;
  const payouts = payoutsOf({ records }).filter(({ state }) => state === 'confirmed');
  const owners = PEOPLE.map(({ address }) => `${address.toLowerCase()}:`);
  return {
    payouts: new Map(payouts.map(({ gigId, hash }) => [`${gigId} ${hash}`, gigId])),
    amounts: new Map([...holdings.amounts].filter(([key]) => owners.some((owner) => key.startsWith(owner)))),
  };
}

/** Whether an older ledger has all payouts again that it can have: those of gigs that it knows to be live. */
export function caughtUp(world: World, before: NonNullable<ReturnType<typeof paidNow>>): Result | null {
  const now = paidNow(world);
  if (now === null || world.service.state !== 'up') return null;
  const wanted = [...before.payouts].filter(([, gigId]) => world.records.gigs.get(gigId)?.status === 'live');
  if (!wanted.every(([payout]) => now.payouts.has(payout))) return null;
  const asMeant = [...before.amounts].every(([key, amount]) => now.amounts.get(key) === amount);
  const missing = before.payouts.size - wanted.length;
  const rest = missing === 0 ? '' : ` (${missing} more of gigs that were started after the copy)`;
  const found = `The ledger has its ${counted(wanted.length, 'payout')} again, from the chain${rest}`;
  const held = asMeant ? '. Nobody was paid twice: all balances are the same.' : ', and a balance is another one.';
  return { text: `${found}${held}`, asMeant };
}

/** The payouts of a gig that awards by itself: all posts but the last claim, and the author of that is told why not. */
export function earned(world: World, gigId: number, posts: readonly PostPlace[], refusal: RegExp): Result | null {
  const answers = posts.map((place) => answerTo(world, place));
  const [why, asked] = [answers.at(-1), posts.at(-1)];
  const payouts = payoutsOf(world).filter((payment) => payment.gigId === gigId);
  if (why === undefined || asked === undefined || answers.includes(undefined) || payouts.some(isOpen)) return null;
  const paid = payouts.filter(({ state }) => state === 'confirmed');
  const nameOf = ({ recipient }: Payment) =>
    PEOPLE.find(({ address }) => address.toLowerCase() === recipient)?.name ?? shortened(recipient);
  // Their order says only which claim was read first.
  const words = paid.map((each) => `${nameOf(each)} ${amountOf(each)}`).sort();
  const asker = world.posts[asked.network].find(({ id }) => id === asked.postId)?.author.username;
  return {
    text: `gig ${gigId} paid ${words.join(' and ') || 'nobody'}; the bot replied to ${asker}: “${excerpt(why)}”`,
    asMeant: paid.length === posts.length - 1 && refusal.test(why),
  };
}

/** The refund of a gig, and the payout of the tip that was claimed after it by a post. */
export function refunded(world: World, gigId: number, author: string, place: PostPlace): Result | null {
  const payments = [...world.records.payments.values()].filter((payment) => payment.gigId === gigId);
  const [refund, payout] = ['refund', 'payout'].map((wanted) => payments.find(({ kind }) => kind === wanted));
  const hasOpen = [refund, payout].some((payment) => payment !== undefined && isOpen(payment));
  if (mentionOf(world, place)?.state !== 'answered' || hasOpen) return null;
  if (refund?.hash == null || refund.state !== 'confirmed' || payout?.state !== 'confirmed') {
    return { text: `gig ${gigId} did not make both payments.`, asMeant: false };
  }
  const returned = `gig ${gigId} returned ${amountOf(refund)} to the funder’s wallet (${shortened(refund.hash)})`;
  return { text: `${returned}; after that ${author} was paid ${amountOf(payout)}.`, asMeant: true };
}

/** Whether the receiver, which was down for a while, has all events of the gig, by their ids, in their order. */
export function received({ reception }: World, gigId: number, events: string[], downMs: number): Result | null {
  const arrived = reception.arrivals.filter(({ id }) => events.includes(id));
  if (arrived.length < events.length) return null;
  const asMeant = arrived.every(({ id }, index) => id === events[index]);
  const how = `${arrived.length} of ${events.length} events of gig ${gigId}, ${asMeant ? 'in order' : 'not in order'}`;
  return { text: `the receiver was down for ${downMs / 1_000} s, and got ${how}.`, asMeant };
}

/** Whether an owner's gig has started by itself and was awarded from by a list. */
export function owned({ records }: World, author: string, gigId: number): Result | null {
  const gig = records.gigs.get(gigId);
  if (gig === undefined || gig.status !== 'live' || gig.awardedAmount === 0n) return null;
  const list = `The list awarded ${tokenText(gig.awardedAmount, gig.token)} to two accounts`;
  return {
    text: `${author} paid gig ${gigId} from the wallet, and it started within a minute. ${list}; the wrong line was skipped.`,
    asMeant: gig.awardedAmount === LISTED,
  };
}

/** A claim by a button that was pressed twice, once its payments have ended. */
export function pressedTwice(world: World, author: string, gigId: number): Result | null {
  const ofGig = payoutsOf(world).filter((payment) => payment.gigId === gigId);
  const claim = [...world.records.claims.values()].find(({ id }) => id === ofGig[0]?.claimId);
  if (claim === undefined) return null;
  const payouts = payoutsOf(world).filter(({ claimId }) => claimId === claim.id);
  const paid = allPaid(author, payouts, ' by the button, without a post. The second click paid nothing more');
  if (paid?.asMeant !== true || (ofGig.length === 1 && claim.source === 'page')) return paid;
  const how = `${ofGig.length} payments of gig ${gigId}, the first for a claim by ${claim.source}`;
  return { text: `${author} was paid by ${how}.`, asMeant: false };
}
