import type { Platform } from '../domain/account.ts';
import { formatAmount } from '../domain/amount.ts';
import { type ClaimStatus, type Payout, payoutsOf } from '../domain/claim.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Funding } from '../domain/gig.ts';
import { closedWords } from '../domain/gig-end.ts';
import type { SocialPlatform } from '../domain/mention.ts';
import { OBSTACLES, type Obstacle, type Obstacles, sentence, WAIT_WORDS } from '../domain/obstacle.ts';
import { explainFailure } from '../domain/payout-failure.ts';
import { platformFacts } from '../domain/platforms.ts';
import type { ClaimableGroup } from '../domain/tip.ts';
import { checksummed, type Token } from '../domain/token.ts';
import { isMisleading } from '../domain/token-text.ts';

/** How a platform measures a text, and the longest it takes. */
export type Measure = Pick<SocialPlatform, 'measure' | 'replyLimit'>;

const MAX_SYMBOL = 16;
/** The shortest line about a token, which bounds how many lines are tried. */
const SHORTEST_LINE = '1 A (1 tip, 1 gig)'.length;
/** Enough for the mark at the end of a reply on X. */
export const MARK_LENGTH = 12;

/**
 * A token's symbol, safe to post: a contract can put a mention, a tag or a link into it, so only visible letters,
 * digits, `_`, `+` and `-` stay.
 */
export function safeSymbol(token: Pick<Token, 'symbol' | 'address'>): string {
  const address = `${token.address.slice(0, 6)}…${token.address.slice(-4)}`;
  if (isMisleading(token.symbol) || token.symbol.toLowerCase() === address.toLowerCase()) return address;
  const symbol = Array.from(
    token.symbol.normalize('NFKC').replace(/[^\p{L}\p{N}_+-]|\p{Default_Ignorable_Code_Point}/gu, ''),
  )
    .slice(0, MAX_SYMBOL)
    .join('');
  return symbol === '' || isMisleading(symbol) ? address : symbol;
}

