import { checksummed } from '../../src/domain/gigs/token.ts';
import type { MentionRecord, ReplyRecord } from '../../src/domain/mentions/mention.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { withoutReplyMark } from '../../src/domain/platforms/platforms.ts';
import { counted, shortened } from '../../src/http/ui/badges.ts';
import { platformName } from '../../src/http/ui/text.ts';
import type { ApiFault } from '../networks/faults.ts';
import type { NetworkEvent, NetworkPost } from '../networks/network.ts';
import { BOT } from '../people.ts';
import type { ReceiverEvent } from '../receiver.ts';
import type { ServiceEvent } from '../service.ts';
import { type NetworkName, PLATFORM_OF, TITLES } from './parts.ts';
import type { GigRecord, Records } from './records.ts';
import { API_LABELS, excerpt, SILENCE_WORDS, tokenText } from './words.ts';

/** A sentence about what happened somewhere; of what `You` did, without its subject. */
export interface Told {
  readonly scene: 'Farcaster' | 'X' | 'Service' | 'Chain' | 'Verifier' | 'Receiver' | 'You';
  readonly text: string;
  readonly announce?: boolean;
  /** When it happened, epoch ms; now when absent. */
  readonly at?: number | undefined;
}

/** One thing that happened; its id counts up from 1. */
type StoryLine = Told & { readonly id: number; readonly at: number };

const KEPT = 150;

/** What happened, step by step; `changed` is called after every new line. Old lines are forgotten. */
export function createStory(options: { clock: () => number; changed: () => void }) {
  const lines: StoryLine[] = [];
  let count = 0;
  return {
    tell: (told: Told): void => {
      count += 1;
      const now = options.clock();
      const line = { ...told, id: count, at: Math.min(told.at ?? now, now) };
      const older = lines.findIndex((other) => other.at <= line.at);
      lines.splice(older < 0 ? lines.length : older, 0, line);
      lines.splice(KEPT);
      options.changed();
    },
    /** The newest first. */
    lines: (): readonly StoryLine[] => lines,
  };
}

export type Story = ReturnType<typeof createStory>;

/** Whether a post is the bot's own. */
export const isByBot = ({ author }: NetworkPost): boolean => author.username === BOT.username;

/** Whether a post is somebody's who names the bot: what is not for it has no state. */
export function namesBot(post: NetworkPost): boolean {
  return !isByBot(post) && post.text.toLowerCase().includes(`@${BOT.username}`);
}

/** What a post says; of a reply of the bot's without its network's mark. */
export function saidIn(network: NetworkName, post: NetworkPost): string {
  const { text, replyTo: postId } = post;
  return isByBot(post) && postId !== null ? withoutReplyMark(text, { platform: PLATFORM_OF[network], postId }) : text;
}

function tellPost(name: NetworkName, post: NetworkPost, posts: readonly NetworkPost[]): Told {
  const scene = TITLES[name];
  if (!isByBot(post)) return { scene, text: `${post.author.username} posted: “${excerpt(post.text)}”` };
  const answered = posts.find(({ id }) => id === post.replyTo);
  const whom = answered === undefined ? '' : ` to ${answered.author.username}`;
  return { scene, text: `The bot replied${whom}: “${excerpt(saidIn(name, post))}”`, announce: true };
}

function faultWords(fault: ApiFault): string {
  if (fault === 'drop_answer') return 'carries out the request and cuts the connection before it answers';
  return fault === 'hang' ? 'never answers' : `answers ${API_LABELS[fault]}`;
}

/** What a network did, in words. */
export function describeNetworkEvent(name: NetworkName, event: NetworkEvent, posts: readonly NetworkPost[]): Told {
  const scene = TITLES[name];
  if (event.type === 'posted') return tellPost(name, event.post, posts);
  const polls = 'The service polls for missed posts every 20 s.';
  if (event.type === 'withheld') return { scene, text: `Withheld the event, as configured. ${polls}` };
  if (event.type === 'faulted') {
    const call = event.call === 'reply' ? 'A reply arrives' : 'A request arrives';
    return { scene, text: `${call}, and ${scene} ${faultWords(event.fault)}, as configured.` };
  }
  const { status, ms } = event;
  const lost = 'It is not sent again: the service polls for missed posts.';
  if (status === 0) return { scene, text: `Sent the signed event; the service did not answer. ${lost}` };
  return { scene, text: `Delivered the event, signed; the service answered ${status} in ${ms} ms.` };
}

/** What waits in the store, in words. */
export function describeWaiting({ mentions, replies }: { mentions: number; replies: number }): string {
  const unanswered = mentions === 0 ? [] : [`${counted(mentions, 'mention')} without an answer`];
  const unsent = replies === 0 ? [] : [replies === 1 ? '1 reply not sent' : `${replies} replies not sent`];
  return [...unanswered, ...unsent].join(' and ') || 'nothing waits';
}

