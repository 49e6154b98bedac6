import type { Platform } from '../domain/account.ts';
import { formatAmount } from '../domain/amount.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Funding } from '../domain/gigs/gig.ts';
import { closedWords } from '../domain/gigs/gig-end.ts';
import { type Address, checksummed, type Token } from '../domain/gigs/token.ts';
import { isMisleading } from '../domain/gigs/token-text.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';

/** How a platform measures a text, and the longest it takes. */
export interface Measure {
  readonly replyLimit: number;
  measure(text: string): number;
}

const MAX_SYMBOL = 16;
/** Enough for the mark at the end of a reply on X. */
export const MARK_LENGTH = 12;

/**
 * A token's symbol, safe to post: a contract can put a mention, a tag or a link into it, so only visible letters,
 * digits, `_`, `+` and `-` stay.
 */
export function safeSymbol(token: { readonly symbol: string; readonly address: Address }): string {
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

export const NOTHING_IS_LOST = 'Nothing is lost.';

/** The beginning of a sentence about frozen gigs. */
export function frozenWords(gigs: string): string {
  return `The operator has frozen the payments of ${gigs} for now`;
}

function whereToSend({ token, chain, walletAddress }: Funding): string {
  return `token ${checksummed(token.address)} on ${chain.key} (chain id ${chain.id}), gig wallet ${checksummed(walletAddress)}`;
}

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
  undecided: 'cannot be settled yet: some accounts still wait for a decision',
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
    case 'account_not_found':
    case 'chain_not_found':
    case 'token_not_found':
    case 'key_reused':
    case 'tips_by_rules_only':
    case 'reward_exceeded':
    case 'platform_off':
    case 'webhook_not_found':
    case 'too_many_webhooks':
    case 'invalid_cursor':
    case 'signing_off':
    case 'owners_may_not':
    case 'session_too_new':
      // No command can cause these; they belong to the API.
      return 'That did not work.';
  }
}

export function unreachableReply(): string {
  return 'I could not read the blockchain just now, so nothing was changed. Please try again later.';
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
