import { formatAmount } from '../../src/domain/amount.ts';
import { unawardedOf } from '../../src/domain/gigs/gig.ts';
import { checksummed } from '../../src/domain/gigs/token.ts';
import type { MentionRecord, ReplyRecord } from '../../src/domain/mentions/mention.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { counted, shortened } from '../../src/http/ui/badges.ts';
import { networkOf, TITLES } from './names.ts';
import type { GigRecord, Records } from './records.ts';
import type { Scene } from './story.ts';
import { SILENCE_WORDS } from './words.ts';

/** A sentence for the story. */
export interface Told {
  readonly scene: Scene;
  readonly text: string;
  readonly announce?: boolean;
  /** When it happened, epoch ms; absent when the store does not say. */
  readonly at?: number | undefined;
}

/** The ways that rows really go, so that steps between two looks are told as well. */
const MENTION_WAY = ['received', 'answering', 'answered'];
const REPLY_WAY = ['queued', 'sending', 'sent'];
const PAYMENT_WAY = ['planned', 'sent', 'confirmed'];
/** Steps that last a moment, with the step before: they are told together with what comes of them. */
const PASSING: Readonly<Record<string, string>> = { answering: 'received', sending: 'queued' };

/** A reply in the queue is written, which is not to be taken for a reply that still has to be. */
function replyStep(state: string): string {
  return state === 'queued' ? 'written' : state;
}

/** What was told last about a row that is now seen in this state. */
function toldLast(step: string | null): string | null {
  return step === null ? null : (PASSING[step] ?? step);
}

/** The steps from one state to another, both told: `queued → sending → sent`. */
function steps(way: readonly string[], from: string | null, to: string, words = (step: string) => step): string {
  const first = from === null ? 0 : way.indexOf(from);
  const last = way.indexOf(to);
  const known = first >= 0 && last >= first;
  const between = known ? way.slice(first, last + 1) : [...(from === null ? [] : [from]), to];
  return between.map(words).join(' → ');
}

/** Where a mention stands; `answering` is what the store calls received and leased at least once. */
export function mentionStep({ state, attempts, lastError }: MentionRecord): string {
  return state === 'received' && attempts > 0 && lastError === null ? 'answering' : state;
}

/** @param answeredAt when its reply was written, which is when it was answered */
function tellMention(
  before: MentionRecord | undefined,
  mention: MentionRecord,
  answeredAt: number | undefined,
): Told[] {
  const scene = 'Service';
  const name = `Mention ${mention.id}`;
  const author = `${mention.authorUsername ?? mention.authorId} on ${TITLES[networkOf(mention.platform)]}`;
  const to = mentionStep(mention);
  const from = before === undefined ? null : mentionStep(before);
  const lines: Told[] = [];
  if (before === undefined) {
    const how = mention.source === 'poll' ? 'found by polling' : 'came by webhook';
    lines.push({ scene, text: `${name} is on disk: by ${author}, ${how}.`, at: mention.receivedAt });
  }
  if (from !== to && !(to in PASSING) && !(from === null && to === 'received')) {
    const why = mention.ignoreReason === null ? '' : `: ${SILENCE_WORDS[mention.ignoreReason]}`;
    lines.push({ scene, text: `${name}: ${steps(MENTION_WAY, toldLast(from), to)}${why}.`, at: answeredAt });
  }
  if (mention.lastError !== null && mention.lastError !== before?.lastError) {
    const words = mention.state === 'failed' ? 'was given up' : 'waits for its next try';
    lines.push({ scene, text: `${name} ${words}: ${mention.lastError}.` });
  }
  return lines;
}

function tellReply(before: ReplyRecord | undefined, reply: ReplyRecord): Told[] {
  const scene = 'Service';
  const lines: Told[] = [];
  if (before?.state !== reply.state && !(reply.state in PASSING)) {
    const unknown = reply.state === 'unknown' ? '. The service looks for its own post before it sends again' : '';
    const way = steps(REPLY_WAY, toldLast(before?.state ?? null), reply.state, replyStep);
    const at = reply.state === 'queued' ? reply.createdAt : (reply.sentAt ?? undefined);
    lines.push({ scene, text: `Reply to mention ${reply.mentionId}: ${way}${unknown}.`, at });
  }
  if (reply.lastError !== null && reply.lastError !== before?.lastError && reply.state !== 'sent') {
    lines.push({ scene, text: `Reply to mention ${reply.mentionId}, attempt ${reply.attempts}: ${reply.lastError}.` });
  }
  return lines;
}

function describePayment({ kind, amount, token, gigId, recipient }: Payment): string {
  const what = `${formatAmount(amount, token.decimals)} ${token.symbol}`;
  switch (kind) {
    case 'payout':
      return `${what} from gig ${gigId} to ${shortened(checksummed(recipient))}`;
    case 'fee':
      return `the fee of gig ${gigId}, ${what}, to the treasury`;
    case 'refund':
      return `the refund of gig ${gigId}, ${what}, to ${shortened(checksummed(recipient))}`;
    case 'return':
      return `${what} back from gig ${gigId} to ${shortened(checksummed(recipient))}`;
    case 'mark':
      return `the tips of gig ${gigId} that were paid before are marked in its wallet`;
  }
}