/** What became of the receiver of events, or came to it, in words. */
export function describeReceiverEvent(event: ReceiverEvent): Told {
  const scene = 'Receiver';
  if (event.type === 'down') return { scene, text: `Takes no connection for ${event.ms / 1_000} s.`, announce: true };
  if (event.type === 'up') return { scene, text: 'Takes connections again.', announce: true };
  const { seq, type, gigId } = event.arrival;
  return { scene, text: `${event.isRepeat ? 'Got again' : 'Took'} event ${seq}, signed: ${type} of gig ${gigId}.` };
}

/** What became of the service's process, in words. `waiting` is what its database holds at that moment. */
export function describeServiceEvent(event: ServiceEvent, waiting: { mentions: number; replies: number }): Told {
  const { type, others } = event;
  const [who, rest] = others === undefined ? ['The service', ''] : ['An instance', ` Others that run: ${others}.`];
  const told = (text: string): Told => ({ scene: 'Service', text: `${who}${text}`, announce: true });
  if (type === 'lost') return told(` did not restart: ${event.why}.`);
  if (type === 'stopped') return told(`, process ${event.pid}, is being stopped.`);
  if (type === 'ended') {
    const how = event.how === 'SIGKILL' ? 'was killed' : `ended (${event.how})`;
    return told(`, process ${event.pid}, ${how}. On disk: ${describeWaiting(waiting)}.${rest}`);
  }
  const how = type === 'back' ? 'restarted with the same database' : 'runs with the older database';
  return told(` ${how} after ${(event.ms / 1_000).toFixed(1)} s, process ${event.pid}.`);
}

/** The ways that rows really go, so that steps between two looks are told as well. */
const MENTION_WAY = ['received', 'answering', 'answered'];
const REPLY_WAY = ['queued', 'sending', 'sent'];
const PAYMENT_WAY = ['planned', 'sent', 'confirmed'];
/** Steps that last a moment, with the step before: they are told together with what comes of them. */
const PASSING: Readonly<Record<string, string>> = { answering: 'received', sending: 'queued' };

/** The steps from a state, or from the first one, to another: `queued → sending → sent`. */
function steps(way: readonly string[], from: string | undefined, to: string, words = (step: string) => step): string {
  const told = from === undefined ? undefined : (PASSING[from] ?? from);
  const first = told === undefined ? 0 : way.indexOf(told);
  const last = way.indexOf(to);
  const between =
    first >= 0 && last >= first ? way.slice(first, last + 1) : [...(told === undefined ? [] : [told]), to];
  return between.map(words).join(' → ');
}

function when(isSo: boolean, text: () => string, more: Partial<Told> = {}): Told[] {
  return isSo ? [{ scene: 'Service', text: text(), ...more }] : [];
}

/** Where a reply stands: one in the queue is written, which is not to be taken for a reply that still has to be. */
export const replyStep = (state: string): string => (state === 'queued' ? 'written' : state);

/** Where a mention stands; `answering` is what the store calls received and leased at least once. */
export function mentionStep({ state, attempts, lastError }: MentionRecord): string {
  return state === 'received' && attempts > 0 && lastError === null ? 'answering' : state;
}

/** @param answeredAt when its reply was written, which is when it was answered */
function tellMention(before: MentionRecord | undefined, mention: MentionRecord, answeredAt?: number): Told[] {
  const { lastError, ignoreReason } = mention;
  const name = `Mention ${mention.id}`;
  const [from, to] = [before === undefined ? undefined : mentionStep(before), mentionStep(mention)];
  const author = `${mention.authorUsername ?? mention.authorId} on ${platformName(mention.platform)}`;
  const how = mention.source === 'poll' ? 'found by polling' : 'came by webhook';
  const why = ignoreReason === null ? '' : `: ${SILENCE_WORDS[ignoreReason]}`;
  const isStep = from !== to && !(to in PASSING) && !(from === undefined && to === 'received');
  const next = mention.state === 'failed' ? 'was given up' : 'waits for its next try';
  const isProblem = mention.state === 'failed' || mention.state === 'received';
  return [
    ...when(before === undefined, () => `${name} is on disk: by ${author}, ${how}.`, { at: mention.receivedAt }),
    ...when(isStep, () => `${name}: ${steps(MENTION_WAY, from, to)}${why}.`, { at: answeredAt }),
    ...when(isProblem && lastError !== null && lastError !== before?.lastError, () => `${name} ${next}: ${lastError}.`),
  ];
}

function tellReply(before: ReplyRecord | undefined, reply: ReplyRecord): Told[] {
  const { state, lastError } = reply;
  const name = `Reply to mention ${reply.mentionId}`;
  const unknown = state === 'unknown' ? '. The service looks for its own post before it sends again' : '';
  const at = state === 'queued' ? reply.createdAt : (reply.sentAt ?? undefined);
  const isStep = before?.state !== state && !(state in PASSING);
  const isError = lastError !== null && lastError !== before?.lastError && state !== 'sent';
  return [
    ...when(isStep, () => `${name}: ${steps(REPLY_WAY, before?.state, state, replyStep)}${unknown}.`, { at }),
    ...when(isError, () => `${name}, attempt ${reply.attempts}: ${lastError}.`),
  ];
}