/** An amount with its symbol, safe to post. */
export function amountOf(amount: bigint, token: Token): string {
  return `${formatAmount(amount, token.decimals)} ${safeSymbol(token)}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function groupLine(group: ClaimableGroup): string {
  return `${amountOf(group.total, group.token)} (${counted(group.tips.length, 'tip')}, ${counted(group.gigCount, 'gig')})`;
}

/**
 * What the author can claim, the token with the most tips first, as many tokens as fit.
 * @param page the URL of the full list, added when not all fit; null where replies carry no links
 */
export function claimsReply(groups: readonly ClaimableGroup[], measure: Measure, page: string | null = null): string {
  if (groups.length === 0) return 'You have no claimable tokens at the moment.';
  const lines = groups.toSorted((a, b) => b.tips.length - a.tips.length || a.token.id - b.token.id).map(groupLine);
  const room = measure.replyLimit - MARK_LENGTH;
  const render = (shown: number, link: string | null): string => {
    const more = lines.length - shown;
    const parts = [...lines.slice(0, shown), ...(more === 0 ? [] : [`+${more} more`])];
    return `Your claimable tokens: ${parts.join(' · ')}${more === 0 || link === null ? '' : `: ${link}`}`;
  };
  // A truncated link is useless.
  const link = measure.measure(render(1, page)) > room ? null : page;
  let shown = Math.min(lines.length, Math.ceil(room / SHORTEST_LINE));
  while (shown > 1 && measure.measure(render(shown, link)) > room) shown -= 1;
  return render(shown, link);
}

/** How much detail a claim's reply gives; explorers also find a transaction by the beginning of its hash. */
interface Brevity {
  readonly hash: 'whole' | 'beginning' | 'none';
  /** Whether the reason of each failed payment is given. */
  readonly why: boolean;
  /** How many payments of a kind are listed; the rest is counted. */
  readonly shown: number;
}

/** What a claim's reply contains besides its payments. */
export interface ClaimContext {
  /** What holds up payments. */
  readonly obstacles?: Obstacles;
  /** The URL of the outcome; null where replies carry no links. */
  readonly page?: string | null;
  /** Whether to tell why payments failed. */
  readonly why?: boolean;
}

function payoutWords({ payment, token, outcome }: Payout, { why }: Brevity): string {
  const amount = amountOf(payment.amount, token);
  return outcome === 'failed' && why ? `${amount} (${explainFailure(payment.reason)})` : amount;
}

/** What one transaction paid, which is named once at the end. */
function transactionWords(hash: string, amounts: readonly string[], { hash: detail }: Brevity): string {
  const last = amounts.at(-1) ?? '';
  const paid = amounts.length < 2 ? last : `${amounts.slice(0, -1).join(', ')} and ${last}`;
  return `${paid} (tx ${detail === 'whole' ? hash : `${hash.slice(0, 12)}…`})`;
}

/** The list of payments, at most `brevity.shown` of them; null when there are none. */
function payoutList(payouts: readonly Payout[], brevity: Brevity): string | null {
  if (payouts.length === 0) return null;
  const shown = payouts.slice(0, brevity.shown);
  const isNamed = brevity.hash !== 'none';
  const byHash = Map.groupBy(shown, ({ payment, outcome }) => (isNamed && outcome === 'success' ? payment.hash : null));
  const named = [...byHash].flatMap(([hash, paid]) => {
    const amounts = paid.map((payout) => payoutWords(payout, brevity));
    return hash === null ? amounts : [transactionWords(hash, amounts, brevity)];
  });
  const more = payouts.length - shown.length;
  return [...named, ...(more === 0 ? [] : [`+${more} more`])].join(', ');
}

/** Payments with one sum for what a transaction, where it is named, paid of a token to an address, from whatever gigs. */
function summed(payouts: readonly Payout[], { hash: detail }: Brevity): Payout[] {
  const groups = Map.groupBy(
    payouts,
    ({ token, payment }) => `${payment.recipient} ${detail === 'none' || payment.hash} ${token.id}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const amount = group.reduce((sum, { payment }) => sum + payment.amount, 0n);
    return [{ ...first, payment: { ...first.payment, amount } }];
  });
}

/** A sentence for each address that was paid: what an older backup does not know went to the address of its own time. */
function paidWords(payouts: readonly Payout[], brevity: Brevity): string[] {
  const byRecipient = Map.groupBy(payouts, ({ payment }) => payment.recipient);
  if (byRecipient.size > 2) return [`Paid to ${byRecipient.size} addresses: ${payoutList(payouts, brevity)}.`];
  return [...byRecipient].map(
    ([recipient, paid]) => `Paid to ${checksummed(recipient)}: ${payoutList(paid, brevity)}.`,
  );
}

function gigsOf(payouts: readonly Payout[], { shown }: Brevity): string {
  const ids = [...new Set(payouts.map(({ payment }) => payment.gigId))];
  if (ids.length === 1) return `gig ${ids[0]}`;
  const named = ids.slice(0, Math.max(1, shown));
  return `gigs ${[...named, ...(ids.length > named.length ? [`+${ids.length - named.length} more`] : [])].join(', ')}`;
}

export const NOTHING_IS_LOST = 'Nothing is lost.';

/** The beginning of a sentence about frozen gigs. */
export function frozenWords(gigs: string): string {
  return `The operator has frozen the payments of ${gigs} for now`;
}