function tellPayment(before: Payment | undefined, payment: Payment): Told[] {
  const { id, state, blockNumber, reason, createdAt, updatedAt: at } = payment;
  const lines: Told[] = [];
  // Without a transaction of its own it is one that the ledger did not know.
  const isFound = state === 'confirmed' && payment.transactionId === null;
  const way = isFound ? PAYMENT_WAY.filter((step) => step !== 'sent') : PAYMENT_WAY;
  const words = (step: string) => {
    if (step !== 'confirmed' || blockNumber === null) return step;
    return isFound ? `found on the chain, in block ${blockNumber}` : `confirmed in block ${blockNumber}`;
  };
  if (before === undefined) {
    lines.push({ scene: 'Service', text: `Payment ${id}: ${describePayment(payment)}.`, at: createdAt });
  }
  if (before?.state !== state && !(state in PASSING) && !(before === undefined && state === 'planned')) {
    const scene = state === 'confirmed' || state === 'failed' ? 'Chain' : 'Service';
    const text = `Payment ${id}: ${steps(way, toldLast(before?.state ?? null), state, words)}.`;
    lines.push({ scene, text, announce: state === 'confirmed' && payment.kind === 'payout', at });
  }
  if (reason !== null && reason !== before?.reason) {
    lines.push({ scene: 'Service', text: `Payment ${id}: ${reason}.`, at });
  }
  return lines;
}

/** Transactions that made several payments, told once they are confirmed. */
function tellTransactions(before: Records, after: Records): Told[] {
  const confirmed = [...after.payments.values()].filter(
    ({ id, state }) => state === 'confirmed' && before.payments.get(id)?.state !== 'confirmed',
  );
  return [...Map.groupBy(confirmed, ({ hash }) => hash)].flatMap(([hash, payments]): Told[] => {
    if (hash === null || payments.length < 2) return [];
    const gigs = new Set(payments.map(({ gigId }) => gigId)).size;
    return [
      {
        scene: 'Chain',
        text: `One transaction, ${shortened(hash)}: ${payments.length} payments of ${counted(gigs, 'gig')}.`,
        at: Math.max(...payments.map(({ updatedAt }) => updatedAt)),
      },
    ];
  });
}

function tellGig(before: GigRecord | undefined, gig: GigRecord): Told[] {
  const { id, token } = gig;
  const amount = (units: bigint) => `${formatAmount(units, token.decimals)} ${token.symbol}`;
  const lines: Told[] = [];
  if (before === undefined) {
    lines.push({ scene: 'Service', text: `Gig ${id} was created: ${amount(gig.rewardAmount)}.`, at: gig.createdAt });
  } else if (gig.awardedAmount !== before.awardedAmount) {
    const more = gig.awardedAmount - before.awardedAmount;
    lines.push({ scene: 'Service', text: `Gig ${id}: tips of ${amount(more)} were awarded.` });
  }
  if (gig.status === 'live' && before?.status !== 'live') {
    lines.push({ scene: 'Service', text: `Gig ${id}: created → live.`, announce: true });
  }
  if (gig.stoppedAt !== null && before?.stoppedAt === null) {
    lines.push({ scene: 'Service', text: `Gig ${id} was stopped.`, at: gig.stoppedAt });
  }
  if (gig.settledAt !== null && before?.settledAt === null) {
    lines.push({
      scene: 'Service',
      text: `Gig ${id} was settled: ${amount(unawardedOf(gig))} are left.`,
      at: gig.settledAt,
    });
  }
  if (gig.frozen !== (before?.frozen ?? null)) {
    const text = gig.frozen === null ? 'pays again' : `is frozen: ${gig.frozen}`;
    lines.push({ scene: 'Service', text: `Gig ${id} ${text}.` });
  }
  return lines;
}

/** What happened in the store between two looks at it, in the order in which it matters. */
export function describeChanges(before: Records, after: Records): Told[] {
  // What only moved out of the window of the newest rows did not change.
  const mentions = [...after.mentions]
    .toReversed()
    .flatMap(([key, row]) => tellMention(before.mentions.get(key), row, after.replies.get(row.id)?.createdAt));
  const replies = [...after.replies].toReversed().flatMap(([key, row]) => tellReply(before.replies.get(key), row));
  const claims = [...after.claims.values()]
    .filter(({ id }) => !before.claims.has(id))
    .map(
      ({ id, recipient, createdAt: at }): Told => ({
        scene: 'Service',
        text: `Claim ${id}: to be paid at ${shortened(checksummed(recipient))}.`,
        at,
      }),
    );
  const gigs = [...after.gigs].flatMap(([key, row]) => tellGig(before.gigs.get(key), row));
  const payments = [...after.payments].flatMap(([key, row]) => tellPayment(before.payments.get(key), row));
  return [...mentions, ...gigs, ...claims, ...payments, ...tellTransactions(before, after), ...replies];
}

/** What is still to be done: mentions without an answer and replies that are not out. */
export function countWaiting(records: Records): { mentions: number; replies: number } {
  const open = ['queued', 'sending', 'unknown'];
  return {
    mentions: [...records.mentions.values()].filter(({ state }) => state === 'received').length,
    replies: [...records.replies.values()].filter(({ state }) => open.includes(state)).length,
  };
}