function describePayment({ kind, amount, token, gigId, recipient }: Payment): string {
  const what = tokenText(amount, token);
  const whom = shortened(checksummed(recipient));
  const words = {
    payout: `${what} from gig ${gigId} to ${whom}`,
    fee: `the fee of gig ${gigId}, ${what}, to the treasury`,
    refund: `the refund of gig ${gigId}, ${what}, to ${whom}`,
    return: `${what} back from gig ${gigId} to ${whom}`,
    mark: `the tips of gig ${gigId} that were paid before are marked in its wallet`,
  };
  return words[kind];
}

function tellPayment(before: Payment | undefined, payment: Payment): Told[] {
  const { kind, state, blockNumber, reason, createdAt, updatedAt: at } = payment;
  const name = `Payment ${payment.id}`;
  // Without a transaction of its own it is one that the ledger did not know.
  const isFound = state === 'confirmed' && payment.transactionId === null;
  const way = isFound ? PAYMENT_WAY.filter((step) => step !== 'sent') : PAYMENT_WAY;
  const words = (step: string) => {
    if (step !== 'confirmed' || blockNumber === null) return step;
    return isFound ? `found on the chain, in block ${blockNumber}` : `confirmed in block ${blockNumber}`;
  };
  const isStep = before?.state !== state && !(before === undefined && state === 'planned');
  const scene = state === 'confirmed' || state === 'failed' ? 'Chain' : 'Service';
  const announce = state === 'confirmed' && kind === 'payout';
  return [
    ...when(before === undefined, () => `${name}: ${describePayment(payment)}.`, { at: createdAt }),
    ...when(isStep, () => `${name}: ${steps(way, before?.state, state, words)}.`, { scene, announce, at }),
    ...when(reason !== null && reason !== before?.reason, () => `${name}: ${reason}.`, { at }),
  ];
}

function tellTransactions(before: Records, after: Records): Told[] {
  const confirmed = [...after.payments.values()].filter(
    ({ id, state }) => state === 'confirmed' && before.payments.get(id)?.state !== 'confirmed',
  );
  return [...Map.groupBy(confirmed, ({ hash }) => hash)].flatMap(([hash, payments]) => {
    const gigs = counted(new Set(payments.map(({ gigId }) => gigId)).size, 'gig');
    const text = () => `One transaction, ${shortened(hash ?? '')}: ${payments.length} payments of ${gigs}.`;
    const at = Math.max(...payments.map(({ updatedAt }) => updatedAt));
    return when(hash !== null && payments.length > 1, text, { scene: 'Chain', at });
  });
}

function tellGig(before: GigRecord | undefined, gig: GigRecord): Told[] {
  const { token, frozen, createdAt: at } = gig;
  const name = `Gig ${gig.id}`;
  const isAwarded = before !== undefined && gig.awardedAmount !== before.awardedAmount;
  const more = isAwarded ? gig.awardedAmount - before.awardedAmount : 0n;
  const payments = frozen === null ? 'pays again' : `is frozen: ${frozen}`;
  return [
    ...when(before === undefined, () => `${name} was created: ${tokenText(gig.rewardAmount, token)}.`, { at }),
    ...when(more !== 0n, () => `${name}: tips of ${tokenText(more, token)} were awarded.`),
    ...when(gig.status === 'live' && before?.status !== 'live', () => `${name}: created → live.`, { announce: true }),
    ...when(frozen !== (before?.frozen ?? null), () => `${name} ${payments}.`),
  ];
}

/** What happened in the store between two looks at it, in the order in which it matters. */
export function describeChanges(before: Records, after: Records): Told[] {
  // What only moved out of the window of the newest rows did not change.
  const mentions = [...after.mentions]
    .toReversed()
    .flatMap(([key, row]) => tellMention(before.mentions.get(key), row, after.replies.get(row.id)?.createdAt));
  const replies = [...after.replies].toReversed().flatMap(([key, row]) => tellReply(before.replies.get(key), row));
  const claims = [...after.claims].flatMap(([id, { recipient, createdAt: at }]) =>
    when(!before.claims.has(id), () => `Claim ${id}: to be paid at ${shortened(checksummed(recipient))}.`, { at }),
  );
  const gigs = [...after.gigs].flatMap(([key, row]) => tellGig(before.gigs.get(key), row));
  const payments = [...after.payments].flatMap(([key, row]) => tellPayment(before.payments.get(key), row));
  return [...mentions, ...gigs, ...claims, ...payments, ...tellTransactions(before, after), ...replies];
}