function claimWords(status: ClaimStatus, brevity: Brevity, { obstacles, page }: ClaimContext): string {
  const payouts = payoutsOf(status);
  const having = (outcome: Payout['outcome'], obstacle?: Obstacle) =>
    payouts.filter((each) => each.outcome === outcome && obstacles?.get(each.payment.id) === obstacle);
  const frozen = having('pending', 'gig_frozen');
  const lists = {
    moving: payoutList(summed(having('pending'), brevity), brevity),
    frozen: payoutList(frozen, brevity),
    failed: payoutList(having('failed'), brevity),
  };
  const waits = OBSTACLES.flatMap((obstacle) => {
    const list = obstacle === 'gig_frozen' ? null : payoutList(having('pending', obstacle), brevity);
    return obstacle === 'gig_frozen' || list === null ? [] : [{ list, ...WAIT_WORDS[obstacle] }];
  });
  const comforts = new Set(waits.map(({ comfort }) => sentence(comfort)));
  if (lists.frozen !== null) comforts.add(NOTHING_IS_LOST);
  const sentences = [
    ...paidWords(summed(having('success'), brevity), brevity),
    lists.moving === null ? null : `On its way: ${lists.moving}.`,
    lists.frozen === null ? null : `${frozenWords(gigsOf(frozen, brevity))}: ${lists.frozen}.`,
    ...waits.map(({ why, list }) => `Waiting ${why}: ${list}.`),
    ...comforts,
    lists.failed === null ? null : `Not paid: ${lists.failed}; they can be claimed again.`,
    page == null ? null : `Follow it here: ${page}`,
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

/** The status of a claim, in as much detail as fits: paid (with hashes), under way, held up (and why), and failed. */
export function claimedReply(status: ClaimStatus, measure: Measure, context: ClaimContext = {}): string {
  const room = measure.replyLimit - MARK_LENGTH;
  const longest = Math.min(status.payments.length, Math.ceil(room / '1 A, '.length));
  const { why = false } = context;
  const ways: Brevity[] = [
    { hash: 'whole', why, shown: longest },
    { hash: 'beginning', why, shown: longest },
    ...Array.from({ length: longest }, (_, index) => ({ hash: 'none', why, shown: longest - index }) as const),
    ...Array.from({ length: longest }, (_, index) => ({ hash: 'none', why: false, shown: longest - index }) as const),
  ];
  const fits = (text: string) => measure.measure(text) <= room;
  const found = ways
    .values()
    .map((brevity) => claimWords(status, brevity, context))
    .find(fits);
  if (found !== undefined) return found;
  // A truncated link is useless.
  const shortest = claimWords(status, { hash: 'none', why: false, shown: 1 }, { ...context, page: null });
  return fits(shortest)
    ? shortest
    : claimWords(status, { hash: 'none', why: false, shown: 0 }, { ...context, page: null });
}

function whereToSend({ token, chain, walletAddress }: Funding): string {
  return `token ${checksummed(token.address)} on ${chain.key} (chain id ${chain.id}), gig wallet ${checksummed(walletAddress)}`;
}

/** All the details, with the missing or surplus amount if it fits. */
function notFunded(gigId: number, funding: Funding, measure: Measure): string {
  const { expected, actual, token } = funding;
  const state = `Gig ${gigId} is not funded: it needs exactly ${amountOf(expected, token)} and holds ${formatAmount(actual, token.decimals)}`;
  const full =
    actual < expected
      ? `${state}. Send ${formatAmount(expected - actual, token.decimals)} more: ${whereToSend(funding)}.`
      : `${state}, ${formatAmount(actual - expected, token.decimals)} too much: ${whereToSend(funding)}.`;
  return measure.measure(full) <= measure.replyLimit - MARK_LENGTH ? full : `${state}: ${whereToSend(funding)}.`;
}

const NOT_STOPPABLE = {
  created: 'has not started, so there is nothing to stop. To end it, mention me with "cancel gig" and its number',
  cancelled: 'is cancelled',
  ended: 'has ended already',
} as const;

const NOT_SETTLEABLE = {
  created: 'has not started, so there is nothing to settle. To end it, mention me with "cancel gig" and its number',
  cancelled: 'is cancelled',
  running: 'has not ended. To end it now, mention me with "stop gig" and its number',
  undecided: 'cannot be settled yet: some accounts are not decided about',
  settled: 'is settled already',
} as const;

/** The reply for a broken rule. */
export function refusalReply(refusal: Refusal, measure: Measure): string {
  switch (refusal.code) {
    case 'gig_not_found':
      return `There is no gig ${refusal.gigId}.`;
    case 'gig_already_live':
      return `Gig ${refusal.gigId} is already live.`;
    case 'gig_ended':
      return `Gig ${refusal.gigId} has ended already.`;
    case 'gig_cancelled':
      return `Gig ${refusal.gigId} is cancelled.`;
    case 'gig_not_running':
      return `Gig ${refusal.gigId} ${closedWords(refusal.phase)}.`;
    case 'gig_not_stoppable':
      return `Gig ${refusal.gigId} ${NOT_STOPPABLE[refusal.phase]}.`;
    case 'gig_not_settleable':
      return `Gig ${refusal.gigId} ${NOT_SETTLEABLE[refusal.why]}.`;
    case 'gig_in_progress':
      return `Gig ${refusal.gigId} is being processed right now. Try again in a minute.`;
    case 'gig_not_funded':
      return notFunded(refusal.gigId, refusal.funding, measure);
    case 'not_gig_owner':
      return `Only an owner of gig ${refusal.gigId} can ${refusal.act} it.`;
    case 'wallets_off':
      return 'Payments are turned off here at the moment.';
    case 'not_a_claim':
      return 'To be paid, mention me with "claim my rewards" and, if you like, one Ethereum address.';
    case 'invalid_address':
      return 'I cannot pay to that address. It must be 0x and 40 hex digits, all in one case or with a valid checksum.';
    case 'several_addresses':
      return 'Your post names several addresses. Please name one.';
    case 'no_address':
      return 'Please name the address to pay: "claim my rewards 0x…".';
    case 'no_verified_address':
      return 'You have no verified Ethereum address. Verify one, or name one: "claim my rewards 0x…".';
    case 'post_too_old':
      return 'That post is too old for a claim. Please post again.';
    case 'post_not_found':
      return 'I cannot find that post.';
    case 'no_tips':
      return 'You have no claimable tokens at the moment.';
    case 'invalid_api_key':
    case 'scope_missing':
    case 'invalid_request':
    case 'validation_failed':
    case 'chain_not_found':
    case 'token_not_found':
    case 'key_reused':
    case 'tips_by_rules_only':
    case 'reward_exceeded':
    case 'platform_off':
      // No command can cause these; they belong to the API.
      return 'That did not work.';
  }
}

export function stoppedReply(): string {
  return 'You will get no more replies from me. Mention me with "unstop" to change that.';
}

export function unstoppedReply(): string {
  return 'Replies are back on.';
}

export function refusedCharactersReply(reason: 'invisible' | 'look_alike'): string {
  return reason === 'invisible'
    ? 'Your post contains invisible characters, so I did nothing. Please type the command again by hand.'
    : 'Your post contains characters that look like others, so I did nothing. Please type the command in plain letters and digits.';
}

export function unreachableReply(): string {
  return 'I could not read the blockchain just now, so nothing was changed. Please try again later.';
}

export function addressUnknownReply(): string {
  return 'I could not look up your verified address just now, so nothing was changed. Please try again later, or name one: "claim my rewards 0x…".';
}

/**
 * The text as posted: with the platform's mark of the mention where it refuses the same text twice, and cut to its
 * limit, which only an absurdly long token name or amount exceeds.
 */
export function finishReply(text: string, mention: { platform: Platform; postId: string }, measure: Measure): string {
  const mark = platformFacts(mention.platform).replyMark?.(mention.postId) ?? '';
  const letters = Array.from(text);
  const render = (length: number) => `${letters.slice(0, length).join('')}…${mark}`;
  if (measure.measure(text + mark) <= measure.replyLimit) return text + mark;
  // Every character measures at least one.
  let length = Math.min(letters.length - 1, measure.replyLimit);
  while (length > 0 && measure.measure(render(length)) > measure.replyLimit) length -= 1;
  return render(length);
}
