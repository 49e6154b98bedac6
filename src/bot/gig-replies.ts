import type { AccountKey } from '../domain/account.ts';
import { formatAmount } from '../domain/amount.ts';
import type { Target } from '../domain/earning/act.ts';
import type { Earning } from '../domain/earning/earning.ts';
import { earningSentence, forPublic, toldBy } from '../domain/earning/earning-words.ts';
import type { EarningRules } from '../domain/earning/rules.ts';
import {
  type DescribedGig,
  describeRule,
  describeRules,
  lengthFromStart,
  submitSentence,
} from '../domain/earning/sentence.ts';
import { type Funding, type Gig, gigPhase } from '../domain/gig.ts';
import { platformFacts } from '../domain/platforms.ts';
import { minuteText } from '../domain/time.ts';
import { checksummed } from '../domain/token.ts';
import type { OwnEarning } from '../services/gigs/show-earnings.ts';
import { amountOf, frozenWords, MARK_LENGTH, type Measure, NOTHING_IS_LOST, safeSymbol } from './replies.ts';

export function startedReply(gig: Gig, now: number): string {
  return gigPhase(gig, now) === 'scheduled'
    ? `Gig ${gig.id} started. It is live from ${minuteText(gig.startTime)} until ${minuteText(gig.endTime)}.`
    : `Gig ${gig.id} is live until ${minuteText(gig.endTime)}.`;
}

/** How a gig is earned by rules. */
interface Earned {
  readonly rules: EarningRules;
  readonly target: Target;
}

/** A keyword, safe to post: with a `$` it would be a tag, and some letters are invisible. */
function safeTarget(target: Target): Target {
  if (target.kind !== 'keyword') return target;
  const keyword = target.keyword.normalize('NFKC').replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '');
  return { kind: 'keyword', keyword: keyword === '' ? 'its keyword' : keyword };
}

/**
 * Who earns how, in as much detail as fits: with what an account needs, without it, or not at all; for a bounty that has not
 * ended also how something is submitted.
 */
function whoEarns(gig: Gig, { rules, target }: Earned, now: number): readonly string[] {
  const { id, gigType, platform, token } = gig;
  const { decimals } = token;
  const described: DescribedGig = {
    gigType,
    platform,
    target: safeTarget(target),
    token: { decimals, symbol: safeSymbol(token) },
  };
  const isOpen = gigType === 'custom_bounty' && gigPhase(gig, now) !== 'ended';
  const how = isOpen ? ` ${submitSentence({ id, platform, target }, 'me')}` : '';
  return [` ${describeRules(rules, described)}${how}`, ` ${describeRule(rules, described)}${how}`, how, ''];
}

/** The first of these texts that fits; the last one if none does. */
function fitting(texts: readonly string[], { measure, replyLimit }: Measure): string {
  return texts.find((text) => measure(text) <= replyLimit - MARK_LENGTH) ?? texts.at(-1) ?? '';
}

/** What is told of a gig's wallet. */
function walletWords(gig: Gig, funding: Funding | 'unknown' | null, isCreated: boolean): string {
  if (funding === null) return '';
  if (funding === 'unknown') return ' Its wallet cannot be read right now.';
  const held = formatAmount(funding.actual, gig.token.decimals);
  const wallet = ` Its wallet ${checksummed(gig.walletAddress)} holds ${held}`;
  return isCreated ? `${wallet} of ${amountOf(funding.expected, gig.token)}.` : `${wallet} ${safeSymbol(gig.token)}.`;
}

/**
 * The status of a gig. `funding` is its wallet's, for an owner, or `unknown` when the chain did not answer; `earning` is
 * null for a manual gig.
 */
export function statusReply(
  gig: Gig,
  options: { now: number; funding: Funding | 'unknown' | null; frozen: boolean; earning: Earned | null },
  measure: Measure,
): string {
  const { now, funding, frozen, earning } = options;
  const phase = gigPhase(gig, now);
  const words = {
    cancelled: 'is cancelled',
    created: `is not started. Planned: ${lengthFromStart(gig, now) ?? `${minuteText(gig.startTime)} to ${minuteText(gig.endTime)}`}`,
    scheduled: `is started, live from ${minuteText(gig.startTime)} until ${minuteText(gig.endTime)}`,
    live: `is live until ${minuteText(gig.endTime)}`,
    ended: `ended at ${minuteText(gig.endTime)}`,
  }[phase];
  const told = `Gig ${gig.id} ${words}. Reward: ${amountOf(gig.rewardAmount, gig.token)}.`;
  const base = frozen ? `${told} ${frozenWords(`gig ${gig.id}`)}. ${NOTHING_IS_LOST}` : told;
  const wallet = walletWords(gig, funding, phase === 'created');
  const earners = earning === null ? [''] : whoEarns(gig, earning, now);
  return fitting(
    earners.map((who) => `${base}${who}${wallet}`),
    measure,
  );
}

function manualWords({ gig: { id }, hasTip }: OwnEarning): string {
  return hasTip
    ? `You have earned from gig ${id}.`
    : `Gig ${id} awards its tips by request, and none of them is yours so far.`;
}

/** An earning as it can be posted, the longest text first. */
function postable(earning: Earning): readonly Earning[] {
  const shown = forPublic(earning);
  return shown.voidReason ? [shown, { ...shown, voidReason: '' }] : [shown];
}

/** What the author earns from a gig, and why not. */
export function whyReply(
  own: OwnEarning,
  { viewer, now }: { viewer: Pick<AccountKey, 'platform'>; now: number },
  measure: Measure,
): string {
  const { gig, overview, earning, missing } = own;
  if (overview === null) return manualWords(own);
  if (viewer.platform !== gig.platform) {
    return `Gig ${gig.id} is earned on ${platformFacts(gig.platform).label}: ask me there.`;
  }
  if (gig.cancelledAt !== null) return `Gig ${gig.id} is cancelled.`;
  if (earning === null) {
    const none =
      gig.status === 'created'
        ? `Gig ${gig.id} is not started.`
        : `In gig ${gig.id} I have seen nothing of you that counts.`;
    return fitting(
      whoEarns(gig, overview, now).map((who) => `${none}${who}`),
      measure,
    );
  }
  const told = { ...toldBy(overview.rules), missing, now, amountText: (amount: bigint) => amountOf(amount, gig.token) };
  return fitting(
    postable(earning).map((each) => `Gig ${gig.id}: ${earningSentence(each, told)}`),
    measure,
  );
}
